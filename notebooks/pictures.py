"""The pictures of the report pages as outputs of cells: tensors as grids, windows, tables of marks, accepted errors.

Marks of a grid are those of the pages: hatched cells are padding; yellow ones are read by the window, the bold and
underlined among them selected; red ones differ. Dashed cells have a value that the specification does not define.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape

import numpy as np

from plumbline.oracle import Call, Spec
from plumbline.reports.pictures import Cell, Picture, Place, Plane, picture
from plumbline.reports.rendering import notebook_frame, notebook_pictures
from plumbline.trial.record.parts import Tensor
from plumbline.trial.record.tensors import to_tensor
from plumbline.trial.run.line_builder import reads_of

DECIMALS = 2

Mark = tuple[str, str]
"""Text and tone: "good", "bad", "known", or "" for none."""


@dataclass(frozen=True)
class Shown:
    """HTML, and a line of text for viewers without HTML; a notebook displays it."""

    html: str
    words: str

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.words}


def draw(*rows: Iterable[Picture]) -> Shown:
    """Rows of pictures; a row that is too wide continues below."""
    drawn = [list(row) for row in rows]
    return Shown(notebook_pictures(*drawn), "; ".join(figure.caption for row in drawn for figure in row))


def table(columns: Sequence[str], rows: Mapping[str, Sequence[Mark]]) -> Shown:
    """A mark for each row and column, in the colours of its tone."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ["", *columns])
    lines = ["".join(f'<td class="{tone}">{escape(text)}</td>' for text, tone in marks) for marks in rows.values()]
    body = "".join(f'<tr><th scope="row">{escape(name)}</th>{line}</tr>\n'
                   for name, line in zip(rows, lines, strict=True))
    return Shown(notebook_frame(f'<table class="marks"><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>'),
                 f"a table: {', '.join(rows)}")


def accepted(errors: Sequence[float], limits: tuple[float, float], unit: str, seen: Mapping[str, float]) -> Shown:
    """Which errors conform: the range of `limits` within that of `errors`, and errors seen, each under its name."""
    low, high = min(errors), max(errors)
    band = f'<rect x="{limits[0] - low:g}" width="{limits[1] - limits[0]:g}" height="6" fill="var(--good-tint)"/>'
    rows = []
    for name, error in seen.items():
        tone, verdict = ("good", "✓ conforms") if limits[0] <= error <= limits[1] else ("bad", "✗ diverges")
        rows.append(f'<tr><th scope="row">{escape(name)}</th><td><svg viewBox="0 0 {high - low:g} 6" width="24rem" '
                    f'height="1rem" preserveAspectRatio="none" aria-hidden="true">'
                    f'<rect width="{high - low:g}" height="6" fill="var(--bad-tint)"/>{band}'
                    f'<rect x="{error - low:g}" width="1" height="6" fill="var(--{tone})"/></svg></td>'
                    f'<td>{error:+g} {escape(unit)}</td><td class="{tone}">{verdict}</td></tr>\n')
    words = f"conforms from {limits[0]:g} to {limits[1]:g} {unit}"
    table_rows = f"<caption>{words}</caption><tbody>\n{''.join(rows)}</tbody>"
    return Shown(notebook_frame(f'<table class="marks">{table_rows}</table>'), words)


def tracks(calls: Mapping[str, tuple[Spec, Call]]) -> Shown:
    """The windows that each specification lays along the one spatial axis of its call, a line for each window.

    Specifications with the same windows share a picture. X and its padding are those of the first call; cells beyond
    the padding that some window reads are dashed.
    """
    first = next(iter(calls.values()))[1]
    x, (begin, end) = first.inputs["X"], first.attributes.get("pads", (0, 0))
    windows = {label: [spec.receptive_field(call, "Y", (0, 0, place))["X"][:, -1].tolist()
                       for place in range(spec.expected(call)["Y"].shape[-1])]
               for label, (spec, call) in calls.items()}
    every = [cell for taps in windows.values() for window in taps for cell in window]
    columns = tuple(range(min(-begin, *every), max(x.shape[-1] - 1 + end, *every) + 1))

    def cell(at: int, window: Sequence[int]) -> Cell:
        inside, beyond = 0 <= at < x.shape[-1], at >= x.shape[-1] + end
        classes = ["window"] * (at in window) + ["beyond"] * beyond + ["pad"] * (not inside and not beyond)
        return Cell(f"{x[0, 0, at]:g}" if inside else "", " ".join(classes))

    labels: dict[str, list[str]] = {}
    for label, taps in windows.items():
        labels.setdefault(str(taps), []).append(label)
    return draw(Picture("; ".join(alike), "", (Plane("", columns, tuple(
        (number, tuple(cell(at, window) for at in columns)) for number, window in enumerate(windows[alike[0]]))),))
        for alike in labels.values())


def grid(array: np.ndarray, caption: str, **masks: np.ndarray) -> Picture:
    """An array with batch, channel and spatial axes, with two decimals.

    A mask of its shape by the name of each mark ("differs", "open") says which cells bear it. Raises ValueError for an
    array without a cell to draw.
    """
    marked = {name: list(zip(*mask.nonzero(), strict=True)) for name, mask in masks.items()}
    drawn = picture(_tensor(array), caption, None, marked)
    if not drawn.planes:
        raise ValueError(f"{caption}: nothing of an array of shape {array.shape} can be drawn")
    return replace(drawn, caption=caption)


def window(spec: Spec, call: Call, where: Place) -> Picture:
    """X as the element of the outputs at `where` reads it, padding included.

    Of a maximum with its index, the element that gives both is marked.
    """
    everywhere = [tuple(cell) for place in np.ndindex(*spec.expected(call)["Y"].shape)
                  for cell in reads_of(spec, call, "Y", place)["X"]]
    expected, x = spec.expected(call), call.inputs["X"]
    marked: dict[str, list[Place]] = {"window": [tuple(cell) for cell in reads_of(spec, call, "Y", where)["X"]]}
    if "Indices" in expected:
        marked["selected"] = [np.unravel_index(int(expected["Indices"][where]), x.shape)]
    values = ", ".join(f"{name} {_text(array[where])}" for name, array in expected.items())
    marked["outline"] = [cell for cell in everywhere if cell[:2] == tuple(where[:2])]  # the padding all around
    return replace(picture(_tensor(x), "X", where, marked), caption=f"{list(where[2:])}: {values}")


def windows(spec: Spec, call: Call) -> Iterator[Picture]:
    """The window at each place, row by row."""
    for where in np.ndindex(*spec.expected(call)["Y"].shape):
        yield window(spec, call, where)


def outputs(spec: Spec, call: Call, note: str = "") -> Iterator[Picture]:
    """Each output that the specification expects, under its name and a note; undefined values are marked."""
    unspecified = spec.unspecified(call)
    for name, array in spec.expected(call).items():
        mask = unspecified[name].mask if name in unspecified else False
        yield grid(array, f"{name}{note}", open=np.full(array.shape, isinstance(mask, str) or mask))


def _tensor(array: np.ndarray) -> Tensor:
    short = np.round(array, DECIMALS)
    return to_tensor(np.where((short == 0) & (array != 0), 0, short).astype(array.dtype))  # no -0 by rounding


def _text(value: np.generic) -> str:
    return grid(np.full((1, 1, 1), value), "").planes[0].rows[0][1][0].text
