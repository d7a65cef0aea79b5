"""Compute convolutions, and bounds on their rounding errors.

The terms of all elements are laid out at once: a matrix for each batch and group, whose columns are the windows, times
one whose rows are the kernels. Where the element type is at most float32, products are exact in float64, and sums are
near enough to decide all but the answers on the edge of the bound, which exact fractions decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from weakref import proxy

import numpy as np

from plumbline.oracle.families.fourier_convolution import ByTransforms
from plumbline.oracle.families.products import Products, SumsByPlace
from plumbline.oracle.families.windows import Geometry, strides_of, taps
from plumbline.oracle.families.winograd import winograd_error
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, Sums, Wide, growth, quantum, ulps

BLOCK = 2**20
"""Elements of the matrices laid out at a time."""


@lru_cache(maxsize=32)
def places_of(geometry: Geometry, counts: tuple[int, ...], transposed: bool = False) -> np.ndarray:
    """Return the cells of X that windows select: int64 (cells of the kernel, windows), read-only.

    Cells are numbered in the flattened spatial axes of X; padding has the number of cells. `counts` are the windows on
    each spatial axis; with `transposed`, cells of X move over the output as in ConvTranspose."""
    rank, size = len(counts), prod(geometry.sizes)
    flat, inside = np.zeros((1,) * 2 * rank, dtype=np.int64), np.ones((1,) * 2 * rank, dtype=bool)
    steps = strides_of(geometry.sizes)
    for axis, places in enumerate(geometry.sources(counts) if transposed else geometry.positions(counts)):
        shape = [1] * 2 * rank
        shape[axis], shape[rank + axis] = places.shape[1], places.shape[0]
        places = places.T.reshape(shape)
        flat = flat + places * steps[axis]
        inside = inside & (places >= 0) & (places < geometry.sizes[axis])
    found = np.where(inside, flat, size).reshape(prod(geometry.kernel), prod(counts)).astype(np.int64)
    found.setflags(write=False)
    return found


@dataclass(frozen=True, eq=False)
class Convolution:
    """Windows over `x` (N, C, spatial axes ...) by `w` (M, C/group, kernel ...), with `b` (M,) added where it is given.

    counts: of windows on each spatial axis.
    multiplies: whether padding is a zero that is multiplied; otherwise it takes no part.
    whole: the convolution of which this one gives a strip, for algorithms that take all places at once.

    Results have the shape of the output, (N, M, counts ...)."""

    x: np.ndarray
    w: np.ndarray
    b: np.ndarray | None
    group: int
    geometry: Geometry
    counts: tuple[int, ...]
    multiplies: bool = False
    whole: Convolution | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the output."""
        return self.x.shape[0], self.w.shape[0], *self.counts

    @property
    def dtype(self) -> np.dtype:
        """The element type."""
        return self.x.dtype

    @cached_property
    def places(self) -> np.ndarray:
        """See `places_of`."""
        return places_of(self.geometry, self.counts)

    # Matrices

    def columns(self, of_x: np.ndarray) -> np.ndarray:
        """Return the elements of an array like X in each window, by batch and group: (N, group, C/group * cells,
        windows)."""
        return np.concatenate([*self._blocks(of_x, 0)], axis=3)

    def _blocks(self, of_x: np.ndarray, padding: float) -> Iterator[np.ndarray]:
        """`columns`, some windows at a time, and at least once."""
        (batches, channels), (cells, windows) = self.x.shape[:2], self.places.shape
        flat = np.full((batches, channels, prod(self.geometry.sizes) + 1), padding, dtype=of_x.dtype)
        flat[:, :, :-1] = self._planes(of_x)
        step = max(BLOCK // max(batches * channels * cells, 1), 1)
        for start in range(0, max(windows, 1), step):
            found = flat.take(self.places[:, start:start + step], axis=2)
            yield found.reshape(batches, self.group, self.w.shape[1] * cells, found.shape[-1])

    def _planes(self, of_x: np.ndarray) -> np.ndarray:
        """An array in the shape of X with its spatial axes flattened."""
        return of_x.reshape(*of_x.shape[:2], prod(self.geometry.sizes))

    def rows(self, of_w: np.ndarray) -> np.ndarray:
        """An array in the shape of W as (group, M/group, C/group * cells)."""
        return of_w.reshape(self.group, self.w.shape[0] // self.group, prod(self.w.shape[1:]))

    def _by_map(self, of_b: np.ndarray) -> np.ndarray:
        """An array (M,) as (1, M, 1, ...)."""
        return of_b.reshape(1, len(of_b), *(1,) * len(self.counts))

    # Sums

    @cached_property
    def computed(self) -> type[np.floating]:
        """The type that sums are computed in."""
        return Wide if self.dtype.name == "float64" else np.float64

    @cached_property
    def all_finite(self) -> bool:
        """True if no element of the inputs is NaN or an infinity."""
        return all(bool(np.isfinite(tensor).all()) for tensor in self._inputs)

    @property
    def _inputs(self) -> list[np.ndarray]:
        return [self.x, self.w] if self.b is None else [self.x, self.w, self.b]

    @cached_property
    def _numbers(self) -> list[np.ndarray]:
        """The inputs in the type of the sums, with 0 for what is not finite."""
        wide = [tensor.astype(self.computed) for tensor in self._inputs]
        return wide if self.all_finite else [np.where(np.isfinite(tensor), tensor, 0) for tensor in wide]

    @cached_property
    def _totals(self) -> tuple[np.ndarray, np.ndarray]:
        """The sums of the finite terms, and of their absolute values."""
        x, w, *b = self._numbers
        rows, sums, sizes = self.rows(w), list[np.ndarray](), list[np.ndarray]()
        for block in self._blocks(x, 0):
            sums.append(np.matmul(rows, block))
            sizes.append(np.matmul(np.abs(rows), np.abs(block, out=block)))
        total, size = (np.concatenate(blocks, axis=3).reshape(self.shape) for blocks in (sums, sizes))
        return (total + self._by_map(b[0]), size + self._by_map(np.abs(b[0]))) if b else (total, size)

    @property
    def total(self) -> np.ndarray:
        """The sums of the finite terms."""
        return self._totals[0]

    @cached_property
    def values(self) -> np.ndarray:
        """The sums, rounded to the type, beyond its range an infinity; what IEEE 754 gives where a term is not
        finite."""
        with np.errstate(over="ignore"):
            found = self.total.astype(self.dtype)
        return found if self.all_finite else np.where(np.isfinite(self.special), found, self.special.astype(self.dtype))

    @cached_property
    def products(self) -> Products:
        """The sums, compared with outputs."""
        total, size = self._totals
        selected = (self.places < prod(self.geometry.sizes)).sum(axis=0).reshape(self.counts)
        terms = np.broadcast_to(selected * self.w.shape[1] + (self.b is not None), self.shape)
        nan, plus, minus = np.isnan(self.special), self.special == np.inf, self.special == -np.inf
        me = proxy(self)  # a reference in a circle would keep large arrays until they are searched for
        sums = Sums(total, size, terms, 1, lambda: me._quantum, self.dtype, self.computed)
        return SumsByPlace(sums, nan, plus, minus, (), terms_at=lambda place: me._terms(place))

    @cached_property
    def has_padding(self) -> np.ndarray:
        """The mask of elements whose window selects padding."""
        found = (self.places == prod(self.geometry.sizes)).any(axis=0)
        return np.broadcast_to(found.reshape(self.counts), self.shape)

    @cached_property
    def may_overflow(self) -> bool:
        """True if some sum may overflow; False is certain."""
        tensors = self._inputs if self.all_finite else self._numbers
        x, w, *b = (max(float(tensor.max(initial=0)), -float(tensor.min(initial=0))) for tensor in tensors)
        most = x * w * prod(self.w.shape[1:]) + sum(b)
        return not most * 2 < float(PRECISION[self.dtype.name][2])

    def largest_error(self, got: np.ndarray, where: np.ndarray) -> float:
        """The largest distance from the exact sum among the elements of `where` with finite terms, in ulp."""
        if not self.all_finite:
            where = where & np.isfinite(self.special)
        if where.all():
            return ulps(got, self.values, self.total)
        return ulps(got[where], self.values[where], self.total[where])

    @cached_property
    def _quantum(self) -> np.ndarray:
        """The exponent of a power of two of which every term is a multiple: that of what the window selects, times that
        of the kernel."""
        x, w, *b = (quantum(tensor) for tensor in self._numbers)
        least = [block.min(axis=2, initial=NO_QUANTUM) for block in self._blocks(x, NO_QUANTUM)]
        of_windows = np.concatenate(least, axis=2)[:, :, None]
        of_kernels = self.rows(w).min(axis=2, initial=NO_QUANTUM)[:, :, None]
        found = np.minimum(of_windows + of_kernels, NO_QUANTUM).reshape(self.shape)
        return np.asarray(np.minimum(found, self._by_map(b[0]))) if b else found

    def _terms(self, place: tuple[int, ...]) -> list[Fraction]:
        """The exact terms of one element, those that are finite."""
        x, w, *b = self._numbers
        pairs = [(x[cell], w[weight]) for cell, weight in self.factors(place)]
        pairs += [(b[0][place[1]], np.float64(1))] if b else []
        return [Fraction(*one.as_integer_ratio()) * Fraction(*other.as_integer_ratio()) for one, other in pairs]

    def factors(self, place: tuple[int, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The cells of X and W whose products an element of the output sums."""
        batch, feature = place[:2]
        channels = self.w.shape[1]
        first = feature // (self.w.shape[0] // self.group) * channels
        cells = self.places[:, np.ravel_multi_index(place[2:], self.counts)]
        offsets = list(np.ndindex(*self.geometry.kernel))
        return [((batch, first + channel, *map(int, np.unravel_index(cell, self.geometry.sizes))),
                 (feature, channel, *offset))
                for channel in range(channels) for cell, offset in zip(cells, offsets, strict=True)
                if cell < prod(self.geometry.sizes)]

    # What is not finite

    @cached_property
    def special(self) -> np.ndarray:
        """float64: a finite number where every term is finite; NaN or the infinity that IEEE 754 gives elsewhere. Of
        finite factors the sign alone counts, since a product of these is finite."""
        if self.all_finite:
            return np.zeros(self.shape)
        x, w, *b = (_signs(tensor) for tensor in self._inputs)
        with np.errstate(invalid="ignore"):
            found = np.concatenate([_in_loops(self.rows(w), block) for block in self._blocks(x, 0)], axis=3)
            found = found.reshape(self.shape)
            if not self.multiplies and self.over_padding.any():
                found[self.over_padding] = self._without_padding(x, w, np.argwhere(self.over_padding))
            return found + self._by_map(b[0]) if b else found

    @cached_property
    def over_padding(self) -> np.ndarray:
        """bool: where padding lies under an element of W that is not finite."""
        wild = ~np.isfinite(self.w)
        if not wild.any():
            return np.zeros(self.shape, dtype=bool)
        kernels = wild.any(axis=1).reshape(len(wild), prod(self.geometry.kernel))
        padding = self.places == prod(self.geometry.sizes)
        return np.broadcast_to((kernels @ padding).reshape(len(wild), *self.counts), self.shape)

    def _without_padding(self, x: np.ndarray, w: np.ndarray, places: np.ndarray) -> np.ndarray:
        """The sums of signs of some elements, by their places, in which padding takes no part."""
        batch, feature, *window = places.T
        at = np.ravel_multi_index(tuple(window), self.counts)
        group, inner = np.divmod(feature, self.w.shape[0] // self.group)
        of_x, of_w = self.columns(x)[batch, group, :, at], self.rows(w)[group, inner]
        padding = np.tile(self.places == prod(self.geometry.sizes), (self.w.shape[1], 1)).T[at]
        return np.asarray(np.where(padding, 0, of_x * of_w).sum(axis=1))

    def gap_not_finite(self) -> np.ndarray:
        """bool: where a cell of X between those that the window selects, under a gap of the dilation, is not finite."""
        wild = ~np.isfinite(self.x)
        if not wild.any() or set(self.geometry.dilations) <= {1}:
            return np.zeros(self.shape, dtype=bool)
        whole = Geometry(self.geometry.sizes, self.geometry.extents, self.geometry.strides, (1,) * len(self.counts),
                         self.geometry.begin, self.geometry.end)
        near_wild = np.zeros((*wild.shape[:2], *self.counts), dtype=bool)
        for tap in taps(whole, self.counts):
            if any(at % dilation for at, dilation in zip(tap.offset, self.geometry.dilations, strict=True)):
                near_wild[:, :, *tap.windows] |= wild[:, :, *tap.cells]
        by_group = near_wild.reshape(len(wild), self.group, self.w.shape[1], *self.counts)
        return np.repeat(by_group.any(axis=2), self.w.shape[0] // self.group, axis=1)

    # Fast algorithms

    @property
    def suits_winograd(self) -> bool:
        """True if it has two spatial axes, kernels of 3 by 3, and no stride or dilation."""
        windows = self.geometry
        return windows.kernel == (3, 3) and windows.strides == (1, 1) and windows.dilations == (1, 1)

    def admits_winograd(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements with finite terms within the bound of `winograd`; not finite, where parts of
        that algorithm can overflow."""
        w, *b = (np.abs(tensor).astype(Wide) for tensor in self._numbers[1:])
        shape = self.group, len(w) // self.group, w.shape[1]
        of_x = self._of_planes[0].reshape(len(self.x), self.group, 1, w.shape[1])
        of_w = self.rows(w).reshape(*shape, 9).max(axis=3, initial=0)
        bound, overflows = winograd_error(of_x, of_w, b[0].reshape(shape[:2]) if b else np.zeros(shape[:2]),
                                          self.dtype)
        bound, overflows = (found.reshape(len(self.x), len(w), 1, 1) for found in (bound, overflows))
        return self._within(got, bound, overflows)

    @cached_property
    def _of_planes(self) -> tuple[np.ndarray, np.ndarray]:
        """The largest absolute value of each plane of the whole X, and the root of its sum of squares, both (N, C)."""
        if self.whole is not None:
            return self.whole._of_planes
        largest, roots = np.zeros((2, *self.x.shape[:2]), Wide)
        for place in np.ndindex(largest.shape):  # one at a time, since the whole may be large
            plane = np.where(np.isfinite(self.x[place]), self.x[place], 0).astype(Wide)
            largest[place], roots[place] = np.abs(plane).max(initial=0), np.sqrt((plane ** 2).sum())
        return largest, roots

    def _within(self, got: np.ndarray, bound: np.ndarray, overflows: np.ndarray) -> np.ndarray:
        """Return the mask of elements with finite terms within a bound, or not finite where parts can overflow."""
        with np.errstate(invalid="ignore"):
            near = np.abs(got.astype(Wide) - self.total) + self.products.sums.certified <= bound
        return np.asarray(np.isfinite(self.special) & (near | ~np.isfinite(got) & overflows))

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths, on each axis, of all products of a cell of the whole X, padding included, with one of the kernel."""
        if self.whole is not None:
            return self.whole.lengths
        windows = self.geometry
        return tuple(size + max(b, 0) + max(e, 0) + extent - 1 for size, b, e, extent in
                     zip(windows.sizes, windows.begin, windows.end, windows.extents, strict=True))

    @cached_property
    def _by_transforms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bound on the error of a convolution by Fourier transforms, where its parts may overflow, and where the
        sum may."""
        w, *b = (np.abs(tensor).astype(Wide) for tensor in self._numbers[1:])
        shape = self.group, len(w) // self.group, w.shape[1]
        of_x = self._of_planes[1].reshape(len(self.x), self.group, 1, w.shape[1])
        of_w = np.sqrt((self.rows(w).reshape(*shape, prod(w.shape[2:])) ** 2).sum(axis=3))
        transforms = ByTransforms.of(of_x, of_w, sum((length - 1).bit_length() for length in self.lengths), self.dtype)
        by_map = *self.shape[:2], *(1,) * len(self.counts)
        off, most = transforms.off.reshape(by_map), transforms.most.reshape(by_map)
        of_b = self._by_map(b[0]) if b else Wide(0)
        _, eta, largest = PRECISION[self.dtype.name]
        bound = off + growth(1, self.dtype) * (np.abs(self.total) + off) + Wide(float(eta)) / 2
        overflows = (off > 0) & (most + of_b > float(PRECISION[transforms.dtype.name][2]))
        return np.where(off > 0, bound, 0), overflows, (off > 0) & (np.abs(self.total) + bound > float(largest))

    def admits_fourier(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements with finite terms within the bound of `fourier_convolution`.

        Elements that are not finite count where parts of that algorithm can overflow, and the infinity of the sum's
        sign where rounding it can."""
        bound, overflows, beyond = self._by_transforms
        infinite = np.isinf(got) & (np.signbit(got) == np.signbit(self.total)) & beyond & np.isfinite(self.special)
        return np.asarray(self._within(got, bound, overflows) | infinite)


class TransposedConvolution(Convolution):
    """A convolution with cells of X that move: cell j lies under cell i of the kernel in element ``j*s + i*d - b``.

    `counts` are the spatial sizes of the output, `begin` how many elements are cut off before its first."""

    @cached_property
    def places(self) -> np.ndarray:
        """See `places_of`."""
        return places_of(self.geometry, self.counts, transposed=True)

    @property
    def lengths(self) -> tuple[int, ...]:
        """Lengths, on each axis, of X with zeros between its cells, convolved by the kernel."""
        windows = self.geometry
        return tuple(stride * (size - 1) + extent for size, stride, extent in
                     zip(windows.sizes, windows.strides, windows.extents, strict=True))

    def gap_not_finite(self) -> np.ndarray:
        """bool: where a cell of X that is not finite lies under a gap of the dilation."""
        near_wild = wild = (~np.isfinite(self.x)).astype(np.int64)
        if not wild.any() or set(self.geometry.dilations) <= {1}:
            return np.zeros(self.shape, dtype=bool)
        for axis, (element, size, stride, dilation, extent, begin) in enumerate(zip(
                self.counts, self.geometry.sizes, self.geometry.strides, self.geometry.dilations,
                self.geometry.extents, self.geometry.begin, strict=True)):
            kind = self.geometry.coordinates(self.counts)
            offset = np.arange(element).astype(kind)[:, None] + begin - np.arange(size).astype(kind) * stride
            near = (offset >= 0) & (offset < extent)
            wild = _along(wild, near, axis + 2)
            near_wild = _along(near_wild, near & (offset % dilation == 0), axis + 2)
        by_group = (wild > near_wild).reshape(len(wild), self.group, self.w.shape[1], *self.counts)
        return np.repeat(by_group.any(axis=2), self.w.shape[0] // self.group, axis=1)


def _along(numbers: np.ndarray, chosen: np.ndarray, axis: int) -> np.ndarray:
    """Sums along an axis of those that each row of a bool matrix chooses."""
    return np.moveaxis(np.tensordot(numbers, chosen.astype(np.int64), (axis, 1)), -1, axis)


def _signs(tensor: np.ndarray) -> np.ndarray:
    """float64: the sign of finite numbers; NaN and infinities as they are."""
    with np.errstate(over="ignore"):
        wide = tensor.astype(np.float64)
    return np.where(np.isfinite(wide), np.sign(wide), wide)


def _in_loops(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the product of matrices without a library, of which some skip zeros."""
    return np.asarray(np.einsum("gmk,ngkp->ngmp", rows, columns))
