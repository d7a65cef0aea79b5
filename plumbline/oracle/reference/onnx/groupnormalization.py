"""Reference oracle of ONNX GroupNormalization: a group of channels at a time, in exact fractions.

What is left undefined (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._standardised import element_of, epsilon_of, moments_of


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of X."""
    x, scale, bias = (call.inputs[name] for name in ("X", "scale", "bias"))
    size = x.shape[1] // call.attributes["num_groups"]
    y = np.empty(x.shape, x.dtype)
    groups: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for place in places(x.shape):
        groups.setdefault((place[0], place[1] // size), []).append(place)
    for group in groups.values():
        found = moments_of([float(x[place]) for place in group])
        for place in group:
            y[place] = element_of(x[place], found, epsilon_of(call), scale[place[1]], bias[place[1]])
    return {"Y": y}
