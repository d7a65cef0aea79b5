"""Faults of values: what is lost of them on the way in or out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import ml_dtypes
import numpy as np

from tests.faults.wrapper import Facts, Spoil, Wrapper, is_float, of_input, of_outputs


def of_values(facts: Facts) -> Iterator[Wrapper]:
    """Those that inputs and outputs of such types can have."""
    of_every: dict[str, Spoil] = {"negated": _negated, "one more": lambda x: x + x.dtype.type(1), "absolute": np.abs,
                                  "without what is negative": lambda x: np.where(x < 0, x.dtype.type(0), x),
                                  "without its last place": lambda x: x - x % x.dtype.type(2), "zero": np.zeros_like}
    of_floats = {"NaN is zero": _nan_as(0), "NaN is infinite": _nan_as(np.inf), "NaN is one": _nan_as(1),
                 "a first NaN is lost": _nan_at(0), "a last NaN is lost": _nan_at(-1),
                 "a NaN at an odd place is lost": _nan_at(slice(1, None, 2)),
                 "a NaN behind eight elements is lost": _nan_at(slice(8, None)),
                 "NaN spreads to the next element": _nan_spreads, "-0 is lost": lambda x: x + x.dtype.type(0),
                 "zeros change their sign": lambda x: np.where(x == 0, -x, x),
                 "subnormals are flushed": _flushed, "infinities are the largest number": _finite,
                 "infinities are NaN": lambda x: np.where(np.isinf(x), x.dtype.type(np.nan), x),
                 "infinities are positive": lambda x: np.where(np.isinf(x), np.abs(x), x),
                 "rounded to whole numbers": np.rint, "rounded towards zero": _last_bit_cleared}
    narrower = [(wide, short) for wide, short in (
        ("float64", "float32"), ("float32", "float16"), ("float32", "bfloat16"), ("float16", "bfloat16"),
        ("bfloat16", "float16"), ("int64", "float64"), ("uint64", "float64"), ("int64", "int32"), ("int32", "float32"),
        ("uint32", "float32"), ("int32", "int16"), ("int16", "int8"), ("uint8", "int8"), ("uint16", "int16"),
        ("uint32", "int32"), ("uint64", "int64"), ("int8", "uint8"))]
    for name, types in (*facts.inputs.items(), ("", facts.outputs)):
        of = partial(of_input, name) if name else of_outputs
        where = f"{name}: " if name else "output: "
        for what, spoil in of_every.items():
            if types - {np.dtype(bool)}:
                yield of(where + what, "value", _numbers(spoil))
        for what, spoil in of_floats.items() if any(map(is_float, types)) else ():
            yield of(where + what, "special value", _floats(spoil))
        for wide, short in narrower:
            if np.dtype(getattr(ml_dtypes, wide, wide)) in types:
                yield of(f"{where}{wide} goes through {short}", "type",
                         partial(through, wide=np.dtype(getattr(ml_dtypes, wide, wide)),
                                 short=np.dtype(getattr(ml_dtypes, short, short))))
        for wide in types if name == "" else ():
            for other in ("float32", "float64", "int32", "int64", "uint8"):
                if wide.name != other:
                    yield of(f"{where}{wide.name} is given as {other}", "type of output",
                             partial(_given_as, wide=wide, other=np.dtype(other)))


def _numbers(spoil: Spoil) -> Spoil:
    return lambda array: array if array.dtype.kind in "bcSUO" else np.asarray(spoil(array)).astype(array.dtype)


def _floats(spoil: Spoil) -> Spoil:
    return lambda array: np.asarray(spoil(array)).astype(array.dtype) if is_float(array.dtype) else array


def _negated(x: np.ndarray) -> np.ndarray:
    return -x


def _nan_as(value: float) -> Spoil:
    return lambda x: np.where(x != x, x.dtype.type(value), x)


def _nan_at(place: int | slice) -> Spoil:
    def spoil(x: np.ndarray) -> np.ndarray:
        flat = x.reshape(-1).copy()
        part = flat[place] if isinstance(place, slice) or flat.size else flat
        if flat.size:
            flat[place] = np.where(part != part, x.dtype.type(0), part)
        return flat.reshape(x.shape)
    return spoil


def _nan_spreads(x: np.ndarray) -> np.ndarray:
    flat = x.reshape(-1)
    before = np.concatenate([flat[:0], flat[:1] * 0 + 0, flat[:-1]])[:flat.size] if flat.size else flat
    return np.where(before != before, x.dtype.type(np.nan), flat).reshape(x.shape)


def _smallest_normal(dtype: np.dtype) -> np.generic:
    return dtype.type(ml_dtypes.finfo(dtype).smallest_normal)


def _flushed(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < _smallest_normal(x.dtype), np.copysign(x.dtype.type(0), x), x)


def _finite(x: np.ndarray) -> np.ndarray:
    return np.where(np.isinf(x), np.copysign(x.dtype.type(ml_dtypes.finfo(x.dtype).max), x), x)


def _last_bit_cleared(x: np.ndarray) -> np.ndarray:
    """The two last bits of the significand, which is more than any one rounding."""
    kind = np.dtype(f"u{x.dtype.itemsize}")
    cleared = (np.ascontiguousarray(x).view(kind) & ~kind.type(3)).view(x.dtype).reshape(x.shape)
    return np.where(np.isfinite(x), cleared, x)


def through(array: np.ndarray, wide: np.dtype, short: np.dtype) -> np.ndarray:
    """Convert an array of one type to another and back."""
    if array.dtype != wide:
        return array
    there = array.astype(short)
    if wide.kind == "u" and short.kind == "i":  # as a signed number, which is negative above half
        return there.astype(wide) if wide.itemsize != short.itemsize else np.where(there < 0, 0, there).astype(wide)
    return there.astype(wide)


def _given_as(array: np.ndarray, wide: np.dtype, other: np.dtype) -> np.ndarray:
    return array.astype(other) if array.dtype == wide else array
