"""What outputs look like that are computed in a narrower type, or without subnormal numbers: symptoms of every
operator.

Each is asked of the home of a call and of one broken clause whose elements are at hand: do all wrong elements look so?
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import is_normal

LONG = (np.dtype(np.int64), np.dtype(np.uint64))
LARGEST = float(np.finfo(np.float32).max)
LOWER = 2**32 - 1


def _single_precision(home: Any, entry: Any) -> bool:
    """Elements are what float32 gives, where the inputs are of float64; zero may stand for what is subnormal."""
    other = _narrowed(home, entry, _to_single(np.inf))
    return other is not None and bool(_flushing(other, entry).all())


def _saturated_single_precision(home: Any, entry: Any) -> bool:
    """Elements are what float32 gives, where the inputs are of float64, and infinite ones and those beyond float32
    become its largest number, which may stand for what is not finite as well."""
    other = _narrowed(home, entry, _to_single(LARGEST))
    if other is None:
        return False
    _, narrow, right = _conforming(other, entry)
    held = is_float(right.dtype) and ~np.isfinite(right) & (np.abs(narrow) == LARGEST)
    return bool((_flushing(other, entry) | held).all())


def _subnormal_inputs_as_zero(home: Any, entry: Any) -> bool:
    """Elements are what the inputs give where their subnormal numbers are zero."""
    other = _narrowed(home, entry, _flushed)
    return other is not None and bool(_conforming(other, entry)[0].all())


def _flushed(x: np.ndarray) -> np.ndarray:
    if not is_float(x.dtype) or bool((is_normal(x) | ~np.isfinite(x) | (x == 0)).all()):
        return x
    return np.where(is_normal(x) | ~np.isfinite(x), x, np.copysign(0, x)).astype(x.dtype)


def _to_single(most: float) -> Callable[[np.ndarray], np.ndarray]:
    def narrow(x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.clip(x, -most, most).astype(np.float32) if x.dtype == np.float64 else x
    return narrow


def _conforming(other: Any, entry: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """bool (n,): which wrong elements another call may give; these in the type of its output, and what it gives."""
    wanted, at = other.canonical[entry.output], tuple(entry.where.T)
    found, right = wanted.copy(), wanted[at].reshape(-1)  # a scalar is taken without places: one element
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = entry.got.astype(wanted.dtype)
    found[at] = narrow.reshape(found[at].shape)
    conforming = other.conforms(entry.output, found)[at].reshape(-1)
    return ((narrow == entry.got) | (narrow != narrow)) & conforming, narrow, right


def _flushing(other: Any, entry: Any) -> np.ndarray:
    """bool (n,): which wrong elements another call may give, or are zero where it gives what is subnormal."""
    found, narrow, right = _conforming(other, entry)
    if is_float(right.dtype):
        found |= np.isfinite(right) & ~is_normal(right) & (narrow == 0)
    return found


def _lower_32_bits(home: Any, entry: Any) -> bool:
    """Elements are what comes out where the lower 32 bits of integers of 64 are all that is read and given, as signed
    numbers or as ones without a sign; one that is negative may be zero."""
    others = filter(None, (_narrowed(home, entry, _to_lower_bits(reading)) for reading in READINGS))
    return entry.got.dtype.kind in "iub" and any(_gives(other, entry) for other in others)


READINGS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda signed: signed, lambda signed: signed & LOWER, lambda signed: np.maximum(signed, 0))
"""What the lower 32 bits are taken for."""


def _to_lower_bits(reading: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: reading(x.astype(np.int32).astype(np.int64)) if x.dtype in LONG else x


def _gives(other: Any, entry: Any) -> bool:
    """Whether wrong elements are the lower 32 bits of what another call gives."""
    wanted, at = other.canonical[entry.output], tuple(entry.where.T)
    if len(at) != wanted.ndim or any((place >= size).any() for place, size in zip(at, wanted.shape, strict=True)):
        return False
    signed, got = wanted[at].astype(np.int32).astype(np.int64), entry.got.astype(np.int64)
    return bool(np.any([got == reading(signed) for reading in READINGS], axis=0).all())


def _narrowed(home: Any, entry: Any, narrow: Callable[[np.ndarray], np.ndarray]) -> Any:
    """The home of the call of which the inputs are narrower; None where none is, where such a call means nothing, or
    where it is not known which elements are wrong."""
    inputs = {name: narrow(x) for name, x in home.inputs.items()}
    if entry.where is None or all(x is home.inputs[name] for name, x in inputs.items()):
        return None
    other = type(home)(Call(home.call.operator, home.attributes, inputs, home.call.outputs), home.version)
    try:
        return other if other.canonical else None
    except (ArithmeticError, LookupError, ValueError):  # bounds and shapes that only the wide type has
        return None


SYMPTOMS = {"single-precision": _single_precision, "saturated-single-precision": _saturated_single_precision,
            "lower-32-bits": _lower_32_bits,
            "subnormal-inputs-as-zero": _subnormal_inputs_as_zero}
