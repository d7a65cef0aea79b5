"""Reduce sets of elements for the reference oracles, as Python numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def reduced(call: Call, value: Callable[[list[Any]], Any]) -> dict[str, np.ndarray]:
    """Return `reduced` of a valid call: `value` of the elements (Python numbers) of each set."""
    data = call.inputs["data"]
    axes = [int(axis) for axis in call.inputs.get("axes", call.attributes.get("axes", []))]
    axes = [axis + data.ndim if axis < 0 else axis for axis in axes]
    if not axes and call.attributes.get("noop_with_empty_axes", 0) == 0:
        axes = list(range(data.ndim))
    kept = call.attributes.get("keepdims", 1) == 1
    sets: dict[tuple[int, ...], list[Any]] = {}
    for place in places([1 if axis in axes else size for axis, size in enumerate(data.shape)]):
        sets[place] = []
    for place in places(data.shape):
        sets[tuple(0 if axis in axes else at for axis, at in enumerate(place))].append(data[place].item())
    shape = [1 if axis in axes else size for axis, size in enumerate(data.shape) if kept or axis not in axes]
    output = np.empty(shape, dtype=data.dtype)
    for place, elements in sets.items():
        at = place if kept else tuple(index for axis, index in enumerate(place) if axis not in axes)
        output[at] = value(elements)
    return {"reduced": output}
