"""Draw tensors of a record as grids of marked cells.

Matrices and vectors are planes too; scalars and empty tensors are one line of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from plumbline.trial.record.header import Printed
from plumbline.trial.record.lines import CaseLine, Divergence
from plumbline.trial.record.one_line import text_of
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.tensors import WHOLE

LARGEST = 18
"""Rows and columns shown of a plane; a larger plane is cut around the focus."""

PLANES = 4
"""Planes shown of one tensor."""

Place = tuple[int, ...]
Marks = Mapping[str, Iterable[Sequence[int]]]


@dataclass(frozen=True)
class Cell:
    """The text of a cell, and its CSS classes."""

    text: str
    classes: str = ""


@dataclass(frozen=True)
class Plane:
    """A plane of a tensor.

    which:   its place among several planes, or "";
    columns: labels of the columns; rows: pairs of label (None for a vector) and cells.
    """

    which: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int | None, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Picture:
    """A tensor, or part of it.

    note: what is not shown, or the value of a tensor without planes.
    """

    caption: str
    note: str
    planes: tuple[Plane, ...]


def input_pictures(line: CaseLine) -> list[Picture]:
    """Draw every input, with the cells read marked; those with the value expected as selected."""
    entry = _first(line)
    drawn = []
    for name, data in (line.call.inputs if line.call else {}).items():
        cells = [tuple(cell) for cell in ((entry.reads if entry else None) or {}).get(name, [])]
        marked = {"window": cells, "selected": _selected(line, entry, data, cells)}
        drawn.append(picture(data, name, _middle(cells), marked))
    return drawn


def output_pictures(line: CaseLine, also_expected: bool) -> list[Picture]:
    """The outputs as expected and as given, differences marked."""
    first = _first(line)
    drawn = []
    for name in line.outputs:
        differs = [tuple(place) for entry in line.divergences if entry.output == name for place in entry.where]
        focus = tuple(first.where[0]) if first else None
        marked = {"differs": differs, "focus": [focus] if focus in differs else []}
        for which, tensors in (("expected", line.expected if also_expected else None), ("got", line.got),
                               ("got the second time", line.again)):
            if tensors and name in tensors:
                drawn.append(picture(tensors[name], f"{name} {which}", focus, marked))
    return drawn


def printed_pictures(entry: Printed) -> list[Picture]:
    """An output as printed and as corrected, differences marked."""
    drawn = []
    for name, read in entry.read.items():
        printed = entry.printed.get(name)
        if isinstance(printed, Tensor):
            places = list(product(*map(range, read.shape))) if read.size <= WHOLE else []
            differs = [place for place in places if at(printed, place) != at(read, place)]
            drawn += [picture(printed, f"{name} as printed", None, {"differs": differs}),
                      picture(read, f"{name} as read", None, {"differs": differs})]
    return drawn


def picture(tensor: Tensor, name: str, focus: Place | None = None, marked: Marks | None = None) -> Picture:
    """Return the planes of a tensor with a focus or marked places.

    A plane spans the last two axes, or the last axis of a vector and of (batch, channel, length). At most `PLANES` are
    drawn.

    name:   of the tensor, for the caption.
    focus:  index of an element whose plane is drawn; by default where the recorded values begin.
    marked: by CSS class, indices of elements; those outside the tensor are drawn as padding."""
    caption, rank = f"{name}: {tensor.dtype} {tensor.shape}", len(tensor.shape)
    if not rank or 0 in tensor.shape:
        return Picture(caption, f", {text_of(tensor.values)}" if not rank else ", without elements", ())
    flat = 1 if rank in (1, 3) else 2
    classes: dict[Place, set[str]] = {}
    for css, places in (marked or {}).items():
        for place in places:
            if len(place) == rank:
                classes.setdefault(tuple(place), set()).add(css)
    centre = focus if focus is not None and len(focus) == rank else tuple(tensor.offset or [0] * rank)
    planes = list(dict.fromkeys([tuple(centre[:-flat]), *(place[:-flat] for place in classes)]))
    sizes = tensor.shape[-flat:]
    spans = [_span(size, [place[axis - flat] for place in classes], centre[axis - flat])
             for axis, size in enumerate(sizes)]
    cut = any(len(span) < size for span, size in zip(spans, sizes, strict=True))
    more = len(planes) - PLANES
    note = ("; a part of the plane" if cut else "") + (f"; {more} more planes are marked" if more > 0 else "")
    return Picture(caption, note, tuple(_plane(tensor, plane, spans, classes) for plane in sorted(planes[:PLANES])))


def at(tensor: Tensor, place: Sequence[int]) -> str | None:
    """The text of an element, None outside, "…" if unrecorded."""
    if len(place) != len(tensor.shape) or any(not 0 <= at < size for at, size in zip(place, tensor.shape, strict=True)):
        return None
    value = tensor.values
    for step, start in zip(place, tensor.offset or [0] * len(place), strict=True):
        if not 0 <= step - start < len(value):
            return "…"
        value = value[step - start]
    return text_of(value)


def _first(line: CaseLine) -> Divergence | None:
    """The first broken clause that names elements."""
    return next((entry for entry in line.divergences if entry.where), None)


def _middle(cells: list[Place]) -> Place | None:
    """The median of some cells, axis by axis."""
    return tuple(sorted(axis)[len(axis) // 2] for axis in zip(*cells, strict=True)) if cells else None


def _selected(line: CaseLine, entry: Divergence | None, tensor: Tensor, cells: list[Place]) -> list[Place]:
    """The cells with the value expected first. Only an output of their element type counts."""
    place = entry.where[0] if entry else []
    wanted = {at(output, place) for output in (line.expected or {}).values() if output.dtype == tensor.dtype}
    return [cell for cell in cells if at(tensor, cell) in wanted - {None, "…"}]


def _plane(tensor: Tensor, plane: Place, spans: list[range], classes: Mapping[Place, set[str]]) -> Plane:
    rows = []
    for row in spans[0] if len(spans) == 2 else [None]:
        places = [(*plane, *(() if row is None else (row,)), column) for column in spans[-1]]
        rows.append((row, tuple(_cell(tensor, place, classes.get(place, set())) for place in places)))
    several = any(size != 1 for size in tensor.shape[:len(plane)]) or any(plane)
    names = ", ".join(f"axis {axis} at {where}" for axis, where in enumerate(plane))
    return Plane(names if several else "", tuple(spans[-1]), tuple(rows))


def _cell(tensor: Tensor, place: Place, classes: set[str]) -> Cell:
    text = at(tensor, place)
    return Cell(text or "", " ".join(sorted({*classes, "pad"} if text is None else classes)))


def _span(size: int, marked: list[int], focus: int) -> range:
    """The rows (or columns) to show, at most `LARGEST`."""
    low, high = min([0, *marked]), max([size - 1, *marked])
    if high - low < LARGEST:
        return range(low, high + 1)
    start = max(low, min(focus - LARGEST // 2, high + 1 - LARGEST))
    return range(start, start + LARGEST)
