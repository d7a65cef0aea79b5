"""Judge and generate calls of ONNX QLinearConv, by `spec/onnx/qlinearconv.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.quantisation import exactly
from plumbline.oracle.families.requantisation import (
    ROUNDINGS,
    Requantised,
    point_before_rounding,
    spreads_to,
    times_the_scale,
)
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.operators.onnx.addresses import REQUANTISED
from plumbline.oracle.operators.onnx.convinteger import ConvInteger
from plumbline.oracle.rounding import growth


def _scales_of_channels(definition: Any, entry: Any) -> bool:
    """Elements are what scales and zero points of feature maps give that go with the channels of W instead."""
    w, scale, point = (definition.inputs[name].astype(np.float64) for name in ("W", "w_scale", "w_zero_point"))
    if entry.where is None or scale.ndim != 1 or len(scale) not in (1, w.shape[1]) or "B" in definition.inputs:
        return False
    along = (-1, *(1,) * (w.ndim - 2))
    x, left, of_y = definition.difference("X"), *(exactly(definition.inputs[name]) for name in ("x_scale", "y_scale"))
    with np.errstate(all="ignore"):
        moved = (w - point.reshape(along)) * scale.reshape(along)
        if not np.isfinite(moved).all():
            return False
        total = Convolution(x, moved, None, definition.group, definition.geometry, definition.shape[2:]).total
        y = definition.quantised(exactly(total) * left / of_y)
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


def _zero_scale_as_one(definition: Any, entry: Any) -> bool:
    """Elements are the sums, not scaled, where a scale of X or W is 0."""
    left, right, _ = definition.scales
    if entry.where is None or not ((left == 0) | (right == 0)).all():
        return False
    return bool(np.array_equal(definition.quantised(exactly(definition.sums))[tuple(entry.where.T)], entry.got))


def _bias_by_the_scale_of_x(definition: Any, entry: Any) -> bool:
    """Elements are what B times the scale of X alone gives; with auto_pad SAME windows may begin half the kernel before
    X besides."""
    if entry.where is None or "B" not in definition.inputs:
        return False
    inputs = {name: x for name, x in definition.inputs.items() if name != "B"}
    half = tuple((size - 1) // 2 for size in definition.geometry.kernel)
    return any(_is_off_by_a_bias(definition, entry, inputs, begin)
               for begin in (definition.geometry.begin, *([half] if definition.automatic else [])))


def _is_off_by_a_bias(definition: Any, entry: Any, inputs: dict[str, np.ndarray], begin: Sequence[int]) -> bool:
    windows, other = definition.geometry, type(definition)(replace(definition.call, inputs=inputs), definition.version)
    after = (max(first + last - at, 0) for first, last, at in zip(windows.begin, windows.end, begin, strict=True))
    other.counts, other.geometry = definition.counts, replace(windows, begin=tuple(begin), end=tuple(after))
    (left, _, of_y), at = definition.scales, tuple(entry.where.T)
    with np.errstate(all="ignore"):
        parts = other.quotients, definition.by_map(exactly(definition.inputs["B"])) * left / of_y
        room = growth(ROUNDINGS, definition.inputs["x_scale"].dtype) * (np.abs(parts[0]) + np.abs(parts[1])) + 0.5
        total = parts[0] + parts[1]
        least, most = definition.quantised(np.ceil(total - room))[at], definition.quantised(np.floor(total + room))[at]
    return bool(np.all((entry.got >= least) & (entry.got <= most)))


def _scales_of_two_axes(definition: Any, entry: Any) -> bool:
    """Scales are along the second of four axes, by the shape of the output or by its elements."""
    scale = definition.inputs["w_scale"]
    if scale.size < 2:
        return False
    along = (1, scale.size, 1, 1)
    if entry.where is None:
        return spreads_to(definition, entry, along)
    if len(definition.shape) != 5 or definition.shape[2] != scale.size:
        return False
    left, _, of_y = definition.scales
    with np.errstate(all="ignore"):
        y = definition.quantised(exactly(definition.sums) * left * exactly(scale).reshape(along) / of_y)
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


class QLinearConv(Requantised, ConvInteger):
    """A call of QLinearConv."""

    clauses = ConvInteger.clauses | REQUANTISED | {
        "y_scale.C2": "scale_of_y", "y_zero_point.C2": "point_of_y", "B.C2": "shape_of_b"}
    operator = "QLinearConv"
    family = Requantised.family
    factors = {"X": ("x_scale", "x_zero_point"), "W": ("w_scale", "w_zero_point")}
    sums = ConvInteger.sums
    multiplied, addends = (), ()
    shape_symptoms = {**ConvInteger.shape_symptoms, "scales-of-two-axes": _scales_of_two_axes}
    symptoms = {**ConvInteger.symptoms, **shape_symptoms, "point-before-rounding": point_before_rounding,
                "scales-of-channels": _scales_of_channels, "times-the-scale": times_the_scale,
                "bias-by-the-scale-of-x": _bias_by_the_scale_of_x,
                "zero-scale-as-one": _zero_scale_as_one}
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

    @unspecified("Y.U5")
    def ties(self) -> Unspecified | None:
        with np.errstate(invalid="ignore"):
            below = np.floor(self.quotients)
            where, ends = self.quotients - below == 0.5, (self.quantised(below), self.quantised(below + 1))
        return Unspecified.of(where, "Y", admits=lambda got: (got == ends[0]) | (got == ends[1]))

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
