"""Reference oracle of ONNX QLinearConv: integers of any size, scaled by exact fractions."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._convolved import pairs, shape_of
from plumbline.oracle.reference._quantised import requantised


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator."""
    y = np.zeros(shape_of(call), call.inputs["y_zero_point"].dtype)
    for place, multiplied in pairs(call):
        of_x, of_w, x_scale, w_scale, b = (
            call.inputs[name][place[1]] if name in call.inputs and call.inputs[name].ndim else
            call.inputs.get(name, 0) for name in ("x_zero_point", "w_zero_point", "x_scale", "w_scale", "B"))
        total = sum((int(element) - int(of_x)) * (int(weight) - int(of_w)) for element, weight in multiplied)
        y[place] = requantised(call, total + int(b), [x_scale, w_scale])
    return {"Y": y}
