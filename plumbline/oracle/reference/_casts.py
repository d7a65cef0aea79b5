"""Convert exact numbers to other types, by the definition of the formats."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

DATA_TYPES = ("", "FLOAT", "UINT8", "INT8", "UINT16", "INT16", "INT32", "INT64", "STRING", "BOOL", "FLOAT16", "DOUBLE",
              "UINT32", "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16", "FLOAT8_E4M3FN", "FLOAT8_E4M3FNUZ",
              "FLOAT8_E5M2", "FLOAT8_E5M2FNUZ", "UINT4", "INT4", "FLOAT4_E2M1FN", "FLOAT8_E8M0FNU", "UINT2", "INT2")
"""The enumeration TensorProto.DataType of onnx.proto, as numpy and ml_dtypes spell the narrow types."""

FORMATS = {"float64": (53, -1022, Fraction((1 << 53) - 1) * 2**971),
           "float32": (24, -126, Fraction((1 << 24) - 1) * 2**104),
           "float16": (11, -14, Fraction(65504)), "bfloat16": (8, -126, Fraction(255) * 2**120),
           "float8_e4m3fn": (4, -6, Fraction(448)), "float8_e4m3fnuz": (4, -7, Fraction(240)),
           "float8_e5m2": (3, -14, Fraction(57344)), "float8_e5m2fnuz": (3, -15, Fraction(57344)),
           "float4_e2m1fn": (2, 0, Fraction(6))}
"""Digits of the significand, the exponent of the smallest normal number, and the largest number."""


def converted(x: np.ndarray, dtype: np.dtype, version: int, saturate: bool = True, mode: str = "up") -> np.ndarray:
    """The elements of a tensor in another type; where the text leaves an element open, one choice."""
    y = np.zeros(x.shape, dtype=dtype)
    is_whole = x.dtype.name.startswith(("int", "uint", "bool"))
    for place in np.ndindex(*x.shape):
        number: Any = int(x[place]) if is_whole else float(x[place])
        y[place] = _number(number, dtype.name, version, saturate, mode)
    return y


def _number(x: Any, name: str, version: int, saturate: bool, mode: str) -> Any:
    if name == "bool":
        return x != 0
    if name.startswith(("int", "uint")):
        return _integer(x, name)
    if name == "float8_e8m0fnu":
        return _power(x, saturate, mode)
    return nearest_float(x, name, version, saturate)


def _integer(x: Any, name: str) -> int:
    bits = int(name.removeprefix("u").removeprefix("int"))
    lowest = -(1 << (bits - 1)) if name.startswith("i") else 0
    if isinstance(x, int):
        return (x - lowest) % (1 << bits) + lowest
    return math.trunc(x) if math.isfinite(x) and lowest <= x < lowest + (1 << bits) - 0.5 else 0


def nearest_float(x: Any, name: str, version: int, saturate: bool) -> float:
    """Return a number or special float rounded to the type `name`; `version` is Cast's, `saturate` its attribute."""
    digits, lowest, largest = FORMATS[name]
    sign = math.copysign(1, x)
    is_float8 = name.startswith("float8")
    if isinstance(x, float) and math.isnan(x):
        return 0.0 if name.startswith("float4") else math.nan
    if isinstance(x, float) and math.isinf(x):
        if name.endswith("uz") and version < 24:
            return math.nan
        size = largest + 1
    else:
        size = abs(Fraction(x))
        exponent = max(lowest, size.numerator.bit_length() - size.denominator.bit_length() - 1)
        while size >= Fraction(2) ** (exponent + 1):
            exponent += 1
        unit = Fraction(2) ** (exponent - digits + 1)
        size = round(size / unit) * unit  # a half goes to the even neighbour
    if size > largest:
        if is_float8 and not saturate:
            return sign * math.inf if name == "float8_e5m2" else math.nan
        return sign * (float(largest) if is_float8 or name.startswith("float4") else math.inf)
    return 0.0 if size == 0 and name.endswith("uz") else sign * float(size)


def _power(x: Any, saturate: bool, mode: str) -> float:
    if isinstance(x, float) and math.isnan(x):
        return math.nan
    smallest, largest = Fraction(1, 2**127), Fraction(2**127)
    size = 2 * largest if math.isinf(x) and x > 0 else Fraction(x) if math.isfinite(x) else Fraction(-1)
    if size > largest or size < smallest:
        return float(largest if size > largest else smallest) if saturate else math.nan
    power = smallest
    while 2 * power <= size:
        power *= 2
    up = {"up": size > power, "down": False, "nearest": size >= power * Fraction(3, 2)}[mode]
    return float(2 * power if up else power)
