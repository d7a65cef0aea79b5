"""What some calls of a campaign come to: counts, and the lines of the first few of each cause. Tallies add up.

A cause is a verdict with the clauses that it names and the known divergence that explains it. Addition is associative
and commutative, with `Tally()` as its zero, so that a campaign is the same however it was cut; and a tally stays small
whatever the number of calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from plumbline.trial.record.judge import ACCUSES
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import as_line

LINES = 8
"""Lines kept of each cause."""

CONFORMING = 32
"""Lines kept of calls that conform, without their inputs: by what these do not share, causes are told apart."""

NOTES = 20
"""Different notes kept."""


class Cause(NamedTuple):
    """What makes calls alike: verdict, clauses by full address, id of the known divergence ("" where it is new), the
    context of a new one ("" where calls stood alone)."""

    verdict: str
    clauses: tuple[str, ...]
    known: str
    context: str = ""

    @classmethod
    def of(cls, line: CaseLine) -> Cause:
        """The cause of a line of a record."""
        return cls(line.verdict, tuple(line.clauses), line.known.id if line.known else "",
                   line.context if line.accuses and not line.known else "")

    @property
    def accuses(self) -> bool:
        """Whether the backend is at fault."""
        return self.verdict in ACCUSES


@dataclass
class Tally:
    """Counts of calls, and lines.

    causes:       how many calls each cause has, conforming ones included.
    kept:         for each clause on outputs how many calls that are about it keep it.
    lines:        for each cause (number of the call, line of a record as JSON text) of the first few by number.
    notes:        what happened that belongs to no call, and how often; of many notes the first by letter.
    answered_by:  how many calls were answered by which version of the backend, and judged by which of the suite.
    microseconds: time that the backend took.
    """

    causes: Counter[Cause] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    lines: dict[Cause, list[tuple[int, str]]] = field(default_factory=dict)
    notes: Counter[str] = field(default_factory=Counter)
    answered_by: Counter[str] = field(default_factory=Counter)
    microseconds: int = 0

    @property
    def calls(self) -> int:
        """How many calls."""
        return self.causes.total()

    @property
    def verdicts(self) -> Counter[str]:
        """Calls by verdict."""
        return _sums((cause.verdict, count) for cause, count in self.causes.items())

    @property
    def broken(self) -> Counter[str]:
        """For each clause how many outputs break it."""
        return _sums((clause, count) for cause, count in self.causes.items() if cause.verdict == "diverges"
                     for clause in cause.clauses)

    @property
    def known(self) -> Counter[str]:
        """For each known divergence how many calls it explains."""
        return _sums((cause.known, count) for cause, count in self.causes.items() if cause.known)

    def add(self, number: int, line: CaseLine, outputs: Sequence[str]) -> None:
        """One call by its number. `outputs` are those of the specification."""
        cause = Cause.of(line)
        self.count(cause, (address for address in line.covers
                           if address not in line.clauses and line_judged(address, line, outputs)), line.seconds)
        if self.keeps(cause, number):
            held = [*self.lines.get(cause, ()), (number, as_line(line))]
            self.lines[cause] = sorted(held)[:_limit(cause)]

    def keeps(self, cause: Cause, number: int) -> bool:
        """Whether the line of a call with that cause and number would be kept."""
        held = self.lines.get(cause, ())
        return len(held) < _limit(cause) or number <= held[-1][0]

    def count(self, cause: Cause, kept: Iterable[str], seconds: float, calls: int = 1) -> None:
        """Calls without their lines: their cause, the clauses on outputs that each keeps, the time that the backend
        took for one."""
        self.causes[cause] += calls
        for address in kept:
            self.kept[address] += calls
        self.microseconds += calls * round(seconds * 1e6)

    def note(self, texts: Iterable[str]) -> None:
        """What happened that belongs to no call."""
        self.notes = _first(self.notes + Counter(texts))

    def __add__(self, other: Tally) -> Tally:
        lines = {cause: sorted([*self.lines.get(cause, ()), *other.lines.get(cause, ())])[:_limit(cause)]
                 for cause in sorted({*self.lines, *other.lines})}
        return Tally(self.causes + other.causes, self.kept + other.kept, lines, _first(self.notes + other.notes),
                     self.answered_by + other.answered_by, self.microseconds + other.microseconds)

    def in_order(self) -> Iterator[CaseLine]:
        """The lines, by number of the call."""
        for _, text in sorted(held for part in self.lines.values() for held in part):
            yield CaseLine.model_validate_json(text)

    def to_json(self) -> dict[str, Any]:
        """As JSON."""
        plain = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {**plain, "causes": [[*cause, count] for cause, count in self.causes.items()],
                "lines": [[*cause, held] for cause, held in self.lines.items()]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Tally:
        """From JSON. Raises what wrong data makes the readers raise."""
        causes = Counter({_cause(entry): int(entry[-1]) for entry in data["causes"]})
        lines = {_cause(entry): [(int(number), str(text)) for number, text in entry[-1]] for entry in data["lines"]}
        return cls(causes, Counter(data["kept"]), lines, Counter(data["notes"]), Counter(data["answered_by"]),
                   int(data["microseconds"]))


def was_judged(address: str, verdict: str, form: str, spoiled: Collection[str], outputs: Sequence[str]) -> bool:
    """Whether a clause on outputs could be judged: the output that its section names was asked for, and given in the
    shape and type that it should have; `spoiled` are the outputs that were not."""
    output = address.partition("#")[2].split(".")[-2]
    if verdict not in ("conforms", "diverges"):
        return False
    return output not in outputs or (output in form.split("+") and output not in spoiled)


def line_judged(address: str, line: CaseLine, outputs: Sequence[str]) -> bool:
    """The same of a line."""
    spoiled = {entry.output for entry in line.divergences if not entry.where}
    return was_judged(address, line.verdict, line.form, spoiled, outputs)


def _limit(cause: Cause) -> int:
    return CONFORMING if cause.verdict == "conforms" else LINES


def _first(notes: Counter[str]) -> Counter[str]:
    return Counter({text: notes[text] for text in sorted(notes)[:NOTES]})


def _sums(pairs: Iterable[tuple[str, int]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for name, count in pairs:
        found[name] += count
    return found


def _cause(entry: Sequence[Any]) -> Cause:
    return Cause(entry[0], tuple(entry[1]), entry[2], entry[3])
