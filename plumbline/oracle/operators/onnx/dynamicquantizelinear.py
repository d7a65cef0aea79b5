"""Judge and generate calls of ONNX DynamicQuantizeLinear, by `spec/onnx/dynamicquantizelinear.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends, least_of
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.surroundings import OF_ANY
from plumbline.oracle.operator import Allowance, Choose, Operator, Unspecified, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal
from plumbline.oracle.size_classes import (
    DTYPE,
    FAR,
    LARGE,
    LONG_AXIS,
    ROWS,
    Named,
    SizeClass,
    a_far_index,
    a_large_output,
    is_far,
    is_large,
)

FLOAT32 = np.dtype(np.float32)
OUTPUTS = ("y", "y_scale", "y_zero_point")
NUMBERS = (0, 1, -1, 0.5, 2.5, -3, 7.75, 100, -63.5, 1e-3, 12, -0.25, 255, 31.4)
"""Elements of drawn calls."""


class DynamicQuantizeLinear(Operator):
    """A call of DynamicQuantizeLinear."""

    family = "Quantisation"
    surroundings = OF_ANY
    flag_notes = {"above-zero": "No element is below zero.", "below-zero": "No element is above zero."}

    shape_of_scale = shape_of_output("y_scale.C1", "y_scale")
    shape_of_point = shape_of_output("y_zero_point.C1", "y_zero_point")
    value = elements_of("y.F2", "y", "not the rounded quotient plus the zero point")
    scale = elements_of("y_scale.F2", "y_scale", "not the range divided by 255")
    point = elements_of("y_zero_point.F2", "y_zero_point", "not the rounded quotient of the lowest number")

    @cached_property
    def values(self) -> np.ndarray:
        """The elements in extended precision, those that are not finite as 0."""
        x = self.inputs["x"]
        return np.where(np.isfinite(x), x, 0).astype(Wide)

    @cached_property
    def lowest(self) -> Wide:
        """The least of 0 and the elements."""
        return Wide(self.values.min(initial=0))

    @cached_property
    def exact_scale(self) -> Wide:
        """The range divided by 255, in extended precision."""
        return Wide((self.values.max(initial=0) - self.lowest) / 255)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of x, and () for the others."""
        return self.inputs["x"].shape if output == "y" else ()

    def rounded(self, numbers: np.ndarray | Wide, scale: Wide, nudge: Wide) -> np.ndarray:
        """The quotients, made larger by a relative error, as integers."""
        with np.errstate(all="ignore"):
            return np.asarray(np.rint(numbers / scale * (1 + np.sign(numbers) * nudge)))

    def quantised(self, scale: Wide, nudge: float = 0) -> dict[str, np.ndarray]:
        """y and the zero point, by a scale and with quotients that are off by a relative error."""
        point = np.clip(self.rounded(-self.lowest, scale, Wide(nudge)), 0, 255)
        return {"y": np.clip(self.rounded(self.values, scale, Wide(nudge)) + point, 0, 255), "y_zero_point": point}

    def expected(self) -> dict[str, np.ndarray]:
        """Return the outputs, with the scale rounded to float32."""
        scale = np.float32(self.exact_scale)
        found = self.quantised(Wide(scale)) if scale else {"y": self.values, "y_zero_point": np.zeros(())}
        return {"y": found["y"].astype(np.uint8), "y_scale": np.array(scale),
                "y_zero_point": found["y_zero_point"].astype(np.uint8)}

    @cached_property
    def off(self) -> Wide:
        """The largest relative error of y_scale."""
        return Wide(growth(3, FLOAT32))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """y_scale within its bound; integers that are equal."""
        if output != "y_scale":
            return super().conforms(output, got)
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(got.astype(Wide) - self.exact_scale) <= self.off * self.exact_scale)

    def enclosure(self) -> dict[str, Ends]:
        """Return ends of y_scale, with the rounding of its canonical value."""
        room = float(2 * self.off * self.exact_scale) + least_of(self.canonical["y_scale"].dtype)
        return {**super().enclosure(), "y_scale": Ends.around(self.canonical["y_scale"], room)}

    def tolerance(self) -> dict[str, float]:
        """Return the tolerance of y_scale."""
        return {"y_scale": float(self.off * self.exact_scale)}

    @unspecified("x.U1", refusal=True)
    def no_elements(self) -> Unspecified | None:
        if self.inputs["x"].size:
            return None
        return Unspecified({"y_scale": Allowance(), "y_zero_point": Allowance()})

    @unspecified("x.U2")
    def not_finite(self) -> Unspecified | None:
        x = self.inputs["x"]
        beyond = self.exact_scale * 255 > Wide(float(PRECISION["float32"][2]))
        return Unspecified(dict.fromkeys(OUTPUTS, Allowance())) if beyond or not np.isfinite(x).all() else None

    @unspecified("x.U3")
    def no_range(self) -> Unspecified | None:
        if not self.inputs["x"].size or self.exact_scale >= smallest_normal(FLOAT32):
            return None
        return Unspecified(dict.fromkeys(OUTPUTS, Allowance()))

    @unspecified("y_zero_point.U1")
    def precision(self) -> Unspecified | None:
        if self.exact_scale < smallest_normal(FLOAT32):
            return None
        off = float(growth(4, FLOAT32))
        ends = [self.quantised(self.exact_scale, nudge) for nudge in (-off, off)]
        found = {}
        for output in ("y", "y_zero_point"):
            below, above = (end[output] for end in ends)
            least, most = np.minimum(below, above), np.maximum(below, above)
            if output == "y":  # a larger scale with a smaller zero point, and the other way round
                points = [end["y_zero_point"] for end in ends]
                quotients = [self.rounded(self.values, self.exact_scale, Wide(nudge)) for nudge in (-off, off)]
                least = np.clip(np.minimum(*quotients) + min(points), 0, 255)
                most = np.clip(np.maximum(*quotients) + max(points), 0, 255)
            if (least != most).any():
                found[output] = Allowance(least != most, lambda got, least=least, most=most: (  # type: ignore[misc]
                    np.asarray((got >= least) & (got <= most))), observed=True)
        return Unspecified(found) if found else None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, and a far end of the range."""
        return SizeClass({"columns": ROWS}), a_large_output(), a_far_index({**LONG_AXIS, "plain": False})

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis, and whether the output is large, and an end of the range far."""
        x = self.inputs["x"]
        ends = np.array([x.argmin(), x.argmax()] if x.size else [])
        return {DTYPE: "float32", "columns": (0, *x.shape)[-1], LARGE: is_large(x.shape), FAR: is_far(ends)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"above-zero": bool((self.values >= 0).all()), "below-zero": bool((self.values <= 0).all())}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield outputs for a range without 0, and for one divided by 256."""
        right = self.canonical[output]
        if output == "y_scale":
            yield right * np.float32(255 / 256)
        else:
            yield right ^ np.uint8(1)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: plain numbers of one sign or both, or any."""
        shape, dtype = a_shape(choose), a_type(choose, cls.types_of("x", version))
        if choose(Named("plain", (True, False)), (4, 1)):
            start, factor = choose(range(len(NUMBERS))), choose((1, 0.1, -3, 1e6, 1e-30))
            x = (np.resize(NUMBERS[start:] + NUMBERS[:start], shape) * factor).astype(np.float32)
            sign = choose((0, 1, -1), (2, 1, 1))
            x = sign * np.abs(x) if sign else x
        else:
            x = choose.tensor(shape, dtype, choose(("sum", "any")))
        return Call("DynamicQuantizeLinear", {}, {"x": np.asarray(x, np.float32)})
