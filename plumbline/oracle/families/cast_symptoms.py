"""Symptoms of operators that convert element types."""

from __future__ import annotations

from typing import Any

import numpy as np


def _by_digits_of_float32(definition: Any, entry: Any) -> bool:
    """Elements of float8e8m0 have the exponent of the number in float32, or the next as the digits behind it are
    rounded, subnormal ones too; what is not finite is NaN."""
    if entry.where is None or definition.target.name != "float8_e8m0fnu":
        return False
    with np.errstate(over="ignore"):
        bits = np.abs(definition.elements[tuple(entry.where.T)].astype(np.float32)).view(np.uint32)
    exponent, digits, half = bits >> 23, bits & 0x7FFFFF, 0x400000
    up = {"up": digits > 0, "down": digits < 0,
          "nearest": (digits > half) | (digits == half) & (exponent > 0)}[definition.round_mode]
    largest = 254 if definition.saturates else 255
    wanted = np.where(exponent == 255, 255, np.minimum(exponent + up, largest))
    return bool(np.array_equal(entry.got.view(np.uint8), wanted))


def _powers_to_nearest(definition: Any, entry: Any) -> bool:
    """Elements of float8e8m0 have the exponent of the nearest power of two, the even one of two; beyond the
    largest it is that."""
    if entry.where is None or definition.target.name != "float8_e8m0fnu":
        return False
    with np.errstate(over="ignore"):
        bits = np.abs(definition.elements[tuple(entry.where.T)].astype(np.float32)).view(np.uint32)
    exponent, digits, half = bits >> 23, bits & 0x7FFFFF, 0x400000
    middle = np.where(exponent == 0, 0x600000, half)  # between 2^-127, which is subnormal in float32, and 2^-126
    return bool(np.array_equal(entry.got.view(np.uint8), np.minimum(exponent + (digits + exponent % 2 > middle), 254)))


def _unsaturated(definition: Any, entry: Any) -> bool:
    """Elements are NaN or infinite where they should be the largest number of a float8."""
    largest = {"float8_e4m3fn": 448, "float8_e5m2": 57344}.get(entry.expected.dtype.name)
    return largest is not None and bool(np.all((np.abs(entry.expected.astype(float)) == largest)
                                               & ~np.isfinite(entry.got.astype(float))))


def _upper_half_as_false(definition: Any, entry: Any) -> bool:
    """Elements are false for integers from half of their range on, or whose lower 32 bits are 0 or 2^31."""
    x = next(iter(definition.inputs.values()))
    if entry.where is None or x.dtype.kind not in "iu":
        return False
    wrong = x[tuple(entry.where.T)]
    half = (wrong > np.iinfo(x.dtype).max // 2) & (x.dtype.kind == "u")
    return bool(np.all(~entry.got.astype(bool) & (half | (wrong.astype(np.int64) % 2**31 == 0))))


def _nan_or_tiny_as_false(definition: Any, entry: Any) -> bool:
    """Elements are false for NaN, and for numbers that float32 rounds to zero."""
    x = next(iter(definition.inputs.values()))
    if entry.where is None or x.dtype.kind in "iub" or entry.got.dtype.kind != "b":
        return False
    wrong = x[tuple(entry.where.T)]
    return bool(np.all(~entry.got & (np.isnan(wrong) | (wrong.astype(np.float32) == 0))))


def _beyond_int32(definition: Any, entry: Any) -> bool:
    """Elements are an end of int32, sign-extended, for numbers that no int32 holds."""
    x = definition.inputs.get("input")
    if not hasattr(definition, "target") or entry.where is None or x is None or entry.got.dtype.kind not in "iu":
        return False
    wrong = np.trunc(x[tuple(entry.where.T)].astype(np.float64))
    ends = np.isin(entry.got.astype(np.int64), (-2**31, 2**31 - 1))
    return bool(np.all(ends & ((wrong < -2**31) | (wrong >= 2**31))))


def saturated_integers(definition: Any, entry: Any) -> bool:
    """Elements are integers of the input, or their lower 32 bits, saturated to the type of the output."""
    x, got = definition.inputs.get("input"), entry.got
    if not hasattr(definition, "target") or entry.where is None or x is None or x.dtype.kind not in "iu" or (
            got.dtype.kind not in "iuf" or got.dtype.isbuiltin != 1):
        return False
    given = x[tuple(entry.where.T)].reshape(-1)
    info = np.iinfo(got.dtype) if got.dtype.kind in "iu" else np.finfo(got.dtype)
    whole = (given.astype(object), given.astype(np.int32).astype(object))
    return bool(np.any([np.clip(each, info.min, info.max).astype(got.dtype) == got for each in whole], axis=0).all())


SYMPTOMS = {"by-digits-of-float32": _by_digits_of_float32, "powers-to-nearest": _powers_to_nearest,
            "unsaturated": _unsaturated, "upper-half-as-false": _upper_half_as_false,
            "nan-or-tiny-as-false": _nan_or_tiny_as_false, "beyond-int32": _beyond_int32}
