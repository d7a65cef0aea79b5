"""A third MaxPool, written for the fakes alone: it shares nothing with either oracle."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace

import numpy as np

Window = list[tuple[float, int]]
"""(value, position in the flattened X) of each element of X that a window selects, row by row."""


def windows(request: SimpleNamespace) -> Iterator[tuple[tuple[int, ...], Window, bool]]:
    """For each element of Y: its coordinates, its window, and whether that reaches into the padding."""
    x, given = request.inputs["X"], request.attributes
    kernel = given["kernel_shape"]
    rank = len(kernel)
    strides, dilations = given.get("strides", [1] * rank), given.get("dilations", [1] * rank)
    pads = given.get("pads", [0] * 2 * rank)
    sizes = [(x.shape[2 + a] + pads[a] + pads[a + rank] - dilations[a] * (kernel[a] - 1) - 1) // strides[a] + 1
             for a in range(rank)]
    flat = np.arange(x.size).reshape(x.shape)
    for place in product(*map(range, x.shape[:2] + tuple(sizes))):
        window, padded = [], False
        for cell in product(*map(range, kernel)):
            at = [place[2 + a] * strides[a] + cell[a] * dilations[a] - pads[a] for a in range(rank)]
            if all(0 <= at[a] < x.shape[2 + a] for a in range(rank)):
                here = (*place[:2], *at)
                window.append((x[here].item(), int(flat[here])))
            else:
                padded = True
        yield place, window, padded


def first_maximum(window: Window) -> tuple[float, int]:
    """The honest choice: NaN passed over, the first of equals."""
    numbers = [pair for pair in window if pair[0] == pair[0]]
    return max(numbers, key=lambda pair: (pair[0], -pair[1])) if numbers else (-np.inf, window[0][1])


def pool(request: SimpleNamespace, choose=lambda window, padded: first_maximum(window)) -> dict[str, np.ndarray]:
    """Y and Indices by what `choose(window, padded)` picks for each window."""
    picked = {place: choose(window, padded) for place, window, padded in windows(request)}
    shape = tuple(size + 1 for size in max(picked)) if picked else (0,) * request.inputs["X"].ndim
    y, indices = np.empty(shape, request.inputs["X"].dtype), np.empty(shape, np.int64)
    for place, (value, index) in picked.items():
        y[place], indices[place] = value, index
    return {"Y": y, "Indices": indices}
