"""Reference oracle of ONNX ReduceMax. Of a set with a NaN, which the text leaves open: NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._reductions import reduced


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[Any]) -> Any:
        if not elements:
            return False if dtype.kind == "b" else np.iinfo(dtype).min if dtype.kind in "iu" else -math.inf
        return math.nan if any(element != element for element in elements) else max(elements)
    return reduced(call, value)
