"""Reference oracles of ONNX's normalisations by moments: a run of elements at a time, in exact fractions.

What is left undefined (numbers that are not finite, no variance above zero) is NaN.
"""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference._standardised import element_of, epsilon_of, moments_of, root, runs


def layernormalization(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X), Mean and InvStdDev (stash_type)."""
    x, scale, bias = call.inputs["X"], call.inputs["Scale"], call.inputs.get("B", np.zeros(()))
    axis = range(x.ndim)[call.attributes.get("axis", -1)]
    stash = np.dtype(np.float32 if call.attributes.get("stash_type", 1) == 1 else ml_dtypes.bfloat16)
    epsilon, ones = epsilon_of(call), (1,) * (x.ndim - axis)
    y, means, roots = (np.empty(x.shape, x.dtype), *(np.empty((*x.shape[:axis], *ones), stash) for _ in range(2)))
    for begin, run, known in runs(x, axis):
        stored = begin + (0,) * len(ones)
        means[stored] = math.nan if known is None else nearest(known[0], stash.name)
        roots[stored] = math.nan if known is None or epsilon is None or known[1] + epsilon <= 0 else nearest(
            1 / root(known[1] + epsilon), stash.name)
        for place in run:
            y[place] = element_of(x[place], known, epsilon, scale[cell(scale.shape, place)],
                                  bias[cell(bias.shape, place)])
    return {"Y": y, "Mean": means, "InvStdDev": roots}


def rmsnormalization(call: Call, version: int) -> dict[str, np.ndarray]:
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


def groupnormalization(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of X."""
    x, scale, bias = (call.inputs[name] for name in ("X", "scale", "bias"))
    size = x.shape[1] // call.attributes["num_groups"]
    y = np.empty(x.shape, x.dtype)
    groups: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    for place in places(x.shape):
        groups.setdefault((place[0], place[1] // size), []).append(place)
    for group in groups.values():
        known = moments_of([float(x[place]) for place in group])
        for place in group:
            y[place] = element_of(x[place], known, epsilon_of(call), scale[place[1]], bias[place[1]])
    return {"Y": y}


def instancenormalization(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, of the shape and type of input."""
    x, scale, bias = (call.inputs[name] for name in ("input", "scale", "B"))
    y = np.empty(x.shape, x.dtype)
    for (_, channel), run, known in runs(x, 2):
        for place in run:
            y[place] = element_of(x[place], known, epsilon_of(call), scale[channel], bias[channel])
    return {"output": y}
