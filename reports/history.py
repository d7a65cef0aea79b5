"""What changed from version to version: of a clause, and of one case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from plumbline.reports.addresses import joined, parts
from plumbline.reports.side_by_side import Column, MatrixRow
from plumbline.reports.wording import listed

NAMED = 3
"""Versions of a span that are all named."""


@dataclass(frozen=True)
class Span:
    """Versions of which the same is true, neighbours among those tried."""

    what: str
    versions: tuple[str, ...]

    @property
    def where(self) -> str:
        """The versions; of many the first and the last, and how many were tried."""
        if len(self.versions) <= NAMED:
            return listed(self.versions)
        return f"{self.versions[0]} to {self.versions[-1]} ({len(self.versions)} tried)"

    def __str__(self) -> str:
        return f"{self.what} in {self.where}"


@dataclass(frozen=True)
class History:
    """A clause, in each version of a text that shares it, and what one backend did about it over its own versions."""

    backend: str
    addresses: tuple[str, ...]
    title: str
    statement: str
    spans: tuple[Span, ...]

    @property
    def address(self) -> str:
        """The clause, as ``onnx/maxpool@10,11#Y.C2`` where versions share it."""
        return joined(self.addresses)


def spans(steps: Iterable[tuple[str, str]]) -> tuple[Span, ...]:
    """Spans of (version, what is true of it), in the order given."""
    return tuple(Span(what, tuple(version for version, _ in group))
                 for what, group in groupby(steps, key=lambda step: step[1]))


def histories(shown: Sequence[Column], rows: Iterable[MatrixRow]) -> list[History]:
    """The clauses whose status changed between versions of one backend; those that came to diverge last come first."""
    found: dict[tuple[object, ...], list[str]] = {}
    for name, numbers in versions(shown).items():
        for row in rows:
            steps = [(shown[number].version, row.statuses[number]) for number in numbers
                     if row.statuses[number] != "absent"]
            if len({status for _, status in steps}) > 1 and not row.clause["restates"]:
                family, _, local = parts(row.address)
                key = (name, family, local, row.clause["title"], row.clause["statement"], spans(steps))
                found.setdefault(key, []).append(row.address)
    listed = [History(name, tuple(addresses), title, statement, over)
              for (name, _, _, title, statement, over), addresses in found.items()]
    return sorted(listed, key=lambda entry: entry.spans[-1].what != "diverges")


def versions(shown: Sequence[Column]) -> dict[str, list[int]]:
    """The backends of which several records are shown, with the numbers of their columns."""
    found: dict[str, list[int]] = {}
    for number, column in enumerate(shown):
        found.setdefault(column.name, []).append(number)
    return {name: numbers for name, numbers in found.items() if len(numbers) > 1}
