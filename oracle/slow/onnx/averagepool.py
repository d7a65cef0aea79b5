"""ONNX AveragePool by the letter: exact fractions, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.slow.onnx.windows import layout


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Y (type of X) of a call inside the domain that has windows; what IEEE 754 sums
    them to where some are not finite, NaN where a window selects nothing."""
    x = call.inputs["X"]
    shape, select = layout(call, version)
    cells = math.prod(call.attributes["kernel_shape"])
    y = np.empty(shape, dtype=x.dtype)
    for place in product(*map(range, shape)):
        values = [float(x[(*place[:2], *cell)]) for cell in select(place[2:])]
        if not values or not all(map(math.isfinite, values)):
            y[place] = sum(values) if values else math.nan  # in float64, which knows what NaN and infinities come to
            continue
        divisor = cells if call.attributes.get("count_include_pad", 0) else len(values)
        mean = sum(map(Fraction, values)) / divisor
        try:
            y[place] = x.dtype.type(float(mean))
        except OverflowError:  # of the sum alone, in float64; the element is open
            y[place] = math.copysign(math.inf, mean)
    return {"Y": y}
