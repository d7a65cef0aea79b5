"""How many root causes a report makes of one fault: each faulty implementation is put to the default run, and its
record is grouped.

    python -m tests.suite.causes [OPERATOR ...]      names without a version, or patterns: ``onnx/maxpool``

A report is to name one cause for one fault. It cannot always: where a fault shows under conditions that have nothing in
common, there are two.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Any

from plumbline.backends import Answered, Raised
from plumbline.commands.base import leave
from plumbline.oracle import load_spec
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.line_builder import details_of, line_of
from tests.faults.calls import Item, Outputs, default_items, operators
from tests.faults.subjects import wrapped
from tests.faults.trial import answer_of

BACKEND: dict[str, Any] = {
    "name": "faulty", "version": "1", "named": "faulty", "tried": True, "python": "", "numpy": "", "about": {},
    "specifications": ["*"], "capabilities": None, "requirements": [], "reproduce": ""}

MOST = 3
"""Causes that a report makes of one fault at most."""

APART = ("context", "chunk", "thread", "tail")
"""Kinds of wrappers that show at sizes and in contexts, which a cause names: several may have nothing in common."""


def causes(operator: str, items: list[Item], kinds: str = "*") -> Iterator[tuple[str, list[Group]]]:
    """The wrappers of an operator, each with the root causes that a report would name."""
    for name, record, _ in records(operator, items, kinds):
        yield name, groups(record)


def records(operator: str, items: list[Item], kinds: str = "*", step: int = 1
            ) -> Iterator[tuple[str, Record, list[Outputs | Exception]]]:
    """The wrappers of an operator, one of `step`, each with the record of a run, and the answer to each item."""
    cases = list({(item.case.spec, item.case.id): item.case for item in items}.values())
    top = header(BACKEND, [load_spec(name) for name in operators()[operator]], cases, "", {})
    for wrapper, run in islice(wrapped(operator, items), 0, None, step):
        if wrapper.kind not in APART and fnmatch(wrapper.kind, kinds):
            answers = [answer_of(run, item.request) for item in items]
            lines = [line_of_answer(item, answer) for item, answer in zip(items, answers, strict=True)]
            yield wrapper.name, Record(Path("faulty"), top, lines, None), answers


def line_of_answer(item: Item, answer: Outputs | Exception) -> CaseLine:
    """Return the line of a record for an answer to a call."""
    verdict = item.verdict(answer)
    outcome = (Raised("run", type(answer).__name__, str(answer)) if isinstance(answer, Exception)
               else Answered(dict(answer)))
    call = item.judged.call
    return line_of(item.case, item.spec, "+".join(item.request.outputs), verdict, None, outcome, 0.0,
                   details_of(item.spec, verdict, call, outcome))


def main(arguments: list[str] | None = None) -> int:
    """Print the faults of more than one cause; the exit status is 1 where one has more than three."""
    patterns, counts = (sys.argv[1:] if arguments is None else arguments) or ["onnx/maxpool"], Counter[int]()
    for operator in operators():
        if any(fnmatch(operator, pattern) for pattern in patterns):
            for name, found in causes(operator, default_items(operators()[operator])):
                counts[len(found)] += 1
                if len(found) > 1:
                    print(f"{operator}: {name}: {len(found)} causes: " + "; ".join(
                        f"{', '.join(group.clauses)} {' '.join(group.features)}".strip() for group in found))
    shown = counts.total() - counts[0]
    print(f"{counts[1]} of {shown} faults ({counts[1] / max(shown, 1):.1%}) are one cause, none more than "
          f"{max(counts, default=0)}")
    return 1 if max(counts, default=0) > MOST else 0


if __name__ == "__main__":
    leave(main)
