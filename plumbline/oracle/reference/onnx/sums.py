"""Reference oracle of ONNX Sum: exact sums of the elements at one place, rounded once."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import cell, places, together
from plumbline.oracle.reference.exact import number, rounded, total


def sum_(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the sums of the elements of the inputs at each place, in their type."""
    inputs = [call.inputs[f"data_{index}"] for index in range(len(call.inputs))]
    output = np.empty(together([data.shape for data in inputs]), dtype=inputs[0].dtype)
    for place in places(output.shape):
        terms = [number(data[cell(data.shape, place)].item()) for data in inputs]
        output[place] = rounded(total(terms), output.dtype)
    return {"sum": output}
