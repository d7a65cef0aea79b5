"""The maximum over windows, and the base class of MaxPool.

A wrong element of Y is blamed on the padding when its window selects padding and the value is none of X's, on the split
of the padding when that is automatic, else on the value itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import prod

import numpy as np

from plumbline.oracle.families.index_symptoms import SHAPE_SYMPTOMS, SYMPTOMS
from plumbline.oracle.families.pooling import Windowed
from plumbline.oracle.families.windows import Windows, plane_offsets, strides_of
from plumbline.oracle.operator import UNBOUND, Allowance, Unspecified, Wrong, on_elements, on_outputs, unspecified
from plumbline.oracle.response import Response, is_float, other_shape
from plumbline.oracle.rounding import Wide


def padding_constant(dtype: np.dtype) -> float | int:
    """Return the value that exceeds no element: -inf, the lowest value of integers (SONNX, pads), or False for
    truth values, which a text that lists no types does not exclude."""
    if dtype.kind == "b":
        return False
    return -np.inf if is_float(dtype) else int(np.iinfo(dtype).min)


class Maxima(Windows):
    """The maxima of windows. NaN is passed over: a window's maximum is that of its other elements."""

    @cached_property
    def _holds_nan(self) -> bool:
        return is_float(self.x.dtype) and bool((self.x != self.x).any())

    @cached_property
    def _pass(self) -> tuple[np.ndarray, np.ndarray]:
        """The maxima, and the number of the tap that is the first to select each; -1 where all is NaN or padding."""
        best = np.full(self.shape, padding_constant(self.x.dtype), dtype=self.x.dtype)
        first = np.full(self.shape, -1, dtype=np.int16 if len(self.taps) < 2**15 else np.int64)
        larger_of = np.fmax if self._holds_nan else np.maximum
        with np.errstate(invalid="ignore"):  # bfloat16 warns of a NaN
            for number, (cells, best_so_far, first_so_far) in enumerate(self.by_tap(best, first)):
                better = first_so_far < 0
                if self._holds_nan:
                    better &= cells == cells
                better |= cells > best_so_far
                larger_of(best_so_far, cells, out=best_so_far)
                np.copyto(first_so_far, number, where=better)
        return best, first

    @property
    def equal_values(self) -> np.ndarray:
        """Values that equal `values`: of two zeros in a window either may be here."""
        return self._pass[0]

    @cached_property
    def values(self) -> np.ndarray:
        """The maximum of each window, of equal ones the first; the padding constant where it selects nothing but NaN
        and padding."""
        if not is_float(self.x.dtype) or not (np.signbit(self.x) & (self.x == 0)).any():
            return self.equal_values
        found = self.x.reshape(-1).take(self.indices)
        return np.where(self.only_nan, self.equal_values, found) if self.only_nan.any() else found

    @cached_property
    def has_nan(self) -> np.ndarray:
        """The mask of windows that select a NaN."""
        found = np.zeros(self.shape, dtype=bool)
        for cells, some in self.by_tap(found) if self._holds_nan else ():
            some |= cells != cells
        return found

    @cached_property
    def only_nan(self) -> np.ndarray:
        """The mask of windows whose elements of X are all NaN (or that select none)."""
        return np.asarray(self._pass[1] < 0)

    @cached_property
    def indices(self) -> np.ndarray:
        """int64: the lowest index of the maximum in the flattened X, batch and channel included; where there is
        nothing but NaN, the lowest index that the window selects, and the first of its plane where that is none."""
        return self._indices_of(self._pass[1])

    def _indices_of(self, numbers: np.ndarray) -> np.ndarray:
        """int64: in the flattened X, those of the taps of some numbers; of `only_nan` as `indices` has them."""
        steps = strides_of(self.geometry.sizes)
        jumps = [_wrapped(sum(d * k * step for d, k, step in zip(self.geometry.dilations, tap.offset, steps,
                                                                 strict=True))) for tap in self.taps]
        found: np.ndarray = np.array([*jumps, 0], np.int64).take(numbers) + self._origins
        if self.only_nan.any():
            lowest = np.zeros(self.counts, dtype=np.int64)
            for tap in reversed(self.taps):
                lowest[tap.windows] = tap.index[tap.windows]
            np.copyto(found, lowest, where=self.only_nan)
        found += plane_offsets(self.x.shape)
        return found

    @property
    def last_indices(self) -> np.ndarray:
        """int64: as `indices`, of the last of several maxima."""
        last = self._pass[1].copy()
        for number, (cells, maximum, so_far) in enumerate(self.by_tap(self.equal_values, last)):
            np.copyto(so_far, number, where=cells == maximum)
        return self._indices_of(last)

    @property
    def _origins(self) -> np.ndarray:
        """int64, in the shape of the output's spatial axes: where each window begins in the flattened spatial axes of
        X, as if these went on beyond their ends; modulo 2**64, which what is added to it takes back into X."""
        axes = [np.arange(count) * s + _wrapped(-b) for count, s, b in
                zip(self.counts, self.geometry.strides, self.geometry.begin, strict=True)]
        steps = strides_of(self.geometry.sizes)
        return np.asarray(sum(place * step for place, step in zip(np.ix_(*axes), steps, strict=True)), dtype=np.int64)

    @cached_property
    def tied(self) -> np.ndarray:
        """The mask of windows whose maximum several selected elements of X have."""
        count = np.zeros(self.shape, dtype=np.int64)
        for cells, maximum, so_far in self.by_tap(self.equal_values, count):
            so_far += cells == maximum
        return np.asarray(count > 1)

    def selects_value(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, of the output's shape, that equal some element of X in their windows."""
        found = np.zeros(self.shape, dtype=bool)
        for cells, wanted, some in self.by_tap(got, found):
            some |= cells == wanted
        return found

    def selects_maximum_at(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, indices of the output's shape, that point at a maximum of their windows."""
        found = np.asarray((got == self.indices) & ~self.only_nan)
        if found.all() or not self.x.size:
            return found
        inside = self.selects_element_at(got)
        pointed = self.x.reshape(-1)[np.where(inside, got, 0).astype(np.int64)]
        return np.asarray(inside & (pointed == self.equal_values))

    def selects_element_at(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got`, indices of the output's shape, that point at elements of their windows."""
        if not self.x.size:
            return np.zeros(self.shape, dtype=bool)
        windows, planes = self.geometry, plane_offsets(self.x.shape)
        with np.errstate(invalid="ignore"):  # of NaN and of what 64 bits do not hold
            spatial = got.astype(np.int64) - planes
        cell = np.clip(spatial, 0, prod(windows.sizes) - 1)
        found = (spatial == cell) & (got == cell + planes)
        for step, size, begin, dilation, kernel in zip(
                strides_of(windows.sizes), windows.sizes, np.ix_(*windows.starts(self.counts)), windows.dilations,
                windows.distinct, strict=True):
            ahead, step_of_kernel = cell // step % size - begin, dilation or 1
            found &= (ahead >= 0) & (ahead % step_of_kernel == 0) & (ahead // step_of_kernel < kernel)
        return np.asarray(found)


class MaxWindows(Windowed):
    """A call whose outputs are the maxima of windows, and where they stand; any of several equal maxima may give the
    index."""

    operator = "MaxPool"
    symptoms = {**Windowed.symptoms, **SYMPTOMS}
    shape_symptoms = {**Windowed.shape_symptoms, **SHAPE_SYMPTOMS}
    stacked_input = "X"
    rises = True

    @property
    def turns(self) -> tuple[float, ...] | None:  # type: ignore[override]
        """Maxima rise; their indices do not."""
        return () if self.call.outputs == ("Y",) else None

    @cached_property
    def maxima(self) -> Maxima:
        """The windows of a call inside the domain."""
        return Maxima(self.x, self.geometry, self.shape[2:])

    @cached_property
    def indices(self) -> np.ndarray:
        """The canonical indices, int64: of the first maximum of each window."""
        return self.maxima.indices

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Indices as positions in X flattened row by row over all axes, int64; -1 where there is no such position."""
        return got

    def expected(self) -> dict[str, np.ndarray]:
        """Y, of the type of X, and Indices."""
        return {"Y": self.maxima.values, "Indices": self.indices}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Y equals the maximum; Indices points at a maximum of its window."""
        if output == "Y":
            return np.asarray(got == self.maxima.equal_values)
        return self.maxima.selects_maximum_at(self.row_major(got))

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return masks of outputs where several elements are the maximum."""
        return {"Indices": self.maxima.tied}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Y with padding that takes part as zero; Indices of the last of several maxima, and before the first of X."""
        if self.has_windows and output == "Y":
            yield np.where(self.maxima.has_padding, self.x.dtype.type(0), self.maxima.values)
        elif self.has_windows:
            yield self.maxima.last_indices.astype(self.indices.dtype)
            yield -1 - self.indices

    def stack_offset(self, output: str, count: int) -> int | None:
        """Positions count through the whole X."""
        return self.x.size // count if output == "Indices" else 0

    @property
    def empty_windows(self) -> np.ndarray:
        """bool, in the shape of the output: the windows that select no element of X."""
        return np.asarray(self.maxima.selected == 0)

    def foreign(self, got: np.ndarray) -> np.ndarray:
        """Where the window reaches into the padding and Y is no element of X in it; with automatic padding, no element
        of X at all: one from beside the window shows the split, not the padding."""
        known = np.isin(got.astype(Wide), self.x.astype(Wide)) if self.automatic else self.maxima.selects_value(got)
        return np.asarray(self.maxima.has_padding & ~known)

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        """Of a window that selects a NaN, Y is NaN, an element that the window selects (no order holds between NaN and
        a number, so which one depends on the order of comparisons), or what a search starts from and a NaN may leave
        it with: -inf or the lowest finite value. Indices points at an element of the window; of nothing but NaN at any
        of X."""
        maxima = self.maxima if is_float(self.x.dtype) and self.has_windows else None
        if maxima is None or not maxima.has_nan.any():
            return None
        return Unspecified({"Y": Allowance(maxima.has_nan, self._admitted_value),
                            "Indices": Allowance(maxima.has_nan, self._admitted_index)})

    def _admitted_value(self, got: np.ndarray) -> np.ndarray:
        starts = (got == -np.inf) | (got == lowest_finite(self.x.dtype))
        return np.asarray((got != got) | self.maxima.selects_value(got) | starts)

    def _admitted_index(self, got: np.ndarray) -> np.ndarray:
        anywhere = (got >= 0) & (got < self.x.size)
        return np.asarray(self.maxima.selects_element_at(self.row_major(got)) | self.maxima.only_nan & anywhere)

    @on_outputs(UNBOUND)
    def shape_of_indices(self, response: Response) -> Wrong | None:
        got = response.given.get("Indices")
        wanted = response.given["Y"].shape if "Y" in response.given else self.shape
        if got is None or got.shape == wanted or "Y" not in response.given and response.shape_is_open("Indices"):
            return None
        return other_shape("Indices", got.shape, wanted)

    @on_elements(UNBOUND, "Y", "not the maximum of its window")
    def maximum_with_automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic

    @on_elements(UNBOUND, "Y", "not the maximum of its window")
    def maximum_otherwise(self, got: np.ndarray) -> bool:
        return True


def _wrapped(value: int) -> int:
    """The number of 64 bits that equals an integer modulo 2**64."""
    return (value + 2**63) % 2**64 - 2**63


def lowest_finite(dtype: np.dtype) -> np.ndarray:
    """The lowest finite value of a floating-point type."""
    if dtype.name == "bfloat16":
        return -np.array(255 * 2.0**120).astype(dtype)
    return np.asarray(np.finfo(dtype).min, dtype)


PADDING = "a window with padding gives a value that X does not hold there"
"""Why an element is blamed on the padding."""
