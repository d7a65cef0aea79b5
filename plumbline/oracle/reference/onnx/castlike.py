"""Reference oracle of ONNX CastLike: each number converted by itself, exactly."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import converted


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of target_type, of a valid call in a version of the operator."""
    dtype = call.inputs["target_type"].dtype
    return {"output": converted(call.inputs["input"], dtype, version, bool(call.attributes.get("saturate", 1)),
                                call.attributes.get("round_mode", "up"))}
