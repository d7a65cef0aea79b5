"""Base class of convolving operators under specifications of ONNX.

Each wrong element is blamed on the split of the padding where that is automatic, on padding where its window has some,
else on the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.families.attributes import integers
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.convolution_operators import Convolving
from plumbline.oracle.families.pooling import OnnxWindowed
from plumbline.oracle.families.window_repairs import default_lists
from plumbline.oracle.node import Node
from plumbline.oracle.operator import UNBOUND, Unspecified, on_call, on_elements, unspecified


class OnnxConvolving(Convolving, OnnxWindowed):
    """A call of an operator of ONNX that convolves."""

    introduced = dict.fromkeys(("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"), 1)
    drawn_modes = {mode: drawn for mode, drawn in OnnxWindowed.drawn_modes.items() if mode[1] == "floor"}
    drawn_types = {"float32": (1, 1.0), "float16": (1, 0.6), "float64": (1, 0.6), "bfloat16": (22, 0.3)}
    saturation_is_open = True

    @classmethod
    def node_defaults(cls, node: Node) -> Mapping[str, Any]:
        """Return the values of a node's absent lists and kernel_shape, if the shape of W is known, else {}."""
        w = node.inputs[1] if len(node.inputs) > 1 else None
        kernel = list(w.shape[2:]) if w is not None and w.shape is not None else []
        if not kernel or not all(isinstance(size, int) for size in kernel):
            return {}
        return {"kernel_shape": kernel, **default_lists(node, len(kernel))}

    @on_call(UNBOUND, needs=("rank_of_w",))
    def positive_kernel(self) -> str | None:
        return None if all(size >= 1 for size in self.kernel) else f"W has shape {list(self.w.shape)}"

    @on_call(UNBOUND, needs=("rank_of_w",))
    def kernel_of_w(self) -> str | None:
        if "kernel_shape" not in self.attributes:
            return None
        given = self.attributes["kernel_shape"]
        return None if integers(given) == self.kernel else f"kernel_shape is {given!r}, W has {list(self.kernel)}"

    @on_elements(UNBOUND, "Y", "not the sum of products of its window")
    def automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic and any(self.geometry.begin + self.geometry.end)

    @on_elements(UNBOUND, "Y", "not the sum of products of its window without the padding")
    def padding(self, got: np.ndarray) -> np.ndarray:
        return self.in_padding()

    value = elements_of(UNBOUND, "Y", "not the sum of products of its window")

    @unspecified(UNBOUND, refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if 0 in self.x.shape or 0 in self.w.shape[:2] else None

    @unspecified(UNBOUND, refusal=True)
    def no_window_fits(self) -> Unspecified | None:
        if self.is_same or all(count > 0 for count in self.counts):
            return None
        return Unspecified.everything("Y") if any(count < 0 for count in self.counts) else Unspecified.refusal()
