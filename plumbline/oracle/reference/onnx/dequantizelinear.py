"""Reference oracle of ONNX DequantizeLinear: exact fractions, rounded once."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._quantised import parameter
from plumbline.oracle.reference.exact import number, product, rounded, total

TYPES = {1: np.dtype(np.float32), 10: np.dtype(np.float16), 16: np.dtype(ml_dtypes.bfloat16)}


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return y of a valid call in a version of the operator, in the type of output_dtype or of the scale."""
    x = call.inputs["x"]
    dtype = TYPES.get(call.attributes.get("output_dtype", 0), call.inputs["x_scale"].dtype)
    y = np.empty(x.shape, dtype=dtype)
    for place in places(x.shape):
        zero_point, scale = (number(parameter(call, name, place)) for name in ("x_zero_point", "x_scale"))
        y[place] = rounded(product(total([number(x[place]), product(number(-1), zero_point)]), scale), dtype)
    return {"y": y}
