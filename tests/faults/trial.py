"""Tries every change of a program on calls, and says what becomes of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from plumbline.trial.record.judge import ACCUSES
from tests.faults.calls import Item, Outputs
from tests.faults.program import Change, Guard, Program, Runaway, Watch

Outcome = Literal["found", "equivalent", "undefined only", "survivor"]

STEPS, FURTHER_STEPS = 5_000, 500
"""Steps of loops above which a call of the default run, or a further one, is not tried on the changes of a program;
wrappers are tried on all."""

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


@dataclass
class Report:
    """The faults of one program or shelf.

    false:    accusations of outputs that differ only where the specification leaves them undefined.
    calls:    how many calls there were, of the default run and beyond.
    too_long: calls of the default run that the program takes too many steps for.
    """

    results: list[Result] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    calls: list[int] = field(default_factory=lambda: [0, 0])
    too_long: int = 0

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
    _hunt(program, invoke, results, default, STEPS, report, False)
    _hunt(program, invoke, {number: result for number, result in results.items() if result.outcome != "found"}, further,
          FURTHER_STEPS, report, True)
    report.results = [conclude(result, report) for result in results.values()]
    return report


def _hunt(program: Program, invoke: Invoke, results: Mapping[int, Result], items: Iterable[Item], steps: int,
          report: Report, beyond: bool) -> None:
    """The changes of some results on calls, each until a call accuses it."""
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
        guard.steps, guard.limit = 0, steps
        honest = _run(lambda: invoke(right, item))
        if isinstance(honest, Runaway):
            report.too_long += not beyond
            continue
        assert not isinstance(honest, Exception), (item.name, honest)
        report.calls[beyond] += 1
        limit = MANY * guard.steps + 1000
        for number in sorted((watch.altered | watch.always) & watch.alive):
            if number not in loaded:
                loaded[number] = _loaded(program, program.changes[number])
            entry, own = loaded[number]
            own.steps, own.limit = 0, limit
            answer = entry if isinstance(entry, Exception) else _run(lambda: invoke(entry, item))
            if settle(results[number], item, honest, answer, report, beyond):
                watch.alive.discard(number)
                loaded.pop(number, None)


def settle(result: Result, item: Item, honest: Outputs, answer: Outputs | Exception, report: Report,
           beyond: bool) -> bool:
    """Whether an answer shows the fault, which its result then says."""
    open_only = not isinstance(answer, Exception) and changes_only_undefined(item, honest, answer)
    if open_only is None:
        return False
    verdict = item.verdict(answer)
    accused = verdict.verdict in ACCUSES
    if open_only and accused:
        report.false.append(f"{item.name}: {result.fault}: {verdict.verdict} {', '.join(verdict.clauses)}")
    if not accused:
        result.undefined += bool(open_only) or isinstance(answer, Exception)
        result.allowed += not open_only and not isinstance(answer, Exception)
        return False
    result.outcome, result.by = "survivor" if beyond else "found", item.name
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
        freedoms = item.judged.opened.get(name, ())
        if any(freedom.shape for freedom in freedoms):
            differs = differs or given is None or given.shape != right.shape or bool((bits(given) != bits(right)).any())
        elif given is not None and given.dtype == right.dtype and given.shape == right.shape:
            unequal = bits(given) != bits(right)
            differs = differs or bool(unequal.any())
            for freedom in freedoms if unequal.any() else ():
                unequal = unequal & ~freedom.allows(given)
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


def _run(call: Callable[[], Outputs]) -> Outputs | Exception:
    with quiet():
        try:
            return dict(call())
        except Exception as error:  # whatever a fault comes to
            return error


@contextmanager
def quiet() -> Iterator[None]:
    """No warnings of arithmetic."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
