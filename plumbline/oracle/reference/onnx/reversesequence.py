"""Reference oracle of ONNX ReverseSequence: the time of each element counted down where the sequence has it."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output of a valid call in a version of the operator."""
    x, lengths = call.inputs["input"], call.inputs["sequence_lens"]
    batch, time = call.attributes.get("batch_axis", 1), call.attributes.get("time_axis", 0)
    y = np.empty(x.shape, x.dtype)
    for place in places(x.shape):
        source, length = list(place), int(lengths[place[batch]])
        if place[time] < length:
            source[time] = length - place[time] - 1
        y[place] = x[tuple(source)]
    return {"Y": y}
