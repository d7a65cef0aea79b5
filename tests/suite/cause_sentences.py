"""Whether the sentence of a root cause is true: when does the fault show, and when does the sentence say that it does?

    python -m tests.suite.cause_sentences [OPERATOR ...] [--seed N] [--step N] [--show KIND]

Wrappers of an operator's right implementation run on the calls of a default run. The sentence of the largest cause is
then held against calls that the record does not have. KIND is `none`, `half` or `misleading`: those faults are listed.
`python -m tests.suite.causes` counts causes alone.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from plumbline.backends import Host, InProcess
from plumbline.commands.base import leave
from plumbline.oracle import load_spec
from plumbline.trial.known.conditions import holds
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.header import Header
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import MemoryWriter, Record
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.session import Session
from tests.faults.calls import Item, Outputs, default_items, further_items, operators
from tests.faults.shelf import shelf
from tests.faults.states import Remembering
from tests.faults.subjects import implementation
from tests.faults.trial import answer_of, quiet
from tests.faults.wrapper import Facts, Run, Wrapper
from tests.suite.causes import BACKEND, line_of_answer

SAMPLE = ("onnx/relu", "onnx/sub", "onnx/max", "onnx/where", "onnx/concat", "onnx/slice", "onnx/matmul", "onnx/gemm",
          "onnx/conv", "onnx/maxpool", "onnx/softmax", "onnx/clip", "onnx/argmax", "onnx/div", "onnx/pow",
          "onnx/reshape", "onnx/gather", "onnx/reducesum", "onnx/layernormalization")

Truth = Literal["true", "half", "none", "misleading"]
TRUTHS: tuple[Truth, ...] = ("true", "half", "none", "misleading")

ALWAYS = 0.75
"""A fault that shows in this share of the calls needs no condition."""

HELD_OUT = 150
"""Calls beyond those of the record, by which a sentence is judged."""

MOST_ITEMS = 500
"""Calls of a record."""

OF_VALUES = ("value", "special value", "type", "type of output")
"""Kinds of faults that the wrong elements themselves show, whatever the call: a symptom names them."""


@dataclass(frozen=True)
class Judged:
    """The causes of one fault, and what its sentence is worth.

    share: of the calls, how many show the fault."""

    operator: str
    fault: str
    kind: str
    causes: int
    sentence: str
    truth: Truth | None
    share: float

    @property
    def half(self) -> bool:
        """See `half_of`."""
        return half_of(self.operator, self.fault)


def half_of(operator: str, fault: str, seed: int = 0) -> bool:
    """Whether a fault is in the half that constants may be tuned on."""
    return bool(hashlib.sha256(f"{seed} {operator} {fault}".encode()).digest()[0] & 1)


@dataclass(eq=False)
class Bench:
    """Calls of one operator with the honest answers, whose lines are made once."""

    operator: str
    items: list[Item]
    further: list[Item]
    run: Run
    top: Header
    lines: dict[int, CaseLine] = field(default_factory=dict)
    right: dict[int, Outputs | Exception] = field(default_factory=dict)

    @classmethod
    def of(cls, operator: str) -> Bench:
        """Of the newest version of an operator."""
        names = operators()[operator][-1:] if "@" not in operator else [operator]
        names = [max(operators()[operator], key=lambda name: int(name.partition("@")[2] or 0))]
        items = default_items(names)
        items = items[::-(-len(items) // MOST_ITEMS)]
        further = list(islice((item for item in further_items(names) if item.is_drawn), HELD_OUT))
        cases = list({(item.case.spec, item.case.id): item.case for item in items}.values())
        return cls(operator, items, further, implementation(operator),
                   header(BACKEND, [load_spec(name) for name in names], cases, "", {}))

    def wrappers(self) -> list[Wrapper]:
        """Return the faults that the operator can have."""
        return list(shelf(Facts.of(self.items)))

    def answered(self, wrapper: Wrapper, items: Sequence[Item]) -> Iterator[CaseLine]:
        """Yield the line of each call."""
        for item in items:
            if id(item) not in self.right:
                self.right[id(item)] = answer_of(self.run, item.request)
                with quiet():
                    self.lines[id(item)] = line_of_answer(item, self.right[id(item)])
            honest = self.right[id(item)]
            given = answer_of(wrapper.spoils, self.run, item.request, honest)
            if isinstance(honest, Exception) or _is_same(honest, given):
                yield self.lines[id(item)]
                continue
            with quiet():
                yield line_of_answer(item, given)

    def judged(self, wrapper: Wrapper) -> Judged | None:
        """Return the causes and the sentence of a fault; None where nothing shows it."""
        lines = list(self.answered(wrapper, self.items))
        found = groups(Record(Path("faulty"), self.top, lines, None))
        if not found:
            return None
        share = sum(line.accuses for line in lines) / len(lines)
        largest = max(found, key=lambda group: len(group.lines))
        every = [*lines, *self.answered(wrapper, self.further)]
        return Judged(self.operator, wrapper.name, wrapper.kind, len(found), sentence(largest),
                      truth_of(largest, wrapper.kind, every, share), share)


def _is_same(honest: Outputs, given: Outputs | Exception) -> bool:
    return honest is given or not isinstance(given, Exception) and honest.keys() == given.keys() and all(
        np.asarray(given[name]).dtype == np.asarray(array).dtype
        and np.asarray(given[name]).shape == np.asarray(array).shape
        and np.asarray(given[name]).tobytes() == np.asarray(array).tobytes() for name, array in honest.items())


def sentence(group: Group) -> str:
    """Return the symptom and the conditions of a cause."""
    return " & ".join([*([f"~{group.symptom}"] if group.symptom else []), *group.features])


def truth_of(group: Group, kind: str, lines: Sequence[CaseLine], share: float) -> Truth | None:
    """Return what a sentence is worth; None where there is nothing to say.

    lines: those of the record and further ones. Conditions are true if they hold for nearly all wrong answers, and if
    most calls that they hold for are wrong, or few others have them. They mislead if they hold for fewer than half of
    the wrong answers."""
    conditions, symptom, has = group.features, group.symptom, holds(group.features)
    wrong = [line for line in lines if line.accuses]
    others = [line for line in lines if not line.accuses]
    if not conditions and not symptom:
        return None if share >= ALWAYS or not others else "none"
    holding = sum(has(line) for line in wrong)
    beyond = sum(has(line) for line in others)
    recall, looks = holding / len(wrong), sum(symptom in line.symptoms for line in wrong) / len(wrong)
    if conditions and recall < 0.5 or symptom and looks < 0.5:
        return "misleading"
    tells = recall >= 0.9 and (holding >= beyond or beyond <= 0.1 * len(others))
    if conditions and tells and (not symptom or looks >= 0.9):
        return "true"
    if symptom and looks >= 0.9 and kind in OF_VALUES and recall >= 0.9:
        return "true"
    return "half"


def stateful(bench: Bench) -> Iterator[tuple[str, Record]]:
    """Yield the faults that show at a second call, each with the record of a run."""
    cases = list({(item.case.spec, item.case.id): item.case for item in bench.items}.values())
    for fault in Remembering.FAULTS:
        def start(fault: str = fault) -> Host:
            return InProcess(Remembering(bench.run, fault), start)
        writer = MemoryWriter()
        with quiet():
            session = Session(start(), KnownDivergences(), writer)
            session.run(cases)
        yield fault, Record(Path("faulty"), bench.top, writer.lines, None)


def main(arguments: list[str] | None = None) -> int:
    """Print a table; the exit status is 1 where a sentence misleads."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", default=SAMPLE)
    parser.add_argument("--seed", type=int, default=0, help="of the halves of the faults")
    parser.add_argument("--step", type=int, default=1, help="take one wrapper of so many")
    parser.add_argument("--kinds", default="*", help="only these kinds of wrappers")
    parser.add_argument("--show", action="append", default=[], choices=[*TRUTHS, "causes"])
    parser.add_argument("--no-states", action="store_true", help="leave out faults that show at a second call")
    options = parser.parse_args(arguments)
    sums: defaultdict[bool, Counter[str]] = defaultdict(Counter)
    for operator in (name for name in operators() if any(fnmatch(name, each) for each in options.operators)):
        bench = Bench.of(operator)
        if not options.no_states:
            for fault, record in stateful(bench):
                found = groups(record)
                sums[True]["states"] += bool(found)
                sums[True]["states of one cause"] += len(found) == 1
                print(f"{operator}: {fault}: {len(found)} causes: {Counter(group.verdict for group in found)}",
                      flush=True)
        for wrapper in bench.wrappers()[::options.step]:
            judged = bench.judged(wrapper) if fnmatch(wrapper.kind, options.kinds) else None
            if judged is None:
                continue
            half = half_of(operator, judged.fault, options.seed)
            sums[half]["faults"] += 1
            sums[half]["one cause"] += judged.causes == 1
            sums[half][judged.truth or "needless"] += 1
            if judged.truth in options.show or "causes" in options.show and judged.causes > 1:
                print(f"{'AB'[not half]} {operator}: {judged.fault} ({judged.kind}, {judged.share:.0%}): "
                      f"{judged.causes} causes; {judged.truth}: {judged.sentence}", flush=True)
    for half, counts in sorted(sums.items(), reverse=True):
        said = max(1, sum(counts[truth] for truth in TRUTHS))
        print(f"half {'AB'[not half]}: {counts['faults']} faults, {counts['one cause'] / max(1, counts['faults']):.1%} "
              f"one cause; of {said} sentences that are needed " + ", ".join(
                  f"{counts[truth] / said:.1%} {truth}" for truth in TRUTHS)
              + (f"; {counts['states of one cause']} of {counts['states']} stateful faults one cause"
                 if counts["states"] else ""))
    return 1 if any(counts["misleading"] for counts in sums.values()) else 0


if __name__ == "__main__":
    leave(main)
