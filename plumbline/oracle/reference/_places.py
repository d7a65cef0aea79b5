"""Enumerate indices of tensors, and map them under broadcasting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

Place = tuple[int, ...]


def places(shape: Sequence[int]) -> Iterator[Place]:
    """Every index tuple of a tensor, the last axis fastest; one empty tuple for a scalar."""
    return product(*map(range, shape))


def together(shapes: Sequence[Sequence[int]]) -> Place:
    """Return the broadcast shape: shapes aligned at the last axis, the size that is not 1 on each."""
    rank = max(len(shape) for shape in shapes)
    sizes = []
    for axis in range(rank):
        size = 1
        for shape in shapes:
            at = axis - (rank - len(shape))
            if at >= 0 and shape[at] != 1:
                size = shape[at]
        sizes.append(size)
    return tuple(sizes)


def cell(shape: Sequence[int], place: Place) -> Place:
    """The cell of a tensor of `shape` that the place of the output reads: its last axes, 0 where the size is 1."""
    start = len(place) - len(shape)
    return tuple(0 if size == 1 else place[start + axis] for axis, size in enumerate(shape))


def limited(a: Sequence[int], b: Sequence[int], axis: int | None, place: Place) -> Place:
    """The cell of B that a place of A reads under the limited broadcasting of versions 1 and 6.

    B has one element, or its shape is that of A from `axis` on (its last axes where no axis is given)."""
    if all(size == 1 for size in b):
        return (0,) * len(b)
    start = len(a) - len(b) if axis is None else axis
    return place[start:start + len(b)]
