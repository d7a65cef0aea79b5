"""A text's own printed examples, judged by its own clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plumbline.cases.format.case import Case
from plumbline.oracle import Spec

WORD = "example"
"""What the ids of documented examples hold."""


@dataclass(frozen=True)
class Judged:
    """An example and how it stands to the text.

    broken: the clauses that it breaks as printed, each with why in one line.
    notes:  what else there is to say of it: what cannot be read, that it prints no outputs.
    """

    case: Case
    broken: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]

    @property
    def overruled(self) -> bool:
        """Whether an erratum of the text says how it is read."""
        return self.case.expectation.erratum is not None


def examples_of(spec: Spec, cases: Sequence[Case]) -> list[Case]:
    """The cases that are documented examples of a text, of those given."""
    return [case for case in cases if case.spec == spec.name and WORD in case.id]


def judged(spec: Spec, case: Case) -> Judged:
    """An example as printed, judged: the call first, and where it is inside the domain the outputs printed."""
    found, notes = [(entry.clause, entry.why) for entry in spec.violations(case.call)], []
    expectation = case.expectation
    printed = dict(expectation.as_printed or {})
    texts = {name: printed.pop(name) for name in list(printed) if isinstance(printed[name], str)}
    notes += [f"{name} is printed as {text!r}" for name, text in texts.items()]
    outputs = printed or ({} if expectation.computed else dict(expectation.outputs or {}))
    if not outputs and not found:
        notes.append("prints no outputs")
    elif not found:
        entries = spec.divergences(case.call.asking_for(*outputs), outputs)
        found = [(entry.clause, entry.why) for entry in entries]
    if expectation.erratum is not None:
        notes.append(f"read as {expectation.erratum.partition('#')[2]} says")
    return Judged(case, tuple(found), tuple(notes))


def lines(spec: Spec, cases: Sequence[Case]) -> Iterator[str]:
    """Every example of a text in a line or two, and the sum of them."""
    found = [judged(spec, case) for case in examples_of(spec, cases)]
    width = max((len(example.case.id) for example in found), default=0)
    for example in found:
        state = "broken" if example.broken else "kept" if "prints no outputs" not in example.notes else "-"
        yield f"{example.case.id:{width}}  {state:6}  {'; '.join(example.notes)}".rstrip()
        yield from (f"  {clause}: {why}" for clause, why in example.broken)
    broken = sum(bool(example.broken) for example in found)
    silent = sum("prints no outputs" in example.notes for example in found)
    kept = len(found) - broken - silent
    yield f"{spec.name}: {len(found)} examples, {kept} kept, {broken} broken, {silent} without outputs"


def unexplained(spec: Spec, cases: Sequence[Case]) -> bool:
    """Whether some example breaks a clause, and no erratum says how it is read."""
    return any(example.broken and not example.overruled for example in
               (judged(spec, case) for case in examples_of(spec, cases)))
