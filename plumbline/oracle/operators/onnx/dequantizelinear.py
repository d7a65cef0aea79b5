"""Judge and generate calls of ONNX DequantizeLinear, by `spec/onnx/dequantizelinear.md`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.quantisation import (
    NUMBERS,
    OTHER_TYPE,
    SINGLE,
    SMALL_INTEGERS,
    TYPE_OF,
    Quantisation,
    rounded,
)
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import PRECISION, growth, overflown, ulps

OUTPUTS = ("float32", "float16", "bfloat16")


class DequantizeLinear(Quantisation):
    """A call of DequantizeLinear under one version of its specification."""

    clauses = {"x_scale.C1": "scalar_scale", "axis.C1": "axis_domain", "x_scale.C2": "granularity",
               "block_size.C1": "block_size_domain", "x_zero_point.C1": "one_shape", "x_scale.U1": "vectors",
               "x_zero_point.U1": "single_zero_point"}
    scale_name, zero_point_name = "x_scale", "x_zero_point"
    exact = False
    by_tensor_of_vectors = (19,)
    flag_notes = {**Quantisation.flag_notes, **OTHER_TYPE}

    type_of_y = type_of_output("y.C2", "y", lambda self: self.dtype)
    value = elements_of("y.F1", "y", "not the product of the difference and the scale")

    @property
    def dtype(self) -> np.dtype:
        """The element type of y."""
        number = self.attribute("output_dtype")
        return element_type(TYPE_OF[number]) if number else self.scale.dtype

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        number = self.attribute("output_dtype")
        return {**super().flags(), "other-output-type": bool(number) and TYPE_OF.get(number) != self.scale.dtype.name}

    @on_call("output_dtype.C1")
    def types_of_y(self) -> str | None:
        number = self.attribute("output_dtype") or NUMBERS[self.scale.dtype.name]
        return None if TYPE_OF.get(number) in OUTPUTS else f"y would be {TYPE_OF.get(number, number)}"

    @on_call("x_zero_point.C2")
    def no_zero_point(self) -> str | None:
        if self.x.dtype != np.int32 or self.zero_point is None or not self.zero_point.any():
            return None
        return "x is int32, and x_zero_point is not zero"

    @cached_property
    def wide(self) -> type[np.floating]:
        """The type of exact numbers: one of 53 digits where 17 of a difference are multiplied by 24."""
        is_short = self.x.dtype.name in SMALL_INTEGERS and self.scale.dtype.name in SINGLE
        return np.float64 if is_short else super().wide

    @cached_property
    def difference(self) -> np.ndarray:
        """The exact difference."""
        return np.asarray(self.values - self.zero_points)

    @cached_property
    def product(self) -> np.ndarray:
        """The exact product: at most 33 bits by 24."""
        return np.asarray(self.difference * self.scales)

    @cached_property
    def converted(self) -> tuple[np.ndarray, np.ndarray]:
        """Difference and scale, rounded to the type of y."""
        return (rounded(self.difference, self.dtype).astype(self.wide),
                rounded(self.scales, self.dtype).astype(self.wide))

    @cached_property
    def bound(self) -> np.ndarray:
        """The largest distance of a conforming number from the exact product."""
        difference, scale = self.converted
        one, eta = self.wide(growth(1, self.dtype)), self.wide(float(PRECISION[self.dtype.name][1]))
        of_product = one * np.abs(self.product) + np.where(self.product != 0, eta / 2, 0)
        if (difference == self.difference).all() and (scale == self.scales).all():
            return np.asarray(of_product)
        off, scale_off = np.abs(difference - self.difference), np.abs(scale - self.scales)
        before = off * np.abs(self.scales) + scale_off * np.abs(self.difference) + off * scale_off
        return np.asarray(of_product + (1 + one) * before)

    def expected(self) -> dict[str, np.ndarray]:
        """The exact product, rounded once."""
        with np.errstate(all="ignore"):
            return {"y": rounded(self.product, self.dtype)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound; infinities where the exact product is one."""
        with np.errstate(all="ignore"):
            near = np.abs(got.astype(self.wide) - self.product) <= self.bound
        return np.asarray(super().conforms(output, got) | near & np.isfinite(got))

    def tolerance(self) -> dict[str, float]:
        """The largest bound."""
        with np.errstate(all="ignore"):
            return {"y": float(np.where(self.numbers & np.isfinite(self.bound), self.bound, 0).max(initial=0))}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        where = judged & np.isfinite(self.product) & np.isfinite(self.canonical["y"])
        return {"largest error in ulp": ulps(got[where], self.canonical["y"][where], self.product[where])}

    @unspecified("y.U1")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["y"]), "y")

    @unspecified("y.U2")
    def overflow(self) -> Unspecified | None:
        with np.errstate(all="ignore"):
            beyond = np.abs(self.product) + self.bound > float(PRECISION[self.dtype.name][2])
        return Unspecified.of(beyond & self.numbers, "y", admits=lambda got: overflown(got, self.canonical["y"]))

    @unspecified("y.U3")
    def conversion(self) -> Unspecified | None:
        with np.errstate(all="ignore"):
            beyond = (np.isinf(self.converted[0]) | np.isinf(self.converted[1])) & self.numbers
            lost = np.isnan(self.converted[0] * self.converted[1]) & ~np.isnan(self.product)
        return Unspecified.of(beyond | lost, "y", admits=lambda got: beyond | np.isnan(got))

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield y without the zero point, and with it added after the product."""
        with np.errstate(all="ignore"):
            yield rounded(self.values * self.scales, self.dtype)
            yield rounded(self.values * self.scales - self.zero_points, self.dtype)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of any granularity, with plain scales mostly."""
        shape, of_scale, attributes = cls.layout(choose, version)
        dtype, scale_type = (cls.drawn_type(choose, name, version) for name in ("x", "x_scale"))
        inputs = {"x": choose.tensor(shape, dtype, "any"), "x_scale": cls.drawn_scale(choose, of_scale, scale_type)}
        if choose((True, False)):
            inputs["x_zero_point"] = cls.drawn_zero_point(choose, of_scale, dtype)
        if version >= 23 and (scale_type == "float8_e8m0fnu" or choose((False, True))):
            attributes = {**attributes, "output_dtype": NUMBERS[choose(OUTPUTS)]}
        return Call("DequantizeLinear", attributes, inputs)
