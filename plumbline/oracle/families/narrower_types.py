"""Symptoms of any operator: results of another type, version or rounding.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, is_normal

LONG = (np.dtype(np.int64), np.dtype(np.uint64))
LARGEST = float(np.finfo(np.float32).max)
MEANINGLESS = (ArithmeticError, AttributeError, LookupError, OutsideDomain, TypeError, ValueError)
SMALLEST = float(np.finfo(np.float32).smallest_normal)
LOWER = 2**32 - 1


def _single_precision(definition: Any, entry: Any) -> bool:
    """Elements are what float32 gives, where the inputs are of float64; zero may stand for what is subnormal."""
    other = _narrowed(definition, entry, _to_single(np.inf))
    return other is not None and bool(_flushing(other, entry).all())


def _saturated_single_precision(definition: Any, entry: Any) -> bool:
    """Elements are what float32 gives, where the inputs are of float64, and infinite ones and those beyond float32
    become its largest number, which may stand for what is not finite as well."""
    other = _narrowed(definition, entry, _to_single(LARGEST))
    if other is None:
        return False
    _, narrow, right = conforming_elements(other, entry)
    held = is_float(right.dtype) and ~np.isfinite(right) & (np.abs(narrow) == LARGEST)
    return bool((_flushing(other, entry) | held).all())


def _float16_as_float32(definition: Any, entry: Any) -> bool:
    """The output is float32 instead of float16; elements are what the inputs give in float32, not rounded to
    float16."""
    other = _narrowed(definition, entry, lambda x: x.astype(np.float32) if x.dtype == np.float16 else x)
    return other is not None and entry.got.dtype == np.float32 and bool(conforming_elements(other, entry)[0].all())


def _subnormal_inputs_as_zero(definition: Any, entry: Any) -> bool:
    """Elements are what the inputs, and numbers in attributes, give where subnormal ones are zero."""
    inputs = {name: _flushed(x) for name, x in definition.inputs.items()}
    tiny = {name: math.copysign(0, value) for name, value in definition.call.attributes.items()
            if isinstance(value, float) and 0 < abs(value) < SMALLEST}
    if not tiny and all(x is definition.inputs[name] for name, x in inputs.items()):
        return False
    other = _other(definition, entry, definition.version, inputs=inputs,
                   attributes={**definition.call.attributes, **tiny})
    return other is not None and bool(conforming_elements(other, entry)[0].all())


def other_call(definition: Any, entry: Any, inputs: Mapping[str, np.ndarray]) -> Any:
    """The definition of a call with other inputs; None where it means nothing."""
    return _other(definition, entry, definition.version, inputs=inputs)


def without(definition: Any, entry: Any, name: str) -> Any:
    """The definition of a call without an attribute; None where it means nothing."""
    attributes = {key: value for key, value in definition.attributes.items() if key != name}
    return _other(definition, entry, definition.version, attributes=attributes)


def gives_where(definition: Any, entry: Any, inputs: Mapping[str, np.ndarray]) -> bool:
    """Return True if a call with these inputs may give all wrong elements, and the call itself may not."""
    other = other_call(definition, entry, inputs)
    try:
        return other is not None and bool(conforming_elements(other, entry)[0].all())
    except MEANINGLESS:
        return False  # types that the operator does not take


def _infinite_inputs_as_finite(definition: Any, entry: Any) -> bool:
    """Elements are what the inputs give where infinite numbers are the ends of the finite range, but for some
    roundings. Nothing but such ends for infinite elements shows less than this."""
    if is_float(entry.got.dtype) and np.isinf(entry.expected).all() and np.all(
            np.abs(entry.got) == float(PRECISION[entry.got.dtype.name][2])):
        return False
    other = _narrowed(definition, entry, _finite)
    return other is not None and bool(_but_for_roundings(other, entry).all())


def _finite(x: np.ndarray) -> np.ndarray:
    if not is_float(x.dtype) or not np.isinf(x).any():
        return x
    most = x.dtype.type(float(PRECISION[x.dtype.name][2]))
    return np.asarray(np.clip(x, -most, most))


def _flushed(x: np.ndarray) -> np.ndarray:
    if not is_float(x.dtype) or bool((is_normal(x) | ~np.isfinite(x) | (x == 0)).all()):
        return x
    return np.where(is_normal(x) | ~np.isfinite(x), x, np.copysign(0, x)).astype(x.dtype)


def _to_single(most: float) -> Callable[[np.ndarray], np.ndarray]:
    def narrow(x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return np.clip(x, -most, most).astype(np.float32) if x.dtype == np.float64 else x
    return narrow


def conforming_elements(other: Any, entry: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a mask (n,) of wrong elements that another call may give, with both values.

    Wrong elements and those of the other call are in the type of its output."""
    wanted, at = np.asarray(other.canonical[entry.output]), tuple(entry.where.T)
    found, right = np.array(wanted), wanted[at].reshape(-1)  # a scalar is taken without places: one element
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = entry.got.astype(wanted.dtype)
    found[at] = narrow.reshape(found[at].shape)
    conforming = other.conforms(entry.output, found)
    if hasattr(other, "explains") and not hasattr(other, "sets"):  # elements of a function that no text bounds
        conforming = conforming | np.reshape(other.explains(found), wanted.shape)
    conforming = conforming[at].reshape(-1) & ~_alike(right, entry.expected.reshape(-1))
    return ((narrow == entry.got) | (narrow != narrow)) & conforming, narrow, right


def _alike(right: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return the mask (n,) of elements that another call (`right`) gives as this one (`expected`) does."""
    alike = (right == expected) | (right != right) & (expected != expected)
    return np.asarray(alike & (np.signbit(right) == np.signbit(expected)) if is_float(right.dtype) else alike)


def _flushing(other: Any, entry: Any) -> np.ndarray:
    """Return the mask (n,) of wrong elements that another call may give, or that are 0 for its subnormals."""
    found, narrow, right = conforming_elements(other, entry)
    if is_float(right.dtype):
        found |= np.isfinite(right) & ~is_normal(right) & (narrow == 0)
    return found


def _lower_32_bits(definition: Any, entry: Any) -> bool:
    """Elements are what comes out where the lower 32 bits of integers of 64 are all that is read, of every input or of
    the first alone, and given or not, as signed numbers or as ones without a sign; of uint64 one that is negative may
    be zero."""
    others = filter(None, (_narrowed(definition, entry, _to_lower_bits(reading), alone)
                           for reading in _readings(definition) for alone in (False, True)))
    return entry.got.dtype.kind in "iub" and any(_gives(other, entry) for other in others)


def _readings(definition: Any) -> tuple[Callable[[np.ndarray], np.ndarray], ...]:
    """Yield the readings of the lower 32 bits."""
    unsigned = any(x.dtype == np.uint64 for x in definition.inputs.values())
    return (lambda signed: signed, lambda signed: signed & LOWER,
            *([lambda signed: np.maximum(signed, 0)] if unsigned else []))


def _to_lower_bits(reading: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: reading(lower_bits(x)) if x.dtype in LONG else x


def lower_bits(x: np.ndarray) -> np.ndarray:
    """Return the lower 32 bits of integers, as signed numbers."""
    return x.astype(np.int32).astype(np.int64)


def _gives(other: Any, entry: Any) -> bool:
    """Return True if wrong elements are what another call gives, or its lower 32 bits."""
    wanted, at = np.asarray(other.canonical[entry.output]), tuple(entry.where.T)
    if len(at) != wanted.ndim or any((place >= size).any() for place, size in zip(at, wanted.shape, strict=True)):
        return False
    signed, got = wanted[at].astype(np.int32).astype(np.int64), entry.got.astype(np.int64)
    given = [wanted[at].astype(np.int64), *(reading(signed) for reading in _readings(other))]
    return bool(np.any([got == each for each in given], axis=0).all())


def _narrowed(definition: Any, entry: Any, narrow: Callable[[np.ndarray], np.ndarray], alone: bool = False) -> Any:
    """The definition of the call with narrower inputs, or the first `alone`; None where none is, or as `_other`."""
    inputs = {name: x if number and alone else narrow(x) for number, (name, x) in enumerate(definition.inputs.items())}
    if all(x is definition.inputs[name] for name, x in inputs.items()):
        return None
    return _other(definition, entry, definition.version, inputs=inputs)


def _other(definition: Any, entry: Any, version: int, **changed: Any) -> Any:
    """The definition of another call; None if it means nothing or has another shape, or wrong elements are unknown."""
    if entry.where is None:
        return None
    other = type(definition)(replace(definition.call, **changed), version)
    try:
        alike = other.shape_of(entry.output) == definition.shape_of(entry.output)
        return other if alike and other.canonical[entry.output].shape == definition.shape_of(entry.output) else None
    except MEANINGLESS:
        return None  # bounds or shapes that the other call alone has


def _unsigned_as_signed(definition: Any, entry: Any) -> bool:
    """Elements are what integers without a sign give that are read as signed ones of as many bits, which may be held at
    the ends of their type."""
    signed, wide = (_narrowed(definition, entry, reading) for reading in (_signed, _signed_in_64_bits))
    if signed is None or entry.got.dtype.kind not in "iub":
        return False
    place = tuple(entry.where.T)
    alike = signed.canonical[entry.output][place].reshape(-1).astype(entry.got.dtype) == entry.got
    if wide is not None and entry.got.dtype.kind == "u":
        info = np.iinfo(_signed(entry.got).dtype)
        held = np.clip(wide.canonical[entry.output][place].reshape(-1), info.min, info.max)
        alike |= held.astype(entry.got.dtype) == entry.got
    return bool(alike.all())


def _held_at_the_ends(definition: Any, entry: Any) -> bool:
    """Elements are what integers give that are held at the ends of their type, or cut to 16 bits and then held, where
    they should wrap around."""
    other = _narrowed(definition, entry, lambda x: x.astype(np.int64) if x.dtype.kind in "iu" else x)
    if other is None or entry.got.dtype.kind not in "iu":
        return False
    right, info = other.canonical[entry.output][tuple(entry.where.T)].reshape(-1), np.iinfo(entry.got.dtype)
    return right.dtype.kind in "iu" and bool(np.any([
        np.clip(wide, info.min, info.max) == entry.got for wide in (right, right.astype(np.int16))], axis=0).all())


def _in_floating_point(definition: Any, entry: Any) -> bool:
    """Elements are what integers, or the lower 32 bits of those of 64, give in float32 or float64, which may be read
    without its sign, of every input or of the first alone; what is beyond the type may be at one of its ends."""
    if entry.got.dtype.kind not in "iub":
        return False
    signed = replace(entry, got=_signed(entry.got))
    others = (_narrowed(definition, entry, _to_floats(bits, dtype), alone) for alone in (False, True)
              for bits in (_as_given, _signed, _cut) for dtype in (np.float32, np.float64))
    return any(other is not None and bool((_rounds_to(other, entry) | _rounds_to(other, signed)).all())
               for other in others)


def _to_floats(bits: Callable[[np.ndarray], np.ndarray], dtype: type) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: bits(x).astype(dtype) if x.dtype.kind in "iu" else x


def _as_given(x: np.ndarray) -> np.ndarray:
    return x


def _signed(x: np.ndarray) -> np.ndarray:
    return x.view(f"i{x.itemsize}") if x.dtype.kind == "u" else x


def _signed_in_64_bits(x: np.ndarray) -> np.ndarray:
    return _signed(x).astype(np.int64) if x.dtype.kind == "u" else x


def _cut(x: np.ndarray) -> np.ndarray:
    return x.astype(np.int32) if x.dtype in LONG else x


def _rounds_to(other: Any, entry: Any) -> np.ndarray:
    """Return which wrong integers another call gives in floating point, rounded: bool (n,).

    `other` is the definition of that call, and `entry` has the n wrong integers, numbers of its type. Beyond the range
    an end counts."""
    found = other.canonical[entry.output][tuple(entry.where.T)].reshape(-1)
    right, got = found.astype(Wide), entry.got.astype(Wide)
    rounding = 4 * float(PRECISION[found.dtype.name][0]) * np.abs(right) if is_float(found.dtype) else 0
    allowed = np.maximum(other.tolerance().get(entry.output, 0), rounding)
    with np.errstate(invalid="ignore"):
        near = (np.abs(got - np.trunc(right)) <= allowed) | (np.abs(got - right) <= allowed + 0.5)
    if entry.got.dtype.kind == "b":
        return np.asarray(near)
    near &= got.astype(found.dtype).astype(Wide) == got
    info = np.iinfo(entry.got.dtype)
    ends = np.isin(got, np.array([info.min, info.max, -2**31, 2**31 - 128, 2**31 - 1, 2**31], dtype=Wide))
    return np.asarray(near | ends & ~(np.abs(right) < min(info.max, 2**31)) | (got == info.min) & (right < info.min))


def _by_the_newest_text(definition: Any, entry: Any) -> bool:
    """Elements are what the newest version of the text gives, but for some roundings, where this one gives another."""
    other = _other(definition, entry, NEWEST)
    if other is None:
        return False
    return bool(_but_for_roundings(other, entry).all())


def _but_for_roundings(other: Any, entry: Any) -> np.ndarray:
    """Return the mask (n,) of wrong elements that another call may give, or that are some roundings off."""
    conforming, narrow, right = conforming_elements(other, entry)
    if is_float(right.dtype):
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(narrow.astype(Wide) - right.astype(Wide))
            near = off <= ROUNDINGS * float(PRECISION[right.dtype.name][0]) * np.abs(right.astype(Wide))
            conforming |= near & np.isfinite(right) & ~_alike(right, entry.expected.reshape(-1))
    return conforming


NEWEST, ROUNDINGS = 1000, 64
"""A version that no text has reached; and how many roundings what it gives may be off by."""


SYMPTOMS = {"float16-as-float32": _float16_as_float32, "single-precision": _single_precision,
            "saturated-single-precision": _saturated_single_precision,
            "lower-32-bits": _lower_32_bits, "subnormal-inputs-as-zero": _subnormal_inputs_as_zero,
            "infinite-inputs-as-finite": _infinite_inputs_as_finite,
            "unsigned-as-signed": _unsigned_as_signed, "held-at-the-ends": _held_at_the_ends,
            "in-floating-point": _in_floating_point, "by-the-newest-text": _by_the_newest_text}
