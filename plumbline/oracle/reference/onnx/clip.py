"""Reference oracle of ONNX Clip: one element against two bounds.

Where the text leaves a choice this gives: NaN for NaN in the input; the other bound alone for a bound that is NaN; the
largest finite number for an infinity without a bound, in each type that of the type itself; max for a minimum above the
maximum; a bound of a float16 tensor rounded to nearest.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import FORMATS, nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of input, of a valid call in a version of the operator."""
    x = call.inputs["input"]
    lowest, largest = _ends(x.dtype.name)
    given = call.attributes if version < 11 else call.inputs
    low, high = _bound(given.get("min"), lowest, x.dtype.name), _bound(given.get("max"), largest, x.dtype.name)
    low, high = -math.inf if low != low else low, math.inf if high != high else high
    output = np.empty(x.shape, dtype=x.dtype)
    for place in places(x.shape):
        value = x[place].item()
        if value != value:
            output[place] = value
        elif low > high or value > high:
            output[place] = high
        elif value < low:
            output[place] = low
        else:
            output[place] = value
    return {"output": output}


def _bound(given: object, default: float, dtype: str) -> float:
    """A bound as a Python number: an attribute is a float32, and is rounded to a type that lacks it."""
    if given is None:
        return default
    if isinstance(given, np.ndarray):
        bound: float = given.item()
        return bound
    value = np.float32(str(given)).item()
    if not math.isfinite(value):
        return value
    return nearest(Fraction(value), dtype, negative_zero=math.copysign(1, value) < 0)


def _ends(dtype: str) -> tuple[float, float]:
    """The lowest and the largest finite number of a type."""
    if dtype in FORMATS:
        digits, _, highest = FORMATS[dtype]
        largest = float(Fraction(2) ** (highest + 1) - Fraction(2) ** (highest + 1 - digits))
        return -largest, largest
    bits = int(dtype.removeprefix("u").removeprefix("int"))
    return (0, 2**bits - 1) if dtype.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
