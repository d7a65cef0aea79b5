"""Read attributes without trusting their types: malformed ones are None."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.call import Call

Integers = Any
"""A tuple of ints, or None where something else was given. Clauses on calls judge None, and what is computed of a call
inside the domain reads ints alone; a type that said None would have to be denied at each of these places."""


def integers(value: Any) -> Integers:
    """Return a list, tuple or vector of ints as a tuple; None for anything else (a bool is not an int)."""
    if not isinstance(value, (list, tuple)) and not (isinstance(value, np.ndarray) and value.ndim == 1):
        return None
    if not all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in value):
        return None
    return tuple(int(item) for item in value)


def spatial_rank(call: Call) -> int:
    """The number of spatial axes of X; negative when X has no batch or no channel axis."""
    return call.inputs["X"].ndim - 2


def integer_list(call: Call, name: str, default: int) -> Integers:
    """Return `strides` or `dilations`; where absent, ONNX's default `default` along each spatial axis."""
    if name not in call.attributes:
        return (default,) * max(spatial_rank(call), 0)
    return integers(call.attributes[name])


def pads(call: Call) -> Integers:
    """Return `pads`; where absent, ONNX's default zero at both ends of each spatial axis."""
    if "pads" not in call.attributes:
        return (0,) * (2 * max(spatial_rank(call), 0))
    return integers(call.attributes["pads"])
