"""Compute coverage of boundary classes and sizes, and wide bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from plumbline.reports.clauses import MatrixRow
from plumbline.reports.columns import Column


@dataclass(frozen=True)
class Boundary:
    """Coverage of the boundary classes of a clause.

    cells: for each column the covered pairs of classes and all pairs, None if the record has no figures;
    addresses: of the versions with these figures.
    """

    addresses: list[str]
    title: str
    cells: tuple[tuple[int, int] | None, ...]


def boundaries(shown: Sequence[Column], rows: Iterable[MatrixRow]) -> list[Boundary]:
    """The clauses with boundary figures in some record."""
    boundaries_of: dict[tuple[object, ...], Boundary] = {}
    for row in rows:
        cells = tuple(boundary_coverage(column, row.address) for column in shown)
        if any(cells):
            key = row.clause.key._replace(statement=""), cells
            entry = boundaries_of.setdefault(key, Boundary([], row.clause.title, cells))
            entry.addresses.append(row.address)
    return list(boundaries_of.values())


def size_coverage(shown: Sequence[Column]) -> dict[str, list[tuple[int, int] | None]]:
    """Covered and required sizes by specification and column, or None."""
    figures = [column.record.header.sizes for column in shown]
    return {name: [(sizes[name].met, sizes[name].sought) if name in sizes else None for sizes in figures]
            for name in dict.fromkeys(name for sizes in figures for name in sizes)}


def wide_bounds(shown: Sequence[Column]) -> dict[str, list[tuple[int, int] | None]]:
    """Count conforming results with wide bounds, and all that conform.

    A bound is wide if most elements might be off by a tenth. By specification with such a result, there is a pair of
    numbers for each of `shown`, None without conforming results."""
    figures = []
    for column in shown:
        lines = [line for line in column.record.cases if line.verdict == "conforms" and not line.context]
        wide = Counter(line.spec for line in lines if line.decides_little)
        figures.append({name: (wide[name], total) for name, total in Counter(line.spec for line in lines).items()})
    names = dict.fromkeys(name for figures_of in figures for name, (wide, _) in figures_of.items() if wide)
    return {name: [figures_of.get(name) for figures_of in figures] for name in names}


def boundary_coverage(column: Column, address: str) -> tuple[int, int] | None:
    """Covered and all pairs of boundary classes of a clause."""
    boundary = column.record.header.boundaries.get(address)
    return (boundary.covered, boundary.satisfiable) if boundary else None
