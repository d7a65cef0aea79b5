"""The geometry of sliding windows over any number of spatial axes, and their taps as whole arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
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

    def empty_window(self, counts: tuple[int, ...]) -> tuple[int, int] | None:
        """(axis, window) of a window that selects no element of X, None when there is none; a window is empty when it
        is on any one axis. Decided by arithmetic, whatever the sizes.

        A window that starts at p >= 0 selects p, unless p lies behind X. One that starts at p < 0 selects p mod d, the
        first of its cells that is not negative, if it reaches that far and p mod d lies in X."""
        for axis, count in enumerate(counts):
            size, stride, dilation = self.sizes[axis], self.strides[axis], self.dilations[axis]
            begin, extent = self.begin[axis], self.extents[axis]
            if begin >= extent:
                return axis, 0
            if (count - 1) * stride - begin >= size:
                return axis, count - 1
            starting_before = min(count, -(-begin // stride))
            for window in range(min(starting_before, dilation) if dilation > size else 0):
                if (window * stride - begin) % dilation >= size:
                    return axis, window
        return None


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


@lru_cache(maxsize=8)
def _kept_taps(geometry: Geometry, counts: tuple[int, ...]) -> tuple[Tap, ...]:
    """The same, kept for a while: one call is read under several texts, which mostly lay out the same windows. Nothing
    is laid out where there is no window, whatever the kernel."""
    return tuple(taps(geometry, counts)) if all(count > 0 for count in counts) else ()


def plane_offsets(shape: tuple[int, ...]) -> np.ndarray:
    """For a tensor of that shape, the flat index at which each (batch, channel) plane begins; shape (N, C, 1, ...)."""
    planes = np.arange(shape[0] * shape[1], dtype=np.int64) * prod(shape[2:])
    return planes.reshape(shape[:2] + (1,) * (len(shape) - 2))


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows over `x`, an array (batch, channel, spatial axes ...), with `counts` windows on each spatial axis.

    All results have the shape of the output."""

    x: np.ndarray
    geometry: Geometry
    counts: tuple[int, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shape of the output."""
        return self.x.shape[:2] + self.counts

    @cached_property
    def taps(self) -> tuple[Tap, ...]:
        """Every cell of the kernel."""
        return _kept_taps(self.geometry, self.counts)

    @cached_property
    def planes(self) -> np.ndarray:
        """X with its spatial axes flattened: (batch, channel, elements); one element that no window selects where X has
        none."""
        elements = prod(self.x.shape[2:])
        return self.x.reshape(self.x.shape[:2] + (elements,)) if elements else \
            np.zeros(self.x.shape[:2] + (1,), dtype=self.x.dtype)

    @cached_property
    def selected(self) -> np.ndarray:
        """How many elements of X each window selects."""
        return np.broadcast_to(np.sum([tap.inside for tap in self.taps], axis=0), self.shape)

    @property
    def has_padding(self) -> np.ndarray:
        """Where the window selects a cell that is not of X."""
        return self.selected < len(self.taps)
