"""Check an attribute: each function returns why it is wrong, or None."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.call import Call

LARGEST = 2**63 - 1
"""Of an ONNX attribute."""


def one_of(call: Call, name: str, default: Any, allowed: tuple[Any, ...]) -> str | None:
    """The attribute (its default where absent) is one of the values allowed, and of their type."""
    value = call.attributes.get(name, default)
    if type(value) in {type(choice) for choice in allowed} and value in allowed:
        return None
    return f"{name} is {value!r}, not {' or '.join(map(str, allowed))}"


def at_least(call: Call, name: str, values: tuple[int, ...] | None, lowest: int) -> str | None:
    """Check that an attribute's `values` (None if they are not integers) are at least `lowest`."""
    if values is None:
        return f"{name} is {call.attributes.get(name)!r}, not a list of integers"
    if any(value > LARGEST for value in values):
        return f"{name} is {list(values)}: beyond 64 bits"
    return None if all(value >= lowest for value in values) else f"{name} is {list(values)}: below {lowest}"


def integer(call: Call, name: str) -> str | None:
    """The attribute, where it is given, is an integer of 64 bits."""
    value = call.attributes.get(name, 0)
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        return f"{name} is {value!r}, not an integer"
    return None if -LARGEST - 1 <= value <= LARGEST else f"{name} is {value}: beyond 64 bits"


def length(name: str, values: tuple[int, ...] | None, wanted: int, what: str) -> str | None:
    """`values` (None is another clause's concern) are as many as wanted; `what` ends in the thing counted."""
    return None if values is None or len(values) == wanted else f"{name} has {len(values)} elements, {what} {wanted}"
