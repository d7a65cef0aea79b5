"""Tallies: mergeable summaries of campaign results.

A tally has counts, and the lines of the first calls of each root cause: a verdict with its clauses and the known
divergence that explains it. Addition is associative and commutative, with `Tally()` as its zero, so that the shards of
a campaign do not change its result. The size of a tally does not grow with the calls.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from plumbline.oracle.call import Call, is_of
from plumbline.trial.record.judge import ACCUSES, VerdictName
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import as_line

LINES = 8
"""Lines kept of each root cause."""

CONFORMING = 32
"""Lines kept of conforming calls, without inputs: they tell the conditions of root causes."""

NOTES = 20
"""Different notes kept."""

SHAPES = 4096
"""Hashes that a tally holds: up to so many, shapes are counted; beyond, estimated."""

HASHES = 1 << 48
"""Number of possible hashes of shapes."""


class Cause(NamedTuple):
    """The root cause of results.

    clauses: by full address.
    known:   id of the known divergence, "" for a new one.
    context: context of a new divergence, "" for calls alone.
    """

    verdict: VerdictName
    clauses: tuple[str, ...]
    known: str
    context: str = ""

    @classmethod
    def of(cls, line: CaseLine) -> Cause:
        """Return the root cause of a line of a record."""
        return cls(line.verdict, tuple(line.clauses), line.known.id if line.known else "",
                   line.context if line.accuses and not line.known else "")

    @property
    def accuses(self) -> bool:
        """True if the backend is at fault."""
        return self.verdict in ACCUSES


@dataclass
class Tally:
    """Counts of calls, and lines.

    causes:       number of calls by root cause, conforming ones included.
    kept:         by clause on outputs, number of calls that test it and keep it.
    lines:        by root cause, number and line (JSON) of the first calls.
    notes:        events that belong to no call, with their numbers; of many notes the first in alphabetical order.
    answered_by:  number of calls by versions of backend and suite.
    microseconds: time of the backend.
    shapes:       hashes of the shapes of the inputs, the smallest `SHAPES` of them.
    left_out:     number of calls drawn again by the declared limits that they exceed.
    """

    causes: Counter[Cause] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    lines: dict[Cause, list[tuple[int, str]]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    answered_by: Counter[str] = field(default_factory=Counter)
    microseconds: int = 0
    shapes: tuple[int, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.causes.total()

    @property
    def verdicts(self) -> Counter[str]:
        """Calls by verdict."""
        return _sums((cause.verdict, count) for cause, count in self.causes.items())

    @property
    def broken(self) -> Counter[str]:
        """Number of calls that break each clause."""
        return _sums((clause, count) for cause, count in self.causes.items() if cause.verdict == "diverges"
                     for clause in cause.clauses)

    @property
    def known(self) -> Counter[str]:
        """Number of calls that each known divergence explains."""
        return _sums((cause.known, count) for cause, count in self.causes.items() if cause.known)

    def add(self, number: int, line: CaseLine, outputs: Sequence[str]) -> None:
        """Add a call; `outputs` are those of the specification."""
        cause = Cause.of(line)
        self.count(cause, (address for address in line.covers
                           if address not in line.clauses and line_judged(address, line, outputs)), line.seconds)
        if self.keeps(cause, number):
            numbered = [*self.lines.get(cause, ()), (number, as_line(line))]
            self.lines[cause] = sorted(numbered)[:_limit(cause)]

    def keeps(self, cause: Cause, number: int) -> bool:
        """Return True if the line of such a call would be kept."""
        lines = self.lines.get(cause, [])
        return len(lines) < _limit(cause) or number <= lines[-1][0]

    def count(self, cause: Cause, kept: Iterable[str], seconds: float, calls: int = 1) -> None:
        """Add calls without lines. `kept` are the clauses on outputs that each keeps, `seconds` is the time of one."""
        self.causes[cause] += calls
        for address in kept:
            self.kept[address] += calls
        self.microseconds += calls * round(seconds * 1e6)

    def add_shapes(self, calls: Iterable[Call]) -> None:
        """Note the shapes of the inputs of calls."""
        self.shapes = _smallest({*self.shapes, *map(_hash_of_shapes, calls)})

    @property
    def distinct_shapes(self) -> int:
        """The number of different shapes of the inputs.

        It is exact below `SHAPES`. Above, the largest of the smallest hashes gives it to some per cent."""
        if len(self.shapes) < SHAPES:
            return len(self.shapes)
        return round((SHAPES - 1) * HASHES / self.shapes[-1])

    def note(self, texts: Iterable[str]) -> None:
        """Add events that belong to no call."""
        self.notes = _first(self.notes + Counter(texts))

    def __add__(self, other: Tally) -> Tally:
        lines = {cause: sorted([*self.lines.get(cause, ()), *other.lines.get(cause, ())])[:_limit(cause)]
                 for cause in sorted({*self.lines, *other.lines})}
        return Tally(self.causes + other.causes, self.kept + other.kept, lines, _first(self.notes + other.notes),
                     self.answered_by + other.answered_by, self.microseconds + other.microseconds,
                     _smallest({*self.shapes, *other.shapes}), self.left_out + other.left_out)

    def in_order(self) -> Iterator[CaseLine]:
        """Yield the lines by number of the call."""
        for _, text in sorted(numbered for part in self.lines.values() for numbered in part):
            yield CaseLine.model_validate_json(text)

    def to_json(self) -> dict[str, Any]:
        """Return the tally as JSON."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {**plain, "causes": [[*cause, count] for cause, count in self.causes.items()],
                "lines": [[*cause, numbered] for cause, numbered in self.lines.items()]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Tally:
        """Return a tally from JSON. Raises what wrong data makes the readers raise."""
        causes = Counter({_cause(entry): int(entry[-1]) for entry in data["causes"]})
        lines = {_cause(entry): [(int(number), str(text)) for number, text in entry[-1]] for entry in data["lines"]}
        return cls(causes, Counter(data["kept"]), lines, Counter(data["notes"]), Counter(data["answered_by"]),
                   int(data["microseconds"]), tuple(map(int, data["shapes"])), Counter(data.get("left_out", {})))


def was_judged(address: str, verdict: str, form: str, unjudged: Collection[str], outputs: Sequence[str]) -> bool:
    """Return True if a clause on outputs was judged.

    That is so if the output of its section was asked for and had the right shape and type; `unjudged` had not."""
    output = address.partition("#")[2].split(".")[-2]
    if verdict not in ("conforms", "diverges"):
        return False
    return output not in outputs or output in form.split("+") and not any(is_of(name, output) for name in unjudged)


def line_judged(address: str, line: CaseLine, outputs: Sequence[str]) -> bool:
    """Return True if a clause on outputs was judged on a line."""
    unjudged = {entry.output for entry in line.divergences if not entry.where}
    return was_judged(address, line.verdict, line.form, unjudged, outputs)


def _hash_of_shapes(call: Call) -> int:
    shapes = repr([(name, array.shape) for name, array in sorted(call.inputs.items())])
    return int.from_bytes(hashlib.blake2b(shapes.encode(), digest_size=6).digest(), "big")


def _smallest(hashes: set[int]) -> tuple[int, ...]:
    return tuple(sorted(hashes)[:SHAPES])


def _limit(cause: Cause) -> int:
    return CONFORMING if cause.verdict == "conforms" else LINES


def _first(notes: Counter[str]) -> Counter[str]:
    return Counter({text: notes[text] for text in sorted(notes)[:NOTES]})


def _sums(pairs: Iterable[tuple[str, int]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for name, count in pairs:
        sums[name] += count
    return sums


def _cause(entry: Sequence[Any]) -> Cause:
    return Cause(entry[0], tuple(entry[1]), entry[2], entry[3])
