"""Judge and generate calls of ONNX AveragePool, by `spec/onnx/averagepool.md`."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.families.clauses import element_type, integer_attribute
from plumbline.oracle.families.means import DIVISOR, MeanWindows
from plumbline.oracle.families.window_errata import (
    size_errata,
    starts_behind_the_padding,
    strides_without_a_default,
    two_forms_are_equal,
)
from plumbline.oracle.families.window_repairs import RepairedWindows
from plumbline.oracle.families.window_sizes import AT_ENDS
from plumbline.oracle.operator import Unspecified, disputed, evidence, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import CEIL_MODE, LAST_WINDOW, POOLED, WINDOWS
from plumbline.oracle.rounding import growth

FLOATS = ("float16", "float32", "float64")


class AveragePool(MeanWindows, RepairedWindows):
    """A call of AveragePool under one version of its specification."""

    clauses = CEIL_MODE | LAST_WINDOW | WINDOWS | POOLED | {
        "auto_pad.F1": "mean_with_automatic_padding", "Y.F1": "mean_otherwise", "Y.U2": "nothing_selected",
        "Y.U3": "not_finite",
        "Y.U5": "overflow"}
    introduced = {"auto_pad": 1, "kernel_shape": 1, "pads": 1, "strides": 1, "count_include_pad": 7, "ceil_mode": 10,
                  "dilations": 19}
    at_ends = tuple(AT_ENDS)
    switches = {"count_include_pad": (0.4, 0.3, 0.3)}
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "bfloat16": (22, 0.0)}

    @property
    def include_padding(self) -> bool:
        """True if count_include_pad is set."""
        value: Any = self.attributes.get("count_include_pad", 0)
        return bool(value)

    @cached_property
    def include_beyond(self) -> bool:
        """Up to version 18 it is open (count_include_pad.U2)."""
        return self.version < 19

    count_include_pad_type = integer_attribute("count_include_pad.C1", "count_include_pad")
    types_1 = element_type("X.C2", "X", FLOATS)
    types_22 = element_type("X.C3", "X", ("bfloat16", *FLOATS))

    @unspecified("count_include_pad.U1", refusal=True)
    def other_counts(self) -> Unspecified | None:
        return self.other_values("count_include_pad")

    @unspecified("count_include_pad.U2")
    def beyond_the_padding(self) -> Unspecified | None:
        return self.either_divisor(bool(self.ceil_mode))

    @on_elements("count_include_pad.F1", "Y", "the mean with cells beyond the padded input in its divisor")
    def divisor_beyond(self, got: np.ndarray) -> np.ndarray:
        return self.counts_beyond(got)

    @on_elements("pads.F1", "Y", DIVISOR)
    def divisor(self, got: np.ndarray) -> np.ndarray:
        return self.other_divisor(got)

    size_of_same, floor_and_ceil = size_errata("auto_pad.E1", "Y.E1")

    @evidence("signature.E2")
    @staticmethod
    def four_digits() -> str:
        values = (0.8580, 0.0786, 0.2692, 0.1537)
        total = sum((Fraction(float(np.float32(value))) for value in values), Fraction(0))
        printed, bound = np.float32(0.1511), float(growth(5, np.dtype(np.float32))) * float(total) / 9
        assert float(abs(Fraction(float(printed)) - total / 9)) > bound
        return f"the mean of the first plane, padding counted, is {float(total / 9):.8f}; {printed} is printed"

    default_strides = evidence("strides.E1")(strides_without_a_default)
    two_forms = evidence("Y.E3")(two_forms_are_equal)
    behind_the_padding = evidence("Y.E4")(starts_behind_the_padding)
    fewer_windows = disputed("Y.E5")(RepairedWindows.windows_in_the_padding_left_out)
    rounded_up = disputed("Y.E6")(RepairedWindows.valid_rounded_up)

    @disputed("count_include_pad.E1")
    def every_cell_counts(self) -> Unspecified | None:
        if self.include_beyond or not (self.include_padding and self.ceil_mode and self.has_windows):
            return None
        return Unspecified({}, (self.with_windows(include_beyond=True),)) if self.means.beyond_padding.any() else None

    @evidence("Y.E2")
    @staticmethod
    def floor_for_same() -> str:
        printed, today, earlier = 3, 5 // 2, -(-5 // 2)
        assert today != printed == earlier
        return f"in = 5, s = 2, SAME_UPPER: today's text gives {today}, the earlier edition {earlier}, and the " \
               f"documented example (2d_precomputed_same_upper) prints {printed}"
