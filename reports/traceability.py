"""Clause, case, verdict, and back: which case says what of which clause, on which sides of its boundaries cases lie,
what nobody breaks, and what never failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.addresses import parts
from plumbline.reports.findings import Line, bearings
from plumbline.reports.side_by_side import CaseRow, Column, MatrixRow, is_generated
from plumbline.trial.judge import ACCUSES

Key = tuple[str, str]
"""A case: specification and id."""

NAMED = 12
"""Cases named of one kind under one clause."""


@dataclass(frozen=True)
class Trace:
    """One result and what it says of one clause, in the words of `bearings`."""

    column: int
    line: Line
    address: str
    bearing: str


@dataclass
class Alike:
    """Cases that say the same of a clause in every column. `bearings` has "" where nothing was judged."""

    bearings: tuple[str, ...]
    written: list[Key] = field(default_factory=list)
    generated: list[Key] = field(default_factory=list)

    def said(self, shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
        """(bearing, who of the columns): those alike together."""
        found: dict[str, list[str]] = {}
        for bearing, column in zip(self.bearings, shown, strict=True):
            found.setdefault(bearing, []).append(column.label)
        return list(found.items())

    @property
    def named(self) -> list[Key]:
        """The first of them, written ones before generated ones."""
        return (self.written + self.generated)[:NAMED]

    @property
    def count(self) -> int:
        """All of them."""
        return len(self.written) + len(self.generated)


@dataclass(frozen=True)
class Closing:
    """What is left to ask of a specification: the clauses on outputs that no column breaks, those that nothing judges,
    and the cases that never failed."""

    specification: str
    judged: int
    unbroken: list[str]
    untried: list[str]
    cases: int
    never_failed: list[Key]


def traces(shown: Sequence[Column]) -> Iterator[Trace]:
    """Every bearing of every result."""
    for number, column in enumerate(shown):
        lines: dict[str, list[Line]] = {}
        for line in column.record.cases:
            lines.setdefault(line["spec"], []).append(line)
        for name, group in lines.items():
            for line, address, bearing in bearings(column.record.header["specifications"][name], group):
                yield Trace(number, line, address, bearing)


def by_clause(found: Iterable[Trace], width: int) -> dict[str, list[Alike]]:
    """For each clause the cases that bear on it, those alike together; what diverges first. Of the forms of a case the
    worst counts."""
    said: dict[str, dict[Key, list[str]]] = {}
    for trace in found:
        case = said.setdefault(trace.address, {}).setdefault((trace.line["spec"], trace.line["id"]), [""] * width)
        if case[trace.column] in ("", "conforms"):
            case[trace.column] = trace.bearing
    together: dict[str, list[Alike]] = {}
    for address, cases in said.items():
        alike: dict[tuple[str, ...], Alike] = {}
        for key, row in cases.items():
            entry = alike.setdefault(tuple(row), Alike(tuple(row)))
            (entry.generated if is_generated({"id": key[1]}) else entry.written).append(key)
        together[address] = sorted(alike.values(), key=lambda entry: ("diverges" not in entry.bearings, -entry.count))
    return together


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
            family, _, local = parts(row.address)
            entry = found.setdefault((family, local, cells), Boundary([], row.clause["title"], cells))
            entry.addresses.append(row.address)
    return list(found.values())


def boundary_of(column: Column, address: str) -> tuple[int, int] | None:
    """(pairs of boundary classes that the cases have, all of them) of a clause, as far as the record tells."""
    found = column.record.header.get("boundaries", {}).get(address)
    return (found["covered"], found["satisfiable"]) if found else None


def closing(rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow]) -> list[Closing]:
    """For each specification what no column breaks, and what never failed anywhere."""
    found = []
    for name, clauses in rows.items():
        judged = [row for row in clauses if row.clause["judges"] == "outputs"]
        here = {key: row for key, row in cases.items() if key[0] == name}
        found.append(Closing(
            name, len(judged), [row.address for row in judged if not row.broken and "conforms" in row.statuses],
            [row.address for row in judged if not {"conforms", "diverges"} & set(row.statuses)],
            len(here), [key for key, row in here.items() if has_never_failed(row)]))
    return found


def has_never_failed(row: CaseRow) -> bool:
    """Whether a case accuses nobody."""
    return not any(row.counts[verdict] for verdict in ACCUSES)


def by_flag(cases: Iterable[CaseRow], width: int) -> dict[str, tuple[int, list[Counter[str]]]]:
    """For each class of calls (the flags of the cases): how many cases, and for each column the results by verdict."""
    found: dict[str, tuple[int, list[Counter[str]]]] = {}
    for row in cases:
        for flag in row.line["flags"] or ["none of these"]:
            count, counts = found.get(flag, (0, [Counter() for _ in range(width)]))
            for number, line in row.lines:
                counts[number][line["verdict"]] += 1
            found[flag] = count + 1, counts
    return dict(sorted(found.items(), key=lambda item: (item[0] == "none of these", item[0])))
