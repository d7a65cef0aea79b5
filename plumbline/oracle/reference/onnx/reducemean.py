"""Reference oracle of ONNX ReduceMean: the exact mean, rounded once; of integers the largest integer not above it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import number, rounded, total, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        if not elements:
            return 0
        if dtype.kind in "iu":
            return wrapped(int(sum(elements)) // len(elements), dtype)
        exact = total(map(number, elements))
        return rounded(exact / len(elements) if isinstance(exact, Fraction) else exact, dtype)
    return reduced(call, value)
