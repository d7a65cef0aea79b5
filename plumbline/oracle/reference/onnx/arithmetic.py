"""Reference oracles of ONNX Add, Sub, Mul and Div: the exact result of two elements at a time.

Where the text leaves a choice this gives what IEEE 754 and arithmetic modulo 2**n give.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._arithmetic import computed, difference, product, quotient, total

Outputs = dict[str, np.ndarray]


def add(call: Call, version: int) -> Outputs:
    """Return sums."""
    return computed(call, total, version)


def sub(call: Call, version: int) -> Outputs:
    """Return differences."""
    return computed(call, difference, version)


def mul(call: Call, version: int) -> Outputs:
    """Return products."""
    return computed(call, product, version)


def div(call: Call, version: int) -> Outputs:
    """Return quotients, of integers without their fraction."""
    return computed(call, quotient, version)
