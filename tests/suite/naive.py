"""A third implementation of pooling, written for the fakes alone: it shares nothing with either oracle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from types import SimpleNamespace

import numpy as np

Window = list[tuple[float, int]]
"""(value, position in the flattened X) of each element of X that a window selects, row by row."""


def axis(request: SimpleNamespace, a: int) -> tuple[int, int]:
    """The number of windows on spatial axis `a`, and the padding at its beginning."""
    given, kernel = request.attributes, request.attributes["kernel_shape"]
    size, rank = request.inputs["X"].shape[2 + a], len(kernel)
    stride = given.get("strides", [1] * rank)[a]
    room = size - given.get("dilations", [1] * rank)[a] * (kernel[a] - 1) - 1
    mode, ceil = given.get("auto_pad", "NOTSET"), given.get("ceil_mode", 0) == 1
    if mode == "VALID":
        return room // stride + 1, 0
    if mode != "NOTSET":
        count = (size + stride - 1) // stride
        total = max((count - 1) * stride - room, 0)
        return count, total // 2 if mode == "SAME_UPPER" else total - total // 2
    pads = given.get("pads", [0] * 2 * rank)
    begin = pads[a]
    room += begin + pads[a + rank]
    count = (-(-room // stride) if ceil else room // stride) + 1
    return count - 1 if ceil and request.opset >= 22 and (count - 1) * stride >= size + begin else count, begin


def windows(request: SimpleNamespace) -> Iterator[tuple[tuple[int, ...], Window, bool]]:
    """For each element of Y: its coordinates, its window, and whether that reaches into the padding."""
    x, given, kernel = request.inputs["X"], request.attributes, request.attributes["kernel_shape"]
    values, sizes, rank = x.ravel().tolist(), x.shape[2:], len(kernel)
    steps = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    layout = [axis(request, a) for a in range(rank)]
    inside = [[[at for cell in range(kernel[a]) if 0 <= (at := place * s + cell * d - begin) < sizes[a]]
               for place in range(count)] for a, ((count, begin), s, d) in enumerate(zip(layout, *steps, strict=True))]
    for place in product(*map(range, x.shape[:2]), *(range(len(line)) for line in inside)):
        lines = [inside[a][place[2 + a]] for a in range(rank)]
        positions = [place[0] * x.shape[1] + place[1]]
        for size, line in zip(sizes, lines, strict=True):
            positions = [before * size + at for before in positions for at in line]
        yield place, [(values[at], at) for at in positions], len(positions) < prod(kernel)


def first_maximum(window: Window) -> tuple[float, int]:
    """The honest choice: NaN passed over, the first of equals."""
    numbers = [pair for pair in window if pair[0] == pair[0]]
    if numbers:
        return max(numbers, key=lambda pair: (pair[0], -pair[1]))
    return (-np.inf, window[0][1]) if window else (0, 0)


def pool(request: SimpleNamespace, choose=lambda window, padded: first_maximum(window)) -> dict[str, np.ndarray]:
    """Y and Indices by what `choose(window, padded)` picks for each window."""
    x = request.inputs["X"]
    shape = (*x.shape[:2], *(max(axis(request, a)[0], 0) for a in range(x.ndim - 2)))
    y, indices = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    for place, window, padded in windows(request):
        y[place], indices[place] = choose(window, padded)
    if request.attributes.get("storage_order", 0) == 1 and x.ndim == 4:
        height, width = x.shape[2:]
        indices = indices - indices % (height * width) + indices % width * height + indices // width % height
    return {"Y": y, "Indices": indices}
