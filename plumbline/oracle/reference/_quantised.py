"""Look up the scale or zero point of an element by its index."""

from __future__ import annotations

from typing import Any

from plumbline.oracle.call import Call


def parameter(call: Call, name: str, place: tuple[int, ...]) -> Any:
    """Return the scale or zero point (`name`) of the element of x at a place; 0 if not given."""
    if name not in call.inputs:
        return 0
    tensor = call.inputs[name]
    if tensor.size == 1:
        return tensor.reshape(-1)[0]
    axis, block = call.attributes.get("axis", 1), call.attributes.get("block_size", 0)
    axis = axis if axis >= 0 else len(place) + axis
    if block and tensor.ndim == len(place):
        return tensor[(*place[:axis], place[axis] // block, *place[axis + 1:])]
    return tensor[place[axis] if len(place) > 1 else place[0]]
