"""Pair the elements of X and W whose products a convolution sums: one element of Y at a time, in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call

Pairs = list[tuple[np.generic, np.generic]]


def shape_of(call: Call) -> tuple[int, ...]:
    """Return the shape of Y; a size below zero counts as zero."""
    x, w = call.inputs["X"], call.inputs["W"]
    return x.shape[0], w.shape[0], *(max(_axis(call, axis)[0], 0) for axis in range(x.ndim - 2))


def pairs(call: Call) -> Iterator[tuple[tuple[int, ...], Pairs]]:
    """Yield the place of each element of Y, and the elements of X and W that are multiplied for it.

    Padding takes no part, and where it would be negative counts as zero."""
    x, w = call.inputs["X"], call.inputs["W"]
    begins = [_axis(call, axis)[1] for axis in range(x.ndim - 2)]
    for place in product(*map(range, shape_of(call))):
        batch, feature = place[:2]
        first = feature // (w.shape[0] // call.attributes.get("group", 1)) * w.shape[1]
        found: Pairs = []
        for channel, *tap in product(*map(range, w.shape[1:])):
            cell = [place[2 + axis] * item(call, "strides", axis) + tap[axis] * item(call, "dilations", axis) - begin
                    for axis, begin in enumerate(begins)]
            if all(0 <= at < size for at, size in zip(cell, x.shape[2:], strict=True)):
                found.append((x[(batch, first + channel, *cell)], w[(feature, channel, *tap)]))
        yield place, found


def _axis(call: Call, axis: int) -> tuple[int, int]:
    """Return the size of Y on a spatial axis, and the padding at its beginning."""
    x = call.inputs["X"]
    size, rank, stride = x.shape[2 + axis], x.ndim - 2, item(call, "strides", axis)
    extent = (call.inputs["W"].shape[2 + axis] - 1) * item(call, "dilations", axis) + 1
    auto_pad = call.attributes.get("auto_pad", "NOTSET")
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        out = math.ceil(Fraction(size, stride))
        padding = Fraction(max((out - 1) * stride + extent - size, 0), 2)
        return out, math.floor(padding) if auto_pad == "SAME_UPPER" else math.ceil(padding)
    pads = call.attributes.get("pads", [0] * 2 * rank)
    begin, end = (0, 0) if auto_pad == "VALID" else (pads[axis], pads[rank + axis])
    return math.floor(Fraction(size + begin + end - extent, stride)) + 1, begin


def item(call: Call, name: str, axis: int) -> int:
    """Return an element of a list that has one for each spatial axis, by default 1."""
    return int(call.attributes[name][axis]) if name in call.attributes else 1
