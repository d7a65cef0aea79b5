"""Clause, case, verdict, and back: which case says what of which clause, on which sides of its boundaries cases lie,
what nobody breaks, what never failed; and the numbers by which the script of a page filters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.clauses import MatrixRow, bearings
from plumbline.reports.columns import CaseRow, Column, Key
from plumbline.reports.words import parts
from plumbline.trial.record import CaseLine

STATES = {"broken": "diverges", "refused": "refused", "kept": "conforms", "not tried": "not tried"}
"""What can be said of a clause on outputs, in the words of a page, with the status that a column then has. One column
decides: a clause that is kept here and refused there is refused."""

NAMED = 12
"""Cases named of one kind under one clause."""


@dataclass(frozen=True)
class Trace:
    """One result and what it says of one clause, in the words of `bearings`."""

    column: int
    line: CaseLine
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
    """What is left to ask of a specification: its clauses on outputs by state, and its cases by state."""

    specification: str
    clauses: dict[str, list[str]]
    cases: dict[str, list[Key]]


def traces(shown: Sequence[Column]) -> Iterator[Trace]:
    """Every bearing of every result."""
    for number, column in enumerate(shown):
        lines: dict[str, list[CaseLine]] = {}
        for line in column.record.cases:
            lines.setdefault(line.spec, []).append(line)
        for name, group in lines.items():
            for line, address, bearing in bearings(column.record.header.specifications[name], group):
                yield Trace(number, line, address, bearing)


def by_clause(found: Iterable[Trace], width: int) -> dict[str, list[Alike]]:
    """For each clause the cases that bear on it, those alike together; what diverges first. Of the forms of a case the
    worst counts."""
    said: dict[str, dict[Key, list[str]]] = {}
    made: dict[Key, bool] = {}
    for trace in found:
        made[trace.line.spec, trace.line.id] = trace.line.generated
        case = said.setdefault(trace.address, {}).setdefault((trace.line.spec, trace.line.id), [""] * width)
        if case[trace.column] in ("", "conforms", "refused"):
            case[trace.column] = trace.bearing
    together: dict[str, list[Alike]] = {}
    for address, cases in said.items():
        alike: dict[tuple[str, ...], Alike] = {}
        for key, row in cases.items():
            entry = alike.setdefault(tuple(row), Alike(tuple(row)))
            (entry.generated if made[key] else entry.written).append(key)
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
            key = row.clause.key._replace(statement=""), cells
            entry = found.setdefault(key, Boundary([], row.clause.title, cells))
            entry.addresses.append(row.address)
    return list(found.values())


def boundary_of(column: Column, address: str) -> tuple[int, int] | None:
    """(pairs of boundary classes that the cases have, all of them) of a clause, as far as the record says."""
    found = column.record.header.boundaries.get(address)
    return (found.covered, found.satisfiable) if found else None


def closing(rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow]) -> list[Closing]:
    """For each specification what no column breaks, and what never failed anywhere."""
    found = []
    for name, clauses in rows.items():
        judged = [row for row in clauses if row.clause.judges == "outputs"]
        here = {key: row for key, row in cases.items() if key[0] == name}
        found.append(Closing(
            name, {state: [row.address for row in judged if state_of(row.statuses) == state] for state in STATES},
            {state: [key for key, row in here.items() if row.state == state] for state in (*STATES, "recorded")}))
    return found


def state_of(statuses: Sequence[str]) -> str:
    """What the statuses of a clause on outputs come to, over all columns: one of `STATES`."""
    return next((state for state, status in STATES.items() if status in statuses), "not tried")


def by_flag(cases: Iterable[CaseRow], width: int) -> dict[str, tuple[int, list[Counter[str]]]]:
    """For each class of calls (the flags of the cases): how many cases, and for each column the results by verdict."""
    found: dict[str, tuple[int, list[Counter[str]]]] = {}
    for row in cases:
        for flag in row.line.flags or ["none of these"]:
            count, counts = found.get(flag, (0, [Counter() for _ in range(width)]))
            for number, line in row.lines:
                counts[number][line.verdict] += 1
            found[flag] = count + 1, counts
    return dict(sorted(found.items(), key=lambda item: (item[0] == "none of these", item[0])))


def page_data(shown: Sequence[Column], rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow],
              found: Sequence[Trace]) -> dict[str, Any]:
    """Lists of names, and numbers that point into them.

    clauses: for each row of the matrix (section and tag, kind, what it judges)
    cases:   for each row of the table of cases (specification, dtype, opset, its clauses, its flags)
    results: for each result (case, column, verdict, what it says), where what it says is one of
    says:    lists of clause, bearing, clause, bearing and so on
    """
    names = {name: _Numbers() for name in ("specifications", "dtypes", "opsets", "verdicts", "bearings", "groups",
                                           "flagsets")}
    clauses = {row.address: number for number, row in enumerate(row for part in rows.values() for row in part)}
    says: dict[int, list[int]] = {}
    for trace in found:
        says.setdefault(id(trace.line), []).extend((clauses[trace.address], names["bearings"].of(trace.bearing)))
    sayings = _Numbers()
    listed, results = [], []
    for number, row in enumerate(cases.values()):
        group = names["groups"].of(tuple(sorted(clauses[address] for address in row.clauses if address in clauses)))
        listed.append([names["specifications"].of(row.line.spec), names["dtypes"].of(row.line.dtype),
                       names["opsets"].of(row.line.opset), group,
                       names["flagsets"].of(tuple(row.line.flags))])
        for column, line in row.lines:
            results.append([number, column, names["verdicts"].of(line.verdict),
                            sayings.of(tuple(says.get(id(line), ())))])
    return {"columns": len(shown), "labels": [column.label for column in shown],
            **{name: list(numbers) for name, numbers in names.items()},
            "clauses": [[parts(row.address)[2], row.clause.kind, row.clause.judges]
                        for part in rows.values() for row in part],
            "cases": listed, "results": results, "says": list(sayings)}


class _Numbers(dict[Any, int]):
    """Numbers things in the order of their coming."""

    def of(self, thing: Any) -> int:
        """The number of a thing."""
        return self.setdefault(thing, len(self))
