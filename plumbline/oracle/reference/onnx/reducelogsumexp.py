"""Reference oracle of ONNX ReduceLogSumExp: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, fraction
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import rounded


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        if not elements or not all(math.isfinite(element) for element in elements):
            unlike = math.nan if any(element != element for element in elements) else max(elements, default=-math.inf)
            return 0 if dtype.kind in "iu" else unlike
        digits, highest = context(60), Decimal(max(elements))
        total = Decimal(0)
        for element in elements:
            total = digits.add(total, digits.exp(max(digits.subtract(Decimal(element), highest), Decimal(-12_000))))
        logarithm = fraction(digits.add(highest, digits.ln(total)))
        if dtype.kind in "iu":
            return min(int(logarithm), int(np.iinfo(dtype).max))  # beyond it the text says nothing
        return rounded(logarithm, dtype)
    return reduced(call, value)
