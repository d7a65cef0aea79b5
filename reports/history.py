"""What changed from version to version: of a clause, and of one case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from reports.addresses import joined, parts
from reports.side_by_side import Column, MatrixRow


@dataclass(frozen=True)
class Span:
    """Neighbouring versions of which the same is true."""

    what: str
    first: str
    last: str

    def __str__(self) -> str:
        versions = self.first if self.first == self.last else f"{self.first} to {self.last}"
        return f"{self.what} in {versions}"


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
    found = []
    for what, group in groupby(steps, key=lambda step: step[1]):
        versions = [version for version, _ in group]
        found.append(Span(what, versions[0], versions[-1]))
    return tuple(found)


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
