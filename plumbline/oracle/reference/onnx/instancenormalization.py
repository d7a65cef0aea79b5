"""Reference oracle of ONNX InstanceNormalization: a plane at a time, in exact fractions.

What is left undefined (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._standardised import element_of, epsilon_of, runs


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of input."""
    x, scale, bias = (call.inputs[name] for name in ("input", "scale", "B"))
    y = np.empty(x.shape, x.dtype)
    for (_, channel), run, found in runs(x, 2):
        for place in run:
            y[place] = element_of(x[place], found, epsilon_of(call), scale[channel], bias[channel])
    return {"output": y}
