"""Reference oracle of ONNX STFT: the exact products with the window, and the sums of the formula, bin by bin."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._fourier import Complex, transform


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a call that breaks no clause.

    call:    signal is (batch, samples, 1), or 2 for complex samples; window is (frame_length,).
    version: version of the operator; all compute the same.
    output:  (batch, frames, bins, 2), real and imaginary parts, in the dtype of signal."""
    x, window = call.inputs["signal"], call.inputs.get("window")
    size, parts, step = x.shape[1], x.shape[2], int(call.inputs["frame_step"])
    length = size if window is None else window.size
    length = int(call.inputs.get("frame_length", length))
    frames = 0
    while frames * step + length <= size:
        frames += 1
    bins = length // 2 + 1 if call.attributes.get("onesided", 1) == 1 else length
    output = np.zeros((x.shape[0], frames, bins, 2), x.dtype)
    for item, frame in np.ndindex(x.shape[0], frames):
        line: list[Complex] = []
        for n in range(length):
            number = [float(x[item, frame * step + n, part]) for part in range(parts)] + [0.0] * (2 - parts)
            weight = 1.0 if window is None else float(window[n])
            line.append((_times(number[0], weight), _times(number[1], weight)))
        for k in range(bins):
            output[item, frame, k] = transform(line, length, False, k, x.dtype.name)
    return {"output": output}


def _times(number: float, weight: float) -> Fraction | float:
    if math.isfinite(number) and math.isfinite(weight):
        return Fraction(number) * Fraction(weight)
    return math.nan  # what is not finite makes the whole bin NaN
