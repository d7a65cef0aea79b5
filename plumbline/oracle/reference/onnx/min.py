"""Reference oracle of ONNX Min: the elements at one place, compared one after another.

Where the text leaves a choice this gives NaN, and the first of equal zeros.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return min, in the element type of the inputs, of a valid call in a version of the operator."""
    inputs = [call.inputs[f"data_{number}"] for number in range(len(call.inputs))]
    shape = together([data.shape for data in inputs])
    output = np.empty(shape, dtype=inputs[0].dtype)
    for place in places(shape):
        found = inputs[0][cell(inputs[0].shape, place)].item()
        for data in inputs[1:]:
            other = data[cell(data.shape, place)].item()
            if found == found and (other != other or other < found):
                found = other
        output[place] = found
    return {"min": output}
