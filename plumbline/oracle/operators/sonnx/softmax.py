"""Judge and generate calls of SONNX Softmax, by `spec/sonnx/softmax.md`."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.families.axes import axis_of, axis_within
from plumbline.oracle.families.clauses import attributes_of, element_type, type_of_output
from plumbline.oracle.families.normalisation import Normalised
from plumbline.oracle.families.profile import FLOATS, last_index
from plumbline.oracle.operator import Unspecified, evidence, on_call, on_elements, unspecified


class Softmax(Normalised):
    """A call of Softmax in the profile: the axis given, and not from the back."""

    clauses = {"signature.F1": "given", "Y.C1": "shape", "Y.F3": "minus_infinity", "Y.F4": "in_range",
               "Y.F5": "not_normalised", "Y.F1": "any_other", "Y.U1": "accuracy", "Y.U3": "zeros"}
    types = dict.fromkeys(FLOATS, 1)
    default = None
    counts_back = False

    attributes_of_version = attributes_of("signature.C1", {"axis": 1})
    types_of_x = element_type("X.C2", "X", FLOATS)
    type_of_y = type_of_output("Y.C2", "Y", lambda self: self.x.dtype)
    index = evidence("X.E9")(last_index)

    @property
    def axis(self) -> int:
        """The axis, counted from the front; by ONNX's default the last."""
        axis = int(axis_of(self, -1))
        return axis + self.x.ndim if axis < 0 else axis

    @on_call("restrictions.R1")
    def not_negative(self) -> str | None:
        axis = axis_of(self)
        return None if axis is None or axis >= 0 else f"axis is {axis}"

    @on_call("restrictions.R2")
    def axis_is_set(self) -> str | None:
        return None if "axis" in self.attributes else "axis is not set"

    @on_call("axis.C2")
    def below_the_rank(self) -> str | None:
        return axis_within(self, -1, -self.x.ndim, self.x.ndim - 1)

    @on_elements("Y.F2", "Y", "not NaN in a line that holds NaN or +inf")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return self.undefined

    @unspecified("Y.U2")
    def bits(self) -> Unspecified | None:
        return Unspecified.of(self.undefined, "Y", admits=np.isnan)

    @unspecified("Y.U4")
    def nothing_but_minus_infinity(self) -> Unspecified | None:
        return Unspecified.of(self.nothing, "Y", admits=lambda got: np.isnan(got) | (got == 0))

    @evidence("Y.E1")
    @staticmethod
    def zero_or_nan() -> str:
        line = np.array([-np.inf, -np.inf])
        with np.errstate(invalid="ignore"):
            powers, shifted = np.exp(line), np.exp(line - line.max())
            quotients = powers / powers.sum()
        assert powers.sum() == 0 and np.isnan(quotients).all() and np.isnan(shifted).all()
        return (f"{line.tolist()} has powers of sum {powers.sum()} and quotients {quotients.tolist()}; "
                "the second case gives 0")

    @evidence("Y.E2")
    @staticmethod
    def sum_is_never_zero() -> str:
        lines = ([-3e38, 3e38], [-1e300, -2e300], [0.0, -math.inf], [-math.inf, -math.inf], [1e-320, 1.0])
        with np.errstate(all="ignore"):
            sums = [float(np.exp(np.array(line) - max(line)).sum()) for line in lines]
        assert all(math.isnan(total) or total >= 1 for total in sums)
        return f"lines {', '.join(map(str, lines))} have the sums {', '.join(map(str, sums))}"

    @evidence("X.E1")
    @staticmethod
    def example_without_an_axis() -> str:
        x, printed = np.array([[9.5, 35.7]]), [4.182965147e-12, 0.9999999999958]
        powers = [np.exp(x - x.max(axis, keepdims=True)) for axis in (0, 1)]
        by_axis = [power / power.sum(axis, keepdims=True) for axis, power in enumerate(powers)]
        assert np.allclose(by_axis[1], printed, rtol=1e-9) and (by_axis[0] == 1).all()
        return f"X of shape {list(x.shape)}: axis 1 gives {by_axis[1].tolist()}, axis 0 {by_axis[0].tolist()}"
