"""Judge and generate calls of ONNX LayerNormalization, by `spec/onnx/layernormalization.md`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within, either_end
from plumbline.oracle.families.checks import one_of
from plumbline.oracle.families.clauses import elements_of, shape_of_output, type_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.standardisation import Standardised
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal

STASHES = {1: np.dtype(np.float32), 16: np.dtype(ml_dtypes.bfloat16)}
"""By `stash_type`, as TensorProto numbers element types."""


def _in_type_of_x(definition: Any, entry: Divergence) -> bool:
    """Elements are what numpy gives in the type of X, whatever `stash_type` names."""
    x, (scale, bias) = definition.x, definition.parameters
    if entry.where is None or not x.size:
        return False
    with np.errstate(all="ignore"):
        runs = x.reshape(-1, int(np.prod(x.shape[definition.axes[0]:])))
        mean = runs.sum(axis=1, keepdims=True) / runs.shape[1]
        distance = runs - mean
        variance = (distance * distance).sum(axis=1, keepdims=True) / runs.shape[1]
        root = np.reciprocal(np.sqrt(variance + definition.epsilon))
        values = {"Mean": mean, "InvStdDev": root, "Y": (distance * root).reshape(x.shape) * scale + bias}
    value = values[entry.output].astype(x.dtype).reshape(definition.shape_of(entry.output))
    value = value[tuple(np.asarray(entry.where).T)]
    return bool(((entry.got == value) | (entry.got != entry.got) & (value != value)).all())


class LayerNormalization(Standardised):
    """A call of LayerNormalization under one version of its specification."""

    symptoms = {"in-type-of-x": _in_type_of_x}

    clauses = {f"Y.{tag}": name for tag, name in STANDARDISED.items()}
    flag_notes = {**Standardised.flag_notes, "negative-axis": "axis counts from the back.",
                  "without-bias": "B is not given."}

    shape_of_mean, shape_of_root = shape_of_output("Mean.C1", "Mean"), shape_of_output("InvStdDev.C1", "InvStdDev")
    mean = elements_of("Mean.F1", "Mean", "not the mean")
    root = elements_of("InvStdDev.F1", "InvStdDev", "not the inverse of the standard deviation")
    type_of_mean = type_of_output("Mean.F2", "Mean", lambda self: self.computed_in)
    type_of_root = type_of_output("InvStdDev.F2", "InvStdDev", lambda self: self.computed_in)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged: from `axis` on."""
        return tuple(range(int(self.attribute("axis")) % self.x.ndim, self.x.ndim))

    @property
    def computed_in(self) -> np.dtype:
        """The type that `stash_type` names."""
        dtype: np.dtype = STASHES[int(self.attribute("stash_type"))]
        return dtype

    @on_call("axis.C2")
    def axis_of_x(self) -> str | None:
        return axis_within(self, -1, -self.x.ndim, self.x.ndim - 1)

    @on_call("stash_type.C2")
    def stash(self) -> str | None:
        return one_of(self.call, "stash_type", 1, tuple(STASHES))

    @on_call("Scale.C1")
    def broadcast(self) -> str | None:
        shape = self.x.shape
        for name in ("Scale", "B"):
            own = self.inputs[name].shape if name in self.inputs else ()
            if len(own) > len(shape) or any(size not in (1, wanted) for size, wanted in zip(
                    own[::-1], shape[::-1], strict=False)):
                return f"{name} has shape {list(own)}, which is not broadcast to {list(shape)}"
        return None

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of X; for the moments with size 1 on the axes that are averaged."""
        return self.x.shape if output == "Y" else (*self.x.shape[:self.axes[0]], *(1,) * len(self.axes))

    def expected(self) -> dict[str, np.ndarray]:
        """Return all three outputs."""
        with np.errstate(all="ignore"):
            return {**super().expected(), "Mean": self._moments.mean.astype(self.computed_in),
                    "InvStdDev": self.roots[1].astype(self.computed_in)}

    def bound(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return exact values, and how far off they may be."""
        (lowest, exact, highest), one = self.roots_within(error), growth(4, self.computed_in)
        with np.errstate(all="ignore"):
            if output == "InvStdDev":
                return exact, np.maximum(highest - exact, exact - lowest) + one * highest
            least = one * np.abs(self._moments.mean) + smallest_normal(self.computed_in)
            return super().bound(output, error) if output == "Y" else (
                self._moments.mean, self._moments.mean_error + least)

    @unspecified("Mean.U1")
    def open_moments(self) -> Unspecified | None:
        by_output = {name: Unspecified.of(mask, name) for name, mask in self._open_moments.items()}
        outputs = {name: allowance for each in by_output.values() if each for name, allowance in each.outputs.items()}
        return Unspecified(outputs) if outputs else None

    @unspecified("InvStdDev.U1")
    def root_by_squares(self) -> Unspecified | None:
        return self.by_squares("InvStdDev", ~self._open_moments["InvStdDev"])

    @property
    def _open_moments(self) -> dict[str, np.ndarray]:
        """By output the mask of moments that are undefined."""
        largest, error = Wide(float(PRECISION[self.computed_in.name][2])), self._moments.variance_error
        with np.errstate(all="ignore"):
            both = ~np.isfinite(self._moments.mean + self._moments.variance) | self.sums_overflow
            return {"Mean": both, "InvStdDev": both | ~(self.lowest_square(error) > 0) | (
                self.roots[2] >= largest * Wide(0.99))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with parameters of the averaged axes, of the last one, or of none."""
        shape = a_shape(choose) or (3,)
        axis = choose([len(shape) - 1, *range(len(shape) - 1)])
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        attributes: dict[str, object] = {}
        if axis != len(shape) - 1 or choose((False, True)):
            attributes["axis"] = either_end(choose, axis, len(shape), True)
        attributes |= cls.an_epsilon(choose)
        if choose((False, True), (9, 1)):
            attributes["stash_type"] = choose((1, 16))
        of_parameters = choose((shape[axis:], shape[-1:], shape, (1,)), (5, 1, 1, 1))
        inputs = {"X": choose.tensor(shape, dtype, values), "Scale": choose.tensor(of_parameters, dtype, values)}
        if choose((True, False)):
            inputs["B"] = choose.tensor(of_parameters, dtype, values)
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
