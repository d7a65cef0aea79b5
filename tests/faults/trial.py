"""Tries every change of a program on calls, and says what becomes of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard

import numpy as np

from plumbline.backends import Answered
from plumbline.backends.hosts import SHARE
from plumbline.backends.in_process import InProcess
from plumbline.trial.record.judge import ACCUSES
from tests.faults.calls import Item, Outputs
from tests.faults.guard import Guard, Runaway, Watch
from tests.faults.program import Change, Program
from tests.faults.states import Remembering
from tests.faults.wrapper import Run, Wrapper

Outcome = Literal["found", "equivalent", "undefined only", "survivor"]

STEPS, LARGE_STEPS, FURTHER_STEPS, LARGE, EVERY_VALUE_STEPS = 300, 1_500, 100, 4, 1 << 18
"""Steps of loops that a call of the default run may take the right program, and so many larger ones; and a further
call. Those on combinations of special values may take as many as the larger ones. Those on every value of a type are
tried on faults that would survive. On calls beyond that faults of a program are not tried: wrappers are."""

MANY = 20
"""How many times as many steps as the right program a faulty one may take, and then some."""

Invoke = Callable[[Any, Item], Outputs]
"""Runs the entry of a program on a call."""


@dataclass
class Result:
    """What became of a fault.

    by:     the first call that accuses it; of a survivor one that the default run does not have.
    reason: what was broken; or of how many calls nothing, or only what is undefined, was changed.
    """

    fault: str
    kind: str
    outcome: Outcome = "equivalent"
    by: str = ""
    reason: str = ""
    undefined: int = 0
    allowed: int = 0
    drawn: bool = False
    """Whether only a call that a seed draws accuses it."""


@dataclass
class Report:
    """The faults of one program or shelf.

    false:    accusations of outputs that differ only where the specification leaves them undefined.
    calls:    how many calls there were, of the default run and beyond.
    default:  whether those tried now are calls of the default run.
    """

    results: list[Result] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    calls: list[int] = field(default_factory=lambda: [0, 0])
    default: bool = True

    def counts(self) -> dict[Outcome, int]:
        """The number of faults by outcome."""
        return {outcome: sum(result.outcome == outcome for result in self.results)
                for outcome in ("found", "equivalent", "undefined only", "survivor")}


def try_changes(program: Program, invoke: Invoke, default: Iterable[Item], further: Iterable[Item],
                numbers: Iterable[int] | None = None) -> Report:
    """Every change, or those of some numbers, on the calls of the default run, then on further ones.

    The right program runs under a watch; a change is run on the calls alone where that shows it alters a value.
    """
    report = Report()
    chosen = sorted(range(len(program.changes)) if numbers is None else numbers)
    results = {number: Result(str(program.changes[number]), program.changes[number].kind) for number in chosen}
    larger: list[Item] = []
    _hunt(program, invoke, results, default, STEPS, report, larger)
    left = {number: result for number, result in results.items() if result.outcome != "found"}
    _hunt(program, invoke, left, larger[:LARGE], LARGE_STEPS, report, [])
    report.default = False
    left = {number: result for number, result in left.items() if result.outcome != "found"}
    _hunt(program, invoke, left, further, FURTHER_STEPS, report, [])
    report.default = True
    left = {number: result for number, result in left.items() if result.outcome == "survivor"}
    every = [item for item in larger if item.has_every_value]
    _hunt(program, invoke, left, every, EVERY_VALUE_STEPS, report, [])
    report.results = [conclude(result, report) for result in results.values()]
    return report


def _hunt(program: Program, invoke: Invoke, results: Mapping[int, Result], items: Iterable[Item], steps: int,
          report: Report, too_long: list[Item]) -> None:
    """The changes of some results on calls, each until a call accuses it; `too_long` takes those of more steps."""
    guard, watch, loaded = Guard(), Watch(), dict[int, tuple[Any, Guard]]()
    watched = 2 * len(results) + 2
    watch.alive = set(results)
    for item in items:
        if not watch.alive:
            break
        if len(watch.alive) <= watched / 2:  # watching what is found already takes time
            watched = len(watch.alive)
            right = program.watched(guard, watch, watch.alive)
        watch.altered.clear()
        guard.steps, guard.limit = 0, max(steps, LARGE_STEPS) if item.is_combined else steps
        honest = answer_of(invoke, right, item)
        if isinstance(honest, Runaway):
            too_long.append(item)
            continue
        if _is_refusal(item, honest):
            continue
        report.calls[not report.default] += 1
        limit = MANY * guard.steps + 1000
        for number in sorted((watch.altered | watch.always) & watch.alive):
            if number not in loaded:
                loaded[number] = _loaded(program, program.changes[number])
            entry, own = loaded[number]
            own.steps, own.limit = 0, limit
            answer = entry if isinstance(entry, Exception) else answer_of(invoke, entry, item)
            if settle(results[number], item, honest, answer, report):
                watch.alive.discard(number)
                loaded.pop(number, None)


def _is_refusal(item: Item, honest: Outputs | Exception) -> TypeGuard[Exception]:
    """Whether a right implementation refuses a call, as it may where that is undefined. Raises AssertionError where it
    may not."""
    if isinstance(honest, Exception):
        assert item.verdict(honest).verdict not in ACCUSES, f"{item.name} is refused: {honest!r}"
        return True
    return False


def settle(result: Result, item: Item, honest: Outputs, answer: Outputs | Exception, report: Report) -> bool:
    """Whether an answer shows the fault, which its result then says."""
    with quiet():
        open_only = not isinstance(answer, Exception) and changes_only_undefined(item, honest, answer)
    if open_only is None:
        return False
    with quiet():
        verdict = item.verdict(answer)
    accused = verdict.verdict in ACCUSES
    if open_only and accused:
        report.false.append(f"{item.name}: {result.fault}: {verdict.verdict} {', '.join(verdict.clauses)}")
    if not accused:
        result.undefined += bool(open_only) or isinstance(answer, Exception)
        result.allowed += not open_only and not isinstance(answer, Exception)
        return False
    result.drawn = item.is_drawn
    result.outcome, result.by = "found" if report.default else "survivor", item.name
    result.reason = ", ".join(verdict.clauses) or verdict.did
    return True


def conclude(result: Result, report: Report) -> Result:
    """The result of a fault that nothing accused, with the reason computed."""
    if result.outcome == "equivalent":
        calls = f"{report.calls[0]} calls of the default run and {report.calls[1]} further ones"
        result.reason = f"changes nothing on {calls}"
        if result.undefined or result.allowed:
            result.outcome = "undefined only"
            result.reason = (f"of {calls} changes only undefined elements on {result.undefined}, and to other values "
                             f"that the specification allows on {result.allowed}")
    return result


def changes_only_undefined(item: Item, honest: Outputs, answer: Outputs) -> bool | None:
    """Whether outputs differ from the right ones only in undefined elements; None where they do not differ."""
    differs, only = False, True
    for name in item.request.outputs:
        right, given = np.asarray(honest[name]), answer.get(name)
        given = None if given is None else np.asarray(given)
        if given is not None and given.dtype.hasobject and not all(isinstance(part, str) for part in given.flat):
            return False
        allowances = item.judged.allowances.get(name, ())
        if given is not None and given.dtype == right.dtype and given.shape != right.shape:
            differs = True
            axes = getattr(item.judged.definition, "open_axes", range(2, right.ndim))
            only = only and given.ndim == right.ndim and any(allowance.shape for allowance in allowances) and all(
                axis in axes for axis, sizes in enumerate(zip(given.shape, right.shape, strict=True))
                if sizes[0] != sizes[1])
        elif given is not None and given.dtype == right.dtype:
            unequal = bits(given) != bits(right)
            differs = differs or bool(unequal.any())
            for allowance in allowances if unequal.any() else ():
                unequal = unequal & ~allowance.allows(given)
            only = only and not unequal.any()
        else:
            differs, only = True, False
    return only if differs else None


def bits(array: np.ndarray) -> np.ndarray:
    """The elements as integers, or as they are."""
    if array.dtype.kind == "O" or array.dtype.itemsize not in (1, 2, 4, 8):
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)


def _loaded(program: Program, change: Change) -> tuple[Any, Guard]:
    guard = Guard()
    try:
        return program.load(guard, change), guard
    except Exception as error:  # it cannot even be loaded
        return error, guard


def answer_of(call: Callable[..., Outputs], *arguments: Any) -> Outputs | Exception:
    """Return what a call of an implementation gives, or the error that it raises."""
    with quiet():
        try:
            return dict(call(*arguments))
        except Exception as error:  # whatever a fault comes to
            return error


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of arithmetic."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def try_wrappers(wrappers: Iterable[Wrapper], run: Run, default: Iterable[Item],
                 further: Iterable[Item]) -> Report:
    """Every wrapper of a right implementation on the calls of the default run; those that nothing accuses there on
    further ones."""
    report, shelf = Report(), list(wrappers)
    results = [Result(wrapper.name, wrapper.kind) for wrapper in shelf]
    alive = set(range(len(shelf)))
    for report.default, items in ((True, default), (False, further)):
        for item in items if alive else ():
            honest = answer_of(run, item.request)
            if _is_refusal(item, honest):
                continue
            report.calls[not report.default] += 1
            for number in sorted(alive):
                answer = answer_of(shelf[number].spoils, run, item.request, honest)
                if answer is not honest and settle(results[number], item, honest, answer, report):
                    alive.discard(number)
    assert report.calls[0], "the right implementation answers no call of the default run"
    for wrapper, result in zip(shelf, results, strict=True):
        conclude(result, report)
        if wrapper.needed and result.outcome == "equivalent":
            result.outcome, result.reason = "survivor", "no call of the default run is large enough, or put so"
    report.results = results
    return report


def turned(item: Item) -> Outputs | None:
    """The inputs of a call in reverse, all or the first alone, if the outputs keep their shapes and those of the call
    break a clause there."""
    given, before = item.request.inputs, item.case.expectation.outputs or {}
    for names in (list(given), list(given)[:1]):
        inputs = {name: np.ascontiguousarray(x[::-1]) if x.ndim and name in names else x for name, x in given.items()}
        call = replace(item.judged.call, inputs=inputs)
        if item.spec.violations(call):
            continue
        pairs = [(before[name], array) for name, array in item.spec.expected(call).items() if name in before]
        if pairs and all(one.shape == other.shape and one.tobytes() != other.tobytes() for one, other in pairs) \
                and item.spec.divergences(call, before):
            return inputs
    return None


def try_memory(run: Run, item: Item) -> Report:
    """The faults that show at a second call: a call and one with other values are put in turn, as campaigns do."""
    report = Report(calls=[1, 0])
    others = turned(item)
    assert others is not None, item.name
    inputs = [item.request.inputs, others] * SHARE
    for fault in Remembering.FAULTS:
        with quiet():
            outcomes = InProcess(Remembering(run, fault)).run_inputs(item.request, inputs)
            accused = [outcome.harm or ", ".join(_broken(item, given, outcome))
                       for given, outcome in zip(inputs, outcomes, strict=True) if isinstance(outcome, Answered)]
        found = next(filter(None, accused), None)
        report.results.append(Result(fault, "memory", "survivor" if found is None else "found", item.name,
                                     found or "nothing shows it"))
    return report


def _broken(item: Item, inputs: Mapping[str, np.ndarray], outcome: Answered) -> list[str]:
    """The clauses that an answer breaks, if its call is inside the domain."""
    call = replace(item.judged.call, inputs=inputs)
    if item.spec.violations(call):
        return []
    return [divergence.clause for divergence in item.spec.divergences(call, outcome.outputs)]
