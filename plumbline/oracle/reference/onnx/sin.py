"""Reference oracle of ONNX Sin: in decimals with digits to spare, rounded once. NaN where there is no sine."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._circular import sine
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the output, in the element type of the input, of a valid call in a version of the operator."""
    dtype = call.inputs["input"].dtype.name
    return mapped(call, lambda x: nearest(Fraction(sine(x)), dtype) if math.isfinite(x) else math.nan, "output")
