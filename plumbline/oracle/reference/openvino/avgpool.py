"""Reference oracle of OpenVINO AvgPool: exact fractions, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.openvino.windows import layout


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call with windows, in a version of the operator; NaN, or 0, where undefined."""
    x = call.inputs["X"]
    shape, of_x, of_padded_x = layout(call)
    exclude = call.attributes.get("count_include_pad", 0) == 0
    y = np.empty(shape, dtype=x.dtype)
    is_integer = x.dtype.kind in "iu"
    unsaid = 0 if is_integer else math.nan
    for place in product(*map(range, shape)):
        values = [x[(*place[:2], *cell)].item() for cell in of_x(place[2:])]
        divisor = len(values) if exclude else len(of_padded_x(place[2:]))
        if divisor == 0:
            y[place] = unsaid
            continue
        if not all(map(math.isfinite, values)):
            y[place] = sum(values)  # in float64, which knows what NaN and infinities come to
            continue
        if is_integer:
            y[place] = sum(values) // divisor
            continue
        try:
            y[place] = x.dtype.type(float(sum(map(Fraction, values)) / divisor))
        except OverflowError:  # of the sum alone; the element is open
            y[place] = math.copysign(math.inf, sum(map(Fraction, values)))
    return {"Y": y}
