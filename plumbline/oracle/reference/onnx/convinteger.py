"""Reference oracle of ONNX ConvInteger: integers of any size, at the end modulo 2**32."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._convolved import pairs, shape_of
from plumbline.oracle.reference.exact import wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (int32) of a valid call in a version of the operator."""
    of_x, of_w = (call.inputs.get(name, np.zeros((), np.uint8)) for name in ("x_zero_point", "w_zero_point"))
    y = np.empty(shape_of(call), dtype=np.int32)
    for place, multiplied in pairs(call):
        point = int(of_w) if of_w.ndim == 0 else int(of_w[place[1]])
        y[place] = wrapped(sum((int(element) - int(of_x)) * (int(weight) - point) for element, weight in multiplied),
                           y.dtype)
    return {"Y": y}
