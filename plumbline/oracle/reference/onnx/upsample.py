"""Reference oracle of ONNX Upsample, by that of Resize-10, which replaced it."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx import resize


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    scales = call.inputs["scales"] if version >= 9 else np.array(call.attributes["scales"], np.float32)
    mode = {"mode": call.attributes["mode"]} if "mode" in call.attributes else {}
    return resize.expected(Call("Resize", mode, {"X": call.inputs["X"], "scales": scales}), 10)
