"""Judge and generate calls of ONNX Erf, by `spec/onnx/erf.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.special_functions import OfSchema, error_function
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PI, Wide


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

    @property
    def approximated(self) -> np.ndarray:
        """The mask of elements that are approximated; False for integers."""
        return super().approximated & is_float(self.x.dtype)

    @property
    def beyond(self) -> np.ndarray:
        """The mask of elements above the largest number: none, as |Erf| is at most 1."""
        return np.zeros(self.x.shape, bool)

    def value_flags(self) -> dict[str, bool]:
        """Return the flags of any function, for floating-point numbers."""
        return super().value_flags() if is_float(self.x.dtype) else {"beside-an-end": False}

    def explains(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements that some rounding explains; False for integers."""
        return super().explains(got) if is_float(self.x.dtype) else np.zeros(self.x.shape, bool)

    @unspecified("output.U4")
    def integers(self) -> Unspecified | None:
        if is_float(self.x.dtype):
            return None
        return Unspecified.of(~self.at_known, self.output, admits=lambda got: (got == 0) | (got == np.sign(self.x)))
