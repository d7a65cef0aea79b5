"""Reference oracles of ONNX's ten reductions: exact numbers of a set at a time, rounded once, of integers down.

Of a set with a NaN, which the texts leave open, an extremum is NaN. Roots are cut off far behind the digits of every
type, and logarithms are decimals with digits to spare.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, fraction
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference.exact import Number, number, product, rounded, total, wrapped

DIGITS = 1200
"""Binary digits behind the point, more than any root of a subnormal number needs."""

Outputs = dict[str, np.ndarray]


def reducesum(call: Call, version: int) -> Outputs:
    """Return sums of elements."""
    return _reduced(call, lambda elements, dtype: _of_type(total(map(_exact, elements)), dtype))


def reducemean(call: Call, version: int) -> Outputs:
    """Return means; 0 of nothing."""
    return _reduced(call, lambda elements, dtype: _of_type(total(map(_exact, elements)) / max(len(elements), 1), dtype))


def reducel1(call: Call, version: int) -> Outputs:
    """Return sums of magnitudes."""
    return _reduced(call, lambda elements, dtype: _of_type(total(_exact(abs(each)) for each in elements), dtype))


def reducesumsquare(call: Call, version: int) -> Outputs:
    """Return sums of squares."""
    return _reduced(call, lambda elements, dtype: _of_type(_squares(elements), dtype))


def reducel2(call: Call, version: int) -> Outputs:
    """Return roots of sums of squares."""
    def root(squares: Number) -> Number:
        return Fraction(math.isqrt(math.floor(squares * 4**DIGITS)), 2**DIGITS) if isinstance(squares, Fraction) else \
            squares
    return _reduced(call, lambda elements, dtype: _of_type(root(_squares(elements)), dtype))


def reduceprod(call: Call, version: int) -> Outputs:
    """Return products of elements."""
    return _reduced(call, lambda elements, dtype: _of_type(reduce(product, map(_exact, elements), number(1)), dtype))


def reducemax(call: Call, version: int) -> Outputs:
    """Return the largest elements."""
    return _reduced(call, lambda elements, dtype: _picked(max, elements, _ends(dtype)[0]))


def reducemin(call: Call, version: int) -> Outputs:
    """Return the smallest elements."""
    return _reduced(call, lambda elements, dtype: _picked(min, elements, _ends(dtype)[1]))


def reducelogsum(call: Call, version: int) -> Outputs:
    """Return logarithms of sums of elements."""
    def value(elements: list[Any], dtype: np.dtype) -> Any:
        exact = total(map(_exact, elements))
        if not isinstance(exact, Fraction) or exact <= 0:
            special = -math.inf if exact == 0 else math.inf if exact > 0 else math.nan
            return 0 if dtype.kind in "iu" else dtype.type(special)
        quotient = context(40).divide(Decimal(exact.numerator), Decimal(exact.denominator))
        logarithm = fraction(context(40).ln(quotient))
        return int(logarithm) if dtype.kind in "iu" else rounded(logarithm, dtype)
    return _reduced(call, value)


def reducelogsumexp(call: Call, version: int) -> Outputs:
    """Return logarithms of sums of exponentials, of which the largest is taken out."""
    def value(elements: list[Any], dtype: np.dtype) -> Any:
        if not elements or not all(math.isfinite(element) for element in elements):
            unlike = math.nan if any(element != element for element in elements) else max(elements, default=-math.inf)
            return 0 if dtype.kind in "iu" else unlike
        digits, highest = context(60), Decimal(max(elements))
        summed = Decimal(0)
        for element in elements:
            summed = digits.add(summed, digits.exp(max(digits.subtract(Decimal(element), highest), Decimal(-12_000))))
        logarithm = fraction(digits.add(highest, digits.ln(summed)))
        if dtype.kind in "iu":
            return min(int(logarithm), int(np.iinfo(dtype).max))  # beyond it the text says nothing
        return rounded(logarithm, dtype)
    return _reduced(call, value)


def _exact(element: float) -> Number:
    return Fraction(element) if isinstance(element, int) else number(element)


def _squares(elements: list[Any]) -> Number:
    return total(product(_exact(each), _exact(each)) for each in elements)


def _of_type(value: Number, dtype: np.dtype) -> Any:
    return wrapped(math.floor(value), dtype) if dtype.kind in "iu" else rounded(value, dtype)


def _ends(dtype: np.dtype) -> tuple[Any, Any]:
    """Return what lies below and above every element."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).min, np.iinfo(dtype).max
    return (False, True) if dtype.kind == "b" else (-math.inf, math.inf)


def _picked(pick: Callable[..., Any], elements: list[Any], of_nothing: Any) -> Any:
    return math.nan if any(element != element for element in elements) else pick(elements, default=of_nothing)


def _reduced(call: Call, value: Callable[[list[Any], np.dtype], Any]) -> Outputs:
    """Return `reduced` of a valid call: `value` of the elements (Python numbers) of each set and of their type."""
    data = call.inputs["data"]
    axes = [int(axis) for axis in call.inputs.get("axes", call.attributes.get("axes", []))]
    axes = [axis + data.ndim if axis < 0 else axis for axis in axes]
    if not axes and call.attributes.get("noop_with_empty_axes", 0) == 0:
        axes = list(range(data.ndim))
    kept = call.attributes.get("keepdims", 1) == 1
    sets: dict[tuple[int, ...], list[Any]] = {}
    for place in places([1 if axis in axes else size for axis, size in enumerate(data.shape)]):
        sets[place] = []
    for place in places(data.shape):
        sets[tuple(0 if axis in axes else at for axis, at in enumerate(place))].append(data[place].item())
    shape = [1 if axis in axes else size for axis, size in enumerate(data.shape) if kept or axis not in axes]
    output = np.empty(shape, dtype=data.dtype)
    for place, elements in sets.items():
        at = place if kept else tuple(index for axis, index in enumerate(place) if axis not in axes)
        output[at] = value(elements, data.dtype)
    return {"reduced": output}
