"""Several records beside each other: one column for each, clauses and cases as rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import InvalidVersion, Version

from plumbline.reports.addresses import by_age, joined, parts
from plumbline.reports.findings import ClauseRow, Line, clause_rows
from plumbline.reports.wording import together
from plumbline.trial.record import Record


@dataclass(frozen=True)
class Column:
    """A record with the name that it goes by: backend and version, and the file where these are not enough."""

    record: Record
    label: str

    @property
    def name(self) -> str:
        """The backend's name."""
        return self.record.header["backend"]["name"]

    @property
    def version(self) -> str:
        """The backend's version."""
        return self.record.header["backend"]["version"]

    @property
    def short(self) -> str:
        """The label without the backend's name."""
        return self.label.removeprefix(f"{self.name} ")

    @property
    def file(self) -> str:
        """The record's file name."""
        return self.record.path.name


@dataclass(frozen=True)
class MatrixRow:
    """A clause, and for each column its row there; None where that record does not have the clause."""

    address: str
    clause: dict[str, Any]
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


@dataclass
class CaseRow:
    """A case of one specification: its first line, the clauses it bears on, and for each column its lines by form."""

    line: Line
    clauses: dict[str, None]
    cells: list[dict[str, Line]] = field(default_factory=list)

    @property
    def lines(self) -> Iterable[tuple[int, Line]]:
        """(column, line)."""
        return ((number, line) for number, cell in enumerate(self.cells) for line in cell.values())

    @property
    def counts(self) -> Counter[str]:
        """Lines by verdict, over all columns."""
        return Counter(line["verdict"] for _, line in self.lines)


def columns(records: Sequence[Record]) -> list[Column]:
    """A column for each record, by name and version, then by the time of the run."""
    ordered = sorted(records, key=lambda record: (record.header["backend"]["name"], by_version(record),
                                                  record.header["started"]))
    titles = [f"{record.header['backend']['name']} {record.header['backend']['version']}" for record in ordered]
    return [Column(record, f"{title} ({record.path.name})" if titles.count(title) > 1 else title)
            for record, title in zip(ordered, titles, strict=True)]


def by_version(record: Record) -> tuple[int, Version, str]:
    """A key that orders records by version; text that is no version comes first, by letter."""
    text = record.header["backend"]["version"]
    try:
        return 1, Version(text), text
    except InvalidVersion:
        return 0, Version("0"), text


def matrix(shown: Sequence[Column]) -> dict[str, list[MatrixRow]]:
    """The rows of each specification. A clause reads as in the first record that has it."""
    names = sorted({name for column in shown for name in column.record.header["specifications"]}, key=by_age)
    found = {}
    for name in names:
        rows = [{row.address: row for row in clause_rows(column.record, name)}
                if name in column.record.header["specifications"] else {} for column in shown]
        addresses = dict.fromkeys(address for part in rows for address in part)
        found[name] = [MatrixRow(address, first.clause, first.coverage, tuple(part.get(address) for part in rows))
                       for address in addresses for first in [next(part[address] for part in rows if address in part)]]
    return found


def case_rows(shown: Sequence[Column]) -> dict[tuple[str, str], CaseRow]:
    """The cases by (specification, id); written ones before generated ones."""
    found: dict[tuple[str, str], CaseRow] = {}
    for number, column in enumerate(shown):
        for line in column.record.cases:
            row = found.setdefault((line["spec"], line["id"]), CaseRow(line, {}, [{} for _ in shown]))
            row.cells[number][line["form"]] = line
            row.clauses.update(dict.fromkeys([*line["covers"], *line["clauses"]]))
    return dict(sorted(found.items(), key=lambda item: (by_age(item[0][0]), is_generated(item[1].line))))


def is_generated(line: Line) -> bool:
    """Whether a generator made the case."""
    return line["id"].startswith(("generated-", "boundary-", "block-"))


def unlike(shown: Sequence[Column]) -> list[str]:
    """Why columns cannot be compared number by number, one sentence each; none when all tried the same. Versions of a
    text of which the same is to be said stand together."""
    names = list(dict.fromkeys(name for column in shown for name in column.record.header["specifications"]))
    problems: dict[tuple[str, str], list[str]] = {}
    for name in sorted(names, key=by_age):
        texts = {column.label: column.record.header["specifications"].get(name) for column in shown}
        missing = "; ".join(together(label for label, text in texts.items() if text is None))
        said = [f"differs: {who}" for who in _parted({label: text["digest"] for label, text in texts.items() if text})]
        for what in [*said, *([f"was not tried on {missing}"] if missing else [])]:
            problems.setdefault((parts(name)[0], what), []).append(name)
    cases = _parted({column.label: column.record.header["cases"]["digest"] for column in shown})
    return [f"The cases differ: {who}" for who in cases] + [
        f"The text of {joined(versions)} {what}" for (_, what), versions in problems.items()]


def _parted(digests: dict[str, str]) -> list[str]:
    """Who has which digest; none where there is one digest alone."""
    labels: dict[str, list[str]] = {}
    for label, digest in digests.items():
        labels.setdefault(digest, []).append(label)
    who = "; ".join(f"{', '.join(together(those))} (digest {digest[:12]})" for digest, those in labels.items())
    return [who] if len(labels) > 1 else []
