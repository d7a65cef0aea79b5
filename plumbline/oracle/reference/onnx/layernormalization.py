"""Reference oracle of ONNX LayerNormalization: a run of elements at a time, in fractions.

What is left undefined is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import moments, root, standardised


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X), Mean and InvStdDev (stash_type) of a valid call in a version of the operator."""
    x, scale = call.inputs["X"], call.inputs["Scale"]
    bias = call.inputs.get("B")
    axis = call.attributes.get("axis", -1)
    axis = axis + x.ndim if axis < 0 else axis
    stash = np.dtype(np.float32 if call.attributes.get("stash_type", 1) == 1 else ml_dtypes.bfloat16)
    epsilon = Fraction(float(np.float32(call.attributes.get("epsilon", 1e-5))))
    outside, ones = x.shape[:axis], (1,) * (x.ndim - axis)
    y, means, roots = np.empty(x.shape, x.dtype), np.empty((*outside, *ones), stash), np.empty((*outside, *ones), stash)
    for begin in places(outside):
        run = {begin + rest: float(x[begin + rest]) for rest in places(x.shape[axis:])}
        known = all(map(math.isfinite, run.values()))
        mean, variance = moments([Fraction(value) for value in run.values()]) if run and known else (None, None)
        stored = begin + (0,) * len(ones)
        means[stored] = math.nan if mean is None else nearest(mean, stash.name)
        roots[stored] = math.nan if variance is None or variance + epsilon <= 0 else nearest(
            1 / root(variance + epsilon), stash.name)
        for place, element in run.items():
            added = 0.0 if bias is None else float(bias[cell(bias.shape, place)])
            factors = [float(scale[cell(scale.shape, place)]), added]
            value = None if mean is None or variance is None or not all(map(math.isfinite, factors)) else standardised(
                Fraction(element), mean, variance, epsilon, *map(Fraction, factors))
            y[place] = math.nan if value is None else nearest(value, x.dtype.name)
    return {"Y": y, "Mean": means, "InvStdDev": roots}
