"""Reference oracles of ONNX Max and Min: of the elements at one place NaN, or the first that no other is beyond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together


def max_(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the largest elements."""
    return {"max": _picked(call, max)}


def min_(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the smallest elements."""
    return {"min": _picked(call, min)}


def _picked(call: Call, extremum: Callable[[list[Any]], Any]) -> np.ndarray:
    """Return an extremum of the elements of the inputs at each place, in their type."""
    inputs = [call.inputs[f"data_{number}"] for number in range(len(call.inputs))]
    output = np.empty(together([data.shape for data in inputs]), dtype=inputs[0].dtype)
    for place in places(output.shape):
        elements = [data[cell(data.shape, place)].item() for data in inputs]
        output[place] = next((element for element in elements if element != element), extremum(elements))
    return output
