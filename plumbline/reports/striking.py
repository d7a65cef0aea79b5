"""The most striking calls to which several records have different answers, as Markdown.

One call for each operator: the smallest of those whose answers differ most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count as counted

from plumbline.reports.clauses import clauses_of
from plumbline.reports.columns import case_rows, columns
from plumbline.reports.comparison_text import table
from plumbline.reports.instances import Answer, Instance, instances
from plumbline.reports.words import code_span, escaped, merge_labels
from plumbline.trial.known.root_causes import size_of
from plumbline.trial.record.lines import Divergence
from plumbline.trial.record.one_line import brief_values, call_text
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.recording import Record

ENDED = ("crashes", "hangs")
ANSWERS = ("conforms", "diverges", *ENDED)
"""Verdicts that count as an answer here; a refusal is none."""

LARGE = 0.01
"""From this relative difference on two numbers differ at first sight."""


def striking(records: Sequence[Record], most: int) -> Iterator[str]:
    """Yield the lines about at most `most` calls, of as many operators."""
    shown = columns(records)
    best: dict[str, tuple[tuple[float, int, str], Instance]] = {}
    for instance in instances(shown, case_rows(shown).values(), clauses_of(shown)):
        answers = [answer for answer in instance.answers if answer.line.verdict in ANSWERS]
        if len(answers) > 1 and any(answer.accuses for answer in answers):
            key = -max(map(_strength, answers)), size_of(instance.line), instance.case.line.id
            operator = instance.line.call.operator if instance.line.call else ""
            if operator not in best or key < best[operator][0]:
                best[operator] = key, instance
    chosen = sorted(best.values(), key=lambda pair: pair[0])[:most]
    for number, (_, instance) in zip(counted(1), chosen, strict=False):
        yield from _entry(number, instance)


def _strength(answer: Answer) -> float:
    """How much an answer differs from what is required.

    4: there is none, the process ended; 3: another shape or type; 2: NaN or infinity on one side alone, or another
    infinity; 1: another number by a hundredth or more; 0: anything else."""
    if answer.line.verdict in ENDED:
        return 4
    return max(map(_of_element, answer.line.divergences), default=0.0)


def _of_element(divergence: Divergence) -> float:
    """The strength of a broken clause: of the first wrong elements, or of the whole output where it names none."""
    if not divergence.where:
        return 3
    return max((_of_numbers(expected, got) for expected, got in
                zip(_list(divergence.expected), _list(divergence.got), strict=False)), default=0)


def _of_numbers(expected: object, got: object) -> float:
    try:
        wanted, given = float(str(expected)), float(str(got))
    except ValueError:  # a text
        return 1
    if not (math.isfinite(wanted) and math.isfinite(given)):
        return 2
    return 1 if abs(wanted - given) >= LARGE * max(abs(wanted), abs(given)) > 0 else 0


def _list(values: object) -> list[object]:
    return values if isinstance(values, list) else [values]


def _entry(number: int, instance: Instance) -> Iterator[str]:
    """Yield the lines of one call: what is required, and what each record has."""
    line = instance.line
    divergence = next((each for answer in instance.accused for each in instance.divergences(answer)), None)
    clause = instance.clauses[divergence.clause] if divergence else None
    said = f": {code_span(divergence.clause)}, {escaped(clause.title)}" if divergence and clause else ""
    operator = line.call.operator if line.call else ""
    yield from ("", f"## {number}. {operator}{said}", "")
    if line.call:
        yield f"{code_span(call_text(line.call))}, for {' and '.join(line.outputs)} (case {code_span(line.id)})"
    if clause:
        yield from ("", f"> {' '.join(clause.statement.split())}")
    required = _values(line.expected)
    yield ""
    yield from table(["", *line.outputs, "verdict"], [
        *([("required", *(required.get(name, "") for name in line.outputs), "")] if required else []),
        *((escaped("; ".join(merge_labels(answer.labels))), *_answer(instance, answer))
          for answer in instance.answers)])


def _answer(instance: Instance, answer: Answer) -> tuple[str, ...]:
    """Return the outputs of an answer, and its verdict with the first broken clause and why."""
    line = answer.line
    values = _values(line.got)
    broken = instance.divergences(answer)
    why = f": {broken[0].why}" if broken else f": {line.did.partition(';')[0]}" if line.verdict in ENDED else ""
    return *(values.get(name, "as required" if line.verdict == "conforms" else "") for name in instance.line.outputs), \
        escaped(f"{line.verdict}{why}")


def _values(tensors: dict[str, Tensor] | None) -> dict[str, str]:
    return {name: code_span(brief_values(tensor)) for name, tensor in (tensors or {}).items()}
