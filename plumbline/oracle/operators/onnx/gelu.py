"""ONNX Gelu: the definition of `spec/onnx/gelu.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.families.special_functions import PI, OfSchema, normal_distribution
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import Wide

APPROXIMATIONS = ("none", "tanh")


class Gelu(OfSchema):
    """A call of Gelu under one version of the text."""

    clauses = {"Y.C1": "shape", "Y.F3": "at_known_numbers", "Y.F2": "any_other", "Y.U1": "accuracy"}
    known = (0, np.inf)
    zeros = OfSchema.zero_is_open("Y.U3")

    @on_call("approximate.C2")
    def approximation(self) -> str | None:
        value = self.attribute("approximate")
        return None if value in APPROXIMATIONS else f"approximate is {value!r}"

    @cached_property
    def value_of(self) -> np.ndarray:
        """The exact values, in extended precision."""
        x = self.x.astype(Wide)
        with np.errstate(all="ignore"):
            if self.attribute("approximate") == "none":
                return np.asarray(x * normal_distribution(x))
            return np.asarray(x / (1 + np.exp(-2 * np.sqrt(2 / PI) * (x + Wide("0.044715") * x**3))))

    @property
    def least(self) -> np.ndarray:
        """Of the element, half of which is multiplied by 1 and a number that may be -1 but for its roundings."""
        return np.asarray(self.roundings * np.where(self.approximated, np.abs(self.x.astype(Wide)), 0))

    @unspecified("Y.U2")
    def no_value(self) -> Unspecified | None:
        return Unspecified.of(~(self.x.astype(Wide) > -np.inf), "Y")

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attribute, set or not, and the shape of X."""
        _, shapes = super().form(choose, version)
        return choose(({}, {"approximate": "tanh"}, {"approximate": "none"}), (3, 3, 1)), shapes
