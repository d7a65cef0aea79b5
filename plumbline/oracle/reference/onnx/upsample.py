"""Reference oracle of ONNX Upsample: that of Resize-10, which took its place."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import resize


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Y, in the element type of X, of a call inside the domain."""
    scales = call.inputs["scales"] if version >= 9 else np.array(call.attributes["scales"], np.float32)
    mode = {"mode": call.attributes["mode"]} if "mode" in call.attributes else {}
    return resize.expected(Call("Resize", mode, {"X": call.inputs["X"], "scales": scales}), 10)
