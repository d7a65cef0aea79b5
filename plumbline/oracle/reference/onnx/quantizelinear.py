"""Reference oracle of ONNX QuantizeLinear: exact fractions, rounded once."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import DATA_TYPES, nearest_float
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._quantised import divided, integer, parameter
from plumbline.oracle.reference.exact import number, total

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
