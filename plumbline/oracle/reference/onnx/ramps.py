"""Reference oracles of ONNX HardSigmoid and HardSwish: exact, rounded once. NaN where IEEE 754 has no number."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference.exact import number, product, total


def hardsigmoid(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call in a version of the operator."""
    alpha, beta = (number(np.float32(call.attributes.get(name, default)))
                   for name, default in (("alpha", 0.2), ("beta", 0.5)))

    def value(x: float) -> float:
        line = total([product(alpha, number(x)), beta])
        if not isinstance(line, Fraction):
            return line if math.isnan(line) else float(line > 0)
        return nearest(max(Fraction(0), min(Fraction(1), line)), call.inputs["X"].dtype.name)
    return mapped(call, value)


def hardswish(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call, in the element type of X, with a sixth for alpha; NaN of -infinity."""
    def value(x: float) -> float:
        if not math.isfinite(x):
            return x if x > 0 else math.nan
        line = Fraction(x) / 6 + Fraction(1, 2)
        return nearest(Fraction(x) * max(Fraction(0), min(Fraction(1), line)), call.inputs["X"].dtype.name)
    return mapped(call, value)
