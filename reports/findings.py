"""What a record says, arranged for readers: by clause, and by what accuses the backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.addresses import joined, parts
from plumbline.reports.campaigns import clause_counts
from plumbline.trial.judge import ACCUSES
from plumbline.trial.record import Record
from plumbline.trial.tally import was_judged

Line = dict[str, Any]


@dataclass
class ClauseRow:
    """One clause of a record and what the backend did about it.

    counts: for a clause on outputs, how many of the lines that it judges (of a campaign: of all calls) keep it
            ("conforms") or break it ("diverges");
            for a clause on calls the verdicts of the lines that break it; for a U clause the lines that it touches.
    broken: lines whose outputs break it.
    """

    address: str
    clause: dict[str, Any]
    coverage: int
    counts: Counter[str] = field(default_factory=Counter)
    broken: list[Line] = field(default_factory=list)

    @property
    def status(self) -> str:
        """``"diverges"``, ``"conforms"``, ``"survey"``, ``"observed"``, ``"erratum"`` or ``"not tried"``."""
        return status(self.clause, self.counts)


def status(clause: dict[str, Any], counts: Counter[str]) -> str:
    """What counts by bearing come to."""
    if counts["diverges"]:
        return "diverges"
    if clause["kind"] == "erratum":
        return "erratum"
    if not counts:
        return "not tried"
    if clause["kind"] == "unspecified":
        return "observed"
    return "conforms" if clause["judges"] == "outputs" else "survey"


def clause_rows(record: Record, specification: str) -> list[ClauseRow]:
    """A row for each clause, in the order of the text."""
    clauses = record.header["specifications"][specification]["clauses"]
    rows = {address: ClauseRow(address, clause, record.header["coverage"].get(address, 0))
            for address, clause in clauses.items()}
    lines = [line for line in record.cases if line["spec"] == specification]
    for line, address, bearing in bearings(record.header["specifications"][specification], lines):
        rows[address].counts[bearing] += 1
        if bearing == "diverges":
            rows[address].broken.append(line)
    whole = clause_counts(record)
    for address, row in rows.items():
        row.counts = whole.get(row.clause["restates"] or address, row.counts)
    return list(rows.values())


def bearings(text: dict[str, Any], lines: Iterable[Line]) -> Iterator[tuple[Line, str, str]]:
    """(line, clause, what the line says of the clause) for the lines of one specification, as `ClauseRow.counts` has
    it. A clause that restates another shares what is said of that one."""
    stated: dict[str, list[str]] = {}
    for address, clause in text["clauses"].items():
        stated.setdefault(clause["restates"] or address, []).append(address)
    for line in lines:
        for target in dict.fromkeys([*line["clauses"], *line["covers"]]):
            for address in stated.get(target, ()):
                bearing = _bearing(text["clauses"][address], target, line, text["outputs"])
                if bearing:
                    yield line, address, bearing


def _bearing(clause: dict[str, Any], target: str, line: Line, outputs: list[str]) -> str | None:
    """What a line says of a clause, None when nothing."""
    breaks, covers = target in line["clauses"], target in line["covers"]
    if clause["judges"] == "outputs":
        if breaks:
            return "diverges" if line["verdict"] == "diverges" else None
        return "conforms" if covers and was_judged(target, line, outputs) else None
    if clause["judges"] == "call":
        return line["verdict"] if breaks and line["verdict"] != "diverges" else None
    return "touched" if clause["kind"] == "unspecified" and (breaks or covers) else None


def errors(record: Record) -> list[Line]:
    """The lines on which the suite itself failed."""
    return [line for line in record.cases if line["verdict"] == "harness-error"]


def accusations(record: Record) -> list[Line]:
    """The lines that accuse the backend, those that are not known first."""
    return sorted((line for line in record.cases if line["verdict"] in ACCUSES), key=lambda line: "known" in line)


def primary_clauses(record: Record, line: Line) -> list[str]:
    """The clauses that a line breaks, without those that only restate another."""
    clauses = record.header["specifications"][line["spec"]]["clauses"]
    return [address for address in line["clauses"] if not clauses[address]["restates"]]


def by_clause(record: Record) -> Iterator[tuple[str, str, list[Line]]]:
    """(clause, statement, lines) for each clause that outputs break, in the order of the text; versions of one text
    together, as ``onnx/maxpool@10,11#Y.C2``."""
    found: dict[tuple[str, str, str], tuple[list[str], list[Line]]] = {}
    for address, statement, lines in _by_address(record):
        family, _, local = parts(address)
        addresses, together = found.setdefault((family, local, statement), ([], []))
        addresses.append(address)
        together += lines
    for (_, _, statement), (addresses, lines) in found.items():
        yield joined(addresses), statement, lines


def _by_address(record: Record) -> Iterator[tuple[str, str, list[Line]]]:
    for specification, text in record.header["specifications"].items():
        for address, clause in text["clauses"].items():
            lines = [line for line in record.cases if line["spec"] == specification and line["verdict"] == "diverges"
                     and address in line["clauses"]]
            if lines and not clause["restates"]:
                yield address, clause["statement"], lines
