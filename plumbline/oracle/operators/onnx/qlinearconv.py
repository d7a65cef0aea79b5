"""Judge and generate calls of ONNX QLinearConv, by `spec/onnx/qlinearconv.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.requantisation import Requantised
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import REQUANTISED
from plumbline.oracle.operators.onnx.convinteger import ConvInteger


class QLinearConv(Requantised, ConvInteger):
    """A call of QLinearConv."""

    clauses = ConvInteger.clauses | REQUANTISED | {
        "y_scale.C2": "scale_of_y", "y_zero_point.C2": "point_of_y", "B.C2": "shape_of_b"}
    operator = "QLinearConv"
    family = Requantised.family
    factors = {"X": ("x_scale", "x_zero_point"), "W": ("w_scale", "w_zero_point")}
    sums = ConvInteger.sums
    multiplied, addends = (), ()
    flag_notes = {**ConvInteger.flag_notes, **Requantised.flag_notes}

    def spread(self, name: str) -> np.ndarray:
        """Return a scale, by feature map of W."""
        return self.by_map(self.inputs[name])

    @on_call("x_scale.C2")
    def scale_of_x(self) -> str | None:
        shape = self.inputs["x_scale"].shape
        return f"x_scale has shape {list(shape)}, not []" if shape else None

    @on_call("w_scale.C2")
    def scale_of_w(self) -> str | None:
        return self.one_shape("w_scale", "w_zero_point")

    @classmethod
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        """Draw a call of the sums, scales, and sometimes B, mostly small."""
        call = super()._call(choose, version, mode, axes, planes)
        w = call.inputs["W"]
        inputs = cls.with_scales(choose, version, call.inputs, prod(w.shape[1:]))
        if choose((False, True)):
            inputs["B"] = choose.tensor(w.shape[:1], choose(("int16", "int32"), (3, 1)), "any").astype(np.int32)
        return replace(call, inputs=inputs)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls with one scale and zero point, without B, then those of any convolution."""
        if "B" in self.inputs:
            yield replace(self.call, inputs={name: self.inputs[name] for name in self.inputs if name != "B"})
        if calls := [*self.plainer()]:
            yield from calls
        else:
            yield from self.with_inputs(OnnxConvolving.shrink_candidates(self))
