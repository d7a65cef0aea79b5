"""An implementation of MaxPool and AveragePool in small steps, each of which a mutant may get wrong.

It is a third piece of code: neither it nor a mutant is derived from an oracle, or imports one. It works on whole
arrays, so that a survivor of the suite is known to be one within a second. Arrays of windows have the shape (planes,
windows, taps): a plane is one channel of one batch, a tap one cell of the kernel, all counted row by row.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from plumbline.backends import Request


def lowest(dtype: np.dtype) -> float | int:
    """What no element of the type is below."""
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else -np.inf


def at_tap(array: np.ndarray, tap: np.ndarray) -> np.ndarray:
    """The element of the last axis of `array` (planes or 1, windows, taps) at `tap` (planes, windows)."""
    wide = np.broadcast_to(array, (*tap.shape, array.shape[-1]))
    return np.take_along_axis(wide, tap[..., None], axis=-1)[..., 0]

MOST_WINDOWS = 1 << 24
"""On one axis; no case has as many."""


class Pooling:
    """One call. A mutant is a subclass that overrides one step; its docstring is the fault."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.given = request.attributes
        self.x = request.inputs["X"]
        self.dtype = self.x.dtype
        self.batches, self.channels, *self.sizes = self.x.shape
        self.rank = len(self.sizes)
        self.of_max = request.operator == "MaxPool"
        self.with_indices = "Indices" in request.outputs
        self.check()
        self.auto_pad = self.read_auto_pad()
        self.ceil = self.read_ceil()
        self.kernel = self.read_kernel()
        self.strides = self.read_strides()
        self.dilations = self.read_dilations()
        self.begin, self.end = self.read_pads()
        self.counts = [max(self.count(a), 0) for a in range(self.rank)]
        if self.auto_pad != "NOTSET":
            self.begin, self.end = self.automatic_pads()

    @classmethod
    def run(cls, request: Request) -> dict[str, np.ndarray]:
        """The outputs asked for."""
        with np.errstate(all="ignore"):
            outputs = cls(request).outputs()
        return {name: outputs[name] for name in request.outputs if name in outputs}

    def check(self) -> None:
        """Raises NotImplementedError for a call that is refused: none."""

    # Attributes

    def read_auto_pad(self) -> str:
        """NOTSET, VALID, SAME_UPPER or SAME_LOWER."""
        return self.given.get("auto_pad", "NOTSET")

    def read_ceil(self) -> bool:
        """Whether sizes are rounded up."""
        return self.given.get("ceil_mode", 0) == 1

    def read_kernel(self) -> list[int]:
        """One size for each spatial axis."""
        return list(self.given["kernel_shape"])

    def read_strides(self) -> list[int]:
        """One stride for each spatial axis."""
        return list(self.given.get("strides", [1] * self.rank))

    def read_dilations(self) -> list[int]:
        """One dilation for each spatial axis."""
        return list(self.given.get("dilations", [1] * self.rank))

    def read_pads(self) -> tuple[list[int], list[int]]:
        """The explicit pads at the beginning and at the end of each spatial axis."""
        pads = list(self.given.get("pads", [0] * 2 * self.rank))
        return pads[:self.rank], pads[self.rank:]

    def counts_padding(self) -> bool:
        """Whether padding is part of the divisor of a mean."""
        return self.given.get("count_include_pad", 0) == 1

    def column_major(self) -> bool:
        """Whether indices count column by column."""
        return self.given.get("storage_order", 0) == 1

    # How many windows there are on spatial axis `a`

    def extent(self, a: int) -> int:
        """The dilated kernel."""
        return self.dilations[a] * (self.kernel[a] - 1) + 1

    def room(self, a: int) -> int:
        """How far the window can move in the padded input."""
        return self.sizes[a] + self.begin[a] + self.end[a] - self.extent(a)

    def count(self, a: int) -> int:
        """The number of windows by the mode of padding."""
        if self.auto_pad == "NOTSET":
            return self.explicit_count(a)
        return self.valid_count(a) if self.auto_pad == "VALID" else self.same_count(a)

    def explicit_count(self, a: int) -> int:
        """With explicit pads."""
        if not self.ceil:
            return self.floor_count(a)
        count = self.ceil_count(a)
        return count - 1 if self.drops_last(a, count) else count

    def floor_count(self, a: int) -> int:
        """Those that fit into the padded input."""
        return self.room(a) // self.strides[a] + 1

    def ceil_count(self, a: int) -> int:
        """And one for a rest."""
        return -(-self.room(a) // self.strides[a]) + 1

    def drops_last(self, a: int, count: int) -> bool:
        """Whether the last of `count` windows is ignored, since it starts in the padding at the end."""
        return self.request.opset >= 22 and (count - 1) * self.strides[a] >= self.sizes[a] + self.begin[a]

    def valid_count(self, a: int) -> int:
        """With VALID."""
        return (self.sizes[a] - self.extent(a)) // self.strides[a] + 1

    def same_count(self, a: int) -> int:
        """With SAME_UPPER and SAME_LOWER."""
        return (self.sizes[a] + self.strides[a] - 1) // self.strides[a]

    # Where they begin

    def automatic_pads(self) -> tuple[list[int], list[int]]:
        """The pads of VALID, SAME_UPPER and SAME_LOWER at the beginning and at the end of each spatial axis."""
        if self.auto_pad == "VALID":
            return [0] * self.rank, [0] * self.rank
        totals = [self.same_total(a) for a in range(self.rank)]
        begin = [self.same_begin(a, total) for a, total in enumerate(totals)]
        return begin, [total - first for total, first in zip(totals, begin, strict=True)]

    def same_total(self, a: int) -> int:
        """The padding of both ends together."""
        return max((self.counts[a] - 1) * self.strides[a] + self.extent(a) - self.sizes[a], 0)

    def same_begin(self, a: int, total: int) -> int:
        """The part of `total` at the beginning."""
        return total // 2 if self.auto_pad == "SAME_UPPER" else total - total // 2

    def starts(self, a: int) -> np.ndarray:
        """The coordinate of the first cell of each window. Raises NotImplementedError where a fault makes so many that
        memory would not hold them, or lays them so far apart that 64 bits do not."""
        if self.counts[a] > MOST_WINDOWS or (self.counts[a] - 1) * self.strides[a] >= 2**63:
            raise NotImplementedError(f"{self.counts[a]} windows on one axis, {self.strides[a]} apart")
        return np.arange(self.counts[a]) * self.strides[a] - self.begin[a]

    def offsets(self, a: int) -> np.ndarray:
        """How far each cell of a window lies from its first. Raises NotImplementedError where a fault makes so many."""
        if self.kernel[a] > MOST_WINDOWS:
            raise NotImplementedError(f"{self.kernel[a]} cells on one axis")
        return np.arange(self.kernel[a]) * self.dilations[a]

    def places(self, a: int) -> np.ndarray:
        """The coordinate of each cell of each window: (windows, taps) on this axis."""
        return self.starts(a)[:, None] + self.offsets(a)

    def inside(self, a: int, places: np.ndarray) -> np.ndarray:
        """Which coordinates lie in X."""
        return (places >= 0) & (places < self.sizes[a])

    @cached_property
    def coordinates(self) -> list[np.ndarray]:
        """For each spatial axis the coordinates of all cells of all windows: (windows, taps)."""
        return self.over_all([self.places(a) for a in range(self.rank)])

    @cached_property
    def mask(self) -> np.ndarray:
        """Which cells of which windows lie in X: (windows, taps)."""
        masks = self.over_all([self.inside(a, self.places(a)) for a in range(self.rank)])
        return np.logical_and.reduce(masks)

    def over_all(self, axes: list[np.ndarray]) -> list[np.ndarray]:
        """Arrays (windows, taps) of single axes, laid out over the windows and taps of all."""
        counts, kernel = tuple(part.shape[0] for part in axes), tuple(part.shape[1] for part in axes)
        found = []
        for a, part in enumerate(axes):
            shape = [1] * 2 * self.rank
            shape[a], shape[self.rank + a] = part.shape
            wide = np.broadcast_to(part.reshape(shape), counts + kernel)
            found.append(wide.reshape(prod(counts), prod(kernel)))
        return found

    # Reading X

    def pitches(self) -> list[int]:
        """How many elements of a plane one step on each spatial axis passes."""
        return [prod(self.sizes[a + 1:]) for a in range(self.rank)]

    def plane_starts(self) -> np.ndarray:
        """The position in X of each plane."""
        return np.arange(self.batches * self.channels) * prod(self.sizes)

    @cached_property
    def values(self) -> np.ndarray:
        """What the windows read: (planes, windows, taps). Where the mask is off it is of no meaning."""
        inside = sum(part * pitch for part, pitch in zip(self.coordinates, self.pitches(), strict=True))
        return self.read(self.plane_starts()[:, None, None] + np.where(self.mask, inside, 0))

    def read(self, positions: np.ndarray) -> np.ndarray:
        """X at positions of its memory."""
        return self.x.reshape(-1).take(positions, mode="wrap")

    # Maximum

    @cached_property
    def candidates(self) -> np.ndarray:
        """Which cells may be the maximum: those in X that are not NaN. (planes, windows, taps)"""
        return self.mask & (self.values == self.values)

    def keys(self) -> np.ndarray:
        """What is compared in place of the values."""
        return self.values

    def choose(self) -> np.ndarray:
        """The tap of the maximum, of several the first; of nothing but NaN the first in X: (planes, windows)."""
        keys = self.keys()
        keys = np.where(self.candidates, keys, lowest(keys.dtype))
        largest = keys.max(axis=2, keepdims=True)
        chosen = self.candidates & (keys == largest)
        return np.argmax(np.where(chosen.any(axis=2, keepdims=True), chosen, self.mask), axis=2)

    def maximum(self, tap: np.ndarray) -> np.ndarray:
        """The value at the tap chosen; where there was none to choose, the lowest: (planes, windows)."""
        return np.where(self.candidates.any(axis=2), at_tap(self.values, tap), lowest(self.dtype)).astype(self.dtype)

    def index(self, tap: np.ndarray) -> np.ndarray:
        """The position in X of the tap chosen, 0 where the window selects no element: (planes, windows)."""
        cell = [at_tap(part, tap) for part in self.coordinates]
        return np.where(self.mask.any(axis=1), self.index_of_plane() + self.index_in_plane(cell), 0)

    def index_of_plane(self) -> np.ndarray:
        """The index of the first element of each plane: (planes, 1)."""
        return np.arange(self.batches * self.channels)[:, None] * prod(self.sizes)

    def index_in_plane(self, cell: list[np.ndarray]) -> np.ndarray:
        """The index within its plane of a cell, given by its coordinates."""
        pitches = [prod(self.sizes[a + 1:]) for a in range(self.rank)]
        if self.column_major():
            pitches = [prod(self.sizes[:a]) for a in range(self.rank)]
        return sum(part * pitch for part, pitch in zip(cell, pitches, strict=True))

    # Mean

    def addends(self) -> np.ndarray:
        """The values, with zero for padding: (planes, windows, taps)."""
        return np.where(self.mask, self.values, 0)

    def total(self) -> np.ndarray:
        """The sum of each window: (planes, windows)."""
        return self.addends().astype(np.float64).sum(axis=2)

    def divisor(self) -> np.ndarray:
        """The divisor of each window: (windows,)."""
        if self.counts_padding():
            return self.cells()
        return np.maximum(self.mask.sum(axis=1), 1)

    def cells(self) -> np.ndarray:
        """The cells of each window, padding included: (windows,). From version 19 on without those that lie beyond the
        padded input."""
        if self.request.opset < 19:
            return np.full(len(self.mask), self.mask.shape[1])
        padded = [self.places(a) < self.sizes[a] + self.end[a] for a in range(self.rank)]
        return np.maximum(np.logical_and.reduce(self.over_all(padded)).sum(axis=1), 1)

    def mean(self) -> np.ndarray:
        """The mean of each window: (planes, windows)."""
        return self.total() / self.divisor()

    # Outputs

    def outputs(self) -> dict[str, np.ndarray]:
        """Y, and Indices of a maximum."""
        if not self.of_max:
            return {"Y": self.finish(self.mean())}
        tap = self.choose()
        return {"Y": self.finish(self.maximum(tap)), "Indices": self.finish_indices(self.index(tap))}

    def finish(self, y: np.ndarray) -> np.ndarray:
        """Y in its type and shape, from (planes, windows)."""
        return self.lay_out(y.astype(self.dtype))

    def finish_indices(self, indices: np.ndarray) -> np.ndarray:
        """Indices in their type and shape, from (planes, windows)."""
        return self.lay_out(indices.astype(np.int64))

    def lay_out(self, flat: np.ndarray) -> np.ndarray:
        """(planes, windows) as an output."""
        return flat.reshape(self.batches, self.channels, *self.counts)
