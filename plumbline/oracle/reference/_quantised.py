"""Look up the scale and zero point of an element by its index, and quantise by them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import Number, number, product


def parameter(call: Call, name: str, place: tuple[int, ...]) -> Any:
    """Return the scale or zero point (`name`) of the element of x at a place; 0 if not given."""
    if name not in call.inputs:
        return 0
    tensor = call.inputs[name]
    if tensor.size == 1:
        return tensor.reshape(-1)[0]
    axis, block = call.attributes.get("axis", 1), call.attributes.get("block_size", 0)
    axis = axis if axis >= 0 else len(place) + axis
    if block and tensor.ndim == len(place):
        return tensor[(*place[:axis], place[axis] // block, *place[axis + 1:])]
    return tensor[place[axis] if len(place) > 1 else place[0]]


def requantised(call: Call, total: int, scales: Sequence[Any]) -> int:
    """Return a sum times scales, over y_scale, as the integer of Y."""
    scale, point = (call.inputs[name].reshape(-1)[0] for name in ("y_scale", "y_zero_point"))
    left, right = map(number, scales)
    return integer(divided(product(product(number(total), left), right), number(scale)), int(point), point.dtype.name)


def divided(x: Number, scale: Number) -> Number:
    """The exact quotient; what IEEE 754 gives of infinities and NaN, and NaN of a scale of zero."""
    if isinstance(x, Fraction) and isinstance(scale, Fraction):
        return x / scale if scale else math.nan
    if isinstance(x, Fraction):
        return Fraction(0) if math.isinf(scale) else math.nan
    return x * (1 if scale > 0 else -1) if isinstance(scale, Fraction) and scale else math.nan


def integer(quotient: Number, zero_point: int, name: str) -> int:
    """Return the quotient, rounded to even, plus the zero point, within the range; 0 for NaN."""
    if not isinstance(quotient, Fraction) and math.isnan(quotient):
        return 0
    bits = int(name.removeprefix("u").removeprefix("int"))
    lowest = 0 if name.startswith("u") else -(1 << (bits - 1))
    highest = lowest + (1 << bits) - 1
    if not isinstance(quotient, Fraction):
        return highest if quotient > 0 else lowest
    return min(max(round(quotient) + zero_point, lowest), highest)
