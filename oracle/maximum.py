"""The maximum over windows, and answers judged against it: the fast oracle shared by specifications of MaxPool.

A wrong element of Y is charged to the padding when its window selects padding and the value is none of X's, to the
split of the padding when that is automatic, else to the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

import numpy as np

from plumbline.oracle.answer import Answer, is_float, wrong_shape_of_indices
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.windows import Windows, plane_offsets, strides_of


def padding_constant(dtype: np.dtype) -> float | int:
    """What never exceeds an element: -inf for floating point, the lowest value for integers (SONNX, pads), False for
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
        """What equals `values`: of two zeros in a window either may be here."""
        return self._pass[0]

    @cached_property
    def values(self) -> np.ndarray:
        """The maximum of each window, of equal ones the first; the padding constant where it selects nothing but NaN
        and padding."""
        if not is_float(self.x.dtype) or not self.x.size:
            return self.equal_values
        found = self.x.reshape(-1).take(self.indices)
        return np.where(self.only_nan, self.equal_values, found) if self.only_nan.any() else found

    @cached_property
    def has_nan(self) -> np.ndarray:
        """Where the window selects a NaN."""
        found = np.zeros(self.shape, dtype=bool)
        for cells, some in self.by_tap(found) if self._holds_nan else ():
            some |= cells != cells
        return found

    @cached_property
    def only_nan(self) -> np.ndarray:
        """Where every element of X that the window selects is NaN (or it selects none)."""
        return np.asarray(self._pass[1] < 0)

    @cached_property
    def indices(self) -> np.ndarray:
        """int64: the lowest index of the maximum in the flattened X, batch and channel included; where there is
        nothing but NaN, the lowest index that the window selects, and one below the plane's first where that is none.
        """
        first, steps = self._pass[1], strides_of(self.geometry.sizes)
        jumps = [sum(d * k * step for d, k, step in zip(self.geometry.dilations, tap.offset, steps, strict=True))
                 for tap in self.taps]
        found: np.ndarray = np.array([*jumps, 0]).take(first) + self._origins
        if self.only_nan.any():
            lowest = np.full(self.counts, -1, dtype=np.int64)
            for tap in reversed(self.taps):
                lowest[tap.windows] = tap.index[tap.windows]
            np.copyto(found, lowest, where=self.only_nan)
        found += plane_offsets(self.x.shape)
        return found

    @property
    def _origins(self) -> np.ndarray:
        """int64, in the shape of the output's spatial axes: where each window begins in the flattened spatial axes of
        X, as if these went on beyond their ends."""
        axes = [np.arange(count) * s - b for count, s, b in
                zip(self.counts, self.geometry.strides, self.geometry.begin, strict=True)]
        steps = strides_of(self.geometry.sizes)
        return np.asarray(sum(place * step for place, step in zip(np.ix_(*axes), steps, strict=True)), dtype=np.int64)

    @cached_property
    def tied(self) -> np.ndarray:
        """Where the maximum is the value of several elements of X that the window selects."""
        count = np.zeros(self.shape, dtype=np.int64)
        for cells, maximum, so_far in self.by_tap(self.equal_values, count):
            so_far += cells == maximum
        return np.asarray(count > 1)

    def selects_value(self, got: np.ndarray) -> np.ndarray:
        """Where `got`, an array of the output's shape, equals some element of X in its window."""
        found = np.zeros(self.shape, dtype=bool)
        for cells, wanted, some in self.by_tap(got, found):
            some |= cells == wanted
        return found

    def selects_maximum_at(self, got: np.ndarray) -> np.ndarray:
        """Where `got`, indices of the output's shape, points at an element of its window that equals the maximum."""
        found = np.asarray((got == self.indices) & ~self.only_nan)
        spatial = got - plane_offsets(self.x.shape)
        if found.all():
            return found
        for tap, (cells, wanted, maximum, some) in zip(self.taps, self.by_tap(spatial, self.equal_values, found),
                                                       strict=True):
            some |= (tap.index[tap.windows] == wanted) & (cells == maximum)
        return found


class MaxCall(Protocol):
    """A call as these answers read it.

    shape:     of the outputs. automatic: whether the padding is split automatically.
    indices:   the canonical Indices, int64.
    row_major: Indices as positions in X flattened row by row over all axes, int64; what is no position is -1.
    """

    x: np.ndarray
    shape: tuple[int, ...]
    automatic: bool
    maxima: Maxima
    indices: np.ndarray

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """See the class."""


class MaxAnswer(Answer):
    """An answer with the windows of its call, where any of several maxima may give the index."""

    def __init__(self, call: MaxCall, given: Mapping[str, np.ndarray]) -> None:
        self.call = call
        super().__init__(call.x, given, call.shape,
                         lambda name: call.maxima.values if name == "Y" else call.indices)

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not the maximum."""
        return self.judged("Y", lambda got: got != self.call.maxima.equal_values)

    @cached_property
    def foreign_values(self) -> np.ndarray:
        """Where Y is wrong and, its window reaching into the padding, is no element of X in it; with automatic padding,
        where it is no element of X at all: one from beside the window tells of the split, not of the padding."""
        if not self.wrong_values.any():
            return self.wrong_values
        maxima, got = self.call.maxima, self.given["Y"]
        known = np.isin(got, self.x) if self.call.automatic else maxima.selects_value(got)
        return np.asarray(self.wrong_values & maxima.has_padding & ~known)

    @cached_property
    def wrong_indices(self) -> np.ndarray:
        """Where Indices points at no maximum of its window."""
        return self.judged("Indices", lambda got: ~self.call.maxima.selects_maximum_at(self.call.row_major(got)))


def value_of_the_padding(answer: MaxAnswer) -> Wrong | None:
    """Padding takes part in the maximum."""
    return answer.at("Y", answer.foreign_values, "a window with padding gives a value that X does not hold there")


def maximum_with_automatic_padding(answer: MaxAnswer) -> Wrong | None:
    """With automatic padding, another element of X than the maximum."""
    if not answer.call.automatic:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.foreign_values, "not the maximum of its window")


def maximum_otherwise(answer: MaxAnswer) -> Wrong | None:
    """The same of all other calls."""
    if answer.call.automatic:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.foreign_values, "not the maximum of its window")


def index_of_the_maximum(answer: MaxAnswer) -> Wrong | None:
    """Indices points at no maximum of its window."""
    return answer.at("Indices", answer.wrong_indices, "not the index of a maximum of the window")


def bind_maxima(bindings: Bindings, padding_clause: str) -> None:
    """The clauses that texts on maxima share, but for the one on Indices."""
    bindings.answer = MaxAnswer
    bindings.expected = lambda call: {"Y": call.maxima.values, "Indices": call.indices}
    bindings.several = lambda call: {"Indices": call.maxima.tied}
    bindings.stacked = lambda call, count: {"Indices": call.x.size // count}
    bindings.charged_by_all_of_x = lambda call: call.automatic
    bindings.on_outputs(padding_clause)(value_of_the_padding)
    bindings.on_outputs("auto_pad.F1")(maximum_with_automatic_padding)
    bindings.on_outputs("Y.F1")(maximum_otherwise)
    bindings.on_outputs("Indices.C1")(wrong_shape_of_indices)
