"""Reference oracles of ONNX's comparisons and logic: two elements at a time. Of NaN, which texts leave open: false."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._pairs import paired

Outputs = dict[str, np.ndarray]
TRUTH = np.dtype(bool)


def and_(call: Call, version: int) -> Outputs:
    """Return where both are true."""
    return paired(call, version, TRUTH, lambda a, b: a and b)


def or_(call: Call, version: int) -> Outputs:
    """Return where one is true, or both."""
    return paired(call, version, TRUTH, lambda a, b: a or b)


def xor(call: Call, version: int) -> Outputs:
    """Return where one is true and one false."""
    return paired(call, version, TRUTH, lambda a, b: a != b)


def equal(call: Call, version: int) -> Outputs:
    """Return where both are equal."""
    return paired(call, version, TRUTH, lambda a, b: a == b)


def greater(call: Call, version: int) -> Outputs:
    """Return where A is above B."""
    return paired(call, version, TRUTH, lambda a, b: a > b)


def less(call: Call, version: int) -> Outputs:
    """Return where A is below B."""
    return paired(call, version, TRUTH, lambda a, b: a < b)


def greaterorequal(call: Call, version: int) -> Outputs:
    """Return where A is above B or equal."""
    return paired(call, version, TRUTH, lambda a, b: a >= b)


def lessorequal(call: Call, version: int) -> Outputs:
    """Return where A is below B or equal."""
    return paired(call, version, TRUTH, lambda a, b: a <= b)
