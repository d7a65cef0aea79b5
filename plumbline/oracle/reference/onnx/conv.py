"""Reference oracle of ONNX Conv: exact fractions, rounded once."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._convolved import pairs, shape_of
from plumbline.oracle.reference.exact import number, product, rounded, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X) of a valid call in a version of the operator."""
    x, b = call.inputs["X"], call.inputs.get("B")
    y = np.empty(shape_of(call), dtype=x.dtype)
    for place, multiplied in pairs(call):
        terms = [] if b is None else [number(b[place[1]])]
        terms += [product(number(element), number(weight)) for element, weight in multiplied]
        y[place] = rounded(total(terms), x.dtype)
    return {"Y": y}
