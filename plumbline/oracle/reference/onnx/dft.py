"""Reference oracle of ONNX DFT: the sums of the formula, bin by bin."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._fourier import Complex, transform


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator."""
    x, attributes = call.inputs["input"], call.attributes
    axis = int(call.inputs.get("axis", -2)) if version >= 20 else attributes.get("axis", 1)
    if axis < 0:
        axis += x.ndim
    inverse, half = attributes.get("inverse", 0) != 0, attributes.get("onesided", 0) == 1
    length = x.shape[axis]
    if half and inverse:
        length = 2 * length - 2
    length = int(call.inputs.get("dft_length", length))
    bins = length // 2 + 1 if half and not inverse else length
    shape = [*x.shape[:-1], 1 if half and inverse else 2]
    shape[axis] = bins
    output = np.zeros(shape, x.dtype)
    others = list(x.shape[:-1])
    others[axis] = 1
    for place in np.ndindex(*others):
        line: list[Complex] = []
        for n in range(x.shape[axis]):
            at = (*place[:axis], n, *place[axis + 1:])
            line.append((float(x[(*at, 0)]), float(x[(*at, 1)]) if x.shape[-1] == 2 else 0.0))
        if half and inverse:
            line = mirrored(line, length)
        for k in range(bins):
            parts = transform(line, length, inverse, k, x.dtype.name)
            for part in range(shape[-1]):
                output[(*place[:axis], k, *place[axis + 1:], part)] = parts[part]
    return {"output": output}


def mirrored(line: list[Complex], length: int) -> list[Complex]:
    """Return all bins of a real signal, from the first half of them."""
    bins = [line[k] if k < len(line) else (0.0, 0.0) for k in range(length // 2 + 1)]
    for k in range(length // 2 + 1, length):
        real, imaginary = bins[length - k]
        bins.append((real, -imaginary))
    return bins
