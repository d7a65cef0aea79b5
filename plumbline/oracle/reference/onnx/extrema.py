"""Reference oracles of ONNX Max and Min: the elements at one place, compared one after another.

Where the text leaves a choice this gives NaN, and the first of equal zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together


def max_(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the largest elements."""
    return {"max": _picked(call, lambda one, furthest: one > furthest)}


def min_(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the smallest elements."""
    return {"min": _picked(call, lambda one, furthest: one < furthest)}


def _picked(call: Call, is_further: Callable[[Any, Any], bool]) -> np.ndarray:
    """Return elements of the inputs, in their type, that no other is further out than."""
    inputs = [call.inputs[f"data_{number}"] for number in range(len(call.inputs))]
    shape = together([data.shape for data in inputs])
    output = np.empty(shape, dtype=inputs[0].dtype)
    for place in places(shape):
        furthest = inputs[0][cell(inputs[0].shape, place)].item()
        for data in inputs[1:]:
            element = data[cell(data.shape, place)].item()
            if furthest == furthest and (element != element or is_further(element, furthest)):
                furthest = element
        output[place] = furthest
    return output
