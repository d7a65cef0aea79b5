"""Encode and decode values in messages of `stdio:COMMAND`.

They are JSON that strict parsers read without loss; docs/protocol.md defines them."""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.backends import worker
from plumbline.oracle.type_names import name_of

VERSIONS = (1, 2)
"""Versions of the protocol, oldest first."""

LARGEST_INTEGER = 1 << 53
"""Beyond it a parser with numbers of double precision alone (JavaScript's) loses digits."""

NAME = re.compile("[a-z][a-z0-9_]*")
"""The form of the name of an element type."""

NARROW = {"bool": 1, "int2": 2, "uint2": 2, "int4": 4, "uint4": 4, "float4_e2m1fn": 4}
"""Bits of the types narrower than a byte; each of their elements travels in a byte."""


class UncarriedError(ValueError):
    """A part of a call that the protocol cannot carry."""


def line(message: Mapping[str, Any]) -> bytes:
    """Return a message as a line of strict JSON. Raises ValueError for NaN and infinities."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def encode_attributes(attributes: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return attributes as JSON. Raises UncarriedError."""
    encoded = {}
    for name, value in attributes.items():
        try:
            encoded[name] = _encode_value(value) if version > 1 else value
            line(encoded)
        except (TypeError, ValueError):
            raise UncarriedError(f"the attribute {name} of {value}") from None
    return encoded


def _encode_value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_encode_value(item) for item in value]
    if isinstance(value, np.ndarray):
        return encode(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and (not math.isfinite(value) or value == 0 and math.copysign(1, value) < 0):
        return {"float": {math.inf: "Infinity", -math.inf: "-Infinity", 0: "-0.0"}.get(value, "NaN")}
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return {"int": str(value)}
    return value


def encode_inputs(arrays: Mapping[str, np.ndarray], version: int) -> dict[str, Any]:
    """Return arrays by name as JSON. Raises UncarriedError."""
    encoded = {}
    for name, array in arrays.items():
        try:
            encoded[name] = encode(array, version)
        except (TypeError, ValueError):
            raise UncarriedError(f"the input {name} of {name_of(array.dtype)}") from None
    return encoded


def encode(array: np.ndarray, version: int = VERSIONS[-1]) -> dict[str, Any]:
    """Return an array as JSON.

    Raises TypeError for one that this version cannot carry, UnicodeError for bytes that are not UTF-8."""
    if array.dtype.kind in "OSUT" and version == 1:
        raise TypeError(f"an array of {name_of(array.dtype)}")
    data: list[np.ndarray] = []
    body = worker.encode(array, data)
    if body["dtype"] == worker.STRING:
        return body
    if array.dtype.name in NARROW:  # versions of ml_dtypes differ in the other bits
        data[0] = data[0] & ((1 << NARROW[array.dtype.name]) - 1)
    return {**body, "data": base64.b64encode(data[0].tobytes()).decode()}


def decode(body: Mapping[str, Any]) -> np.ndarray:
    """Return a writable array from JSON. Raises what wrong data makes the readers raise.

    body: {"dtype": name, "shape": sizes, "data": base64 of the bytes, or a list of texts}."""
    shape, data = body["shape"], body["data"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"a shape is a list of sizes of zero or more, not {shape}")
    if body["dtype"] == worker.STRING:
        if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
            raise TypeError("the data of a tensor of strings are a list of texts")
        _check_count(len(data), shape, "texts")
        return np.array(data, object).reshape(shape)
    if not isinstance(body["dtype"], str) or not NAME.fullmatch(body["dtype"]):  # numpy has a language of types
        raise ValueError(f"no element type is called {body['dtype']!r}")
    dtype = worker.element_type(body["dtype"])
    if dtype.name != body["dtype"] or not worker.holds_numbers(dtype):
        raise ValueError(f"no element type is called {body['dtype']!r}")
    content = base64.b64decode(data, validate=True)
    if base64.b64encode(content).decode() != data:  # several texts decode to the same bytes
        raise ValueError("the data are not base64 in its canonical form")
    _check_count(len(content), [*shape, dtype.itemsize], "bytes")
    array = worker.decode({**body, "data": 0}, [np.frombuffer(bytearray(content), np.uint8)])
    _check_bits(array)
    return array


def _check_count(count: int, sizes: list[int], what: str) -> None:
    """Raise ValueError if there are not as many as the shape needs."""
    if count != math.prod(sizes):
        raise ValueError(f"the data are {count} {what}, and the shape asks for {math.prod(sizes)}")


def _check_bits(array: np.ndarray) -> None:
    """Raise ValueError if an element has more bits than its type."""
    bits = NARROW.get(array.dtype.name)
    if bits is not None and np.any(array.view(np.uint8) >> bits):
        raise ValueError(f"a byte holds more than an element of {array.dtype.name}")
