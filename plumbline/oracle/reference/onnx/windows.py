"""Lay out windows of ONNX's pooling operators, by their formulas."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor

from plumbline.oracle.call import Call

Cells = Callable[[tuple[int, ...]], list[tuple[int, ...]]]


def layout(call: Call, version: int) -> tuple[tuple[int, ...], Cells]:
    """The shape of Y, and the cells of X that the window at a spatial place of Y selects, row by row."""
    x = call.inputs["X"]
    axes = [axis_layout(call, version, number) for number in range(x.ndim - 2)]

    @cache  # every plane has the same windows
    def select(place: tuple[int, ...]) -> list[tuple[int, ...]]:
        choices = []
        for (_, begin), number, window in zip(axes, range(len(axes)), place, strict=True):
            cells = window_cells(call, number, window * _item(call, "strides", number) - begin)
            fewer, others = sorted((range(x.shape[2 + number]), cells), key=len)
            choices.append([cell for cell in fewer if cell in others])
        return list(product(*choices))

    return (x.shape[0], x.shape[1], *(max(out, 0) for out, _ in axes)), select


def window_cells(call: Call, number: int, start: int) -> range:
    """Return the cells on a spatial axis of the window that begins at `start`, as a range."""
    dilation = _item(call, "dilations", number)
    return range(start, start + call.attributes["kernel_shape"][number] * dilation, dilation)


def axis_layout(call: Call, version: int, number: int) -> tuple[int, int]:
    """Return the size of Y on spatial axis `number` (from 0), and the padding at its beginning."""
    size = call.inputs["X"].shape[2 + number]
    rank = call.inputs["X"].ndim - 2
    stride = _item(call, "strides", number)
    extent = (call.attributes["kernel_shape"][number] - 1) * _item(call, "dilations", number) + 1
    auto_pad = call.attributes.get("auto_pad", "NOTSET")
    if auto_pad == "VALID":
        return ceil(Fraction(size - extent + 1, stride)), 0
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        out = ceil(Fraction(size, stride))
        total = max((out - 1) * stride + extent - size, 0)
        return out, floor(Fraction(total, 2)) if auto_pad == "SAME_UPPER" else ceil(Fraction(total, 2))
    pads = call.attributes.get("pads", [0] * 2 * rank)
    begin, end = pads[number], pads[rank + number]
    if not call.attributes.get("ceil_mode", 0):
        return floor(Fraction(size + begin + end - extent, stride) + 1), begin
    out = ceil(Fraction(size + begin + end - extent, stride) + 1)
    if version >= 22 and (out - 1) * stride > size + begin - 1:
        out = out - 1
    return out, begin


def _item(call: Call, name: str, number: int) -> int:
    return call.attributes[name][number] if name in call.attributes else 1
