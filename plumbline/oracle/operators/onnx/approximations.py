"""Judge and generate calls of ONNX's functions without stated accuracy, by `spec/onnx/exp.md` and the like."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import OnnxApproximated, explained
from plumbline.oracle.families.exponentials import Exponential, HyperbolicTangent, Logarithm, Logistic
from plumbline.oracle.families.special_functions import OfSchema, error_function
from plumbline.oracle.operator import Unspecified, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import APPROXIMATED, WITH_ZEROS
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PI, PRECISION, Wide


class Exp(Exponential, OnnxApproximated):
    """A call of Exp under one version of its specification."""

    clauses = {"Y.U2": "nan"} | APPROXIMATED
    overflow = OnnxApproximated.overflow_is_open("Y.U3")
    zeros = OnnxApproximated.zero_is_open("Y.U4")


class Log(Logarithm, OnnxApproximated):
    """A call of Log under one version of its specification."""

    clauses = WITH_ZEROS

    @on_elements("Y.F5", "Y", "not NaN where X is below zero")
    def negative(self, got: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return self.x < 0


class Sigmoid(Logistic, OnnxApproximated):
    """A call of Sigmoid under one version of its specification."""

    clauses = WITH_ZEROS


class Tanh(HyperbolicTangent, OnnxApproximated):
    """A call of Tanh under one version of its specification."""

    clauses = WITH_ZEROS


def _off_by_little(definition: Any, entry: Divergence) -> bool:
    """Elements are off by at most 2**-16, however small they should be."""
    if not isinstance(entry.got, np.ndarray) or not isinstance(entry.expected, np.ndarray):
        return False
    return bool(np.all(np.abs(entry.got.astype(Wide) - entry.expected.astype(Wide)) <= 2.0**-16))


class Softplus(OfSchema):
    """A call of Softplus under one version of its specification."""

    symptoms = {**OfSchema.symptoms, "off-by-little": _off_by_little}

    clauses = {"Y.F3": "at_known_numbers", "Y.F4": "in_range", "Y.F2": "any_other",
               "Y.U1": "accuracy", "Y.U2": "nan"}
    function = staticmethod(lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))
    turns = ()
    known = (-np.inf, np.inf)
    range = (0, np.inf)
    of_result, of_one = 6, 12
    flag_notes = {**OfSchema.flag_notes, "exponential-overflows": "The exponential of some element is beyond the type, "
                                                                  "though its logarithm is not."}
    zeros = OfSchema.zero_is_open("Y.U3")

    def condition(self) -> np.ndarray:
        """Return |X| s, with the slope s = 1 / (1 + e**-X)."""
        x = self.x.astype(Wide)
        return np.asarray(np.abs(x) / (1 + np.exp(-x)))

    @property
    def large(self) -> np.ndarray:
        """bool: where the exponential may overflow."""
        x, largest = self.x.astype(Wide), Wide(float(PRECISION[self.x.dtype.name][2]))
        with np.errstate(all="ignore"):
            return np.asarray(np.isfinite(x) & (np.exp(x) * (1 + self.unit * (6 + 2 * np.abs(x))) + 1 > largest))

    def _enclosed(self, computed: np.ndarray) -> dict[str, Ends]:
        """Return ends, from the logarithm of the largest number where overflow is possible."""
        (name, ends), = super()._enclosed(computed).items()
        end = np.log(Wide(float(PRECISION[self.x.dtype.name][2])))
        low = np.minimum(ends.low, end - self.unit * (9 * end + 12))
        return {name: Ends(np.where(self.large, low, ends.low), np.where(self.large, Wide(np.inf), ends.high))}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().value_flags(), "exponential-overflows": bool(self.large.any())}

    @unspecified("Y.U4")
    def overflow(self) -> Unspecified | None:
        end = np.full(self.x.shape, np.log(Wide(float(PRECISION[self.x.dtype.name][2]))))
        return Unspecified.of(self.large, "Y", admits=lambda got: self.explains(got) | (got == np.inf) | explained(
            got, end, self.x.dtype, self.unit * (8 * end + 12)))


class Erf(OfSchema):
    """A call of Erf under one version of its specification."""

    names, output = ("input",), "output"
    clauses = {"output.F3": "at_known_numbers", "output.F4": "in_range",
               "output.F2": "any_other", "output.U1": "accuracy", "output.U2": "nan"}
    function = staticmethod(error_function)
    turns = ()
    known = (-np.inf, 0, np.inf)
    range = (-1, 1)
    of_result, of_one = 32, 4
    extended_ulps = 128
    zeros = OfSchema.zero_is_open("output.U3")

    def condition(self) -> np.ndarray:
        """Return |X| times the slope."""
        x = self.x.astype(Wide)
        return np.asarray(np.abs(x) * 2 / np.sqrt(PI) * np.exp(-x * x))

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are above 1 in magnitude, NaN, or of the other sign than the input."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return np.asarray(super().outside(got) | np.where(self.x > 0, got < 0, got > 0))

    @unspecified("output.U4")
    def integers(self) -> Unspecified | None:
        if is_float(self.x.dtype):
            return None
        return Unspecified.of(~self.at_known, self.output, admits=lambda got: (got == 0) | (got == np.sign(self.x)))
