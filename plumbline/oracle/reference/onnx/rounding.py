"""Reference oracles of ONNX Ceil, Floor and Round. A zero has the sign of X, whatever the version."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._elements import mapped

Outputs = dict[str, np.ndarray]


def ceil(call: Call, version: int) -> Outputs:
    """Return the smallest integers that are not below X."""
    return _rounded(call, math.ceil)


def floor(call: Call, version: int) -> Outputs:
    """Return the largest integers that are not above X."""
    return _rounded(call, math.floor)


def round_(call: Call, version: int) -> Outputs:
    """Return the nearest integers, of two equally near ones the even one."""
    return _rounded(call, round)


def _rounded(call: Call, function: Callable[[float], int]) -> Outputs:
    return mapped(call, lambda x: math.copysign(function(x), x) if math.isfinite(x) else x)
