"""Reference oracle of ONNX ReduceProd: the exact product, rounded once."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import number, product, rounded, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        if dtype.kind in "iu":
            return wrapped(reduce(lambda left, right: left * int(right), elements, 1), dtype)
        return rounded(reduce(product, map(number, elements), number(1)), dtype)
    return reduced(call, value)
