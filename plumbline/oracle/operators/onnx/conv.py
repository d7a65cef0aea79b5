"""Judge and generate calls of ONNX Conv, by `spec/onnx/conv.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import SUMMED, WINDOWS

PLAIN = Geometry((3,), (2,), (1,), (1,), (0,), (0,))
"""Windows of two cells over three."""


class Conv(OnnxConvolving):
    """A call of Conv under one version of its specification."""

    clauses = WINDOWS | SUMMED | {
        "W.C4": "positive_kernel", "kernel_shape.C1": "kernel_of_w", "Y.C2": "y_valid", "Y.C3": "y_same",
        "Y.F3": "y_planes", "auto_pad.F1": "automatic_padding", "pads.F1": "padding", "Y.F1": "value",
        "X.U1": "empty_axes", "Y.U1": "no_window_fits",
        "pads.U1": "not_finite_over_padding", "group.C1": "group_domain", "group.C2": "maps_of_groups",
        "W.C1": "rank_of_w", "W.C2": "channels", "B.C1": "shape_of_b"}

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
