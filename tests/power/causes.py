"""How many causes a report makes of one fault: each mutant is put to the default suite, and its record is grouped.

A report is to name one cause for one fault. It cannot always: where a fault shows under conditions that have nothing in
common, there are two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from plumbline.backends import Answered, Raised
from plumbline.oracle import load_spec
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.judge import judge_inside
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.line_builder import details_of, line_of
from tests.power.catalogue import Mutant
from tests.power.implementation import Pooling
from tests.power.suite import Item, texts, verdict_on

BACKEND: dict[str, Any] = {
    "name": "mutant", "version": "1", "named": "mutant", "tried": True, "python": "", "numpy": "", "about": {},
    "specifications": ["*"], "capabilities": None, "requirements": [], "reproduce": ""}


def causes(mutants: Iterable[Mutant], items: Sequence[Item]) -> Iterator[tuple[Mutant, list[Group]]]:
    """Each mutant with the causes that a report would name."""
    honest = [_line(item, Pooling) for item in items]
    cases = list({(item.case.spec, item.case.id): item.case for item in items}.values())
    top = header(BACKEND, [load_spec(name) for name in texts()], cases, "", {})
    for mutant in mutants:
        lines = [line if verdict_on(mutant.pooling, item) is None else _line(item, mutant.pooling)
                 for item, line in zip(items, honest, strict=True) if item.call.operator == mutant.operator]
        yield mutant, groups(Record(Path(mutant.name), top, lines, None))


def _line(item: Item, pooling: type[Pooling]) -> CaseLine:
    try:
        outcome: Answered | Raised = Answered(pooling.run(item.request))
    except NotImplementedError as error:
        outcome = Raised("run", type(error).__name__, str(error))
    verdict = judge_inside(item.reading, outcome)
    return line_of(item.case, item.spec, "+".join(item.call.outputs or ()), verdict, None, outcome, 0.0,
                   details_of(item.spec, verdict, item.call, outcome))
