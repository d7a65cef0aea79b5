"""Judge and generate calls of SONNX Clip, by `spec/sonnx/clip.md`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type as dtype_of
from plumbline.oracle.families.clauses import (
    any_nan,
    attributes_of,
    element_type,
    elements_of,
    same_type,
    shape_of_output,
    type_of_output,
)
from plumbline.oracle.families.elementwise import a_shape, a_type
from plumbline.oracle.families.intervals import Interval, a_bound
from plumbline.oracle.families.profile import NUMBERS, last_index
from plumbline.oracle.operator import Choose, evidence, on_call, on_elements


class Clip(Interval):
    """A call of Clip."""

    clauses = {"signature.F1": "given"}
    types = dict.fromkeys(NUMBERS, 1)

    no_attribute = attributes_of("signature.C1", {})
    one_type = same_type("X.C2")
    types_of_x = element_type("X.C3", "input", NUMBERS)
    shape = shape_of_output("Y.C1", "output")
    type_of_y = type_of_output("Y.C2", "output", lambda self: self.x.dtype)
    bits = any_nan("float.Y.U1", "output")
    index = evidence("Y.E9")(last_index)

    @property
    def interval(self) -> tuple[Any, Any]:
        """L' and M'."""
        low, high = self.inputs["min"][()], self.inputs["max"][()]
        return self.end(-1, finite=False) if low != low else low, self.end(1, finite=False) if high != high else high

    def expected(self) -> dict[str, np.ndarray]:
        """Return each element limited to L' and M'; M', even for NaN, where L' is above M'."""
        low, high = self.interval
        return {"output": self.limited(low, high) if low <= high else np.full(self.x.shape, high, self.x.dtype)}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with both bounds."""
        dtype = a_type(choose, cls.types, version)
        x = choose.tensor(a_shape(choose), dtype, cls.values)
        return Call("Clip", {}, {"input": x, "min": a_bound(choose, dtype_of(dtype)),
                                 "max": a_bound(choose, dtype_of(dtype))})

    @on_call("restrictions.R1")
    def both(self) -> str | None:
        missing = [name for name in ("min", "max") if name not in self.inputs]
        return f"{' and '.join(missing)} not given" if missing else None

    @on_call("L.C1")
    def low_is_scalar(self) -> str | None:
        return _not_scalar(self.inputs, "min")

    @on_call("M.C1")
    def high_is_scalar(self) -> str | None:
        return _not_scalar(self.inputs, "max")

    @on_elements("Y.F2", "output", "not the maximum, which is below the minimum")
    def wrong_way_round(self, got: np.ndarray) -> bool:
        low, high = self.interval
        return bool(low > high)

    @on_elements("float.Y.F1", "output", "not NaN where the input is")
    def nan_stays(self, got: np.ndarray) -> np.ndarray:
        return self.nan

    @on_elements("float.Y.F2", "output", "not as without the bound that is NaN")
    def nan_bound(self, got: np.ndarray) -> bool:
        return any(bool(np.isnan(self.inputs[name])) for name in ("min", "max"))

    any_other = elements_of("Y.F1", "output", "not the element, nor the bound that it passes")

    @evidence("float.Y.E1")
    @staticmethod
    def note_on_nan() -> str:
        x, low, high = np.float64(math.nan), 1.0, -1.0
        by_cases, by_note = high, np.minimum(high, np.maximum(x, low))
        assert low > high and math.isnan(by_note) and not math.isnan(by_cases)
        return f"X NaN, L' {low}, M' {high}: the cases give {by_cases}, and min(M', max(X, L')), where NaN is " \
               f"absorbing, {by_note}"

    @evidence("float.Y.E2")
    @staticmethod
    def note_on_zeros() -> str:
        def largest(one: float, other: float) -> float:
            return max((one, other), key=lambda number: (number, math.copysign(1, number)))

        def smallest(one: float, other: float) -> float:
            return min((one, other), key=lambda number: (number, math.copysign(1, number)))

        found = []
        for x, low, high in ((-0.0, 0.0, 1.0), (0.0, -1.0, -0.0)):
            by_cases, by_note = low if x < low else high if x > high else x, smallest(high, largest(x, low))
            assert math.copysign(1, by_cases) != math.copysign(1, by_note)
            found.append(f"X {x}, L {low}, M {high}: {by_cases} by the cases, {by_note} by the formula")
        return "; ".join(found)


def _not_scalar(inputs: Any, name: str) -> str | None:
    shape = tuple(inputs[name].shape) if name in inputs else ()
    return f"{name} has shape {list(shape)}" if shape else None
