"""Prepare the trial of a model for a page.

The page has sentences on the result, the path to the first wrong node as a picture, and the nodes in the order of the
graph with their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from plumbline.reports.columns import Column
from plumbline.trial.model.sentences import Results, by_node, first_wrong, is_probe, label, summary
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.measurements import LARGEST_ERROR, error_in_words, figures_of
from plumbline.trial.record.model_part import ModelData, NodeOfModel

DEEP, MOST = 5, 24
"""Steps back from the wrong node, and nodes in all, that a picture shows."""

WIDE, HIGH, BOX, TALL = 190, 62, 160, 42
"""A place of the picture, and the box in it, in pixels."""

Link = Callable[[CaseLine], str]
"""Where a page shows a result in full; "" where it does not."""


@dataclass(frozen=True)
class Cell:
    """A verdict on a node, how often, its known divergence, and a link."""

    verdict: str
    times: int
    known: str
    link: str


@dataclass(frozen=True)
class NodeRow:
    """A node with its number in the graph.

    cells:    of the ways alone, in place and probed, None where it was not run so.
    measured: its largest error on its inputs, in words.
    shapes:   types and shapes of its inputs, "" where the record does not keep its call.
    seconds:  its longest time.
    """

    number: int
    node: NodeOfModel
    cells: tuple[Cell | None, ...]
    measured: str
    shapes: str
    seconds: float

    @property
    def matters(self) -> bool:
        """True if the node accuses the backend."""
        return self.word not in ("", "conforms", "observed")

    @property
    def word(self) -> str:
        """The verdict that counts most; "" for a node that was not judged."""
        found = [cell.verdict for cell in self.cells if cell is not None]
        return next((word for word in found if word not in ("conforms", "observed")), found[0] if found else "")


@dataclass(frozen=True)
class Box:
    """A node in the picture, at the left upper corner of its box; `more` counts nodes before it that are not shown."""

    row: NodeRow
    x: int
    y: int
    more: int


@dataclass(frozen=True)
class Path:
    """The picture: its size, boxes, and lines as (x, y) to (x, y)."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True)
class ModelView:
    """A model of one column; `path` is None where nothing is wrong."""

    label: str
    model: ModelData
    said: list[str]
    path: Path | None
    wrong: str
    rows: list[NodeRow]


def models(shown: Sequence[Column], link: Link) -> list[ModelView]:
    """The models of those columns that are about one."""
    return [_view(column, column.record.header.model, link) for column in shown if column.record.header.model]


def _view(column: Column, model: ModelData, link: Link) -> ModelView:
    results = by_node(column.record)
    rows = [_row(number, node, results.get(node.id, ()), link) for number, node in enumerate(model.nodes)]
    first = first_wrong(model, results)
    path = _path(model, rows, model.nodes.index(first)) if first else None
    return ModelView(column.label, model, summary(column.record), path, label(first) if first else "", rows)


def _row(number: int, node: NodeOfModel, results: Results, link: Link) -> NodeRow:
    ways = [[line for way, line in results if way == "alone"], [line for way, line in results if way == "in-place"],
            [line for way, line in results if is_probe(way)]]
    own = [line for way, line in results if not is_probe(way)]
    measured = error_in_words(max(own, key=lambda line: figures_of(line).get(LARGEST_ERROR, 0.0))) if own else ""
    call = next((line.call for line in own if line.call is not None), None)
    shapes = ", ".join(f"{name} {tensor.dtype}{tensor.shape}" for name, tensor in call.inputs.items()) if call else ""
    return NodeRow(number, node, tuple(_cell(lines, link) for lines in ways), measured, shapes,
                   max((line.seconds for line in own), default=0.0))


def _cell(lines: Sequence[CaseLine], link: Link) -> Cell | None:
    """Return the cell of several results; accusing ones count first."""
    if not lines:
        return None
    worst = [line for line in lines if line.accuses] or [line for line in lines if line.verdict != "conforms"] or lines
    new = next((line for line in worst if not line.known), worst[0])
    return Cell(new.verdict, len(worst), new.known.id if new.known else "", link(new) if new.accuses else "")


def _path(model: ModelData, rows: Sequence[NodeRow], wrong: int) -> Path:
    """Return the picture of a wrong node, and of the nodes before it.

    The wrong node is at the right, to its left are those that it reads from, directly or not.
    `rows`: the nodes, in the order of `model.nodes`. `wrong`: number of the wrong node."""
    steps = {wrong: 0}
    for number in (queue := [wrong]):
        for before in model.nodes[number].after[::-1]:
            if before not in steps and steps[number] < DEEP and len(steps) < MOST:
                steps[before] = steps[number] + 1
                queue.append(before)
    for number in sorted(steps, reverse=True):  # a node stands left of all that it gives something to
        for before in model.nodes[number].after:
            if before in steps:
                steps[before] = max(steps[before], steps[number] + 1)
    last, places, height = max(steps.values()), dict[int, tuple[int, int]](), 0
    for step in range(last + 1):
        layer = sorted(number for number, at in steps.items() if at == step)
        places |= {number: ((last - step) * WIDE, row * HIGH) for row, number in enumerate(layer)}
        height = max(height, len(layer))
    boxes = [Box(rows[number], x, y, sum(before not in steps for before in model.nodes[number].after))
             for number, (x, y) in sorted(places.items())]
    return Path((last + 1) * WIDE, height * HIGH, tuple(boxes), tuple(_lines(model, places)))


def _lines(model: ModelData, places: dict[int, tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    for number, (x, y) in places.items():
        for before in model.nodes[number].after:
            if before in places:
                left, top = places[before]
                yield left + BOX, top + TALL // 2, x, y + TALL // 2
