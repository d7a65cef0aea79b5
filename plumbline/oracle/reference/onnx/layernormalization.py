"""Reference oracle of ONNX LayerNormalization: a run of elements at a time, in exact fractions.

What is left undefined (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import element_of, epsilon_of, root, runs


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X), Mean and InvStdDev (stash_type)."""
    x, scale, bias = call.inputs["X"], call.inputs["Scale"], call.inputs.get("B", np.zeros(()))
    axis = range(x.ndim)[call.attributes.get("axis", -1)]
    stash = np.dtype(np.float32 if call.attributes.get("stash_type", 1) == 1 else ml_dtypes.bfloat16)
    epsilon, ones = epsilon_of(call), (1,) * (x.ndim - axis)
    y, means, roots = (np.empty(x.shape, x.dtype), *(np.empty((*x.shape[:axis], *ones), stash) for _ in range(2)))
    for begin, run, found in runs(x, axis):
        stored = begin + (0,) * len(ones)
        means[stored] = math.nan if found is None else nearest(found[0], stash.name)
        roots[stored] = math.nan if found is None or epsilon is None or found[1] + epsilon <= 0 else nearest(
            1 / root(found[1] + epsilon), stash.name)
        for place in run:
            y[place] = element_of(x[place], found, epsilon, scale[cell(scale.shape, place)],
                                bias[cell(bias.shape, place)])
    return {"Y": y, "Mean": means, "InvStdDev": roots}
