"""Reference oracle of ONNX QLinearMatMul: integers of any size, scaled by exact fractions."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._integer_matrices import shape_of, sums
from plumbline.oracle.reference._quantised import requantised


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator; zeros where a tensor is of floating-point numbers."""
    y = np.zeros(shape_of(call), call.inputs["y_zero_point"].dtype)
    if all("int" in call.inputs[name].dtype.name for name in ("A", "B", "y_zero_point")):
        for place, total, *scales in sums(call):
            y[place] = requantised(call, total, scales)
    return {"Y": y}
