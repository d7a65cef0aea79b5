"""Clause by clause: what each record says of each clause, and which are broken, versions of one text together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.columns import Column, clause_counts
from plumbline.reports.words import by_age, joined
from plumbline.trial.campaign.tally import line_judged
from plumbline.trial.record.header import Clause, ClauseKey, Specification
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import largest
from plumbline.trial.record.recording import Record

ACCURACY = "Accuracy"
"""The title of an unspecified clause on accuracy: the measured errors are shown with it."""


@dataclass
class ClauseRow:
    """One clause of a record and what the backend did about it.

    counts: for a clause on outputs, how many of the lines that it judges (of a campaign: of all calls) keep it
            ("conforms") or break it ("diverges"), and how many that it would judge were "refused", crashes, hangs and
            unstable answers included;
            for a clause on calls the verdicts of the lines that break it; for a U clause the lines that it touches.
    figures: for a clause that leaves accuracy open, what `measured` says of the record.
    """

    address: str
    clause: Clause
    coverage: int
    counts: Counter[str] = field(default_factory=Counter)
    figures: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """One of "diverges", "conforms", "refused", "survey", "observed", "erratum" and "not tried"."""
        return status(self.clause, self.counts)


def status(clause: Clause, counts: Counter[str]) -> str:
    """What counts by bearing come to."""
    if counts["diverges"]:
        return "diverges"
    if clause.kind == "erratum":
        return "erratum"
    if clause.kind == "unspecified" and counts:
        return "observed"
    if clause.judges == "outputs":
        return "conforms" if counts["conforms"] else "refused" if counts["refused"] else "not tried"
    return "survey" if counts else "not tried"


def clause_rows(record: Record, specification: str) -> list[ClauseRow]:
    """A row for each clause, in the order of the text."""
    text = record.header.specifications[specification]
    rows = {address: ClauseRow(address, clause, record.header.coverage.get(address, 0),
                               figures=measured(record, clause, [address]))
            for address, clause in text.clauses.items()}
    for _, address, bearing in bearings(text, [line for line in record.cases if line.spec == specification]):
        rows[address].counts[bearing] += 1
    whole = clause_counts(record)
    for address, row in rows.items():
        row.counts = whole.get(row.clause.restates or address, row.counts)
    return list(rows.values())


def measured(record: Record, clause: Clause, addresses: Collection[str]) -> dict[str, dict[str, float]]:
    """By figure and element type the largest of a record, for an unspecified clause that leaves accuracy open, under
    `addresses`; {} for any other clause. An answer that breaks another clause is wrong, and says nothing of
    accuracy."""
    if clause.kind != "unspecified" or clause.title != ACCURACY:
        return {}
    under = {address.partition("#")[0] for address in addresses}
    return largest(line for line in record.cases if line.spec in under
                   and (line.verdict != "diverges" or not {*line.clauses}.isdisjoint(addresses)))


def bearings(text: Specification, lines: Iterable[CaseLine]) -> Iterator[tuple[CaseLine, str, str]]:
    """(line, clause, what the line says of the clause) for the lines of one specification, as `ClauseRow.counts` has
    it. A clause that restates another shares what is said of that one."""
    stated: dict[str, list[str]] = {}
    for address, clause in text.clauses.items():
        stated.setdefault(clause.restates or address, []).append(address)
    for line in lines:
        for target in dict.fromkeys([*line.clauses, *line.covers]):
            for address in stated.get(target, ()):
                bearing = _bearing(text.clauses[address], target, line, text.outputs)
                if bearing:
                    yield line, address, bearing


def _bearing(clause: Clause, target: str, line: CaseLine, outputs: list[str]) -> str | None:
    """What a line says of a clause, None when nothing."""
    breaks, covers = target in line.clauses, target in line.covers
    if clause.judges == "outputs":
        if breaks:
            return "diverges" if line.verdict == "diverges" else None
        if covers and line.accuses and line.verdict != "diverges" and not line.clauses:
            return "refused"
        return "conforms" if covers and line_judged(target, line, outputs) else None
    if clause.judges == "call":
        return line.verdict if breaks and line.verdict != "diverges" else None
    return "touched" if clause.kind == "unspecified" and (breaks or covers) else None


@dataclass(frozen=True)
class MatrixRow:
    """A clause, and for each column its row there; None where that record does not have the clause."""

    address: str
    clause: Clause
    coverage: int
    cells: tuple[ClauseRow | None, ...]

    @property
    def statuses(self) -> tuple[str, ...]:
        """What each column comes to; "absent" where the record does not have the clause."""
        return tuple(cell.status if cell else "absent" for cell in self.cells)

    @property
    def broken(self) -> bool:
        """Whether some column diverges."""
        return "diverges" in self.statuses


def matrix(shown: Sequence[Column]) -> dict[str, list[MatrixRow]]:
    """The rows of each specification. A clause reads as in the first record that has it."""
    names = sorted({name for column in shown for name in column.record.header.specifications}, key=by_age)
    found = {}
    for name in names:
        rows = [{row.address: row for row in clause_rows(column.record, name)}
                if name in column.record.header.specifications else {} for column in shown]
        addresses = dict.fromkeys(address for part in rows for address in part)
        found[name] = [MatrixRow(address, first.clause, first.coverage, tuple(part.get(address) for part in rows))
                       for address in addresses for first in [next(part[address] for part in rows if address in part)]]
    return found


def clauses_of(shown: Sequence[Column]) -> dict[str, Clause]:
    """The clauses by address, as the first column has them."""
    return {address: clause for column in reversed(shown)
            for text in column.record.header.specifications.values() for address, clause in text.clauses.items()}


@dataclass
class Stated:
    """A clause in the versions of the text that share its statement, those of them in which some column breaks it, and
    for each column what is said of it, as `ClauseRow.counts` has it; `worse` counts the results that break it and
    conformed in the version before."""

    clause: Clause
    width: int
    addresses: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [Counter() for _ in range(self.width)]

    @property
    def address(self) -> str:
        """The clause, versions together: where it is broken, those in which it is."""
        return joined(self.broken or self.addresses)

    @property
    def states(self) -> list[str]:
        """For each column "diverges", "conforms", "refused", "not tried" and so on."""
        return [status(self.clause, +counts) for counts in self.counts]

    @property
    def is_judged(self) -> bool:
        """Whether it judges outputs, and does not only restate another clause."""
        return self.clause.judges == "outputs" and not self.clause.restates


def stated(rows: Iterable[MatrixRow], losses: Sequence[Sequence[CaseLine]]) -> list[Stated]:
    """Every clause, in the order of the texts. `losses` are the results of each column that conformed in the version
    before."""
    found: dict[ClauseKey, Stated] = {}
    for row in rows:
        entry = found.setdefault(row.clause.key, Stated(row.clause, len(losses)))
        entry.addresses.append(row.address)
        if row.broken:
            entry.broken.append(row.address)
        for counts, cell, lost in zip(entry.counts, row.cells, losses, strict=True):
            if cell:
                counts.update(cell.counts)
                if entry.is_judged:
                    counts["worse"] += sum(row.address in line.clauses for line in lost)
    return list(found.values())


def broken_clauses(rows: Iterable[MatrixRow], losses: Sequence[Sequence[CaseLine]]) -> list[Stated]:
    """The clauses that some column breaks; those that only restate another left out."""
    return [entry for entry in stated(rows, losses) if entry.broken and entry.is_judged]


@dataclass(frozen=True)
class Boundary:
    """How many pairs of boundary classes of a clause the cases of each column have, of how many; None where a record
    has no figures. The addresses are of the versions of the text in which it is so."""

    addresses: list[str]
    title: str
    cells: tuple[tuple[int, int] | None, ...]


def boundaries(shown: Sequence[Column], rows: Iterable[MatrixRow]) -> list[Boundary]:
    """The clauses for which some record has figures, in the order of the texts."""
    found: dict[tuple[Any, ...], Boundary] = {}
    for row in rows:
        cells = tuple(boundary_of(column, row.address) for column in shown)
        if any(cells):
            key = row.clause.key._replace(statement=""), cells
            entry = found.setdefault(key, Boundary([], row.clause.title, cells))
            entry.addresses.append(row.address)
    return list(found.values())


def sizes(shown: Sequence[Column]) -> dict[str, list[tuple[int, int] | None]]:
    """By specification, of each column how many of the sizes were put, of how many; None where its record has no
    figures. Those for which some record has."""
    found = [column.record.header.sizes for column in shown]
    return {name: [(of[name].met, of[name].sought) if name in of else None for of in found]
            for name in dict.fromkeys(name for of in found for name in of)}


def loose(shown: Sequence[Column]) -> dict[str, list[tuple[int, int] | None]]:
    """By specification, of each column how many results decide little, of how many; those for which some record has
    one."""
    found = []
    for column in shown:
        lines = [line for line in column.record.cases if line.verdict == "conforms" and not line.context]
        little = Counter(line.spec for line in lines if line.decides_little)
        found.append({name: (little[name], of) for name, of in Counter(line.spec for line in lines).items()})
    names = dict.fromkeys(name for of in found for name, (little, _) in of.items() if little)
    return {name: [of.get(name) for of in found] for name in names}


def boundary_of(column: Column, address: str) -> tuple[int, int] | None:
    """(pairs of boundary classes that the cases have, all of them) of a clause, as far as the record says."""
    found = column.record.header.boundaries.get(address)
    return (found.covered, found.satisfiable) if found else None


def by_clause(record: Record) -> Iterator[tuple[str, str, list[CaseLine]]]:
    """(clause, statement, lines) for each clause that outputs break, in the order of the text, versions together."""
    found: dict[ClauseKey, tuple[list[str], list[CaseLine]]] = {}
    for text in record.header.specifications.values():
        for address, clause in text.clauses.items():
            lines = [line for line in record.cases if line.verdict == "diverges" and address in line.clauses]
            if lines and not clause.restates:
                addresses, together = found.setdefault(clause.key, ([], []))
                addresses.append(address)
                together += lines
    for key, (addresses, lines) in found.items():
        yield joined(addresses), key.statement, lines


def errors(record: Record) -> list[CaseLine]:
    """The lines on which the suite itself failed."""
    return [line for line in record.cases if line.verdict == "harness-error"]


def accusations(record: Record) -> list[CaseLine]:
    """The lines that accuse the backend, those that are not known first."""
    return sorted((line for line in record.cases if line.accuses), key=lambda line: line.known is not None)


def primary_clauses(record: Record, line: CaseLine) -> list[str]:
    """The clauses that a line breaks, without those that only restate another."""
    clauses = record.header.specifications[line.spec].clauses
    return [address for address in line.clauses if not clauses[address].restates]


def notation(broken: Iterable[Stated], specifications: Iterable[str]) -> list[str]:
    """The words that a page takes for granted, in sentences; those of which it has need."""
    said = ["A clause is text@versions#section.tag, where the tag is R for a restriction, C a constraint, F a "
            "function, U what is left open, E an erratum."]
    if any(name.startswith("sonnx/") for name in specifications):
        said.append("sonnx is the SONNX safety profile of ONNX, a draft.")
    if any(re.search(r"\bke\b", entry.clause.statement) for entry in broken):
        said.append("On an axis, in and out are the sizes of input and output, ke that of the dilated kernel, s the "
                    "stride, b and e the padding at the beginning and the end.")
    return [*said, "A result is one case in one form (some of the outputs, or all) under one version of a text; "
            "10 of 28: of the 28 results that judge the clause 10 break it.",
            "Kept: something judged it, and nothing breaks it. Refused: valid calls that would judge it were not "
            "answered (a refusal, a crash, a hang). Not tried: no call judges it, or a gap was declared.",
            "Known = on this suite's list of known divergences, with the reason; new = not on it."]
