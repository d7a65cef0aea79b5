"""Judge and generate calls of ONNX LeakyRelu, by `spec/onnx/leakyrelu.md`."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import beyond, same
from plumbline.oracle.families.leaks import Leak
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import Choose, Unspecified, on_elements, unspecified
from plumbline.oracle.rounding import overflown


def _default_in_double(definition: Any, entry: Divergence) -> bool:
    """Elements are X times the default of alpha in float64, 0.01, where it is one of float32."""
    if "alpha" in definition.attributes or entry.where is None:
        return False
    x = definition.x[tuple(entry.where.T)].reshape(-1).astype(np.float64)
    return np.array_equal(entry.got, (x * 0.01).astype(definition.x.dtype))


class LeakyRelu(Leak, OnnxUnary):
    """A call of LeakyRelu under one version of its specification."""

    clauses = {"alpha.C1": "one_float"}
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 16}
    symptoms = {**Leak.symptoms, "default-in-double": _default_in_double}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements equal to, or within the rounding error of, the product."""
        right = self.nearest(got, self.canonical["Y"], self.alpha)
        return np.asarray(right & ~(self.kept_zero & ~same(got, self.x)))

    @property
    def kept_zero(self) -> np.ndarray:
        """bool: the zeros that keep their sign."""
        return np.asarray((self.x == 0) & (self.version >= 16))

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes of a call, alpha set or not, and the shape of X."""
        alpha, shapes = super().form(choose, version)
        hint, _ = OnnxUnary.form(choose, version)
        return {**choose(({}, alpha), (1, 3)), **hint}, shapes

    @on_elements("Y.F1", "Y", "not X where that is zero or above")
    def kept(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x >= 0) & ~(self.kept_zero & (got == 0)))

    @on_elements("Y.F5", "Y", "not the zero that X is")
    def zeros_kept(self, got: np.ndarray) -> np.ndarray:
        return self.kept_zero

    @on_elements("Y.F4", "Y", "not the infinity that the product is")
    def infinite(self, got: np.ndarray) -> np.ndarray:
        return ~self.defined

    any_other = elements_of("Y.F2", "Y", "not the product of X and alpha")

    @unspecified("alpha.U1")
    def type_of_alpha(self) -> Unspecified | None:
        if self.rounded_alpha == self.alpha or not self.below.any() or np.isnan(self.alpha):
            return None
        with np.errstate(all="ignore"):
            other = self.with_slope(self.rounded_alpha)
        return Unspecified.of(self.below, "Y", admits=lambda got: self.nearest(got, other, self.rounded_alpha))

    @unspecified("Y.U1")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["Y"]), "Y")

    zeros = OnnxUnary.zero_is_open_until("Y.U2", kept_since=16)

    @unspecified("Y.U3")
    def overflow(self) -> Unspecified | None:
        y = self.canonical["Y"]
        return Unspecified.of(beyond(y, self.exact_at, self.defined), "Y", admits=lambda got: overflown(got, y))
