"""Reference oracle of SONNX Softmax: powers and their sums in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._places import Place, places
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y, in the element type of X, of a valid call."""
    x = call.inputs["X"]
    axis = call.attributes["axis"]
    lines: dict[Place, list[Place]] = {}
    for place in places(x.shape):
        lines.setdefault(place[:axis] + place[axis + 1:], []).append(place)
    y = np.empty(x.shape, dtype=x.dtype)
    for members in lines.values():
        for place, value in zip(members, _line([float(x[place]) for place in members], x.dtype.name), strict=True):
            y[place] = value
    return {"Y": y}


def _line(values: list[float], dtype: str) -> list[float]:
    if any(math.isnan(value) or value == math.inf for value in values):
        return [math.nan] * len(values)
    if all(value == -math.inf for value in values):
        return [0.0] * len(values)
    digits, highest, powers = context(), Decimal(max(values)), []
    for value in values:
        powers.append(Decimal(0) if value == -math.inf else exponential(digits.subtract(Decimal(value), highest)))
    total = Decimal(0)
    for power in powers:
        total = digits.add(total, power)
    return [nearest(fraction(digits.divide(power, total)), dtype) for power in powers]
