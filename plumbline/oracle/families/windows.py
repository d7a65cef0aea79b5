"""Lay out sliding windows over any number of spatial axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod

import numpy as np

LISTED = 2**16
"""Cells of a window up to which they are listed one by one."""


@dataclass(frozen=True)
class Geometry:
    """The geometry of windows: an int per spatial axis in each field; `begin` and `end` are pads."""

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

    @cached_property
    def distinct(self) -> tuple[int, ...]:
        """The number of different cells of a window, per axis: of the kernel, or one with a dilation of zero."""
        return tuple(k if d else 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    def positions(self, counts: tuple[int, ...]) -> list[np.ndarray]:
        """Per axis an int array (count, kernel): the coordinate in X of each tap; outside X it is padding."""
        kind = self.coordinates(counts)
        return [starts[:, None] + np.arange(k).astype(kind) * d for starts, k, d in
                zip(self.starts(counts), self.kernel, self.dilations, strict=True)]

    def sources(self, counts: tuple[int, ...]) -> list[np.ndarray]:
        """Per axis an int array (count, kernel), for windows that move with the cells of X: the cell of X of which each
        tap lies in an element of the output; -1 where there is none."""
        kind, by_axis = self.coordinates(counts), []
        axes = zip(counts, self.sizes, self.kernel, self.strides, self.dilations, self.begin, strict=True)
        for count, size, k, s, d, begin in axes:
            moved = np.arange(count).astype(kind)[:, None] + begin - np.arange(k).astype(kind) * d
            by_axis.append(np.where((moved % s == 0) & (moved >= 0) & (moved < size * s), moved // s, -1))
        return by_axis

    def starts(self, counts: tuple[int, ...]) -> list[np.ndarray]:
        """Per axis an int array (count,): the coordinate in X of the first cell of each window."""
        kind = self.coordinates(counts)
        return [np.arange(count).astype(kind) * s - b
                for count, s, b in zip(counts, self.strides, self.begin, strict=True)]

    def coordinates(self, counts: tuple[int, ...]) -> type:
        """The type of arrays of the coordinates that windows reach: int64, or Python's integers where that is too
        small."""
        return fitting(max(count * s + k * d + b for count, k, s, d, b in
                           zip(counts, self.kernel, self.strides, self.dilations, self.begin, strict=True)))

    def padded_cells(self, counts: tuple[int, ...]) -> np.ndarray:
        """Int, in the shape of the output's spatial axes: how many cells of each window lie in X or its padding, found
        by arithmetic. No window begins before the padding. Python's integers where they may be beyond 64 bits."""
        axes = []
        for count, size, k, s, d, begin, end in zip(counts, self.sizes, self.distinct, self.strides, self.dilations,
                                                    self.begin, self.end, strict=True):
            starts = range(-begin, count * s - begin, s)
            axes.append([min(k, max(0, -((start - size - end) // (d or 1)))) for start in starts])
        kind = fitting(prod(self.distinct))
        return np.asarray(prod(np.ix_(*(np.array(axis, kind) for axis in axes))))

    def empty_window(self, counts: tuple[int, ...]) -> tuple[int, int] | None:
        """Return axis and number of a window that selects no element of X there, None if there is none.

        `counts` are the windows on each axis. It is decided by arithmetic, whatever the sizes.
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
    """The same kernel cell of every window. On each axis the windows whose cell lies in X follow one another.

    offset:  of the cell in the kernel, one int per spatial axis.
    counts:  of windows, and `sizes` of X, one per spatial axis.
    windows: the windows whose cell lies in X and not in the padding, a slice for each spatial axis of the output.
    cells:   these cells, a slice for each spatial axis of X.
    """

    offset: tuple[int, ...]
    counts: tuple[int, ...]
    sizes: tuple[int, ...]
    windows: tuple[slice, ...]
    cells: tuple[slice, ...]

    @cached_property
    def inside(self) -> np.ndarray:
        """bool, in the shape of the output's spatial axes: whether the cell lies in X and not in the padding."""
        found = np.zeros(self.counts, dtype=bool)
        found[self.windows] = True
        return found

    @cached_property
    def index(self) -> np.ndarray:
        """int64, in the shape of the output's spatial axes: the cell's position in the flattened spatial axes of X; 0
        where it is not inside."""
        found = np.zeros(self.counts, dtype=np.int64)
        places = np.ix_(*(np.arange(cells.start, cells.stop, cells.step) for cells in self.cells))
        found[self.windows] = sum(place * step for place, step in zip(places, strides_of(self.sizes), strict=True))
        return found


def fitting(largest: int) -> type:
    """The type of an array of integers up to a size: int64, or Python's own."""
    return np.int64 if largest < 2**63 else object


def taps(geometry: Geometry, counts: tuple[int, ...]) -> Iterator[Tap]:
    """Every cell of the kernel that lies in X for some window, row by row, so that indices rise from one tap to the
    next in each window. Of cells that a dilation of zero lays over each other there is one."""
    axes = [[(k, *_along(size, count, s, k * d - b)) for k in _reaching(size, count, kernel, s, d, b)]
            for size, count, kernel, s, d, b in zip(geometry.sizes, counts, geometry.distinct, geometry.strides,
                                                    geometry.dilations, geometry.begin, strict=True)]
    for chosen in product(*axes):
        offset, windows, cells = zip(*chosen, strict=True)
        yield Tap(offset, counts, geometry.sizes, windows, cells)


def _reaching(size: int, count: int, kernel: int, stride: int, dilation: int, begin: int) -> Sequence[int]:
    """Return the places in the kernel, on one axis, that lie in X for some window; by arithmetic, since a kernel
    may be larger than memory."""
    if not count or not size:
        return ()
    starts = range(-begin, count * stride - begin, stride)
    if not dilation or count * size > kernel:
        return [k for k in range(kernel) if (ahead := max(0, -((starts[0] + k * dilation) // stride))) < count
                and starts[ahead] + k * dilation < size]
    inside = {k for start in starts for k in range(max(0, -(start // dilation)),
                                                   min(kernel, (size - 1 - start) // dilation + 1))}
    return sorted(inside)


def _along(size: int, count: int, stride: int, first: int) -> tuple[slice, slice]:
    """Return the windows on an axis whose cell is in X, and these cells, from `first` on by the stride.

    Both are empty where there is none."""
    start = max(0, -(first // stride))
    stop = max(start, min(count, (size - 1 - first) // stride + 1))
    begin = start * stride + first
    last = begin + (stop - start - 1) * stride
    return slice(start, stop), slice(begin, last + 1, stride) if stop > start else slice(0, 0, 1)


def strides_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the steps in the flattened axes from one cell to the next on each axis."""
    return tuple(prod(sizes[axis + 1:]) for axis in range(len(sizes)))


@lru_cache(maxsize=8)
def _kept_taps(geometry: Geometry, counts: tuple[int, ...]) -> tuple[Tap, ...]:
    """Return `taps` from a cache, since specifications of a call mostly lay out the same windows. Nothing
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
        """The cells of the kernel, each for all windows."""
        return _kept_taps(self.geometry, self.counts)

    @cached_property
    def selected(self) -> np.ndarray:
        """The number of elements of X that each window selects."""
        found = np.zeros(self.counts, dtype=np.int64)
        for tap in self.taps:
            found[tap.windows] += 1
        return np.broadcast_to(found, self.shape)

    def by_tap(self, *arrays: np.ndarray) -> Iterator[tuple[np.ndarray, ...]]:
        """For each tap the cells of X that it selects, and of each array (batch, channel, output's spatial axes ...)
        the windows that select them; views, all of one shape."""
        for tap in self.taps:
            yield self.x[:, :, *tap.cells], *(array[:, :, *tap.windows] for array in arrays)

    def selects(self, of_cells: np.ndarray) -> np.ndarray:
        """Return the mask of windows that select a cell of a bool array in the shape of X."""
        found = np.zeros(self.shape, dtype=bool)
        if of_cells.any():
            for tap in self.taps:
                found[:, :, *tap.windows] |= of_cells[:, :, *tap.cells]
        return found

    def least(self, of_cells: np.ndarray, otherwise: int) -> np.ndarray:
        """Return the least of an int array like X that each window selects, int64; `otherwise` where that is more
        or the window selects nothing."""
        found = np.full(self.shape, otherwise, dtype=np.int64)
        for tap in self.taps:
            some = found[:, :, *tap.windows]
            np.minimum(some, of_cells[:, :, *tap.cells], out=some)
        return found

    @property
    def has_padding(self) -> np.ndarray:
        """The mask of windows that select a cell outside X."""
        return self.selected < prod(self.geometry.distinct)
