"""Reference oracle of ONNX QuantizeLinear: exact fractions, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import DATA_TYPES, nearest_float
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._quantised import parameter
from plumbline.oracle.reference.exact import Number, number, total

WITH_ZERO_POINTS_OF_INTEGERS = ("u", "i")


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return y of a valid call in a version of the operator."""
    x = call.inputs["x"]
    name = DATA_TYPES[call.attributes.get("output_dtype", 0) or 2].lower()
    if "y_zero_point" in call.inputs:
        name = call.inputs["y_zero_point"].dtype.name
    y = np.zeros(x.shape, dtype=getattr(ml_dtypes, name, name))
    for place in places(x.shape):
        zero_point, scale = (number(parameter(call, key, place)) for key in ("y_zero_point", "y_scale"))
        quotient = divided(number(x[place]), scale)
        if name.startswith(WITH_ZERO_POINTS_OF_INTEGERS):
            y[place] = integer(quotient, int(zero_point), name)
        else:
            y[place] = nearest_float(total([quotient, zero_point]), name, 24, call.attributes.get("saturate", 1))
    return {"y": y}


def divided(x: Number, scale: Number) -> Number:
    """The exact quotient; what IEEE 754 gives of infinities and NaN, and NaN of a scale of zero."""
    if isinstance(x, Fraction) and isinstance(scale, Fraction):
        return x / scale if scale else math.nan
    if isinstance(x, Fraction):
        return Fraction(0) if math.isinf(scale) else math.nan
    return x * (1 if scale > 0 else -1) if isinstance(scale, Fraction) and scale else math.nan


def integer(quotient: Number, zero_point: int, name: str) -> int:
    """Return the quotient, rounded to even, plus the zero point, within the range; 0 for NaN."""
    if not isinstance(quotient, Fraction) and math.isnan(quotient):
        return 0
    bits = int(name.removeprefix("u").removeprefix("int"))
    lowest = 0 if name.startswith("u") else -(1 << (bits - 1))
    highest = lowest + (1 << bits) - 1
    if not isinstance(quotient, Fraction):
        return highest if quotient > 0 else lowest
    return min(max(round(quotient) + zero_point, lowest), highest)
