"""Tensors of a record as grids of cells: the planes that matter, with the places in question marked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

LARGEST = 18
"""Rows and columns shown of a plane; larger ones are cut around the element in question."""

PLANES = 4
"""Planes shown of one tensor."""

BRIEF = 9
"""Elements that are written out within a sentence."""

AXES = ("batch", "channel", "depth")
"""What the axes before rows and columns are called."""

Place = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and CSS classes ("pad", "window", "selected", "differs", "focus")."""

    text: str
    classes: str = ""


@dataclass(frozen=True)
class Plane:
    """A plane of a tensor: `which` one, where there are several; `columns` the labels of the columns, `rows` hold
    (label, cells), the label None where the tensor has one spatial axis."""

    which: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int | None, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Picture:
    """A tensor, or what matters of it. `note` says what is not shown."""

    caption: str
    note: str
    planes: tuple[Plane, ...]


def text_of(value: Any) -> str:
    """A value of a record as a person writes it."""
    if isinstance(value, str):
        return {"inf": "inf", "-inf": "−inf", "nan": "NaN"}.get(value, "?")
    return repr(value).removesuffix(".0").replace("-", "−")


def brief_values(tensor: dict[str, Any]) -> str:
    """The values of a small tensor, nested; the shape of a larger one, and its value where all are equal.

    >>> brief_values({"shape": [1, 1, 10], "values": [[["-inf"] * 10]]})
    'of shape [1, 1, 10], all −inf'
    """
    if prod(tensor["shape"]) <= BRIEF and "offset" not in tensor:
        return _nested(tensor["values"])
    texts = set(_flat(tensor["values"])) if "offset" not in tensor else set()
    return f"of shape {tensor['shape']}" + (f", all {texts.pop()}" if len(texts) == 1 else "")


def _flat(values: Any) -> Iterable[str]:
    return (text for value in values for text in _flat(value)) if isinstance(values, list) else [text_of(values)]


def _nested(values: Any) -> str:
    return f"[{', '.join(map(_nested, values))}]" if isinstance(values, list) else text_of(values)


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

    def picture(self, name: str, focus: Place | None, marked: dict[str, Iterable[Place]],
                edges: Iterable[Place] = ()) -> Picture | None:
        """The plane of `focus` (where the record begins to keep values without a focus) and the others that hold a
        marked place, up to `PLANES`. A plane is made of the last two axes, or of the only spatial one.

        `marked` gives places for each CSS class; `edges` are the corners to draw the plane to. Places outside the
        tensor are drawn as padding. None for a tensor without batch, channel and spatial axes, or without elements."""
        if len(self.shape) < 3 or 0 in self.shape:
            return None
        flat = 1 if len(self.shape) == 3 else 2
        classes: dict[Place, set[str]] = {}
        for css, places in marked.items():
            for place in filter(self._fits, places):
                classes.setdefault(tuple(place), set()).add(css)
        centre = focus if focus is not None and self._fits(focus) else self._offset
        planes = list(dict.fromkeys([tuple(centre[:-flat]), *(place[:-flat] for place in classes)]))
        outline = [tuple(place[-flat:]) for place in [*classes, *filter(self._fits, edges)]]
        spans = [_span(size, [place[axis] for place in outline], centre[axis - flat])
                 for axis, size in enumerate(self.shape[-flat:])]
        cut = any(len(span) < size for span, size in zip(spans, self.shape[-flat:], strict=True))
        more = len(planes) - PLANES
        note = ("; a part of the plane" if cut else "") + (f"; {more} more planes are marked" if more > 0 else "")
        return Picture(f"{name}: {self.dtype} {list(self.shape)}", note,
                       tuple(self._plane(plane, spans, classes) for plane in sorted(planes[:PLANES])))

    def _plane(self, plane: Place, spans: list[range], classes: dict[Place, set[str]]) -> Plane:
        rows = []
        for row in spans[0] if len(spans) == 2 else [None]:
            places = [(*plane, *(() if row is None else (row,)), column) for column in spans[-1]]
            rows.append((row, tuple(self._cell(place, classes.get(place, set())) for place in places)))
        several = any(size != 1 for size in self.shape[:len(plane)]) or any(plane)
        names = [f"{axis} {at}" for axis, at in zip(_axes(len(plane)), plane, strict=True)]
        return Plane(", ".join(names) if several else "", tuple(spans[-1]), tuple(rows))

    def _fits(self, place: Place) -> bool:
        return len(place) == len(self.shape)

    def _cell(self, place: Place, classes: set[str]) -> Cell:
        text = self.at(place)
        named = {*classes, "pad"} if text is None else classes
        return Cell(text or "", " ".join(sorted(named)))


def _axes(count: int) -> list[str]:
    return [*AXES[:count], *(f"axis {number}" for number in range(len(AXES), count))]


def _span(size: int, marked: list[int], focus: int) -> range:
    """The rows (or columns) to show: all, with the padding that is marked, or as many as fit around the focus."""
    low, high = min([0, *marked]), max([size - 1, *marked])
    if high - low < LARGEST:
        return range(low, high + 1)
    start = max(low, min(focus - LARGEST // 2, high + 1 - LARGEST))
    return range(start, start + LARGEST)
