"""The maximum over windows, and what each window selects: the fast oracle shared by specifications of MaxPool."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from oracle.answer import is_float
from oracle.windows import Windows, plane_offsets


def padding_constant(dtype: np.dtype) -> float | int:
    """What never exceeds an element: -inf for floating point, the lowest value for integers (SONNX, pads)."""
    return -np.inf if is_float(dtype) else int(np.iinfo(dtype).min)


class Maxima(Windows):
    """The maxima of windows. NaN is passed over: a window's maximum is that of its other elements."""

    @cached_property
    def _pass(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        best = np.full(self.shape, padding_constant(self.x.dtype), dtype=self.x.dtype)
        first = np.full(self.shape, -1, dtype=np.int64)
        nan = np.zeros(self.shape, dtype=bool)
        for tap in self.taps:
            values = self.planes[:, :, tap.index]
            nan |= tap.inside & (values != values)
            better = tap.inside & ((values > best) | ((first < 0) & (values == values)))
            np.copyto(best, values, where=better)
            np.copyto(first, tap.index, where=better)
        return best, first, nan

    @property
    def values(self) -> np.ndarray:
        """The maximum of each window; the padding constant where it selects nothing but NaN and padding."""
        return self._pass[0]

    @property
    def has_nan(self) -> np.ndarray:
        """Where the window selects a NaN."""
        return self._pass[2]

    @property
    def only_nan(self) -> np.ndarray:
        """Where every element of X that the window selects is NaN (or it selects none)."""
        return self._pass[1] < 0

    @cached_property
    def indices(self) -> np.ndarray:
        """int64: the lowest index of the maximum in the flattened X, batch and channel included; where there is
        nothing but NaN, the lowest index that the window selects."""
        first = self._pass[1].copy()
        if self.only_nan.any():
            for tap in self.taps:
                np.copyto(first, tap.index, where=(first < 0) & tap.inside)
        return first + plane_offsets(self.x.shape)

    def selects_value(self, got: np.ndarray) -> np.ndarray:
        """Where `got`, an array of the output's shape, equals some element of X in its window."""
        return np.any([tap.inside & (self.planes[:, :, tap.index] == got) for tap in
                       self.taps], axis=0)

    def selects_maximum_at(self, got: np.ndarray) -> np.ndarray:
        """Where `got`, indices of the output's shape, points at an element of its window that equals the maximum."""
        spatial = got - plane_offsets(self.x.shape)
        return np.any([tap.inside & (tap.index == spatial) & (self.planes[:, :, tap.index] == self.values)
                       for tap in self.taps], axis=0)
