"""Reference oracle of ONNX ReduceLogSum: the logarithm of the exact sum.

Decimals have digits to spare, and are rounded once.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, fraction
from plumbline.oracle.reference._reductions import reduced
from plumbline.oracle.reference.exact import number, rounded, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return reduced, in the element type of data, of a valid call in a version of the operator."""
    dtype = call.inputs["data"].dtype

    def value(elements: list[float]) -> Any:
        exact = total(map(number, elements))
        if not isinstance(exact, Fraction) or exact <= 0:
            special = -math.inf if exact == 0 else math.inf if exact > 0 else math.nan
            return 0 if dtype.kind in "iu" else dtype.type(special)
        quotient = context(40).divide(Decimal(exact.numerator), Decimal(exact.denominator))
        logarithm = fraction(context(40).ln(quotient))
        return int(logarithm) if dtype.kind in "iu" else rounded(logarithm, dtype)
    return reduced(call, value)
