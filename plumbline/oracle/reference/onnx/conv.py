"""Reference oracle of ONNX Conv: exact fractions, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product as each

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import number, product, rounded, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X) of a valid call in a version of the operator.

    Padding takes no part, and where it would be negative counts as zero, as does a size below zero."""
    x, w, b = call.inputs["X"], call.inputs["W"], call.inputs.get("B")
    axes = [_axis(call, axis) for axis in range(x.ndim - 2)]
    y = np.empty((x.shape[0], w.shape[0], *(max(out, 0) for out, _ in axes)), dtype=x.dtype)
    for place in each(*map(range, y.shape)):
        batch, feature = place[:2]
        first = feature // (w.shape[0] // call.attributes.get("group", 1)) * w.shape[1]
        terms = [] if b is None else [number(b[feature])]
        for channel, *tap in each(*map(range, w.shape[1:])):
            cell = [place[2 + axis] * _item(call, "strides", axis) + tap[axis] * _item(call, "dilations", axis) - begin
                    for axis, (_, begin) in enumerate(axes)]
            if all(0 <= at < size for at, size in zip(cell, x.shape[2:], strict=True)):
                terms.append(product(number(x[(batch, first + channel, *cell)]), number(w[(feature, channel, *tap)])))
        y[place] = rounded(total(terms), x.dtype)
    return {"Y": y}


def _axis(call: Call, axis: int) -> tuple[int, int]:
    """Return the size of Y on a spatial axis, and the padding at its beginning."""
    x = call.inputs["X"]
    size, rank, stride = x.shape[2 + axis], x.ndim - 2, _item(call, "strides", axis)
    extent = (call.inputs["W"].shape[2 + axis] - 1) * _item(call, "dilations", axis) + 1
    auto_pad = call.attributes.get("auto_pad", "NOTSET")
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        out = math.ceil(Fraction(size, stride))
        padding = Fraction(max((out - 1) * stride + extent - size, 0), 2)
        return out, math.floor(padding) if auto_pad == "SAME_UPPER" else math.ceil(padding)
    pads = call.attributes.get("pads", [0] * 2 * rank)
    begin, end = (0, 0) if auto_pad == "VALID" else (pads[axis], pads[rank + axis])
    return math.floor(Fraction(size + begin + end - extent, stride)) + 1, begin


def _item(call: Call, name: str, axis: int) -> int:
    return call.attributes[name][axis] if name in call.attributes else 1
