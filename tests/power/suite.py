"""The default suite as a mutant meets it: every case inside the domain, in every form, judged as a backend is; those of
the newest versions in a context as well, by whose name a mutant knows it.

Cases outside the domain, and those of which the text leaves everything open, accuse nobody who answers or refuses. No
mutant can be told by them; they are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from plumbline.backends import Answered, Raised, Request, is_asked
from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.generate.run_cases import unseeded_cases
from plumbline.cases.onnx.contexts import contexts, in_contexts
from plumbline.oracle import Call, JudgedCall, Spec, load_spec, spec_names
from plumbline.trial.record.judge import ACCUSES, Verdict, judge_inside
from tests.power.catalogue import Mutant
from tests.power.implementation import Pooling

SPECIFICATIONS = ("sonnx/maxpool*", "onnx/maxpool*", "onnx/averagepool*")
"""The texts that the implementation follows, and a backend that reads ONNX is tried by."""

Outputs = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Item:
    """One case in one form, how the oracle reads it, and what the implementation without a fault answers."""

    spec: Spec
    case: Case
    call: Call
    reading: JudgedCall
    request: Request
    honest: Outputs

    @property
    def name(self) -> str:
        """``onnx/maxpool@12 same-upper-odd [Y]``."""
        return f"{self.spec.name} {self.case.id} [{'+'.join(self.call.outputs)}]"


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: the first item that accuses it, and the clauses expected that no item reported."""

    mutant: Mutant
    killed_by: str | None
    unreported: tuple[str, ...]


def texts() -> list[str]:
    """The names of the specifications that mutants are put to."""
    return [name for name in spec_names() if is_asked(SPECIFICATIONS, name)]


def default_cases() -> list[Case]:
    """The cases of a conformance run that no seed takes part in: no fault is to be found by luck."""
    names = texts()
    written = [case for case in load_cases() if case.spec in names]
    return [*written, *(case for name in names for case in unseeded_cases(name, written))]


def generated_cases(count: int, seed: int) -> Iterator[Case]:
    """`count` generated cases, spread over the specifications."""
    names = texts()
    for number, name in enumerate(names):
        share = count // len(names) + (number < count % len(names))
        yield from generate_cases(name, seed=seed, count=share)


def taken() -> list[str]:
    """The contexts that an implementation is put in: all that some backend takes which reads ONNX. How inputs lie in
    memory beyond gaps reaches libraries of functions alone."""
    return [name for name in contexts() if name != "channels-last"]


def items_of(cases: Iterable[Case], *, alone: bool = False) -> list[Item]:
    """The cases with values of which something is judged, in every form; and, unless they are to stand `alone`, those
    that are put in all contexts once more in each: no mutant is to be found by the context that a case happens to have.
    A context changes no answer, and a mutant is told its name."""
    cases = list(cases)
    found = [item for case in cases if case.expectation.kind == "outputs" for item in _forms_of(case)]
    by_id: dict[tuple[str, str], list[Item]] = {}
    for item in found:
        by_id.setdefault((item.case.spec, item.case.id), []).append(item)
    for case in () if alone else in_contexts([case for case in cases if case.in_all], taken()):
        for item in by_id.get((case.spec, case.base_id), ()):
            found.append(replace(item, case=case, request=replace(item.request, label=case.context)))
    return found


def _forms_of(case: Case) -> Iterator[Item]:
    spec = load_spec(case.spec)
    for form in spec.forms:
        call = case.call.asking_for(*form)
        reading = spec.judged(call)
        if not all(_open_as_a_whole(reading, name) for name in form):
            request = Request(b"", call.operator, call.attributes, case.opset, call.inputs, form)
            yield Item(spec, case, call, reading, request, Pooling.run(request))


def _open_as_a_whole(reading: JudgedCall, name: str) -> bool:
    return name in reading.unspecified and isinstance(reading.unspecified[name].mask, str)


def verdict_on(pooling: type[Pooling], item: Item) -> Verdict | None:
    """The verdict on what an implementation does with an item; None where it answers as the honest one, to the bit."""
    try:
        outputs = item.honest if pooling is Pooling else pooling.run(item.request)
    except NotImplementedError as error:  # anything else is an error of the mutant, and must not pass for a kill
        return judge_inside(item.reading, Raised("run", type(error).__name__, str(error)))
    if pooling is not Pooling and _same(outputs, item.honest):
        return None
    return judge_inside(item.reading, Answered(outputs))


def _same(one: Outputs, other: Outputs) -> bool:
    return one.keys() == other.keys() and all(
        array.dtype == other[name].dtype and array.shape == other[name].shape
        and array.tobytes() == other[name].tobytes() for name, array in one.items())


def accusations(items: Iterable[Item], pooling: type[Pooling] = Pooling) -> Iterator[str]:
    """A line for each verdict that is no "conforms" and no "observed" on an implementation held to be right."""
    for item in items:
        verdict = verdict_on(pooling, item)
        if verdict is not None and verdict.verdict not in ("conforms", "observed"):
            yield f"{item.name}: {verdict.verdict}: {', '.join(verdict.clauses)} {verdict.did}"


def honest_accusations(count: int, seed: int) -> Iterator[str]:
    """Those of the implementation without a fault on `count` generated calls, one call after the other."""
    for case in generated_cases(count, seed):
        yield from accusations(items_of([case], alone=True))


def names_of(addresses: Iterable[str]) -> set[str]:
    """Clauses as mutants name them: by local address, and by that with the text but without its version."""
    parts = [address.partition("#") for address in addresses]
    return {local for _, _, local in parts} | {f"{spec.partition('@')[0]}#{local}" for spec, _, local in parts}


def submit(mutant: Mutant, items: Iterable[Item]) -> Outcome:
    """The items until the mutant is accused and every clause of its fault that the operator's texts have is reported:
    found broken, or, of a refusal, one that the refused case is there for."""
    mine = [item for item in items if item.call.operator == mutant.operator]
    stated = names_of(address for spec in {item.spec for item in mine} for address in spec.clauses)
    missing, killed_by = {clause for clause in mutant.fault.clauses if clause in stated}, None
    for item in mine:
        verdict = verdict_on(mutant.pooling, item)
        if verdict is not None and verdict.verdict in ACCUSES:
            killed_by = killed_by or item.name
            missing -= names_of(verdict.clauses or item.case.clauses)
            if not missing:
                break
    return Outcome(mutant, killed_by, tuple(sorted(missing)))
