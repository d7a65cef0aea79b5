"""Whether the sentence of a root cause is true: when does the fault show, and when does the sentence say that it does?

    python -m tests.suite.cause_sentences [OPERATOR ...] [--seed N] [--half B] [--seconds N] [--show KIND]

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
from functools import cached_property, partial
from itertools import islice
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

from plumbline.backends import Host, InProcess
from plumbline.commands.base import leave
from plumbline.oracle import load_spec
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.header import Header
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import MemoryWriter, Record
from plumbline.trial.run.header_builder import header
from plumbline.trial.run.session import Session
from tests.faults.calls import Item, Outputs, default_items, further_items, operators, placed_items
from tests.faults.shelf import shelf
from tests.faults.states import Remembering
from tests.faults.subjects import implementation
from tests.faults.trial import answer_of, quiet
from tests.faults.wrapper import Facts, Run, Wrapper
from tests.suite.cause_changes import changed, flag_topics, needed_by, values_of
from tests.suite.cause_topics import altered_by, applies, is_same, subject_of
from tests.suite.cause_truth import ENOUGH, TRUTHS, Truth, sentence, synonyms, truth_of
from tests.suite.causes import BACKEND, line_of_answer

SAMPLE = ("onnx/sub", "onnx/max", "onnx/where", "onnx/concat", "onnx/slice", "onnx/matmul", "onnx/gemm", "onnx/conv",
          "onnx/maxpool", "onnx/softmax", "onnx/clip", "onnx/argmax", "onnx/pow", "onnx/reshape", "onnx/gather",
          "onnx/reducesum", "onnx/layernormalization", "onnx/cast", "onnx/pad", "onnx/quantizelinear", "onnx/transpose",
          "onnx/scatternd", "onnx/cumsum", "onnx/split", "onnx/lstm", "onnx/topk")

SEED = 2026
"""Of the halves of the faults."""

HELD_OUT = 120
"""Calls beyond those of the record, by which a sentence is judged."""

MOST_ITEMS, MOST_PLACED = 320, 60
"""Calls of a record, and those in contexts as well, which are put alone too."""

ALTERED, FLAGGED, CHANGED = 12, 100, 4
"""Calls that show what a fault changes, what flags are about, and which conditions a fault needs."""


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
    why: str
    share: float


def half_of(operator: str, fault: str, seed: int = SEED) -> bool:
    """Whether a fault is in the half that constants may be tuned on."""
    return bool(_drawn(f"{seed} {operator} {fault}")[0] & 1)


def _drawn(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def is_in(half: str, operator: str, fault: str) -> bool:
    """Return whether a fault is in a half named by seed and letter: "20261127A"."""
    return half_of(operator, fault, int(half[:-1])) == (half[-1] == "A")


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
    changed: dict[int, list[Item]] = field(default_factory=dict)

    @cached_property
    def flags(self) -> dict[str, set[str]]:
        """The topics of the flags of the definition."""
        return flag_topics(self.items[::-(-len(self.items) // FLAGGED)])

    @cached_property
    def values(self) -> dict[str, list[Any]]:
        """The values of each attribute."""
        return values_of(self.items)

    @cached_property
    def same(self) -> dict[str, list[str]]:
        """The flags and traits that hold for the same calls."""
        return synonyms([self.lines[id(item)] for item in [*self.items, *self.further] if id(item) in self.lines])

    def needs(self, wrapper: Wrapper, shown: Sequence[Item], condition: str) -> bool:
        """Return True if a fault goes where a condition is taken from calls that show it."""
        for item in shown[:CHANGED]:
            if id(item) not in self.changed:
                self.changed[id(item)] = list(changed(item, self.values))
        return needed_by(condition, partial(self.answered, wrapper),
                         [each for item in shown[:CHANGED] for each in self.changed[id(item)]])

    @classmethod
    def of(cls, operator: str) -> Bench:
        """Of the newest version of an operator."""
        names = [max(operators()[operator], key=lambda name: int(name.partition("@")[2] or 0))]
        every = default_items(names)
        placed = placed_items(every)
        placed = placed[::-(-len(placed) // MOST_PLACED) or 1]
        alone = {(item.case.spec, item.case.base_id) for item in placed}
        step = -(-len(every) // MOST_ITEMS)
        items = [item for number, item in enumerate(every)
                 if number % step == 0 or (item.case.spec, item.case.id) in alone] + placed
        further = list(islice((item for item in further_items(names) if item.is_drawn), HELD_OUT))
        cases = list({(item.case.spec, item.case.id): item.case for item in items}.values())
        return cls(operator, items, further, implementation(operator),
                   header(BACKEND, [load_spec(name) for name in names], cases, "", {}))

    def wrappers(self) -> list[Wrapper]:
        """Return the faults that the operator can have."""
        contexts = {item.case.context for item in self.items if item.case.context}
        return list(shelf(Facts.of((item for item in self.items if not item.case.context), contexts)))

    def answered(self, wrapper: Wrapper, items: Sequence[Item]) -> Iterator[CaseLine]:
        """Yield the line of each call."""
        for item in items:
            if id(item) not in self.right:
                self.right[id(item)] = answer_of(self.run, item.request)
                with quiet():
                    self.lines[id(item)] = line_of_answer(item, self.right[id(item)])
            honest = self.right[id(item)]
            given = answer_of(wrapper.spoils, self.run, item.request, honest)
            if isinstance(honest, Exception) or not isinstance(given, Exception) and is_same(honest, given):
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
        shown = [item for item, line in zip(self.items, lines, strict=True) if line.accuses][:ALTERED]
        altered = altered_by(wrapper, self.run, [(item, honest) for item in shown if not isinstance(
            honest := self.right[id(item)], Exception)]) if wrapper.kind not in ("layout", "context") else set()
        fresh = [*zip(self.answered(wrapper, self.further), self.further, strict=True)]
        tried = fresh if sum(line.accuses for line, _ in fresh) >= ENOUGH else [
            *zip(lines, self.items, strict=True), *fresh]
        truth, why = truth_of(found, subject_of(wrapper), altered, self.flags, share, [
            (line, line.accuses or not isinstance(honest := self.right[id(item)], Exception)
             and applies(wrapper, item, honest)) for line, item in tried],
            partial(self.needs, wrapper, shown), self.same)
        return Judged(self.operator, wrapper.name, wrapper.kind, len(found), " | ".join(map(sentence, found)), truth,
                      why, share)


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
    parser.add_argument("--seed", type=int, default=SEED, help="of the halves of the faults")
    parser.add_argument("--half", default="A", choices="AB", help="constants are tuned on A alone")
    parser.add_argument("--without", action="append", default=[], metavar="SEED+HALF",
                        help="leave out a half that was tuned on or looked at: 20261127A")
    parser.add_argument("--step", type=int, default=1, help="take one wrapper of so many")
    parser.add_argument("--seconds", type=float, default=inf, help="try faults of an operator for so long, in an order "
                        "that the seed draws")
    parser.add_argument("--kinds", default="*", help="only these kinds of wrappers")
    parser.add_argument("--show", action="append", default=[], choices=[*TRUTHS, "causes"])
    parser.add_argument("--states", action="store_true", help="faults that show at a second call instead")
    options = parser.parse_args(arguments)
    by_operator, by_kind = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for operator in (name for name in operators() if any(fnmatch(name, each) for each in options.operators)):
        start, bench = monotonic(), Bench.of(operator)
        for fault, record in stateful(bench) if options.states else ():
            found = groups(record)
            print(f"{operator}: {fault}: {len(found)} causes: {Counter(group.verdict for group in found)}", flush=True)
        chosen = [wrapper for wrapper in bench.wrappers() if fnmatch(wrapper.kind, options.kinds)
                  and is_in(f"{options.seed}{options.half}", operator, wrapper.name)
                  and not any(is_in(half, operator, wrapper.name) for half in options.without)]
        if options.seconds < inf:
            chosen.sort(key=lambda wrapper: _drawn(f"{options.seed} order {operator} {wrapper.name}"))
        for wrapper in chosen[::options.step] if not options.states else ():
            if monotonic() - start > options.seconds:
                break
            if (judged := bench.judged(wrapper)) is None:
                continue
            for counts in (by_operator[operator], by_kind[judged.kind]):
                counts.update(["faults", judged.truth or "needless", *["one cause"] * (judged.causes == 1)])
            if judged.truth in options.show or "causes" in options.show and judged.causes > 1:
                print(f"{operator}: {judged.fault} ({judged.kind}, {judged.share:.0%}): {judged.causes} causes; "
                      f"{judged.truth}: {judged.sentence} [{judged.why}]", flush=True)
        print(table_line(operator, by_operator[operator]), flush=True)
    total = sum(by_operator.values(), Counter())
    for name, counts in [*sorted(by_kind.items()), (f"half {options.half}", total)]:
        print(table_line(name, counts))
    return 1 if total["misleading"] else 0


def table_line(name: str, counts: Counter[str]) -> str:
    """Return a row of the table: faults, the share with one cause, needed sentences and what they are worth."""
    needed = sum(counts[truth] for truth in TRUTHS)
    return f"| {name} | {counts['faults']} | {counts['one cause'] / max(1, counts['faults']):.1%} | {needed} | " + (
        " | ".join(f"{counts[truth] / max(1, needed):.1%}" for truth in TRUTHS)) + " |"


if __name__ == "__main__":
    leave(main)
