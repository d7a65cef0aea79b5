"""Reference oracles of ONNX Sin and Cos: in decimals with digits to spare, rounded once; NaN where there is none."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._circular import sine
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest


def sin(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the sine of each element."""
    return _sine(call, 0)


def cos(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the cosine, the sine a right angle later."""
    return _sine(call, 1)


def _sine(call: Call, turns: int) -> dict[str, np.ndarray]:
    dtype = call.inputs["input"].dtype.name
    return mapped(call, lambda x: nearest(Fraction(sine(x, turns)), dtype) if math.isfinite(x) else math.nan, "output")
