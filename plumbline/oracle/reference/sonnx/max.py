"""Reference oracle of SONNX Max: the elements at one place in the order that the draft gives, NaN above all."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output max, in the element type of the inputs, of a valid call."""
    inputs = [call.inputs[f"data_{number}"] for number in range(len(call.inputs))]
    rank = max(data.ndim for data in inputs)
    shapes = [(1,) * (rank - data.ndim) + data.shape for data in inputs]
    shape = tuple(max(sizes) for sizes in zip(*shapes, strict=True))
    output = np.empty(shape, dtype=inputs[0].dtype)
    for place in places(shape):
        candidates = []
        for data, sizes in zip(inputs, shapes, strict=True):
            index = [at if size == most else 0 for at, size, most in zip(place, sizes, shape, strict=True)]
            candidates.append(data.reshape(sizes)[tuple(index)].item())
        largest = candidates[0]
        for candidate in candidates[1:]:
            if _above(candidate, largest):
                largest = candidate
        output[place] = largest
    return {"max": output}


def _above(one: float, other: float) -> bool:
    """Return True if one comes above the other: NaN, inf, positive numbers, +0, -0, negative numbers, -inf."""
    if isinstance(one, int) or isinstance(other, int):
        return one > other
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and not math.isnan(other)
    if one == other == 0:
        return math.copysign(1, one) > math.copysign(1, other)
    return one > other
