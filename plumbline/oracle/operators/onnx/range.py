"""Judge and generate calls of ONNX Range, by `spec/onnx/range.md`."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.functions import body_for_fewer_calls
from plumbline.oracle.families.steps import NAMES, Steps
from plumbline.oracle.operator import Operator, Unspecified, evidence, unspecified
from plumbline.oracle.response import is_float


def by_body(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> int | None:
    """Return the number of elements by the function body, from scalars; None if its quotient is not finite.

    The body computes the quotient in float32."""
    narrow = [x.astype(np.float32) if x.dtype.itemsize == 2 and is_float(x.dtype) else x
              for x in (start[None], limit[None], delta[None])]
    with np.errstate(all="ignore"):
        quotient = np.ceil((narrow[1] - narrow[0]).astype(np.float32) / narrow[2].astype(np.float32))
    return max(int(quotient[0]), 0) if np.isfinite(quotient[0]) else None


def _sums_rounded(definition: Any, entry: Any) -> bool:
    """Elements are each the one before plus delta, rounded to the type."""
    if entry.where is None:
        return False
    steps = np.full(definition.canonical[entry.output].shape, definition.inputs["delta"])
    steps[0] = definition.inputs["start"]
    return bool(np.all(entry.got.reshape(-1) == np.add.accumulate(steps)[tuple(entry.where.T)]))


def numbers_of_float32(definition: Operator, entry: Divergence) -> bool:
    """Elements are float32 numbers, off by some roundings to it of the largest number."""
    assert isinstance(entry.got, np.ndarray) and isinstance(entry.expected, np.ndarray)  # it is about elements
    if entry.got.dtype != np.float64:
        return False
    whole = np.abs(definition.canonical[entry.output])
    with np.errstate(all="ignore"):
        is_near = np.abs(entry.got - entry.expected) <= 2.0**-23 * whole.size * whole.max()
        return bool((is_near & (entry.got.astype(np.float32) == entry.got)).all())


def size_of_distance(definition: Operator, entry: Divergence) -> bool:
    """The size is that of as many steps in the other direction."""
    numbers = [float(definition.inputs[name].item()) for name in NAMES]
    if not np.isfinite(numbers).all():
        return False
    start, limit, delta = map(Fraction, numbers)
    return bool((limit - start) * delta < 0 and entry.got == str([ceil(abs((limit - start) / delta))]))


class Range(Steps):
    """A call of Range under one version of its specification."""

    shape_symptoms = {"size-of-distance": size_of_distance}
    symptoms = {**Steps.symptoms, **shape_symptoms, "sums-rounded": _sums_rounded,
                "numbers-of-float32": numbers_of_float32}
    clauses = {"start.C3": "start_axes", "limit.C1": "limit_axes", "delta.C2": "delta_axes", "output.C1": "shape",
               "output.F2": "value", "output.U1": "beyond_the_type", "output.U2": "other_counts",
               "output.U3": "sign_of_zero"}

    def counts_otherwise(self) -> set[int]:
        """Yield the count of the function body, where there is one."""
        body = by_body(*(self.inputs[name] for name in NAMES))
        return set() if body is None else {body}

    @unspecified("delta.U1", refusal=True)
    def no_step(self) -> Unspecified | None:
        return None if self.inputs["delta"] != 0 else Unspecified.everything("output")

    @unspecified("stash_type.U1", refusal=True)
    def other_precision(self) -> Unspecified | None:
        other = self.dtype.itemsize == 2 and is_float(self.dtype) and self.attribute("stash_type") != 1
        return Unspecified.everything("output") if other else None

    @evidence("output.E1")
    @staticmethod
    def quotient_in_float32() -> str:
        start, limit, delta = (np.array(number, np.int32) for number in (0, 2**24 + 1, 2**24))
        body, text = by_body(start, limit, delta), ceil(Fraction(int(limit - start), int(delta)))
        assert (body, text) == (1, 2)
        return f"limit {limit} and delta {delta} from 0: {text} elements by the formula, {body} by the function body"

    @evidence("output.E2")
    @staticmethod
    def additions() -> str:
        delta, added = np.float32(0.1), np.float32(0)
        for _ in range(10):
            added = np.float32(added + delta)
        product = np.float32(10 * delta)
        assert product == 1 != added
        return f"10 * 0.1 is {product} in float32; ten additions of 0.1, as in the function body, give {added}"

    without_int16 = body_for_fewer_calls("output.E3", "onnx/range@11", lambda: Call(
        "Range", {}, dict.fromkeys(NAMES, np.array(1, np.int16))))
