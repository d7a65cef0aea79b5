"""Reference oracle of SONNX Conv: exact fractions, rounded once; padding takes no part."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import Number, number, product, rounded, total


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y (type of X) of a valid call."""
    return {"Y": convolved(call, padding=None)}


def convolved(call: Call, padding: Fraction | None) -> np.ndarray:
    """Return Y; `padding` is a value that is multiplied, or None to leave padding out. Gaps are left out."""
    x, w, b = call.inputs["X"], call.inputs["W"], call.inputs.get("B")
    pads, strides, dilations = (call.attributes[name] for name in ("pads", "strides", "dilations"))
    depthwise = call.attributes["group"] > 1
    sizes = []
    for axis in range(2):
        extent = dilations[axis] * (w.shape[2 + axis] - 1) + 1
        sizes.append(math.floor(Fraction(x.shape[2 + axis] + pads[axis] + pads[2 + axis] - extent, strides[axis])) + 1)
    y = np.empty((x.shape[0], w.shape[0], *sizes), dtype=x.dtype)
    for batch, feature, m, n in each(*map(range, y.shape)):
        terms: list[Number] = []
        for channel, j, z in each(*map(range, w.shape[1:])):
            cell = (m * strides[0] + j * dilations[0] - pads[0], n * strides[1] + z * dilations[1] - pads[1])
            factor = number(w[feature, channel, j, z])
            if 0 <= cell[0] < x.shape[2] and 0 <= cell[1] < x.shape[3]:
                terms.append(product(number(x[(batch, feature if depthwise else channel, *cell)]), factor))
            elif padding is not None:
                terms.append(product(padding, factor))
        y[batch, feature, m, n] = rounded(total(terms if b is None else [*terms, number(b[feature])]), x.dtype)
    return y
