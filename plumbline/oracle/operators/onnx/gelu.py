"""ONNX Gelu: the definition of `spec/onnx/gelu.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.families.special_functions import PI, OfSchema, normal_density, normal_distribution
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import Wide

APPROXIMATIONS = ("none", "tanh")
CUBIC = Wide("0.044715")
SINGLE = Wide(2)**-24

BESIDE_MINUS_ONE = 19
"""Half of the roundings of 1 of an error function, 32 and 4, and of the sum; a hyperbolic tangent has fewer."""


class Gelu(OfSchema):
    """A call of Gelu under one version of the text."""

    clauses = {"Y.C1": "shape", "Y.F3": "at_known_numbers", "Y.F2": "any_other", "Y.U1": "accuracy"}
    known = (0, np.inf)
    of_result = 36
    zeros = OfSchema.zero_is_open("Y.U3")

    @on_call("approximate.C2")
    def approximation(self) -> str | None:
        value = self.attribute("approximate")
        return None if value in APPROXIMATIONS else f"approximate is {value!r}"

    @property
    def by_tangent(self) -> bool:
        """Whether the formula is that with the hyperbolic tangent."""
        return bool(self.attribute("approximate") == "tanh")

    @cached_property
    def value_of(self) -> np.ndarray:
        """The exact values, in extended precision."""
        x = self.x.astype(Wide)
        with np.errstate(all="ignore"):
            if not self.by_tangent:
                return np.asarray(x * normal_distribution(x))
            return np.asarray(x / (1 + np.exp(-2 * np.sqrt(2 / PI) * (x + CUBIC * x**3))))

    @property
    def of_argument(self) -> int:  # type: ignore[override]
        """Of the division by the root of 2; or of a power, the two constants, their products and the sum."""
        return 39 if self.by_tangent else 2

    def condition(self) -> np.ndarray:
        """Return |E| and X**2 times the slope of the factor of X."""
        x = self.x.astype(Wide)
        if not self.by_tangent:
            return np.asarray(np.abs(self.value_of) + x * x * normal_density(x))
        argument, slope = (np.sqrt(2 / PI) * polynomial for polynomial in (x + CUBIC * x**3, 1 + 3 * CUBIC * x * x))
        return np.asarray(np.abs(self.value_of) + x * x * slope / 2 / np.cosh(np.minimum(np.abs(argument), 5000))**2)

    @property
    def room(self) -> np.ndarray:
        """And of X, which is multiplied by half of a sum of 1 and a number that may be near -1; and of the constants
        beside the hyperbolic tangent, which the function body has in float32."""
        size = np.where(self.approximated, np.abs(self.x.astype(Wide)), 0)
        with np.errstate(all="ignore"):
            constants = 2 * SINGLE * np.where(self.approximated, self.condition(), 0) if self.by_tangent else 0
        return np.asarray(super().room + self.unit * BESIDE_MINUS_ONE * size + constants)

    @unspecified("Y.U2")
    def no_value(self) -> Unspecified | None:
        return Unspecified.of(~(self.x.astype(Wide) > -np.inf), "Y")

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attribute, set or not, and the shape of X."""
        _, shapes = super().form(choose, version)
        return choose(({}, {"approximate": "tanh"}, {"approximate": "none"}), (3, 3, 1)), shapes
