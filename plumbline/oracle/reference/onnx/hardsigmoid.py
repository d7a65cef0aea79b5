"""Reference oracle of ONNX HardSigmoid: exact, rounded once. NaN where IEEE 754 has no number."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference.exact import number, product, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    alpha, beta = (number(np.float32(call.attributes.get(name, default)))
                   for name, default in (("alpha", 0.2), ("beta", 0.5)))

    def value(x: float) -> float:
        line = total([product(alpha, number(x)), beta])
        if not isinstance(line, Fraction):
            return line if math.isnan(line) else float(line > 0)
        return nearest(max(Fraction(0), min(Fraction(1), line)), call.inputs["X"].dtype.name)
    return mapped(call, value)
