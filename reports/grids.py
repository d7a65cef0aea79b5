"""Tensors of a record as grids of cells: the plane that matters, its window drawn, its differing cells marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

LARGEST = 18
"""Rows and columns shown of a plane; larger ones are cut around the element in question."""

Place = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and CSS classes ("pad", "window", "differs", "focus")."""

    text: str
    classes: str = ""


@dataclass(frozen=True)
class Grid:
    """A plane of a tensor. `caption` says which, `rows` hold (label, cells), `columns` the labels of the columns."""

    caption: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int, tuple[Cell, ...]], ...]


def text_of(value: Any) -> str:
    """A value of a record as a person writes it."""
    return {"inf": "inf", "-inf": "−inf", "nan": "NaN"}.get(value, "") if isinstance(value, str) else \
        repr(value).removesuffix(".0").replace("-", "−")


class Tensor:
    """A tensor of a record, read by coordinates."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.dtype: str = data["dtype"]
        self.shape: Place = tuple(data["shape"])
        self._offset: Place = tuple(data.get("offset", [0] * len(self.shape)))
        self._values = data["values"]

    def at(self, place: Place) -> str | None:
        """The text of an element; None where it lies outside the tensor, "…" where the record does not keep it."""
        if len(place) != len(self.shape) or any(not 0 <= at < size for at, size in zip(place, self.shape, strict=True)):
            return None
        value = self._values
        for at, start in zip(place, self._offset, strict=True):
            if not 0 <= at - start < len(value):
                return "…"
            value = value[at - start]
        return text_of(value)

    def grid(self, name: str, focus: Place | None, marked: dict[str, Iterable[Place]]) -> Grid | None:
        """The plane of `focus` (the first one without a focus). `marked` gives places for each CSS class; places
        outside the tensor are drawn as padding. None for a tensor without two spatial axes or without elements."""
        if len(self.shape) != 4 or 0 in self.shape:
            return None
        plane = tuple(focus[:2]) if focus else (0, 0)
        classes: dict[Place, set[str]] = {}
        for css, places in marked.items():
            for place in places:
                if tuple(place[:2]) == plane:
                    classes.setdefault(tuple(place[2:]), set()).add(css)
        rows = _span(self.shape[2], [place[0] for place in classes], focus[2] if focus else 0)
        columns = _span(self.shape[3], [place[1] for place in classes], focus[3] if focus else 0)
        lines = tuple((row, tuple(self._cell((*plane, row, column), classes.get((row, column), set()))
                                  for column in columns)) for row in rows)
        which = f", batch {plane[0]}, channel {plane[1]}" if self.shape[:2] != (1, 1) else ""
        return Grid(f"{name}: {self.dtype} {list(self.shape)}{which}", tuple(columns), lines)

    def _cell(self, place: Place, classes: set[str]) -> Cell:
        text = self.at(place)
        named = {*classes, "pad"} if text is None else classes
        return Cell(text or "", " ".join(sorted(filter(None, named))))


def _span(size: int, marked: list[int], focus: int) -> range:
    """The rows (or columns) to show: all, with the padding that is marked, or as many as fit around the focus."""
    low, high = min([0, *marked]), max([size - 1, *marked])
    if high - low < LARGEST:
        return range(low, high + 1)
    start = max(low, min(focus - LARGEST // 2, high + 1 - LARGEST))
    return range(start, start + LARGEST)
