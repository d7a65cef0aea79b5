"""Smaller calls with sliding windows that need several changes at once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import integers

LEAST = {"kernel_shape": 1, "strides": 1, "dilations": 1, "pads": 0, "output_padding": 0, "output_shape": 1}
"""Of each list with elements for spatial axes, the element that does least."""

ROOM = 4
"""Places by which an axis is shortened when an element of a list for it does less."""


def without_axis(call: Call) -> Iterator[Call]:
    """Yield the call without one spatial axis, at its first and last plane.

    Lists lose the axis's element, and inputs of as many axes as X lose the axis too."""
    x = call.inputs["X"]
    rank = x.ndim - 2
    for axis in range(rank if rank > 1 else 0):
        attributes = {name: [item for at, item in enumerate(value) if at % rank != axis]
                      if name in LEAST and integers(value) else value for name, value in call.attributes.items()}
        for place in (0, -1):
            if 0 in x.shape:
                continue
            inputs = {name: array.take(place, 2 + axis) if array.ndim == x.ndim and array.shape[2 + axis] else array
                      for name, array in call.inputs.items()}
            yield Call(call.operator, attributes, inputs, call.outputs)


def with_shorter_axis(call: Call) -> Iterator[Call]:
    """Yield calls with an element of a list less by one, and its axis shorter: a stride often needs all of it."""
    x = call.inputs["X"]
    for name in ("kernel_shape", "strides", "dilations"):
        values = integers(call.attributes.get(name)) or ()
        for place, value in enumerate(values if len(values) == x.ndim - 2 else ()):
            size = x.shape[2 + place]
            for kept in range(max(size - ROOM, 1), size) if value > LEAST[name] else ():
                changed = [*values[:place], value - 1, *values[place + 1:]]
                yield Call(call.operator, {**call.attributes, name: changed},
                           {**call.inputs, "X": np.take(x, range(kept), 2 + place)}, call.outputs)
