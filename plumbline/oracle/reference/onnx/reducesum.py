"""Reference oracle of ONNX ReduceSum: the exact sum, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import number, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        if dtype.kind in "iu":
            return wrapped(int(sum(elements)), dtype)
        return rounded(total(map(number, elements)), dtype)
    return reduced(call, value)
