"""Reference oracles of ONNX Softmax, LogSoftmax and Hardmax: in decimals with digits to spare, rounded once."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._places import Place, places
from plumbline.oracle.reference._rounding import nearest


def softmax(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return powers over their sums."""
    return _by_lines(call, version, lambda x, total: fraction(context().divide(exponential(x), total)))


def logsoftmax(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the distances from the largest element less the logarithms of the sums of their powers."""
    return _by_lines(call, version, lambda x, total: fraction(x) - fraction(context().ln(total)), -math.inf)


def hardmax(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return 1 for the first maximum of each line; NaN for a line with NaN."""
    def one(values: list[float]) -> list[float]:
        if any(map(math.isnan, values)):
            return [math.nan] * len(values)
        return [float(index == values.index(max(values))) for index in range(len(values))]
    return _of_lines(call, version, one)


def _by_lines(call: Call, version: int, value: Callable[[Decimal, Decimal], Fraction], of_infinity: float = 0.0
              ) -> dict[str, np.ndarray]:
    """Return Y: `value` of the distance below the largest element and of the sum of powers; `of_infinity` for -inf."""
    name = call.inputs["X"].dtype.name
    return _of_lines(call, version, lambda values: _line(values, name, value, of_infinity))


def _of_lines(call: Call, version: int, computed: Callable[[list[float]], list[float]]) -> dict[str, np.ndarray]:
    """Return Y, by a function of the elements of a line."""
    x = call.inputs["X"]
    axis = call.attributes.get("axis", -1 if version >= 13 else 1)
    if axis < 0:
        axis += x.ndim
    lines: dict[Place, list[Place]] = {}
    for place in places(x.shape):
        line = place[:axis] + place[axis + 1:] if version >= 13 else place[:axis]
        lines.setdefault(line, []).append(place)
    y = np.empty(x.shape, dtype=x.dtype)
    for members in lines.values():
        numbers = [float(x[place]) for place in members]
        for place, result in zip(members, computed(numbers), strict=True):
            y[place] = result
    return {"Y": y}


def _line(values: list[float], dtype: str, value: Callable[[Decimal, Decimal], Fraction], of_infinity: float
          ) -> list[float]:
    highest = max(values)
    if any(map(math.isnan, values)) or math.isinf(highest):
        return [math.nan] * len(values)
    digits, total = context(), Decimal(0)
    distances = [None if x == -math.inf else digits.subtract(Decimal(x), Decimal(highest)) for x in values]
    for distance in distances:
        total = total if distance is None else digits.add(total, exponential(distance))
    return [of_infinity if distance is None else nearest(value(distance, total), dtype) for distance in distances]
