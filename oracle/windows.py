"""The geometry of sliding windows over any number of spatial axes, and their taps as whole arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

import numpy as np


@dataclass(frozen=True)
class Geometry:
    """One int per spatial axis in each field; `begin` and `end` are pads."""

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begin: tuple[int, ...]
    end: tuple[int, ...]

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The dilated kernel, ``d*(k-1) + 1`` per axis."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    @cached_property
    def floor_sizes(self) -> tuple[int, ...]:
        """Output sizes, ``floor((size + begin + end - extent) / stride) + 1`` per axis; may be zero or less.

        Source: SONNX MaxPool, Outputs, Y, [C1], with the parenthesis mended (Y.E1)."""
        return tuple((size + b + e - extent) // s + 1 for size, b, e, extent, s in
                     zip(self.sizes, self.begin, self.end, self.extents, self.strides, strict=True))

    def positions(self, counts: tuple[int, ...]) -> list[np.ndarray]:
        """Per axis an int array (count, kernel): the coordinate in X of each tap; outside X it is padding."""
        return [np.arange(count)[:, None] * s + np.arange(k) * d - b for count, k, s, d, b in
                zip(counts, self.kernel, self.strides, self.dilations, self.begin, strict=True)]

    def empty_windows(self, counts: tuple[int, ...]) -> list[tuple[int, int]]:
        """(axis, window) of the windows that select no element of X; a window is empty when it is on any one axis."""
        found = []
        for axis, places in enumerate(self.positions(counts)):
            misses = ~((places >= 0) & (places < self.sizes[axis])).any(axis=1)
            found += [(axis, int(window)) for window in np.flatnonzero(misses)]
        return found


@dataclass(frozen=True, eq=False)
class Tap:
    """The same kernel cell of every window. Arrays have the shape of the output's spatial axes.

    inside: whether the cell lies in X and not in the padding.
    index:  its position in the flattened spatial axes of X; of no meaning where not inside.
    """

    inside: np.ndarray
    index: np.ndarray


def taps(geometry: Geometry, counts: tuple[int, ...]) -> Iterator[Tap]:
    """Every cell of the kernel, row by row, so that indices rise from one tap to the next in each window."""
    places = geometry.positions(counts)
    for cell in product(*map(range, geometry.kernel)):
        axes = np.ix_(*(place[:, offset] for place, offset in zip(places, cell, strict=True)))
        inside = np.ones(counts, dtype=bool)
        index = np.zeros(counts, dtype=np.int64)
        for size, axis in zip(geometry.sizes, axes, strict=True):
            inside &= (axis >= 0) & (axis < size)
            index = index * size + axis
        yield Tap(inside, np.where(inside, index, 0))


def plane_offsets(shape: tuple[int, ...]) -> np.ndarray:
    """For a tensor of that shape, the flat index at which each (batch, channel) plane begins; shape (N, C, 1, ...)."""
    planes = np.arange(shape[0] * shape[1], dtype=np.int64) * prod(shape[2:])
    return planes.reshape(shape[:2] + (1,) * (len(shape) - 2))
