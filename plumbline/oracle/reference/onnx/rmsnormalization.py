"""Reference oracle of ONNX RMSNormalization: a run of elements at a time, in exact fractions.

What is left undefined (numbers that are not finite, no mean of squares above zero) is NaN.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell
from plumbline.oracle.reference._standardised import element_of, epsilon_of, moments_of, runs


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of the shape of X and the type of scale."""
    x, scale = call.inputs["X"], call.inputs["scale"]
    y = np.empty(x.shape, scale.dtype)
    for _, run, _ in runs(x, range(x.ndim)[call.attributes.get("axis", -1)]):
        numbers = [float(x[place]) for place in run]
        about_zero = moments_of(numbers + [-number for number in numbers])
        for place in run:
            y[place] = element_of(x[place], about_zero, epsilon_of(call), scale[cell(scale.shape, place)],
                                  x.dtype.type(0), scale.dtype.name)
    return {"Y": y}
