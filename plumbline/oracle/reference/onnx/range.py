"""Reference oracle of ONNX Range: the formulas in fractions, each element rounded once.

Where the formulas give no number of elements there is none.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._rounding import FORMATS, nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the inputs, of a valid call in a version of the operator."""
    dtype = call.inputs["start"].dtype
    given = [call.inputs[name].astype(np.float64) for name in ("start", "limit", "delta")]
    if not all(math.isfinite(number) for number in given) or given[2] == 0:
        return {"output": np.empty(0, dtype)}
    is_integer = dtype.kind == "i"
    start, limit, delta = (Fraction(int(call.inputs[name]) if is_integer else float(call.inputs[name]))
                           for name in ("start", "limit", "delta"))
    difference = limit - start
    lowest, highest = (np.iinfo(dtype).min, np.iinfo(dtype).max) if is_integer else (
        -_largest(dtype.name), _largest(dtype.name))
    if not lowest <= difference <= highest:
        return {"output": np.empty(0, dtype)}
    numbers = []
    for i in range(max(math.ceil(difference / delta), 0)):
        exact = start + i * delta
        numbers.append(int(exact) if is_integer else nearest(exact, dtype.name))
    return {"output": np.array(numbers, dtype)}


def _largest(dtype: str) -> Fraction:
    """The largest finite number."""
    digits, _, highest = FORMATS[dtype]
    return (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** highest
