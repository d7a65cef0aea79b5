"""Reference oracles of ONNX Abs and the like: one element after another, exact, rounded once.

Where a text leaves a choice, NaN and the lowest integer stay, the magnitude of a zero is +0, and the others are what
IEEE 754 gives.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import root
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest, wrapped

Outputs = dict[str, np.ndarray]


def abs_(call: Call, version: int) -> Outputs:
    """Return magnitudes."""
    def value(x: Any) -> Any:
        if isinstance(x, int):
            return wrapped(-x if x < 0 else x, call.inputs["X"].dtype.name)
        return -x if x < 0 else 0.0 if x == 0 else x
    return mapped(call, value)


def neg(call: Call, version: int) -> Outputs:
    """Return the numbers of the other sign."""
    return mapped(call, lambda x: wrapped(-x, call.inputs["X"].dtype.name) if isinstance(x, int) else -x)


def sign(call: Call, version: int) -> Outputs:
    """Return signs."""
    return mapped(call, lambda x: 1 if x > 0 else -1 if x < 0 else x, "output")


def not_(call: Call, version: int) -> Outputs:
    """Return the other truth values."""
    return mapped(call, lambda x: not x)


def isnan(call: Call, version: int) -> Outputs:
    """Return which elements differ from themselves."""
    return mapped(call, lambda x: float(x) != float(x), dtype=bool)


def isinf(call: Call, version: int) -> Outputs:
    """Return which elements are an infinity of a sign to be detected."""
    detected = [sign * math.inf for sign, name in ((1, "detect_positive"), (-1, "detect_negative"))
                if call.attributes.get(name, 1)]
    return mapped(call, lambda x: float(x) in detected, dtype=bool)


def reciprocal(call: Call, version: int) -> Outputs:
    """Return reciprocals; of a zero an infinity."""
    def value(x: float) -> float:
        if math.isnan(x):
            return x
        if x == 0 or math.isinf(x):
            return math.copysign(math.inf if x == 0 else 0, x)
        return nearest(1 / Fraction(x), call.inputs["X"].dtype.name)
    return mapped(call, value)


def sqrt(call: Call, version: int) -> Outputs:
    """Return roots, rounded by a comparison of squares."""
    return mapped(call, lambda x: root(x, call.inputs["X"].dtype.name))
