"""Judge and generate calls of ONNX ConvInteger, by `spec/onnx/convinteger.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.saturated_pairs import sum_of_pairs
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.operators.onnx.addresses import CONVOLVED

INT32 = np.iinfo(np.int32)


def _points_of_channels(definition: Any, entry: Any) -> bool:
    """The zero points of feature maps are subtracted from the channels of W."""
    return _points_along(definition, entry, 1)


def _points_of_columns(definition: Any, entry: Any) -> bool:
    """The zero points of feature maps are subtracted along the last axis of W."""
    return _points_along(definition, entry, definition.w.ndim - 1)


def _points_along(definition: Any, entry: Any, axis: int) -> bool:
    w, point = definition.inputs["W"], definition.inputs.get("w_zero_point")
    if entry.where is None or point is None or point.ndim != 1 or len(point) not in (1, w.shape[axis]):
        return False
    moved = w.astype(np.float32) - point.astype(np.float32).reshape(-1, *(1,) * (w.ndim - 1 - axis))
    total = Convolution(definition.difference("X"), moved, None, definition.group, definition.geometry,
                        definition.shape[2:]).total + definition.added
    return bool((entry.got == definition.of_sums(total)[tuple(entry.where.T)]).all())


def _pairs_saturate(definition: Any, entry: Any) -> bool:
    """Elements are the sum of what pairs of products come to in 16 bits, which saturate: W of uint8 times X of int8."""
    if entry.where is None or (definition.w.dtype, definition.x.dtype) != (np.uint8, np.int8):
        return False
    x_point, w_point = (definition.inputs.get(f"{name}_zero_point", np.zeros((), np.int64)).astype(np.int64)
                        for name in "xw")
    columns = definition.convolution.columns(definition.difference("X").astype(np.int64)) + x_point
    rows = definition.convolution.rows(definition.w)
    points = np.broadcast_to(w_point, definition.w.shape[:1]).reshape(len(rows), -1, 1)
    total = sum_of_pairs(rows, columns, points, x_point).reshape(definition.shape) + definition.added
    return bool(np.array_equal(definition.of_sums(total)[tuple(entry.where.T)], entry.got))


class ConvInteger(OnnxConvolving):
    """A call of ConvInteger."""

    clauses = CONVOLVED | {
        "X.C2": "spatial_axes", "W.C2": "rank_of_w", "W.C3": "channels", "W.C4": "positive_kernel", "Y.C2": "y_floor",
        "Y.C3": "y_valid", "Y.C4": "y_same", "pads.F1": "padding", "Y.F2": "value"}
    operator = "ConvInteger"
    values = "any"
    exact = True
    drawn_types = {"uint8": (10, 1.0), "int8": (10, 1.0)}
    flag_notes = {**OnnxConvolving.flag_notes, "zero-point-of-x": "x_zero_point is given, and is not zero.",
                  "zero-point-of-w": "w_zero_point is given, and is not zero.",
                  "point-of-each": "w_zero_point has an element for each feature map.",
                  "types-differ": "X and W are of different types, for which kernels have other instructions."}

    symptoms = {**OnnxConvolving.symptoms, "pairs-saturate": _pairs_saturate,
                "points-of-channels": _points_of_channels, "points-of-columns": _points_of_columns}

    def difference(self, name: str) -> np.ndarray:
        """Return X or W without its zero point, in float32."""
        point = self.inputs.get(f"{name.lower()}_zero_point")
        tensor = self.inputs[name].astype(np.float32)
        if point is None:
            return tensor
        return tensor - point.astype(np.float32).reshape(point.shape + (1,) * (tensor.ndim - 1 if point.ndim else 0))

    @cached_property
    def convolution(self) -> Convolution:
        """The convolution of the differences, in float64, which holds every sum."""
        return Convolution(self.difference("X"), self.difference("W"), None, self.group, self.geometry, self.shape[2:])

    def by_map(self, given: np.ndarray) -> np.ndarray:
        """Return a scalar, or a vector of an element for each feature map, so that it broadcasts to Y."""
        return given.reshape(given.shape + (1,) * (self.rank if given.ndim else 0))

    @cached_property
    def added(self) -> np.ndarray:
        """A term that is added to the products of each element, by feature map."""
        return np.zeros(()) if self.b is None else self.by_map(self.b.astype(np.float64))

    @property
    def sums(self) -> np.ndarray:
        """The exact sums."""
        return np.asarray(self.convolution.total + self.added)

    def of_sums(self, sums: np.ndarray) -> np.ndarray:
        """Return Y by sums, modulo 2**32."""
        return sums.astype(np.int64).astype(np.int32)

    def expected(self) -> dict[str, np.ndarray]:
        """Y, modulo 2**32."""
        return {"Y": self.of_sums(self.sums)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of equal elements."""
        return np.asarray(got == self.canonical["Y"])

    def tolerance(self) -> dict[str, float]:
        """Return no tolerances: integers are exact."""
        return {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Return no figures."""
        return {}

    @on_call("x_zero_point.C2")
    def point_of_x(self) -> str | None:
        point = self.inputs.get("x_zero_point")
        return None if point is None or point.ndim == 0 else f"x_zero_point has shape {list(point.shape)}"

    @on_call("w_zero_point.C2", needs=("W.C2",))
    def points_of_w(self) -> str | None:
        point, maps = self.inputs.get("w_zero_point"), self.w.shape[:1]
        return None if point is None or point.shape in ((), maps) else \
            f"w_zero_point has shape {list(point.shape)}, not [] or {list(maps)}"

    @unspecified("Y.U2")
    def accumulation(self) -> Unspecified | None:
        most = prod(self.w.shape[1:]) * 255 * 255 + np.abs(self.added).max(initial=0)
        if most <= INT32.max or not self.has_windows:
            return None
        x, w = (np.abs(self.difference(name)) for name in ("X", "W"))
        size = Convolution(x, w, None, self.group, self.geometry, self.shape[2:]).total + np.abs(self.added)
        total = self.sums
        return Unspecified.of(((size + total) / 2 > INT32.max) | ((total - size) / 2 < INT32.min), "Y")

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the batch; of one group along the kernels too, with what is given for each."""
        kernels = {name: 0 for name, tensor in self.inputs.items() if name != "X" and tensor.ndim}
        return {0: {"X": 0}, **({1: kernels} if self.group == 1 else {})}

    def flags(self) -> dict[str, bool]:
        """Return the flags of convolutions, and of zero points."""
        points = {name: self.inputs.get(f"{name}_zero_point", np.zeros((), np.uint8)) for name in "xw"}
        return {**super().flags(), "zero-point-of-x": bool(points["x"].any()),
                "zero-point-of-w": bool(points["w"].any()), "point-of-each": points["w"].ndim > 0,
                "types-differ": self.x.dtype != self.w.dtype}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Kernels turned around; without zero points."""
        flipped = np.ascontiguousarray(np.flip(self.w, tuple(range(2, self.w.ndim))))
        bare = {name: np.zeros_like(tensor) if name in ("x_zero_point", "w_zero_point") else tensor
                for name, tensor in self.inputs.items()}
        for inputs in ({**self.inputs, "W": flipped}, bare):
            yield type(self)(replace(self.call, inputs=inputs), self.version).canonical["Y"]

    @classmethod
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        """Draw a call with these spatial axes, padding `mode`, batches and channels (`planes`), and zero points."""
        call = super()._call(choose, version, mode, axes, planes)
        x, w = call.inputs["X"], call.inputs["W"]
        if choose((False, True), (2, 1)):
            w = w.view(np.int8 if w.dtype == np.uint8 else np.uint8)
        inputs: dict[str, Any] = {"X": x, "W": w}
        if choose((True, False)):
            inputs["x_zero_point"] = choose.tensor((), x.dtype.name, "any")
        if kind := choose((0, 1, 2)):
            inputs["w_zero_point"] = choose.tensor(() if kind == 1 else w.shape[:1], w.dtype.name, "any")
        return replace(call, inputs=inputs)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without a zero point, then those of any convolution."""
        for name in ("x_zero_point", "w_zero_point"):
            if name in self.inputs:
                yield replace(self.call, inputs={key: value for key, value in self.inputs.items() if key != name})
        yield from super().shrink_candidates()

    def _with(self, x: np.ndarray, w: np.ndarray, b: np.ndarray | None, group: int) -> Call:
        points = {name: tensor if len(w) == len(self.w) else tensor.reshape(-1)[:1].reshape(())
                  for name, tensor in self.inputs.items() if name.endswith("point")}
        call = super()._with(x, w, None, group)
        return replace(call, inputs={**call.inputs, **points})
