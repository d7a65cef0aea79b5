"""Results by clause: kept, broken, refused or not tried."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from plumbline.oracle.accuracy import is_of_profile
from plumbline.reports.columns import Column, clause_counts
from plumbline.reports.words import joined, newest_first
from plumbline.trial.campaign.tally import line_judged
from plumbline.trial.record.header import Clause, ClauseKey, Specification
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import largest
from plumbline.trial.record.recording import Record

ACCURACY = "Accuracy"
"""The title of a U clause on how close to the exact value an element must be; measured figures are shown with it."""


@dataclass
class ClauseRow:
    """A clause in one record, with counts of results.

    counts: for a clause on outputs, the lines it judges (in a campaign: all calls) that keep it ("conforms") or break
            it ("diverges"), and those that it would judge but were "refused" (crashes, hangs and unstable answers too);
            for a clause on calls, the verdicts of the lines that break it; for a U clause, the lines that it touches.
    figures: for a U clause on accuracy, the `measured_figures` of the record.
    """

    address: str
    clause: Clause
    coverage: int
    counts: Counter[str] = field(default_factory=Counter)
    figures: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """The status: "diverges", "conforms", "refused", "survey", "observed", "erratum" or "not tried"."""
        return status(self.clause, self.counts)


def status(clause: Clause, counts: Counter[str]) -> str:
    """The status of a clause from its counts by bearing."""
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
    """A row per clause, in the order of the specification."""
    entry = record.header.specifications[specification]
    rows = {address: ClauseRow(address, clause, record.header.coverage.get(address, 0),
                               figures=measured_figures(record, clause, [address]))
            for address, clause in entry.clauses.items()}
    for _, address, bearing in bearings(entry, [line for line in record.cases if line.spec == specification]):
        rows[address].counts[bearing] += 1
    of_campaign = clause_counts(record)
    for address, row in rows.items():
        row.counts = of_campaign.get(row.clause.restates or address, row.counts)
    return list(rows.values())


def measured_figures(record: Record, clause: Clause, addresses: Collection[str]) -> dict[str, dict[str, float]]:
    """The largest figures on accuracy, by name and element type.

    Only lines under `addresses` count, for a clause of an accuracy profile those that it judged; {} for any other
    clause. An answer that breaks another clause is wrong, so its error tells nothing about accuracy, unless the clause
    is one of an accuracy profile."""
    if any(map(is_of_profile, addresses)):
        return largest(line for line in record.cases if not {*line.clauses, *line.covers}.isdisjoint(addresses))
    if clause.kind != "unspecified" or clause.title != ACCURACY:
        return {}
    specifications = {address.partition("#")[0] for address in addresses}
    return largest(line for line in record.cases if line.spec in specifications
                   and (line.verdict != "diverges" or not {*line.clauses}.isdisjoint(addresses)
                        or all(map(is_of_profile, line.clauses))))


def bearings(specification: Specification, lines: Iterable[CaseLine]) -> Iterator[tuple[CaseLine, str, str]]:
    """Triples of line, clause and bearing (a key of `ClauseRow.counts`).

    A clause that restates another shares its bearings."""
    stating: dict[str, list[str]] = {}
    for address, clause in specification.clauses.items():
        stating.setdefault(clause.restates or address, []).append(address)
    for line in lines:
        for target in dict.fromkeys([*line.clauses, *line.covers]):
            for address in stating.get(target, ()):
                bearing = _bearing(specification.clauses[address], target, line, specification.outputs)
                if bearing:
                    yield line, address, bearing


def _bearing(clause: Clause, target: str, line: CaseLine, outputs: list[str]) -> str | None:
    """The bearing of a line on a clause, or None."""
    breaks, covers = target in line.clauses, target in line.covers
    if clause.judges == "outputs":
        if breaks:
            return "diverges" if line.verdict == "diverges" else None
        if covers and is_of_profile(target):  # a line covers those that judged its answer, which may be observed
            return "conforms"
        if covers and line.accuses and line.verdict != "diverges" and not line.clauses:
            return "refused"
        return "conforms" if covers and line_judged(target, line, outputs) else None
    if clause.judges == "call":
        return line.verdict if breaks and line.verdict != "diverges" else None
    return "touched" if clause.kind == "unspecified" and (breaks or covers) else None


@dataclass(frozen=True)
class MatrixRow:
    """A clause with its row (or None) in each column."""

    address: str
    clause: Clause
    coverage: int
    cells: tuple[ClauseRow | None, ...]

    @property
    def statuses(self) -> tuple[str, ...]:
        """The status in each column, "absent" without the clause."""
        return tuple(cell.status if cell else "absent" for cell in self.cells)

    @property
    def broken(self) -> bool:
        """True if some column diverges."""
        return "diverges" in self.statuses


def matrix(shown: Sequence[Column]) -> dict[str, list[MatrixRow]]:
    """The rows of each specification."""
    names = sorted({name for column in shown for name in column.record.header.specifications}, key=newest_first)
    rows_of = {}
    for name in names:
        rows = [{row.address: row for row in clause_rows(column.record, name)}
                if name in column.record.header.specifications else {} for column in shown]
        addresses = dict.fromkeys(address for part in rows for address in part)
        first = {address: next(part[address] for part in rows if address in part) for address in addresses}
        rows_of[name] = [MatrixRow(address, row.clause, row.coverage, tuple(part.get(address) for part in rows))
                         for address, row in first.items()]
    return rows_of


def clauses_of(shown: Sequence[Column]) -> dict[str, Clause]:
    """The clauses by address, as in the first column."""
    return {address: clause for column in reversed(shown)
            for entry in column.record.header.specifications.values() for address, clause in entry.clauses.items()}


@dataclass
class ClauseSummary:
    """A clause in all versions that share its statement.

    broken: the versions in which some column breaks it; counts: for each of `width` columns, as `ClauseRow.counts`.
    `counts["worse"]` are the results that break it and conformed in the version before.
    """

    clause: Clause
    width: int
    addresses: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    counts: list[Counter[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.counts = [Counter() for _ in range(self.width)]

    @property
    def address(self) -> str:
        """The address, versions merged; only the broken ones if any."""
        return joined(self.broken or self.addresses)

    @property
    def states(self) -> list[str]:
        """The `status` in each column."""
        return [status(self.clause, +counts) for counts in self.counts]

    @property
    def is_judged(self) -> bool:
        """True if it judges outputs and restates no clause."""
        return self.clause.judges == "outputs" and not self.clause.restates


def summarise_clauses(rows: Iterable[MatrixRow], regressions: Sequence[Sequence[CaseLine]]) -> list[ClauseSummary]:
    """Return a summary of each clause, with its versions together.

    rows:        the clauses, with a cell for each record.
    regressions: for each record, the accusing results that conformed in the version of the backend before."""
    summaries: dict[ClauseKey, ClauseSummary] = {}
    for row in rows:
        entry = summaries.setdefault(row.clause.key, ClauseSummary(row.clause, len(regressions)))
        is_shared = row.address in entry.addresses  # a clause of an accuracy profile, in several versions
        entry.addresses.append(row.address)
        if row.broken:
            entry.broken.append(row.address)
        for counts, cell, lines in zip(entry.counts, row.cells, regressions, strict=True):
            if cell:
                counts.update(cell.counts)
                if entry.is_judged and not is_shared:
                    counts["worse"] += sum(row.address in line.clauses for line in lines)
    return list(summaries.values())


def broken_clauses(rows: Iterable[MatrixRow], regressions: Sequence[Sequence[CaseLine]]) -> list[ClauseSummary]:
    """The clauses that some column breaks, without restatements."""
    return [entry for entry in summarise_clauses(rows, regressions) if entry.broken and entry.is_judged]


def by_clause(record: Record) -> Iterator[tuple[str, str, list[CaseLine]]]:
    """Broken clauses with statement and lines, versions merged."""
    lines_of: dict[ClauseKey, tuple[list[str], list[CaseLine]]] = {}
    for name, entry in record.header.specifications.items():
        for address, clause in entry.clauses.items():
            lines = [line for line in record.cases
                     if line.verdict == "diverges" and address in line.clauses and line.spec == name]
            if lines and not clause.restates:
                addresses, of_all_versions = lines_of.setdefault(clause.key, ([], []))
                addresses.append(address)
                of_all_versions += lines
    for key, (addresses, lines) in lines_of.items():
        yield joined(addresses), key.statement, lines


def errors(record: Record) -> list[CaseLine]:
    """The lines on which the suite failed."""
    return [line for line in record.cases if line.verdict == "harness-error"]


def primary_clauses(record: Record, line: CaseLine) -> list[str]:
    """The clauses that a line breaks, without restatements."""
    clauses = record.header.specifications[line.spec].clauses
    return [address for address in line.clauses if not clauses[address].restates]


LISTED = ("Known: on the list of known divergences of the suite or of the run, with the reason. A known divergence may "
          "be older than this version, and need not have been reported. New: on no list.")
"""The meaning of the marks of root causes."""


def notation(broken: Iterable[ClauseSummary], specifications: Iterable[str]) -> list[str]:
    """Sentences that define the notation used on a page."""
    sentences = ["A clause is specification@versions#section.tag. The tag is R for a restriction, C for a constraint, "
                 "F for a function, U for what is unspecified, E for an erratum."]
    if any(name.startswith("sonnx/") for name in specifications):
        sentences.append("sonnx is the SONNX safety profile of ONNX, a draft.")
    if any(re.search(r"\bke\b", entry.clause.statement) for entry in broken):
        sentences.append("On an axis, in and out are the sizes of input and output, ke is the size of the dilated "
                         "kernel, s the stride, b and e are the padding at the beginning and the end.")
    return [*sentences, "A result is one case in one form (some of the outputs, or all) under one version of a "
            "specification. 10 of 28: 28 results judge the clause, and 10 of them break it.",
            "Kept: some result judged the clause, and none breaks it. Refused: valid calls that would judge it were "
            "not answered (a refusal, a crash, a hang). Not tried: no call judges it, or the backend declared that it "
            "does not support such calls.",
            LISTED]
