"""Reference oracle of ONNX ConvTranspose: each cell of X adds its kernel to Y; exact fractions, rounded once.

It shares nothing with the definition.
"""

from __future__ import annotations

from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._convolved import item
from plumbline.oracle.reference.exact import Number, number, product, rounded, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator; negative padding or sizes count as zero."""
    x, w, b = call.inputs["X"], call.inputs["W"], call.inputs.get("B")
    axes = [_axis(call, version, axis) for axis in range(x.ndim - 2)]
    group = call.attributes.get("group", 1)
    shape = (x.shape[0], w.shape[1] * group, *(max(out, 0) for out, _ in axes))
    terms: dict[tuple[int, ...], list[Number]] = {}
    for place in each(*map(range, shape)):
        terms[place] = [] if b is None else [number(b[place[1]])]
    for cell in each(*map(range, x.shape)):
        batch, channel = cell[:2]
        first = channel // (x.shape[1] // group) * w.shape[1]
        for feature, *tap in each(*map(range, w.shape[1:])):
            at = tuple(cell[2 + axis] * item(call, "strides", axis) + tap[axis] * item(call, "dilations", axis) - cut
                       for axis, (_, cut) in enumerate(axes))
            place = (batch, first + feature, *at)
            if place in terms:
                terms[place].append(product(number(x[cell]), number(w[(channel, feature, *tap)])))
    y = np.empty(shape, x.dtype)
    for place, summed in terms.items():
        y[place] = rounded(total(summed), x.dtype)
    return {"Y": y}


def _axis(call: Call, version: int, axis: int) -> tuple[int, int]:
    """Return the size of Y on a spatial axis, and what is cut off at its beginning."""
    given, size, rank = call.attributes, call.inputs["X"].shape[2 + axis], call.inputs["X"].ndim - 2
    stride, extent = item(call, "strides", axis), (call.inputs["W"].shape[2 + axis] - 1) * item(
        call, "dilations", axis) + 1
    whole = stride * (size - 1) + (given["output_padding"][axis] if "output_padding" in given else 0) + extent
    auto_pad = given.get("auto_pad", "NOTSET")
    if "output_shape" in given:
        out = given["output_shape"][axis]
        at_end = auto_pad == "SAME_UPPER" if version >= 11 else auto_pad != "SAME_UPPER"
    elif auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        out, at_end = size * stride, auto_pad == "SAME_UPPER"
    elif auto_pad == "VALID":
        return whole, 0
    else:
        pads = given.get("pads", [0] * 2 * rank)
        return whole - pads[axis] - pads[rank + axis], pads[axis]
    padding = max(whole - out, 0)
    return out, padding // 2 if at_end else (padding + 1) // 2

