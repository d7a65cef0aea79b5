"""Lay out windows of OpenVINO's pooling operations, by its shape rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor

from plumbline.oracle.call import Call

Cells = Callable[[tuple[int, ...]], list[tuple[int, ...]]]


def layout(call: Call) -> tuple[tuple[int, ...], Cells, Cells]:
    """Return the shape of Y, and two functions from a spatial index of Y to cells of its window, row by row.

    The first gives cells of X, the second cells of the padded X."""
    x = call.inputs["X"]
    axes = [axis_layout(call, number) for number in range(x.ndim - 2)]

    def cells(place: tuple[int, ...], lowest: list[int], behind: list[int]) -> Iterator[tuple[int, ...]]:
        choices = []
        for number, window in enumerate(place):
            begin = axes[number][1]
            found = [window * _item(call, "strides", number) + tap * _item(call, "dilations", number) - begin
                     for tap in range(call.attributes["kernel_shape"][number])]
            choices.append([cell for cell in found if lowest[number] <= cell < behind[number]])
        return product(*choices)

    sizes = list(x.shape[2:])

    def of_x(place: tuple[int, ...]) -> list[tuple[int, ...]]:
        return list(cells(place, [0] * len(sizes), sizes))

    def of_padded_x(place: tuple[int, ...]) -> list[tuple[int, ...]]:
        return list(cells(place, [-axis[1] for axis in axes],
                          [size + axis[2] for size, axis in zip(sizes, axes, strict=True)]))

    return (*x.shape[:2], *(max(axis[0], 0) for axis in axes)), of_x, of_padded_x


def axis_layout(call: Call, number: int) -> tuple[int, int, int]:
    """For one spatial axis: the size of Y, and the padding at the beginning and at the end."""
    given, size, rank = call.attributes, call.inputs["X"].shape[2 + number], call.inputs["X"].ndim - 2
    stride = _item(call, "strides", number)
    extent = (given["kernel_shape"][number] - 1) * _item(call, "dilations", number) + 1
    rounding = given.get("rounding_type", "ceil" if given.get("ceil_mode", 0) == 1 else "floor")
    mode = given.get("auto_pad", "NOTSET")
    if mode.startswith("SAME"):
        out = size if stride == 1 else ceil(Fraction(size, stride))
        total = max((out - 1) * stride + extent - size, 0)
        half = total // 2
        return (out, half, total - half) if mode == "SAME_UPPER" else (out, total - half, half)
    pads = given.get("pads", [0] * 2 * rank) if mode == "NOTSET" else [0] * 2 * rank
    begin, end = pads[number], pads[rank + number]
    exact = Fraction(size + begin + end - extent, stride) + 1
    if rounding == "floor":
        return floor(exact), begin, end
    out = ceil(exact)
    if rounding == "ceil_torch" and (out - 1) * stride > size + begin - 1:
        out -= 1
    return out, begin, end


def _item(call: Call, name: str, number: int) -> int:
    return call.attributes[name][number] if name in call.attributes else 1
