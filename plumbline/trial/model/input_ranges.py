"""Guess likely ranges of a model's integer inputs.

The guess is from names, shapes and consumers.

They tell indices, masks and lengths. With arbitrary integers a model computes nothing useful: a mask of 7 gives NaN
everywhere, an index beyond its table is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from onnx import NodeProto, TensorProto

from plumbline.trial.model.graph import Graph

Range = tuple[float, float]
"""The smallest and the largest value, both included."""

TRUTH: Range = (0, 1)

MOVING = {"Cast", "Expand", "Flatten", "Identity", "Reshape", "Slice", "Squeeze", "Tile", "Transpose", "Unsqueeze"}
"""Operators whose first output has only elements of their first input."""

LOGICAL = {"And", "Not", "Or", "Xor"}

MASK = re.compile(r"(^|[^a-z])masks?([^a-z]|$)", re.IGNORECASE)
LENGTH = re.compile(r"(^|[^a-z])(len|length|lengths|lens)([^a-z]|$)", re.IGNORECASE)


def likely_ranges(graph: Graph, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Range]:
    """Return the likely ranges (lowest, highest) of inputs by name.

    shapes: of the integer inputs that are to be drawn. Inputs without a likely range are left out."""
    consumers: dict[str, list[NodeProto]] = {}
    for step in graph.steps:
        for name in step.reads:
            consumers.setdefault(name, []).append(step.proto)
    ranges: dict[str, Range] = {}
    for name, shape in shapes.items():
        uses = list(_uses(name, consumers))
        tables = [size for node, read in uses if (size := _table(graph, node, read))]
        if tables:
            ranges[name] = (0, min(tables) - 1)
        elif MASK.search(name) or any(_as_truth(node, read) for node, read in uses):
            ranges[name] = TRUTH
        elif LENGTH.search(name) and (size := _length(shape, shapes)):
            ranges[name] = (size, size)
    return ranges


def _uses(name: str, consumers: Mapping[str, list[NodeProto]]) -> Iterator[tuple[NodeProto, str]]:
    """Yield nodes that use the elements of a tensor, and its name there.

    Nodes that only move the elements are followed."""
    pending, visited = [name], {name}
    while pending:
        read = pending.pop()
        for node in consumers.get(read, ()):
            yield node, read
            if node.op_type in MOVING and node.input[0] == read and node.output[0] not in visited:
                visited.add(node.output[0])
                pending.append(node.output[0])


def _table(graph: Graph, node: NodeProto, read: str) -> int:
    """Return the size of the indexed axis, 0 if unknown."""
    if node.op_type not in ("Gather", "GatherElements") or node.input[1] != read:
        return 0
    axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
    shape = graph.shape(node.input[0])
    return (shape[axis] or 0) if shape is not None and -len(shape) <= axis < len(shape) else 0


def _as_truth(node: NodeProto, read: str) -> bool:
    """Return True if the node takes the tensor as truth values."""
    boolean = node.op_type == "Cast" and any(
        attribute.name == "to" and attribute.i == TensorProto.BOOL for attribute in node.attribute)
    return boolean or node.op_type in LOGICAL or node.op_type == "Where" and node.input[0] == read


def _length(shape: tuple[int, ...], shapes: Mapping[str, tuple[int, ...]]) -> int:
    """Return the smallest second axis of inputs, or 0."""
    return min((other[1] for other in shapes.values() if len(other) > max(len(shape), 1)), default=0)
