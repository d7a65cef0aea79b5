"""Reference oracle of ONNX BatchNormalization: an element at a time, in exact fractions.

What is left undefined (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._standardised import element_of, epsilon_of, moments_of


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of the shape and type of X."""
    x, attributes = call.inputs["X"], call.attributes
    per_element = version == 7 and attributes.get("spatial", 1) == 0
    statistics = [call.inputs[name] for name in call.inputs if name.endswith(("mean", "var"))]
    y, of_channel = np.empty(x.shape, x.dtype), dict[int, list[float]]()
    for place in places(x.shape):
        of_channel.setdefault(place[1] if x.ndim > 1 else 0, []).append(float(x[place]))
    for place in places(x.shape):
        channel = place[1] if x.ndim > 1 else 0
        at = place[1:] if per_element else (channel,)
        if attributes.get("training_mode", 0):
            found = moments_of(of_channel[channel])
        else:
            mean, variance = (float(tensor[at]) for tensor in statistics)
            found = (Fraction(mean), Fraction(variance)) if math.isfinite(mean) and math.isfinite(variance) else None
        y[place] = element_of(x[place], found, epsilon_of(call), call.inputs["scale"][at], call.inputs["B"][at])
    return {"Y": y}
