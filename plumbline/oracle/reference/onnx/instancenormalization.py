"""Reference oracle of ONNX InstanceNormalization: a plane at a time in exact fractions; what is left open is NaN."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import moments, standardised


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of input, of a valid call in a version of the operator."""
    x, scale, bias = (call.inputs[name] for name in ("input", "scale", "B"))
    epsilon = Fraction(float(np.float32(call.attributes.get("epsilon", 1e-5))))
    y = np.empty(x.shape, x.dtype)
    for batch, channel in places(x.shape[:2]):
        of_channel = [float(scale[channel]), float(bias[channel])]
        plane = {place: float(x[batch, channel, *place]) for place in places(x.shape[2:])}
        known = all(map(math.isfinite, [*plane.values(), *of_channel]))
        mean, variance = moments([Fraction(value) for value in plane.values()]) if plane and known else (None, None)
        for place, element in plane.items():
            value = None if mean is None or variance is None else standardised(
                Fraction(element), mean, variance, epsilon, *map(Fraction, of_channel))
            y[batch, channel, *place] = math.nan if value is None else nearest(value, x.dtype.name)
    return {"output": y}
