"""SONNX Conv with its floating-point part, transcribed: the zeros of the padding are multiplied."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.sonnx.conv import convolved


def expected(call: Call) -> dict[str, np.ndarray]:
    """Y (type of X) of a call inside the domain."""
    return {"Y": convolved(call, padding=Fraction(0))}
