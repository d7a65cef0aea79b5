"""The implementation of ArgMax, and its faults, under SONNX: NaN above every number, and faults about that."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import fault, under
from tests.operators.onnx import argmax

vars().update(under(argmax, __name__, {
    "reduced.C1": "Y.C2", "reduced.F1": ("Y.F1", "Y.C3", "float.Y.F1"), "reduced.F2": "Y.C1",
    "select_last_index.F1": "Y.F2"}, ("DefaultAxisIsOne", "DefaultKeepsNothing", "NegativeIsRefused",
                                      "NegativeIsClamped")))


@fault("float.Y.F1")
class NanIsPassedOver(argmax.ArgMax):
    """A NaN replaces nothing, and nothing replaces one that comes first."""

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return one > other


@fault("float.Y.F1")
class NanIsLowest(argmax.ArgMax):
    """A NaN is below every number."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        if lines.dtype.kind != "f":
            return super().search(lines, last)
        return super().search(np.where(np.isnan(lines), -np.inf, lines), last)


@fault("float.Y.F1")
class NanIsInfinite(argmax.ArgMax):
    """A NaN is as large as +inf."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        if lines.dtype.kind != "f":
            return super().search(lines, last)
        return super().search(np.where(np.isnan(lines), np.inf, lines), last)


@fault("float.Y.F1")
class AlwaysTheFirstNan(argmax.ArgMax):
    """Of several NaN the first is given, whatever select_last_index says."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        nan = lines != lines
        return np.where(nan.any(axis=0), nan.argmax(axis=0), super().search(lines, last))


@fault("float.Y.F1", "Y.C3")
class NanIsMinusOne(argmax.ArgMax):
    """A line with a NaN gives -1."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return np.where((lines != lines).any(axis=0), -1, super().search(lines, last))
