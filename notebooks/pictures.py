"""The grids of `reports.pictures` drawn side by side: X with a window, outputs with the cells that differ.

Marks, as in the pages of reports: hatched cells are padding; yellow ones are read by the window, the bold and
underlined among them selected; red ones differ; dotted ones are left open by the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from notebooks.drawing import (
    BAD,
    BAD_TINT,
    INK,
    KNOWN,
    KNOWN_TINT,
    LINE,
    MONO_WIDTH,
    SANS_WIDTH,
    SOFT,
    Drawing,
    canvas,
    write,
)
from plumbline.oracle import Call, Spec
from plumbline.reports.pictures import Cell, Picture, Place, Plane, input_pictures, output_pictures, picture
from plumbline.trial.record.header import Tensor
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.tensors import to_tensor
from plumbline.trial.run.line_builder import reads_of

WIDTH = 9.6
"""Inches that a row of panels may take."""

DECIMALS = 2

CELL, LEAST, LABELS, CAPTION, GAP = 0.29, 0.34, 0.3, 0.24, 0.34
"""Inches: height of a cell, its least width, room for row labels, for a line of caption, between panels."""


@dataclass(frozen=True)
class Panel:
    """One plane of a picture under its caption."""

    caption: str
    plane: Plane

    @cached_property
    def edges(self) -> list[float]:
        """Where columns begin, and where the last one ends; each is as wide as its longest text asks."""
        columns = zip(*(cells for _, cells in self.plane.rows), strict=True)
        widths = [max(LEAST, max(len(cell.text) for cell in column) * MONO_WIDTH + 0.14) for column in columns]
        return [LABELS, *(LABELS + width for width in accumulate(widths))]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height."""
        return max(self.edges[-1], len(self.caption) * SANS_WIDTH), 2 * CAPTION + len(self.plane.rows) * CELL

    def draw(self, axes: Axes, left: float, top: float) -> None:
        """Caption, labels, cells; marked cells last, so that no neighbour covers their frame."""
        write(axes, left, top + CAPTION / 2, self.caption)
        down, spans = top + 2 * CAPTION, [(left + start, end - start) for start, end in pairwise(self.edges)]
        for (start, width), label in zip(spans, self.plane.columns, strict=True):
            write(axes, start + width / 2, down - CAPTION / 2, str(label), colour=SOFT, align="center")
        for row, (label, _) in enumerate(self.plane.rows):
            if label is not None:
                write(axes, left + LABELS - 0.08, down + (row + 0.5) * CELL, str(label), colour=SOFT, align="right")
        cells = [(cell, start, down + row * CELL, width) for row, (_, cells) in enumerate(self.plane.rows)
                 for cell, (start, width) in zip(cells, spans, strict=True)]
        for placed in sorted(cells, key=lambda placed: bool(_frame(placed[0].classes.split()))):
            _draw_cell(axes, *placed)

    @property
    def words(self) -> str:
        """The same as text: `[read by the window]`, `*` selected, `!` differs, `?` left open, `.` padding."""
        rows = [[_word(cell) for cell in cells] for _, cells in self.plane.rows]
        width = max(len(word) for row in rows for word in row)
        return "\n".join([self.caption, *("  " + " ".join(word.rjust(width) for word in row) for row in rows)])


def draw(*rows: Iterable[Picture]) -> Drawing:
    """Rows of pictures; one that is too wide goes on below."""
    placed, width, top = [], 0.0, 0.0
    for row in rows:
        left, height = 0.0, 0.0
        for panel in _panels(row):
            if left and left + panel.size[0] > WIDTH:
                left, top, height = 0.0, top + height + GAP / 2, 0.0
            placed.append((panel, left, top))
            width, height = max(width, left + panel.size[0]), max(height, panel.size[1])
            left += panel.size[0] + GAP
        top += height + GAP / 2
    axes = canvas(width, top - GAP / 2)
    for panel, left, above in placed:
        panel.draw(axes, left, above)
    return Drawing(axes.figure, "\n".join(panel.words for panel, _, _ in placed))


def finding(line: CaseLine) -> Drawing:
    """A line of a record that does not conform: its inputs, and below them each output, as it should be and as it was
    given."""
    given = output_pictures(line, also_expected=True)
    return draw(input_pictures(line), *([one for one in given if one.caption.startswith(f"{name} ")]
                                        for name in line.outputs))


def _panels(pictures: Iterable[Picture]) -> Iterator[Panel]:
    for one in pictures:
        for plane in one.planes:
            yield Panel(one.caption + one.note + (f", {plane.which}" if plane.which else ""), plane)


def grid(array: np.ndarray, caption: str, **masks: np.ndarray) -> Picture:
    """An array with batch, channel and spatial axes; a mask of its shape by the name of each mark ("differs", "open")
    says which cells bear it. Two decimals are shown. Raises ValueError for an array without a cell to draw."""
    marked = {name: list(zip(*mask.nonzero(), strict=True)) for name, mask in masks.items()}
    drawn = picture(_tensor(array), caption, None, marked)
    if not drawn.planes:
        raise ValueError(f"{caption}: nothing of an array of shape {array.shape} can be drawn")
    return replace(drawn, caption=caption)


def window(spec: Spec, call: Call, where: Place) -> Picture:
    """X as the element of the outputs at `where` reads it, padding included; of a maximum with its index, the element
    that gives both is marked."""
    everywhere = [tuple(cell) for place in np.ndindex(*spec.expected(call)["Y"].shape)
                  for cell in reads_of(spec, call, "Y", place)["X"]]
    expected, x = spec.expected(call), call.inputs["X"]
    marked: dict[str, list[Place]] = {"window": [tuple(cell) for cell in reads_of(spec, call, "Y", where)["X"]]}
    if "Indices" in expected:
        marked["selected"] = [np.unravel_index(int(expected["Indices"][where]), x.shape)]
    said = ", ".join(f"{name} {_shown(array[where])}" for name, array in expected.items())
    marked["outline"] = [cell for cell in everywhere if cell[:2] == tuple(where[:2])]  # the padding all around
    return replace(picture(_tensor(x), "X", where, marked), caption=f"{list(where[2:])}: {said}")


def windows(spec: Spec, call: Call) -> Iterator[Picture]:
    """The window at each place, row by row."""
    for where in np.ndindex(*spec.expected(call)["Y"].shape):
        yield window(spec, call, where)


def outputs(spec: Spec, call: Call, note: str = "") -> Iterator[Picture]:
    """Each output that the specification expects, under its name and a note; what the text leaves open is marked."""
    unspecified = spec.unspecified(call)
    for name, array in spec.expected(call).items():
        mask = unspecified[name].mask if name in unspecified else False
        yield grid(array, f"{name}{note}", open=np.full(array.shape, isinstance(mask, str) or mask))


def _tensor(array: np.ndarray) -> Tensor:
    short = np.round(array, DECIMALS)
    return to_tensor(np.where((short == 0) & (array != 0), 0, short).astype(array.dtype))  # no -0 by rounding


def _shown(value: np.generic) -> str:
    return grid(np.full((1, 1, 1), value), "").planes[0].rows[0][1][0].text


def _word(cell: Cell) -> str:
    classes = cell.classes.split()
    signs = [sign for name, sign in (("selected", "*"), ("differs", "!"), ("open", "?")) if name in classes]
    word = ("." if "pad" in classes else cell.text) + "".join(signs)
    return f"[{word}]" if "window" in classes else word


def _frame(classes: list[str]) -> str:
    """The colour of the frame of a marked cell, "" for others."""
    return BAD if "focus" in classes else KNOWN if "window" in classes else ""


def _draw_cell(axes: Axes, cell: Cell, x: float, y: float, width: float) -> None:
    classes = cell.classes.split()
    face = BAD_TINT if "differs" in classes else KNOWN_TINT if "window" in classes else "white"
    axes.add_patch(Rectangle((x, y), width, CELL, facecolor=face, edgecolor="none"))
    hatch = "////" if "pad" in classes else "..." if "open" in classes else None
    if hatch:
        axes.add_patch(Rectangle((x, y), width, CELL, facecolor="none", edgecolor="#c9c2b2", hatch=hatch, linewidth=0))
    frame = _frame(classes)
    axes.add_patch(Rectangle((x, y), width, CELL, facecolor="none", edgecolor=frame or LINE,
                             linewidth=1.8 if frame else 0.8))
    bold = "selected" in classes or "differs" in classes
    write(axes, x + width - 0.07, y + CELL / 2, cell.text, colour=BAD if "differs" in classes else INK, align="right",
          mono=True, bold=bold)
    if "selected" in classes:
        line = y + CELL - 0.055
        axes.plot([x + width - 0.07 - len(cell.text) * MONO_WIDTH, x + width - 0.07], [line, line], color=INK,
                  linewidth=1.6)
