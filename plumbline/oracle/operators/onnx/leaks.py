"""Judge and generate calls of ONNX LeakyRelu and PRelu, by `spec/onnx/leakyrelu.md` and `spec/onnx/prelu.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends, of_one_operation
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import nearest, part_of, same
from plumbline.oracle.families.leaks import Leak, OnnxSloped
from plumbline.oracle.families.slope_symptoms import SYMPTOMS
from plumbline.oracle.families.unary import OnnxUnary
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import SLOPED
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import SizeClass, a_broadcast_output


def _default_in_double(definition: Any, entry: Divergence) -> bool:
    """Elements are X times the default of alpha in float64, 0.01, where it is one of float32."""
    if "alpha" in definition.attributes or entry.where is None:
        return False
    x = definition.x[tuple(entry.where.T)].reshape(-1).astype(np.float64)
    return np.array_equal(entry.got, (x * 0.01).astype(definition.x.dtype))


class LeakyRelu(Leak, OnnxSloped):
    """A call of LeakyRelu under one version of its specification."""

    clauses = {"alpha.C1": "one_float", "Y.F1": "kept", **SLOPED, "Y.F2": "any_other"}
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 16}
    symptoms = {**Leak.symptoms, "default-in-double": _default_in_double}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements equal to, or within the rounding error of, the product."""
        right = self.nearest(got, self.canonical["Y"], self.alpha)
        return np.asarray(right & ~(self.kept_zero & ~same(got, self.x)))

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes of a call, alpha set or not, and the shape of X."""
        alpha, shapes = super().form(choose, version)
        hint, _ = OnnxUnary.form(choose, version)
        return {**choose(({}, alpha), (1, 3)), **hint}, shapes

    any_other = elements_of(UNBOUND, "Y", "not the product of X and alpha")

    @unspecified("alpha.U1")
    def type_of_alpha(self) -> Unspecified | None:
        if self.rounded_alpha == self.alpha or not self.below.any() or np.isnan(self.alpha):
            return None
        with np.errstate(all="ignore"):
            other = self.with_slope(self.rounded_alpha)
        return Unspecified.of(self.below, "Y", admits=lambda got: self.nearest(got, other, self.rounded_alpha))


class PRelu(OnnxSloped):
    """A call of PRelu under one version of its specification."""

    clauses = {"Y.F2": "kept", **SLOPED, "Y.F3": "any_other"}
    names = ("X", "slope")
    symptoms = {**OnnxSloped.symptoms, **SYMPTOMS}
    flag_notes = {**OnnxSloped.flag_notes,
                  "slope-not-finite": "slope holds NaN or an infinity, and times zero they are NaN: code that "
                                      "multiplies every element spoils a zero.",
                  "by-channel": "slope has an element for each channel, on axis 1, as only the first versions have it."}

    @property
    def by_channel(self) -> bool:
        """True if slope goes along axis 1."""
        return self.version < 7 and self.x.ndim > 1 and self.inputs["slope"].shape == self.x.shape[1:2]

    @cached_property
    def operands(self) -> tuple[np.ndarray, ...]:
        """X, and slope in its shape; one that has no meaning is repeated until X is filled."""
        slope, shape = self.inputs["slope"], self.x.shape
        if self.version >= 7:
            return self.x, np.broadcast_to(slope, shape)
        if self.by_channel:
            return self.x, np.broadcast_to(slope.reshape(-1, *(1,) * (len(shape) - 2)), shape)
        return self.x, np.resize(slope, shape)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The products below zero."""
        x, slope = operands
        return np.where(self.below, x * slope, x)

    @cached_property
    def defined(self) -> np.ndarray:
        """bool: where a product of finite numbers counts."""
        return np.asarray(self.below & np.isfinite(self.x) & np.isfinite(self.operands[1]))

    def exact_at(self, place: tuple[int, ...]) -> Fraction:
        """The exact product of two finite elements."""
        x, slope = (Fraction(operand[place].item()) for operand in self.operands)
        return x * slope

    def enclosure(self) -> dict[str, Ends]:
        """Return ends of floating-point numbers, rounded by one operation."""
        return {"Y": of_one_operation(self.canonical["Y"], self.defined)} if is_float(self.x.dtype) else (
            super().enclosure())

    def enclosure_near(self) -> dict[str, Ends]:
        """Return the enclosure with rounding everywhere."""
        y = self.canonical["Y"]
        return {"Y": of_one_operation(y, np.ones(y.shape, bool))} if is_float(y.dtype) else super().enclosure()

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements equal to, or within the rounding error of, the product."""
        if not is_float(self.x.dtype):
            return super().conforms(output, got)
        right = nearest(got, self.canonical["Y"], self.exact_at, self.defined)
        return np.asarray(right & ~(self.kept_zero & ~same(got, self.x)))

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along every axis; up to version 6 where there is one slope, since others are placed by the shape of X."""
        if self.version >= 7:
            return super().slices()
        return {axis: {"X": axis} for axis in range(self.x.ndim)} if self.inputs["slope"].size == 1 else {}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element of X at a place, and the one of slope that goes with it."""
        if self.version >= 7:
            return super().receptive_field(output, where)
        slope = self.inputs["slope"]
        flat = where[1] if self.by_channel else int(np.ravel_multi_index(where, self.x.shape)) % max(slope.size, 1)
        of_slope = np.unravel_index(flat, slope.shape) if slope.size else ()
        return {"X": np.array([where], dtype=np.int64), "slope": np.array([of_slope], dtype=np.int64)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        slope = self.inputs["slope"]
        return {**super().flags(), "by-channel": self.by_channel,
                "slope-not-finite": is_float(slope.dtype) and not bool(np.isfinite(slope).all())}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The hint of version 1; the shape of X, and one of slope that is broadcast to it, or up to version 6 has one
        element, one for each channel, or no meaning."""
        hint, (whole,) = super().form(choose, version)
        if version >= 7:
            return hint, [whole, part_of(choose, whole)]
        return hint, [whole, choose(((1,), whole[1:2], (), (1, 1), whole), (4, 6, 1, 1, 1))]

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return the size classes, with a large output of a broadcast slope, with one type."""
        return (*super().size_classes(version), *((a_broadcast_output(),) if version >= 7 else ()))

    broadcastable = broadcast_to("slope.C2", "X", "slope")

    any_other = elements_of(UNBOUND, "Y", "not the product of X and slope")

    @unspecified("slope.U1", refusal=True)
    def other_slopes(self) -> Unspecified | None:
        slope = self.inputs["slope"]
        known = self.version >= 7 or slope.size == 1 or self.by_channel and self.x.shape.count(slope.size) == 1
        return None if known else Unspecified.everything("Y")

    @unspecified("Y.U4")
    def overflow_of_integers(self) -> Unspecified | None:
        if is_float(self.x.dtype):
            return None
        x, slope = (operand.astype(object) for operand in self.operands)
        return Unspecified.of(self.below & np.asarray(x * slope != self.canonical["Y"], dtype=bool), "Y")
