"""Judge and generate calls of ONNX LayerNormalization, by `spec/onnx/layernormalization.md`."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from plumbline.oracle.answers import Wrong
from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within, either_end
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.standardisation import Moments, Standardised
from plumbline.oracle.operator import Allowance, Choose, Unspecified, evidence, on_call, on_outputs, unspecified
from plumbline.oracle.response import Response, wrong_type
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal

STASHES = {1: np.dtype(np.float32), 16: np.dtype(ml_dtypes.bfloat16)}
"""By `stash_type`, as TensorProto numbers element types."""


class LayerNormalization(Standardised):
    """A call of LayerNormalization under one version of its specification."""

    clauses = {"Y.F1": "any_other", "Y.U1": "not_finite", "Y.U2": "overflow", "Y.U3": "variance_by_squares"}
    flag_notes = {**Standardised.flag_notes, "negative-axis": "axis counts from the back.",
                  "without-bias": "B is not given."}

    shape_of_mean = shape_of_output("Mean.C1", "Mean")
    shape_of_root = shape_of_output("InvStdDev.C1", "InvStdDev")
    mean = elements_of("Mean.F1", "Mean", "not the mean")
    root = elements_of("InvStdDev.F1", "InvStdDev", "not the inverse of the standard deviation")

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged: from `axis` on."""
        return tuple(range(int(self.attribute("axis")) % self.x.ndim, self.x.ndim))

    @property
    def computed_in(self) -> np.dtype:
        """The type that `stash_type` names."""
        dtype: np.dtype = STASHES[int(self.attribute("stash_type"))]
        return dtype

    @property
    def moments(self) -> Moments:
        """The moments over all axes from `axis` on."""
        return Moments.of(self.wide, self.axes, self.computed_in)

    @property
    def parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """Scale and bias, which broadcast to X; without a bias zero."""
        return self.inputs["Scale"], self.inputs.get("B", np.zeros((), self.x.dtype))

    @on_call("axis.C2")
    def axis_of_x(self) -> str | None:
        return axis_within(self, -1, -self.x.ndim, self.x.ndim - 1)

    @on_call("stash_type.C2")
    def stash(self) -> str | None:
        value = self.attribute("stash_type")
        return None if value in STASHES else f"stash_type is {value}"

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
        first = self.axes[0]
        return self.x.shape if output == "Y" else (*self.x.shape[:first], *(1,) * len(self.axes))

    def expected(self) -> dict[str, np.ndarray]:
        """Return all three outputs."""
        with np.errstate(all="ignore"):
            return {**super().expected(), "Mean": self._moments.mean.astype(self.computed_in),
                    "InvStdDev": self.roots[1].astype(self.computed_in)}

    def _stored(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The exact values of a moment, how far off they may be with an error of the variance, and where they are
        open."""
        lowest, exact, highest = self.roots_within(error)
        moments, one = self._moments, growth(4, self.computed_in)
        largest = Wide(float(PRECISION[self.computed_in.name][2])) * Wide(0.99)
        with np.errstate(all="ignore"):
            is_open = ~np.isfinite(moments.mean + moments.variance) | (moments.largest >= largest)
            if output == "Mean":
                least = smallest_normal(self.computed_in)
                return moments.mean, moments.mean_error + one * np.abs(moments.mean) + least, is_open
            room = np.maximum(highest - exact, exact - lowest) + one * highest
            return exact, room, is_open | ~(self.lowest_square(error) > 0) | (highest >= largest)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound of the family."""
        return super().conforms(output, got) if output == "Y" else self._is_stored(
            output, got, self._moments.variance_error)

    def _is_stored(self, output: str, got: np.ndarray, error: np.ndarray | float) -> np.ndarray:
        exact, room, _ = self._stored(output, error)
        with np.errstate(all="ignore"):
            return np.asarray(np.abs(got.astype(Wide) - exact) <= room)

    @on_outputs("Mean.F2")
    def type_of_mean(self, response: Response) -> Wrong | None:
        return wrong_type(response, "Mean", self.computed_in)

    @on_outputs("InvStdDev.F2")
    def type_of_root(self, response: Response) -> Wrong | None:
        return wrong_type(response, "InvStdDev", self.computed_in)

    @unspecified("Mean.U1")
    def open_moments(self) -> Unspecified | None:
        both = [Unspecified.of(np.asarray(self._stored(name, self._moments.variance_error)[2]), name)
                for name in ("Mean", "InvStdDev")]
        outputs = {name: allowance for each in both if each is not None for name, allowance in each.outputs.items()}
        return Unspecified(outputs) if outputs else None

    @unspecified("InvStdDev.U1")
    def root_by_squares(self) -> Unspecified | None:
        is_open = self._stored("InvStdDev", self._moments.variance_error)[2]
        return Unspecified({"InvStdDev": Allowance(~is_open, lambda got: self._is_stored(
            "InvStdDev", got, self._moments.of_squares), observed=True)}) if not is_open.all() else None

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with parameters of the averaged axes, of the last one, or of none."""
        shape = a_shape(choose) or (3,)
        axis = choose([len(shape) - 1, *range(len(shape) - 1)])
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        attributes: dict[str, object] = {}
        if axis != len(shape) - 1 or choose((False, True)):
            attributes["axis"] = either_end(choose, axis, len(shape), True)
        if choose((False, True)):
            attributes["epsilon"] = choose((1e-3, 0.5, 0.0))
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
