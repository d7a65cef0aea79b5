"""Reference oracle of ONNX Pow: exact powers of integers, others in decimals with digits to spare, rounded once.

Where the text leaves a choice this gives what IEEE 754 gives, and of integers the power modulo 2 to the number of bits.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._places import cell, limited, places, together
from plumbline.oracle.reference._rounding import nearest, wrapped


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return C, in the element type of A, of a valid call in a version of the operator."""
    a, b = call.inputs["A"], call.inputs["B"]
    shape = a.shape if version < 7 else together([a.shape, b.shape])
    c = np.empty(shape, dtype=a.dtype)
    for place in places(shape):
        if version >= 7:
            of_a, of_b = cell(a.shape, place), cell(b.shape, place)
        else:
            of_a, of_b = place, place
            if call.attributes.get("broadcast", 0):
                of_b = limited(a.shape, b.shape, call.attributes.get("axis"), place)
        base, exponent = _plain(a[of_a]), _plain(b[of_b])
        c[place] = _integer(base, exponent, a.dtype.name) if isinstance(base, int) else \
            _float(base, exponent, a.dtype.name)
    return {"C": c}


def _plain(element: np.generic) -> int | float:
    return int(element) if element.dtype.kind in "iu" else float(element)


def _float(base: float, exponent: int | float, dtype: str) -> float:
    special = not (math.isfinite(base) and math.isfinite(exponent))
    if special or base == 0 or exponent == 0:
        return _special(base, exponent)
    whole = exponent == math.floor(exponent)
    if base < 0 and not whole:
        return math.nan
    size = nearest(_power(abs(base), exponent), dtype)
    return -size if base < 0 and exponent % 2 == 1 else size


def _power(base: float | int, exponent: int | float) -> Fraction:
    digits = context()
    product = digits.multiply(Decimal(exponent), digits.ln(Decimal(base)))
    return fraction(exponential(product))


def _special(base: float, exponent: int | float) -> float:
    if exponent == 0 or base == 1:
        return 1.0
    if math.isnan(base) or math.isnan(exponent):
        return math.nan
    if math.isinf(exponent):
        if abs(base) == 1:
            return 1.0
        return math.inf if (abs(base) > 1) == (exponent > 0) else 0.0
    odd = exponent == math.floor(exponent) and exponent % 2 == 1
    size = 0.0 if (base == 0) == (exponent > 0) else math.inf
    return math.copysign(size, base) if odd else size


def _integer(base: int, exponent: int | float, dtype: str) -> int:
    if not math.isfinite(exponent) or base == 0 and exponent < 0:
        return 0
    if base in (0, 1, -1) or exponent == 0:
        if base == -1 and exponent != math.floor(exponent):
            return 0
        return 1 if exponent == 0 else base if exponent % 2 == 1 else abs(base)
    if exponent < 0 or base < 0 and exponent != math.floor(exponent):
        return 0
    if isinstance(exponent, int):
        return wrapped(base ** min(exponent, 64), dtype)
    size = math.floor(_power(abs(base), exponent) + Fraction(1, 10**40)) if exponent < 64 else 0
    found = -size if base < 0 and exponent % 2 == 1 else size
    return found if -2**31 <= found < 2**31 or dtype == "int64" and -2**63 <= found < 2**63 else 0
