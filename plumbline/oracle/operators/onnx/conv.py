"""ONNX Conv: the definition of `spec/onnx/conv.md`.

Each wrong element is blamed on the split of the padding where that is automatic, on padding where its window has some,
else on the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.clauses import element_type, elements_of, same_type
from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.convolution_operators import FLOATS, Convolving
from plumbline.oracle.families.pooling import OnnxWindowed, batch_and_channel, spatial_shape
from plumbline.oracle.families.window_repairs import default_lists
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.node import Node
from plumbline.oracle.operator import Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import WINDOWS

PLAIN = Geometry((3,), (2,), (1,), (1,), (0,), (0,))
"""Windows of two cells over three."""


class Conv(Convolving, OnnxWindowed):
    """A call of Conv under one version of the text."""

    clauses = WINDOWS | {
        "dilations.U1": "not_finite_under_a_gap", "pads.U1": "not_finite_over_padding", "group.C1": "group_domain",
        "group.C2": "maps_of_groups", "W.C1": "rank_of_w", "W.C2": "channels", "B.C1": "shape_of_b",
        "Y.U2": "not_finite", "Y.U3": "overflow", "Y.U4": "fast_algorithms"}
    introduced = dict.fromkeys(("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"), 1)
    drawn_types = {"float32": (1, 1.0), "float16": (1, 0.6), "float64": (1, 0.6), "bfloat16": (22, 0.3)}
    drawn_modes = {mode: drawn for mode, drawn in OnnxWindowed.drawn_modes.items() if mode[1] == "floor"}

    @classmethod
    def node_defaults(cls, node: Node) -> Mapping[str, Any]:
        """The lists and the kernel, where the shape of W says how large it is."""
        w = node.inputs[1] if len(node.inputs) > 1 else None
        kernel = list(w.shape[2:]) if w is not None and w.shape is not None else []
        if not kernel or not all(isinstance(size, int) for size in kernel):
            return {}
        return {"kernel_shape": kernel, **default_lists(node, len(kernel))}

    @on_call("W.C4", needs=("W.C1",))
    def positive_kernel(self) -> str | None:
        return None if all(size >= 1 for size in self.kernel) else f"W has shape {list(self.w.shape)}"

    @on_call("kernel_shape.C1", needs=("W.C1",))
    def kernel_of_w(self) -> str | None:
        if "kernel_shape" not in self.attributes:
            return None
        given = self.attributes["kernel_shape"]
        return None if integers(given) == self.kernel else f"kernel_shape is {given!r}, W has {list(self.kernel)}"

    types_1 = element_type("X.C2", "X", FLOATS)
    types_22 = element_type("X.C3", "X", ("bfloat16", *FLOATS))
    type_of_w = same_type("W.C3", "X", "W")
    type_of_b = same_type("B.C2", "X", "B")

    y_valid = spatial_shape("Y.C2", lambda self: self.auto_pad == "VALID")
    y_same = spatial_shape("Y.C3", lambda self: self.automatic)
    y_planes = batch_and_channel("Y.F3", ("Y.C1", "Y.C2", "Y.C3"))

    @on_elements("auto_pad.F1", "Y", "not the sum of products of its window")
    def automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic and any(self.geometry.begin + self.geometry.end)

    @on_elements("pads.F1", "Y", "not the sum of products of its window without the padding")
    def padding(self, got: np.ndarray) -> np.ndarray:
        return self.in_padding()

    value = elements_of("Y.F1", "Y", "not the sum of products of its window")

    @unspecified("auto_pad.U2", refusal=True)
    def size_with_strides(self) -> Unspecified | None:
        if not self.automatic or set(self.strides) <= {1}:
            return None
        return Unspecified({}, (self.with_windows(counts=tuple(self.sizes)),))

    @unspecified("X.U1", refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if 0 in self.x.shape or 0 in self.w.shape[:2] else None

    @unspecified("Y.U1", refusal=True)
    def no_window_fits(self) -> Unspecified | None:
        if self.automatic or all(count > 0 for count in self.counts):
            return None
        return Unspecified.everything("Y") if any(count < 0 for count in self.counts) else Unspecified.refusal()

    @evidence("W.E1")
    @staticmethod
    def channels_of_the_filter() -> str:
        channels, groups = 4, 2
        divided, equal = channels // groups, channels
        assert divided * groups == channels != equal * groups
        return f"C = {channels}, group = {groups}: by the product W has {divided} channels, by the words {equal}"

    @evidence("Y.E1")
    @staticmethod
    def turned_or_not() -> str:
        x, ones, rising = (np.array([[row]], dtype=np.float32) for row in ([1, 10, 100], [1, 1], [1, 2]))
        straight, turned, alike, turned_alike = (
            Convolution(x, w, None, 1, PLAIN, (2,)).values.ravel().astype(int).tolist()
            for w in (rising, rising[..., ::-1], ones, ones[..., ::-1]))
        assert straight != turned and alike == turned_alike
        return f"X = [1, 10, 100]: W = [1, 2] gives {straight}, turned {turned}; [1, 1], as in the examples, {alike} " \
               "either way"
