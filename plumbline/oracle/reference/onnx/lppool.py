"""Reference oracle of ONNX LpPool: exact fractions, roots of 60 digits, rounded once."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.exact import Number, number, rounded, total
from plumbline.oracle.reference.onnx.windows import window_cells

DIGITS = 60


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y of a valid call in a version of the operator.

    A window gives NaN if it selects one, else +inf for an infinity. Padding and sizes below zero count as zero."""
    x, p = call.inputs["X"], call.attributes.get("p", 2)
    p = float(np.float32(p)) if isinstance(p, float) else p  # attributes have 32 bits
    axes = [_axis(call, version, number) for number in range(x.ndim - 2)]
    y = np.empty((*x.shape[:2], *(max(out, 0) for out, _ in axes)), dtype=x.dtype)
    for place in product(*map(range, y.shape)):
        choices = []
        for axis, (_, begin) in enumerate(axes):
            cells = window_cells(call, axis, place[2 + axis] * _item(call, "strides", axis) - begin)
            fewer, others = sorted((range(x.shape[2 + axis]), cells), key=len)
            choices.append([cell for cell in fewer if cell in others])
        y[place] = rounded(_norm([number(x[(*place[:2], *cell)]) for cell in product(*choices)], p), x.dtype)
    return {"Y": y}


def _axis(call: Call, version: int, axis: int) -> tuple[int, int]:
    """Return the size of Y on a spatial axis, and the padding at its beginning."""
    x = call.inputs["X"]
    size, rank, stride = x.shape[2 + axis], x.ndim - 2, _item(call, "strides", axis)
    extent = (call.attributes["kernel_shape"][axis] - 1) * _item(call, "dilations", axis) + 1
    auto_pad = call.attributes.get("auto_pad", "NOTSET")
    if auto_pad == "VALID":
        return math.ceil(Fraction(size - extent + 1, stride)), 0
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        out = math.ceil(Fraction(size, stride))
        padding = Fraction(max((out - 1) * stride + extent - size, 0), 2)
        return out, math.floor(padding) if auto_pad == "SAME_UPPER" else math.ceil(padding)
    pads = call.attributes.get("pads", [0] * 2 * rank)
    steps = Fraction(size + pads[axis] + pads[rank + axis] - extent, stride)
    return (math.ceil(steps) if call.attributes.get("ceil_mode", 0) else math.floor(steps)) + 1, pads[axis]


def _norm(values: list[Number], p: float) -> Number:
    """The p-th root of the sum of the p-th powers of the absolute values."""
    powers = total(_power(abs(value), Fraction(p)) if isinstance(value, Fraction) else abs(value) for value in values)
    return _power(powers, 1 / Fraction(p)) if isinstance(powers, Fraction) else powers


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power, exact where the exponent is an integer."""
    if exponent.denominator == 1:
        return base ** exponent.numerator
    with localcontext(prec=DIGITS):
        quotient = Decimal(base.numerator) / Decimal(base.denominator)
        return Fraction(quotient ** (Decimal(exponent.numerator) / Decimal(exponent.denominator)))


def _item(call: Call, name: str, axis: int) -> int:
    return call.attributes[name][axis] if name in call.attributes else 1
