"""Judge and generate calls of ONNX LayerNormalization, by `spec/onnx/layernormalization.md`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.narrower_types import gives_where
from plumbline.oracle.families.runs import OfRuns
from plumbline.oracle.families.standardised_symptoms import in_type_of_x
from plumbline.oracle.operator import Allowance, Unspecified, evidence, unspecified
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.rounding import growth, smallest_normal


def _scale_of_the_first_line(definition: Any, entry: Any) -> bool:
    """Elements are what Scale and B give whose first elements, one for each of a line, are those of every line."""
    sizes = definition.x.shape[definition.axes[0]:]
    inputs = {name: x.reshape(-1)[:prod(sizes)].reshape(sizes) if x.size >= prod(sizes) else x
              for name, x in definition.inputs.items() if name != "X"}
    return gives_where(definition, entry, {"X": definition.x, **inputs})


class LayerNormalization(OfRuns):
    """A call of LayerNormalization under one version of its specification."""

    clauses = {f"Y.{tag}": name for tag, name in STANDARDISED.items()}
    names, stash_types = ("Scale", "B"), (1, 16)
    symptoms = {"in-type-of-x": in_type_of_x, "scale-of-the-first-line": _scale_of_the_first_line}
    flag_notes = {**OfRuns.flag_notes, "without-bias": "B is not given."}

    axis_of_x, stash = along("axis.C2", "X"), one_of_values("stash_type.C2", "stash_type", stash_types)
    sizes = broadcast_to("Scale.C1", "X", "Scale", "B")
    shape_of_mean, mean = shape_of_output("Mean.C1", "Mean"), elements_of("Mean.F1", "Mean", "not the mean")
    root = elements_of("InvStdDev.F1", "InvStdDev", "not the inverse of the standard deviation")

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
    def shapes_of_parameters(cls, shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], ...]:
        """Return those of a run, its last axis, X, and nothing."""
        run, last, nothing = super().shapes_of_parameters(shape, axis)
        return run, last, shape, nothing

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "without-bias": "B" not in self.inputs}

    @evidence("Y.E1")
    @staticmethod
    def fewer_calls() -> str:
        x, nothing = np.ones((2, 3), np.float32), np.ones(0, np.float32)
        calls = (Call("LayerNormalization", {"axis": 0}, {"X": x, "Scale": x[0]}),
                 Call("LayerNormalization", {}, {"X": nothing, "Scale": nothing}))
        return "; ".join(broken_body("onnx/layernormalization@17", call) for call in calls)
