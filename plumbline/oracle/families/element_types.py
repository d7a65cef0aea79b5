"""Element types of operators that only move elements, and comparison of bits."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from plumbline.oracle.operator import Choose
from plumbline.oracle.size_classes import DTYPE, Named
from plumbline.oracle.type_names import STRING

FLOATS = ("float32", "float16", "float64")
INTEGERS = ("int64", "int32", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
FLOAT8 = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")

NUMBERED = ("undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16",
            "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e4m3fnuz",
            "float8_e5m2", "float8_e5m2fnuz", "uint4", "int4", "float4_e2m1fn", "float8_e8m0fnu", "uint2", "int2")
"""Element types by their number in ONNX."""

Types = Mapping[int, tuple[str, ...]]
"""By version of a text, the names of types in numpy and ml_dtypes that it admits, the plainest first; a version that is
not there has those of the one before."""


def moved(version: int, float8: int = 21) -> tuple[str, ...]:
    """Return the names of all element types of an operator that moves elements, strings among them.

    `version` is that of the operator set, and `float8` the first one in which the operator has float8 types."""
    later = {13: ("bfloat16",), float8: FLOAT8, 21: ("int4", "uint4"), 23: ("float4_e2m1fn",), 24: ("float8_e8m0fnu",),
             25: ("int2", "uint2")}
    if float8 == 21:
        later[21] = (*FLOAT8, "int4", "uint4")
    added = [name for since, names in later.items() if since <= version for name in names]
    return (*FLOATS, *INTEGERS, "bool", *COMPLEX, *added, STRING)


def types_at(types: Types, version: int) -> tuple[str, ...]:
    """Return the element types of a version."""
    return types[max(since for since in types if since <= version)]


def a_type(choose: Choose, types: tuple[str, ...], name: str = DTYPE) -> str:
    """Draw an element type, mostly one of numpy's that runtimes know; `name` is that of the choice."""
    return choose(Named(name, types), [4.0 if name in FLOATS else 1.0 if name in INTEGERS else 0.8 for name in types])


_are_one_string = np.frompyfunc(lambda one, other: isinstance(one, str) and one == other, 2, 1)


def same_bits(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """bool, in the shape of two arrays: which elements are the same bit by bit, of two types none. Of types below eight
    bits the values are compared, since the rest of their octet means nothing; of strings the characters. An object that
    is not a string, such as an array, equals none."""
    if one.dtype.hasobject or other.dtype.hasobject:
        return np.asarray(_are_one_string(one, other), bool)
    if one.dtype != other.dtype:
        return np.zeros(np.broadcast_shapes(one.shape, other.shape), bool)

    def octets(array: np.ndarray) -> np.ndarray:
        if array.dtype.kind == "V" and array.dtype.itemsize == 1:
            array = array.astype(np.float32)  # which holds the values of all of them
        return np.ascontiguousarray(array).reshape(*array.shape, 1).view(np.uint8)
    return np.asarray((octets(one) == octets(other)).all(axis=-1))
