"""Reference oracle of ONNX Size: the elements are counted one by one."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the number, of int64, of a valid call in a version of the operator."""
    count = 0
    for _ in places(call.inputs["data"].shape):
        count += 1
    return {"size": np.array(count, dtype=np.int64)}
