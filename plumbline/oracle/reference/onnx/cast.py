"""Reference oracle of ONNX Cast: each number converted by itself, exactly."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import DATA_TYPES, converted


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output of a valid call in a version of the operator."""
    to = call.attributes["to"]
    name = (to if version < 6 else DATA_TYPES[to]).lower()
    name = {"float": "float32", "double": "float64"}.get(name, name)
    return {"output": converted(call.inputs["input"], np.dtype(getattr(ml_dtypes, name, name)), version,
                                bool(call.attributes.get("saturate", 1)), call.attributes.get("round_mode", "up"))}
