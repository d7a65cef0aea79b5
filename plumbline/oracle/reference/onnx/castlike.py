"""Reference oracle of ONNX CastLike: each number converted by itself, exactly."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._casts import converted


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """The output, in the element type of target_type, of a call inside the domain."""
    dtype = call.inputs["target_type"].dtype
    return {"output": converted(call.inputs["input"], dtype, version, bool(call.attributes.get("saturate", 1)),
                                call.attributes.get("round_mode", "up"))}
