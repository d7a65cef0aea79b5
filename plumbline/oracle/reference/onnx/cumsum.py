"""Reference oracle of ONNX CumSum: exact sums, line by line, each rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference.exact import Number, number, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return y, in the element type of x, of a valid call in a version of the operator."""
    x, axis = call.inputs["x"], int(call.inputs["axis"])
    axis += x.ndim if axis < 0 else 0
    order = range(x.shape[axis])
    if call.attributes.get("reverse", 0) != 0:
        order = order[::-1]
    exclusive, is_integer = call.attributes.get("exclusive", 0) != 0, x.dtype.kind in "iu"
    y = np.empty_like(x)
    for line in places(x.shape[:axis] + x.shape[axis + 1:]):
        so_far: Number = Fraction(0)
        for index in order:
            place = (*line[:axis], index, *line[axis:])
            element = Fraction(int(x[place])) if is_integer else number(x[place])
            with_own = total([so_far, element])
            given = so_far if exclusive else with_own
            y[place] = wrapped(int(given), x.dtype) if is_integer else rounded(given, x.dtype)
            so_far = with_own
    return {"y": y}
