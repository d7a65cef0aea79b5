"""Reference oracle of ONNX Dropout: a copy; in training each element scaled, as where nothing is dropped."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference.exact import FORMATS, number, product, rounded


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator."""
    data, mode = call.inputs["data"], call.inputs.get("training_mode")
    mask = np.ones(data.shape, data.dtype if version < 10 else np.dtype(bool))
    output = data.copy()
    if version >= 12 and mode is not None and mode.item() and data.dtype.name in FORMATS:
        ratio = Fraction(float(call.inputs["ratio"])) if "ratio" in call.inputs else Fraction(1, 2)
        for place in places(data.shape):
            if ratio:
                output[place] = rounded(product(number(data[place]), 1 / (1 - ratio)), data.dtype)
    return {"output": output, "mask": mask}
