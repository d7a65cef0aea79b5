"""LeakyRelu and PRelu: negative elements times a slope, others unchanged."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.ends import Ends, of_one_operation
from plumbline.oracle.families.elementwise import a_shape, beyond, nearest
from plumbline.oracle.families.reading_symptoms import positive_zero
from plumbline.oracle.families.unary import OnnxUnary, Unary
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, on_call, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import overflown, smallest_normal

SLOPES = (0.01, 0.5, 1.0, 2.0, -0.5, 0.0, -0.0, 0.1, 3.0, 1e-40, 1e5, 3e38, float("inf"), float("-inf"), float("nan"))


def _alpha_times_zero(definition: Any, entry: Any) -> bool:
    """Elements from zero on are NaN: alpha, which is NaN, or infinite in the type of X, is multiplied by zero."""
    if entry.where is None or np.isfinite(definition.rounded_alpha):
        return False
    return bool(np.all((definition.x[tuple(entry.where.T)] >= 0) & (entry.got != entry.got)))


def subnormal_kept(definition: Any, entry: Any) -> bool:
    """Elements are subnormal numbers of X as they are."""
    if entry.where is None or not is_float(definition.x.dtype):
        return False
    x = definition.x[tuple(entry.where.T)].reshape(-1)
    return bool(np.all((entry.got == x) & (np.abs(x) < smallest_normal(x.dtype))))


class Sloped(Unary):
    """A call of LeakyRelu or PRelu."""

    turns = (0.0,)

    @cached_property
    def below(self) -> np.ndarray:
        """bool: where X is below zero."""
        return np.asarray(self.x < 0)

    @cached_property
    def defined(self) -> np.ndarray:
        """bool: where a product of finite numbers counts."""
        raise NotImplementedError

    def exact_at(self, place: tuple[int, ...]) -> Fraction:
        """The exact product of an element of X and its slope, both finite."""
        raise NotImplementedError


class OnnxSloped(Sloped, OnnxUnary):
    """Under a text of ONNX, whose version 16 has a function body."""

    @property
    def kept_zero(self) -> np.ndarray:
        """bool: the zeros that keep their sign."""
        return np.asarray((self.x == 0) & (self.version >= 16 and is_float(self.x.dtype)))

    @on_elements(UNBOUND, "Y", "not X where that is zero or above")
    def kept(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x >= 0) & ~(self.kept_zero & (got == 0)))

    @on_elements(UNBOUND, "Y", "not the zero that X is")
    def zeros_kept(self, got: np.ndarray) -> np.ndarray:
        return self.kept_zero

    @on_elements(UNBOUND, "Y", "not the infinity that the product is")
    def infinite(self, got: np.ndarray) -> np.ndarray:
        return ~self.defined

    @unspecified(UNBOUND)
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["Y"]), "Y")

    zeros = OnnxUnary.zero_is_open_until(UNBOUND, kept_since=16)

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        y = self.canonical["Y"]
        if not is_float(y.dtype):
            return None
        mask = beyond(y, self.operands, self.exact_at, self.defined)
        return Unspecified.of(mask, "Y", admits=lambda got: overflown(got, y))


class Leak(Sloped):
    """A call of LeakyRelu."""

    operator = "LeakyRelu"
    values = "any"

    @property
    def alpha(self) -> np.float32:
        """The attribute, which ONNX stores as float32; 0.01 where it is not set."""
        return np.float32(self.attributes.get("alpha", 0.01))

    @property
    def rounded_alpha(self) -> Any:
        """The attribute in the type of X."""
        with np.errstate(over="ignore"):
            return self.x.dtype.type(self.alpha)

    @cached_property
    def defined(self) -> np.ndarray:
        """bool: where the product of finite numbers counts."""
        return np.asarray(self.below & np.isfinite(self.x) & bool(np.isfinite(self.alpha)))

    def exact_at(self, place: tuple[int, ...]) -> Fraction:
        """The exact product of an element of X and alpha, both finite."""
        return Fraction(float(self.x[place])) * Fraction(float(self.alpha))

    def enclosure(self) -> dict[str, Ends]:
        """The result of one rounding, with alpha as it is, or in the type of X."""
        with np.errstate(all="ignore"):
            other = self.with_slope(self.rounded_alpha)
        return {"Y": of_one_operation(self.canonical["Y"], self.defined).joined(of_one_operation(other, self.defined))}

    def enclosure_near(self) -> dict[str, Ends]:
        """Return the enclosure with rounding everywhere."""
        ends = self.enclosure()["Y"]
        return {"Y": ends.joined(of_one_operation(self.canonical["Y"], np.ones(self.x.shape, bool)))}

    def nearest(self, got: np.ndarray, rounded: np.ndarray, slope: Any) -> np.ndarray:
        """bool: see `elementwise.nearest`; `rounded` has the products of X and a slope."""
        with np.errstate(all="ignore"):
            wide = self.x.astype(np.longdouble) * np.longdouble(float(slope))
        return nearest(got, rounded, lambda place: Fraction(float(self.x[place])) * Fraction(float(slope)),
                       self.defined & bool(np.isfinite(slope)), wide)

    def with_slope(self, slope: Any) -> np.ndarray:
        """The output for a slope of float32 or of the type of X. A product of 11 and 24 digits is exact in float64."""
        wide = np.float64 if self.x.dtype.itemsize == 2 else self.x.dtype
        product = self.x.astype(wide) * slope.astype(wide)
        return np.where(self.below, _rounded(product, self.x.dtype), self.x)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The output for alpha itself."""
        return self.with_slope(self.alpha)

    symptoms = {**Unary.symptoms, "alpha-times-zero": _alpha_times_zero,
                "subnormal-kept": subnormal_kept, "positive-zero": positive_zero}
    flag_notes = {**Unary.flag_notes,
                  "alpha-not-finite": "alpha is NaN or infinite, and times zero NaN: code that multiplies every "
                                      "element by 1 or alpha, put together from both, spoils those above zero.",
                  "alpha-above-type": "alpha is a number, and becomes infinite in the type of X. Code that multiplies "
                                      "zeros by it gives NaN for them.",
                  "alpha-minus": "alpha is negative or -0: a zero that is multiplied changes its sign."}

    def flags(self) -> dict[str, bool]:
        """Return flags about alpha."""
        alpha = self.attributes.get("alpha", 0.01)
        known = isinstance(alpha, (float, np.floating))
        with np.errstate(over="ignore"):
            above = known and is_float(self.x.dtype) and bool(np.isinf(np.float64(alpha).astype(self.x.dtype)))
        return {**super().flags(), "alpha-not-finite": known and not bool(np.isfinite(alpha)),
                "alpha-above-type": above and bool(np.isfinite(alpha)),
                "alpha-minus": known and bool(np.signbit(alpha))}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes of a call, and the shape of X."""
        return {"alpha": choose(SLOPES)}, [a_shape(choose)]

    @on_call(UNBOUND)
    def one_float(self) -> str | None:
        alpha = self.attributes.get("alpha", 0.01)
        if isinstance(alpha, (float, np.floating)):
            return None
        return f"alpha is {alpha!r}, not a float"


def _rounded(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Round float64 to nearest in a type.

    To bfloat16 it goes by float32, rounded there towards the odd one of two neighbours, so that the second rounding
    sees on which side of a tie a number lies (Boldo and Melquiond, 2008)."""
    if not is_float(dtype) or dtype.name != "bfloat16":
        return x.astype(dtype)
    single = x.astype(np.float32)
    toward = np.where(np.abs(single) > np.abs(x), np.float32(0), np.copysign(np.float32(np.inf), single))
    even = (single.view(np.uint32) & 1) == 0
    other = np.nextafter(single, toward)
    return np.where((single != x) & even & np.isfinite(single) & (x == x), other, single).astype(dtype)
