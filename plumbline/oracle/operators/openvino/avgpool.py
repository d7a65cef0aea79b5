"""Judge and generate calls of OpenVINO AvgPool, by `spec/openvino/avgpool.md`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plumbline.oracle.families.means import DIVISOR, MeanWindows
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.operators.openvino.common import OpenVinoWindowed, choice
from plumbline.oracle.response import is_float


class AvgPool(MeanWindows, OpenVinoWindowed):
    """A call of AvgPool under one version of its specification."""

    clauses = {"auto_pad.F1": "mean_with_automatic_padding", "Y.F1": "mean_otherwise",
               "Y.U2": "nothing_selected", "Y.U3": "not_finite", "Y.U6": "overflow", "Y.U7": "integers"}
    own_attributes = ("count_include_pad",)
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0)}

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes, with whether padding counts."""
        found = super().attributes_of(choose, version, mode, axes)
        return {**found, "count_include_pad": choose((0, 1))}

    def native_attributes(self) -> dict[str, Any]:
        """The attributes in OpenVINO's words."""
        include = self.attributes.get("count_include_pad", 0)
        exclude = {0: True, 1: False}.get(include) if type(include) is int else None
        return {**super().native_attributes(), "exclude-pad": exclude}

    @property
    def dilations(self) -> tuple[int, ...]:
        """The operation has none; a call may say that they are 1."""
        return (1,) * max(self.rank, 0)

    @property
    def include_padding(self) -> bool:
        """True if padding cells count in the divisor."""
        return not self.said["exclude-pad"]

    exclude_pad = choice("exclude-pad.C1", "exclude-pad", (True, False))

    @unspecified("X.U2", refusal=True)
    def other_types(self) -> Unspecified | None:
        return None if is_float(self.x.dtype) else Unspecified.refusal()

    @unspecified("exclude-pad.U1")
    def beyond_the_padding(self) -> Unspecified | None:
        return self.either_divisor(self.rounding != "floor")

    @on_elements("exclude-pad.F1", "Y", DIVISOR)
    def divisor(self, got: np.ndarray) -> np.ndarray:
        return self.other_divisor(got)

    @evidence("Y.E1")
    @staticmethod
    def parenthesis() -> str:
        size, pads, kernel, stride, printed = 32, 2, 5, 3, 10
        formula, rules = size + pads - kernel / stride + 1, (size + pads - kernel) // stride + 1
        assert formula != int(formula) and rules == printed
        return f"in = {size}, pads {pads} together, k = {kernel}, s = {stride}: the formula gives {formula:.4}, the " \
               f"shape rules {rules}, and the layer example prints {printed}"

    @evidence("Y.E3")
    @staticmethod
    def one_term_too_many() -> str:
        n = 4
        mean_of_ones = sum(1 for _ in range(0, n + 1)) / n
        assert mean_of_ones != 1
        return f"the formula gives {mean_of_ones} as the mean of {n} cells of 1, or of {n + 1}"
