"""Clip: elements limited to an interval."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.clauses import presence
from plumbline.oracle.families.elementwise import Elementwise
from plumbline.oracle.operator import UNBOUND, Choose, Operator
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION

BOUNDS = (-1.0, 1.0, 0.0, -0.0, 2.5, -3.0, 0.1, float("inf"), float("-inf"), float("nan"), 1e-40, 1e6,
          3.4028234663852886e38)
OF_INTEGERS = (0, 1, 5, 100)


def _minimum_for_nan(definition: Any, entry: Any) -> bool:
    """Elements are the minimum where they should be NaN."""
    low = definition.inputs.get("min")
    return low is not None and bool(np.all((entry.expected != entry.expected) & (entry.got == low)))


def _nan_kept(definition: Operator, entry: Divergence) -> bool:
    """Elements are NaN where the text has a number."""
    return bool(np.all(np.isnan(entry.got)) and not np.any(np.isnan(entry.expected)))


class Interval(Elementwise):
    """A call of Clip."""

    operator = "Clip"
    output = "output"
    signed_zeros = True
    turns, rises = (), True
    symptoms = {**Elementwise.symptoms, "nan-kept": _nan_kept, "minimum-for-nan": _minimum_for_nan}

    given = presence(UNBOUND)

    @property
    def x(self) -> np.ndarray:
        """The elements."""
        return self.inputs["input"]

    @property
    def nan(self) -> np.ndarray:
        """bool: where the input is NaN."""
        return np.asarray(self.x != self.x)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of the elements."""
        return tuple(self.x.shape)

    def end(self, sign: int, finite: bool = True) -> Any:
        """The largest number of the type of the input, or the lowest; or the infinity, where there is one."""
        dtype = self.x.dtype
        if not is_float(dtype):
            return dtype.type(np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min)
        return dtype.type(sign * (float(PRECISION[dtype.name][2]) if finite else np.inf))

    def limited(self, low: Any, high: Any) -> np.ndarray:
        """Return X limited to `low` and `high`, of which `high` prevails; NaN stays, and limits nothing."""
        x = self.x
        with np.errstate(invalid="ignore"):  # comparisons with NaN
            found = np.where(x < low, low, x)
            found = np.where((found > high) | (low > high) & (x == x), high, found)
        return np.asarray(found, dtype=x.dtype)

    def flags(self) -> dict[str, bool]:
        """Bounds are scalars: nothing is broadcast."""
        return {**super().flags(), "shapes-differ": False}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element at that place, and the bounds."""
        return {name: np.array([where if name == "input" else ()], dtype=np.int64) for name in self.inputs}


def a_bound(choose: Choose, dtype: np.dtype) -> np.ndarray:
    """A scalar of a type: small, special, an end of the type, or what neither floats nor its other sign hold."""
    if is_float(dtype):
        with np.errstate(over="ignore"):
            return np.array(choose(BOUNDS), dtype)
    ends = np.iinfo(dtype)
    beyond = ends.max // 2 + 2
    return np.array(choose((*OF_INTEGERS, ends.min, ends.max, ends.min + 1, beyond, beyond)), dtype)
