"""Judge and generate calls of ONNX LayerNormalization, by `spec/onnx/layernormalization.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import helper

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along, either_end
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.standardisation import Standardised
from plumbline.oracle.families.standardised_symptoms import in_type_of_x
from plumbline.oracle.operator import Allowance, Choose, Unspecified, evidence, unspecified
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.rounding import growth, smallest_normal
from plumbline.oracle.size_classes import TALL, TALL_ROWS, Named, SizeClass, a_tall_input, is_tall


class LayerNormalization(Standardised):
    """A call of LayerNormalization under one version of its specification."""

    clauses = {f"Y.{tag}": name for tag, name in STANDARDISED.items()}
    symptoms = {"in-type-of-x": in_type_of_x}
    flag_notes = {**Standardised.flag_notes, "negative-axis": "axis counts from the back.",
                  "without-bias": "B is not given."}

    axis_of_x, stash = along("axis.C2", "X"), one_of_values("stash_type.C2", "stash_type", (1, 16))
    sizes = broadcast_to("Scale.C1", "X", "Scale", "B")
    shape_of_mean, mean = shape_of_output("Mean.C1", "Mean"), elements_of("Mean.F1", "Mean", "not the mean")
    root = elements_of("InvStdDev.F1", "InvStdDev", "not the inverse of the standard deviation")

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged: from `axis` on."""
        return tuple(range(int(self.attribute("axis")) % self.x.ndim, self.x.ndim))

    @property
    def computed_in(self) -> np.dtype:
        """The type that `stash_type` names."""
        return helper.tensor_dtype_to_np_dtype(self.attribute("stash_type"))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the declared shape; of Mean that of X, with size 1 on the axes that are averaged."""
        return (*self.x.shape[:self.axes[0]], *(1 for _ in self.axes)) if output == "Mean" else super().shape_of(output)

    def expected(self) -> dict[str, np.ndarray]:
        """Return all three outputs."""
        with np.errstate(all="ignore"):
            return {**super().expected(), "Mean": self._moments.mean.astype(self.computed_in),
                    "InvStdDev": self.roots[1].astype(self.computed_in)}

    def bound(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return exact values, and how far off they may be; casts and the root are some of four roundings."""
        if output == "Y":
            return super().bound(output, error)
        (lowest, exact, highest), four, mean = self.roots_within(error), growth(4, self.computed_in), self._moments.mean
        with np.errstate(all="ignore"):
            return (exact, np.maximum(highest - exact, exact - lowest) + four * highest) if output == "InvStdDev" else (
                mean, self._moments.mean_error + (four * np.abs(mean) + smallest_normal(self.computed_in)))

    @property
    def open_moments(self) -> dict[str, np.ndarray]:
        """By output the mask of moments that are undefined."""
        lowest = self.lowest_square(self._moments.variance_error)
        with np.errstate(all="ignore"):
            both = ~np.isfinite(self._moments.mean + self._moments.variance) | self.sums_overflow
            return {"Mean": both, "InvStdDev": both | ~(lowest > 0) | (self.roots[2] >= self.too_large)}

    @unspecified("Mean.U1")
    def undefined_moments(self) -> Unspecified | None:
        masks = {output: Allowance(mask) for output, mask in self.open_moments.items() if mask.any()}
        return Unspecified(masks) if masks else None

    @unspecified("InvStdDev.U1")
    def root_by_squares(self) -> Unspecified | None:
        return self.by_squares("InvStdDev", ~self.open_moments["InvStdDev"])

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of standardised elements, a tall input, and a column of parameters that would fit as a row."""
        column = SizeClass({"column": [True]}, {"rank": 3, "rows": 4, "columns": 4}, every_type=False)
        return *super().size_classes(version), a_tall_input({**TALL_ROWS, "axis": 1}), column

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of standardised elements, whether X is tall, and whether Scale is a column on equal axes."""
        *_, size, last = (0, *self.inputs["Scale"].shape)
        column = last == 1 < size and len(set(self.x.shape)) == 1
        return {**super().named_sizes(), TALL: is_tall(self.x.shape), "column": column}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with parameters of the averaged axes, of the last one, or of none."""
        shape = a_shape(choose) or (3,)
        axis = choose(Named("axis", (len(shape) - 1, *range(len(shape) - 1))))
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        is_set = axis != len(shape) - 1 or choose((False, True))
        attributes: dict[str, Any] = {"axis": either_end(choose, axis, len(shape), True)} if is_set else {}
        attributes |= cls.an_epsilon(choose)
        attributes |= {"stash_type": choose((1, 16))} if choose((False, True), (9, 1)) else {}
        of_parameters = choose((shape[axis:], shape[-1:], shape, (1,)), (5, 1, 1, 1))
        of_parameters = (*shape[axis:-1], 1) if choose(Named("column", (False, True)), (1, 0)) else of_parameters
        inputs = {"X": choose.tensor(shape, dtype, values), "Scale": choose.tensor(of_parameters, dtype, values)}
        inputs |= {"B": choose.tensor(of_parameters, dtype, values)} if choose((True, False)) else {}
        return Call("LayerNormalization", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axis = self.attributes.get("axis", -1)
        return {"negative-axis": isinstance(axis, int) and axis < 0, "without-bias": "B" not in self.inputs}

    @evidence("Y.E1")
    @staticmethod
    def fewer_calls() -> str:
        x, nothing = np.ones((2, 3), np.float32), np.ones(0, np.float32)
        calls = (Call("LayerNormalization", {"axis": 0}, {"X": x, "Scale": x[0]}),
                 Call("LayerNormalization", {}, {"X": nothing, "Scale": nothing}))
        return "; ".join(broken_body("onnx/layernormalization@17", call) for call in calls)
