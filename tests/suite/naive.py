"""A third implementation of pooling, written for the fakes alone: it shares nothing with either oracle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from types import SimpleNamespace

import numpy as np

Window = list[tuple[float, int]]
"""(value, position in the flattened X) of each element of X that a window selects, row by row."""


def axis(request: SimpleNamespace, a: int, **lies: bool) -> tuple[int, int]:
    """The number of windows on spatial axis `a`, and the padding at its beginning. Each lie changes one thing."""
    given, kernel = request.attributes, request.attributes["kernel_shape"]
    size, rank = request.inputs["X"].shape[2 + a], len(kernel)
    stride = given.get("strides", [1] * rank)[a]
    room = size - given.get("dilations", [1] * rank)[a] * (kernel[a] - 1) - 1
    mode, ceil = given.get("auto_pad", "NOTSET"), given.get("ceil_mode", 0) == 1
    if mode == "VALID":
        return room // stride + 1, 0
    if mode != "NOTSET":
        count = size // stride if lies.get("same_takes_floor") else (size + stride - 1) // stride
        total = max((count - 1) * stride - room, 0)
        return count, total // 2 if mode == "SAME_UPPER" or lies.get("lower_as_upper") else total - total // 2
    pads = given.get("pads", [0] * 2 * rank)
    begin = pads[a]
    room += begin + pads[a + rank]
    count = (-(-room // stride) if ceil else room // stride) + 1
    drops = lies.get("drops_windows", request.opset >= 22)
    return count - 1 if ceil and drops and (count - 1) * stride >= size + begin else count, begin


def shape_of(request: SimpleNamespace, **lies: bool) -> tuple[int, ...]:
    """The shape of the outputs."""
    x = request.inputs["X"]
    return (*x.shape[:2], *(max(axis(request, a, **lies)[0], 0) for a in range(x.ndim - 2)))


def windows(request: SimpleNamespace, **lies: bool) -> Iterator[tuple[tuple[int, ...], Window, bool]]:
    """For each element of Y: its coordinates, its window, and whether that reaches into the padding."""
    x, given = request.inputs["X"], request.attributes
    kernel = given["kernel_shape"]
    rank = len(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    layout = [axis(request, a, **lies) for a in range(rank)]
    flat = np.arange(x.size).reshape(x.shape)
    for place in product(*map(range, shape_of(request, **lies))):
        window, padded = [], False
        for cell in product(*map(range, kernel)):
            at = [place[2 + a] * strides[a] + cell[a] * dilations[a] - layout[a][1] for a in range(rank)]
            if all(0 <= at[a] < x.shape[2 + a] for a in range(rank)):
                here = (*place[:2], *at)
                window.append((x[here].item(), int(flat[here])))
            else:
                padded = True
        yield place, window, padded


def first_maximum(window: Window) -> tuple[float, int]:
    """The honest choice: NaN passed over, the first of equals."""
    numbers = [pair for pair in window if pair[0] == pair[0]]
    if numbers:
        return max(numbers, key=lambda pair: (pair[0], -pair[1]))
    return (-np.inf, window[0][1]) if window else (0, 0)


def pool(request: SimpleNamespace, choose=lambda window, padded: first_maximum(window),
         **lies: bool) -> dict[str, np.ndarray]:
    """Y and Indices by what `choose(window, padded)` picks for each window."""
    picked = {place: choose(window, padded) for place, window, padded in windows(request, **lies)}
    x = request.inputs["X"]
    shape = shape_of(request, **lies)
    y, indices = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    for place, (value, index) in picked.items():
        y[place], indices[place] = value, index
    if request.attributes.get("storage_order", 0) == 1 and x.ndim == 4:
        height, width = x.shape[2:]
        indices = indices - indices % (height * width) + indices % width * height + indices // width % height
    return {"Y": y, "Indices": indices}


def counted(request: SimpleNamespace, window: tuple[int, ...], lies: dict[str, bool]) -> int:
    """The cells of a window, those beyond the padded input aside."""
    given, kernel = request.attributes, request.attributes["kernel_shape"]
    rank = len(kernel)
    if given.get("auto_pad", "NOTSET") != "NOTSET" or request.opset < 19 or lies.get("counts_beyond"):
        return prod(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    pads = given.get("pads", [0] * 2 * rank)
    rooms = [size + pads[a] + pads[a + rank] for a, size in enumerate(request.inputs["X"].shape[2:])]
    return max(prod(len([c for c in range(kernel[a]) if window[a] * strides[a] + c * dilations[a] < rooms[a]])
                    for a in range(rank)), 1)


def average(request: SimpleNamespace, **lies: bool) -> dict[str, np.ndarray]:
    """Y of AveragePool."""
    counts_padding = request.attributes.get("count_include_pad", 0) == 1 or lies.get("always_counts")
    x = request.inputs["X"]
    means = {}
    for place, window, _ in windows(request, **lies):
        divisor = counted(request, place[2:], lies) if counts_padding else max(len(window), 1)
        means[place] = sum(value for value, _ in window) / divisor
    y = np.empty(shape_of(request, **lies), x.dtype)
    with np.errstate(over="ignore"):
        for place, value in means.items():
            y[place] = value
    return {"Y": y}
