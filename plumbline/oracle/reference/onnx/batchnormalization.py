"""Reference oracle of ONNX BatchNormalization: an element at a time in exact fractions.

What is left open (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import Place, places
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import moments, standardised


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of the shape and type of X, of a valid call in a version of the operator."""
    x, attributes = call.inputs["X"], call.attributes
    per_element = version == 7 and attributes.get("spatial", 1) == 0
    statistics = [call.inputs[name] for name in call.inputs if name.endswith(("mean", "var"))]
    y = np.empty(x.shape, x.dtype)

    def channel(place: Place) -> int:
        return place[1] if x.ndim > 1 else 0

    def at(place: Place, tensor: np.ndarray) -> float:
        return float(tensor[place[1:] if per_element else channel(place)])

    of_channel: dict[int, list[float]] = {}
    for place in places(x.shape):
        of_channel.setdefault(channel(place), []).append(float(x[place]))
    for place in places(x.shape):
        numbers = [float(x[place]), at(place, call.inputs["scale"]), at(place, call.inputs["B"])]
        trains = bool(attributes.get("training_mode", 0))
        given = of_channel[channel(place)] if trains else [at(place, tensor) for tensor in statistics]
        value = None
        if all(map(math.isfinite, [*numbers, *given])):
            exact = [Fraction(number) for number in given]
            mean, variance = moments(exact) if trains else (exact[0], exact[1])
            epsilon = Fraction(float(np.float32(attributes.get("epsilon", 1e-5))))
            value = standardised(Fraction(numbers[0]), mean, variance, epsilon, *map(Fraction, numbers[1:]))
        y[place] = math.nan if value is None else nearest(value, x.dtype.name)
    return {"Y": y}
