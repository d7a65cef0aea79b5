"""What outputs look like that are computed in a narrower type: symptoms of every operator.

Each is asked of the home of a call and of one broken clause whose elements are at hand: do all wrong elements look so?
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call

LONG = (np.dtype(np.int64), np.dtype(np.uint64))
LOWER = 2**32 - 1


def _single_precision(home: Any, entry: Any) -> bool:
    """Elements are what float32 gives, where the inputs are of float64."""
    other = _narrowed(home, lambda x: x.astype(np.float32) if x.dtype == np.float64 else x)
    if other is None:
        return False
    wanted, at = other.canonical[entry.output], tuple(entry.where.T)
    got = wanted.copy()
    with np.errstate(over="ignore"):
        got[at] = entry.got.astype(wanted.dtype).reshape(got[at].shape)  # of a scalar, which has no axis, one
    return bool(np.all(_same(got[at], entry.got)) and other.conforms(entry.output, got)[at].all())


def _lower_32_bits(home: Any, entry: Any) -> bool:
    """Elements are what comes out where the lower 32 bits of integers of 64 are all that is read and given, as signed
    numbers or as ones without a sign; one that is negative may be zero."""
    other = _narrowed(home, lambda x: x.astype(np.int32).astype(np.int64) if x.dtype in LONG else x)
    if other is None or entry.got.dtype.kind not in "iub":
        return False
    wanted = other.canonical[entry.output]
    if wanted.shape != home.shape_of(entry.output):
        return False
    low, got = wanted[tuple(entry.where.T)].astype(np.int32).astype(np.int64), entry.got.astype(np.int64)
    return bool(np.all((got == low) | (got == low & LOWER) | (got == np.maximum(low, 0))))


def _narrowed(home: Any, narrow: Callable[[np.ndarray], np.ndarray]) -> Any:
    """The home of the call of which the inputs are narrower; None where none is, or such a call means nothing."""
    inputs = {name: narrow(x) for name, x in home.inputs.items()}
    if all(x is home.inputs[name] for name, x in inputs.items()):
        return None
    other = type(home)(Call(home.call.operator, home.attributes, inputs, home.call.outputs), home.version)
    try:
        return other if other.canonical else None
    except (ArithmeticError, LookupError, ValueError):  # bounds and shapes that only the wide type has
        return None


def _same(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray((one == other) | ((one != one) & (other != other)))


SYMPTOMS = {"single-precision": _single_precision, "lower-32-bits": _lower_32_bits}
