"""The broken clauses of a page at a glance, versions of one text together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from reports.addresses import joined, parts
from reports.history import versions
from reports.side_by_side import Column, MatrixRow
from reports.wording import count


@dataclass
class Broken:
    """A clause that some column breaks, and for each column how many results break it and keep it."""

    addresses: list[str]
    clause: dict[str, Any]
    diverge: list[int]
    conform: list[int]

    @property
    def address(self) -> str:
        """The clause, versions together."""
        return joined(self.addresses)

    @property
    def states(self) -> list[str]:
        """For each column "diverges", "conforms" or "not tried"."""
        return ["diverges" if wrong else "conforms" if right else "not tried"
                for wrong, right in zip(self.diverge, self.conform, strict=True)]


def broken_clauses(rows: Iterable[MatrixRow], width: int) -> list[Broken]:
    """Every clause that some column breaks, in the order of the texts; those that only restate another left out. The
    addresses are of the versions in which it is broken."""
    found: dict[tuple[str, ...], Broken] = {}
    for row in rows:
        if row.clause["restates"] or row.clause["judges"] != "outputs":
            continue
        key = (*parts(row.address)[::2], row.clause["statement"])
        entry = found.setdefault(key, Broken([], row.clause, [0] * width, [0] * width))
        if row.broken:
            entry.addresses.append(row.address)
        for number, cell in enumerate(row.cells):
            if cell:
                entry.diverge[number] += cell.counts["diverges"]
                entry.conform[number] += cell.counts["conforms"]
    return [entry for entry in found.values() if entry.addresses]


def progress(shown: Sequence[Column], broken: Sequence[Broken]) -> list[str]:
    """For each backend in several versions, from the first to the last: how many clauses are kept again, broken
    anew, and broken still."""
    return [f"From {shown[old].label} to {shown[new].label}: {', '.join(_steps(broken, old, new))}."
            for old, *_, new in versions(shown).values()]


def _steps(broken: Sequence[Broken], old: int, new: int) -> Iterator[str]:
    steps = [(entry.states[old], entry.states[new]) for entry in broken]
    yield f"{count(steps.count(('diverges', 'conforms')), 'clause')} kept again"
    yield f"{steps.count(('conforms', 'diverges'))} newly broken"
    yield f"{steps.count(('diverges', 'diverges'))} broken in both"
