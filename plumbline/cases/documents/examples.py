"""Judge the documented examples of a specification by its clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.oracle import Spec

WORD = "example"
"""Part of the id of every documented example."""

NO_OUTPUTS = "prints no outputs"
"""The note on an example without printed outputs."""


@dataclass(frozen=True)
class JudgedExample:
    """An example as printed, and the clauses that it breaks.

    broken: the clauses, each with the reason in one line.
    notes:  remarks, such as an illegible value, or that no outputs are printed.
    """

    case: Case
    broken: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def overruled(self) -> bool:
        """True if an erratum overrules the example."""
        return self.case.expectation.erratum is not None


def examples_of(spec: Spec, cases: Sequence[Case]) -> list[Case]:
    """Return the documented examples of a specification among some cases."""
    return [case for case in cases if case.spec == spec.name and WORD in case.id]


def judged(spec: Spec, case: Case) -> JudgedExample:
    """Judge an example as printed: its call, and, if that is valid, its outputs."""
    broken, notes = [(entry.clause, entry.why) for entry in spec.violations(case.call)], []
    expectation = case.expectation
    printed = dict[str, np.ndarray]()
    for name, value in (expectation.as_printed or {}).items():
        if isinstance(value, str):
            notes.append(f"{name} is printed as {value!r}")
        else:
            printed[name] = value
    outputs = printed or ({} if expectation.computed else dict(expectation.outputs or {}))
    if not outputs and not broken:
        notes.append(NO_OUTPUTS)
    elif not broken:
        entries = spec.divergences(case.call.asking_for(*outputs), outputs)
        broken = [(entry.clause, entry.why) for entry in entries]
    if expectation.erratum is not None:
        notes.append(f"read as {expectation.erratum.partition('#')[2]} says")
    return JudgedExample(case, tuple(broken), tuple(notes))


def lines(spec: Spec, cases: Sequence[Case]) -> Iterator[str]:
    """Yield a line or more for each example, and their counts."""
    examples = [judged(spec, case) for case in examples_of(spec, cases)]
    width = max((len(example.case.id) for example in examples), default=0)
    for example in examples:
        state = "broken" if example.broken else "kept" if NO_OUTPUTS not in example.notes else "-"
        yield f"{example.case.id:{width}}  {state:6}  {'; '.join(example.notes)}".rstrip()
        yield from (f"  {clause}: {why}" for clause, why in example.broken)
    broken = sum(bool(example.broken) for example in examples)
    without = sum(NO_OUTPUTS in example.notes for example in examples)
    kept = len(examples) - broken - without
    count = f"{len(examples)} example{'s' * (len(examples) != 1)}"
    yield f"{spec.name}: {count}, {kept} kept, {broken} broken, {without} without outputs"


def unexplained(spec: Spec, cases: Sequence[Case]) -> bool:
    """Return whether some example breaks a clause, and no erratum overrules it."""
    return any(example.broken and not example.overruled for example in
               (judged(spec, case) for case in examples_of(spec, cases)))
