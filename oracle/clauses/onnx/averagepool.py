"""ONNX AveragePool: the clauses of `spec/onnx/averagepool.md`, bound to predicates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.binding import Bindings
from plumbline.oracle.clauses.onnx import common
from plumbline.oracle.mean import Means, bind_means
from plumbline.oracle.pooling import PoolCall

ATTRIBUTES = {"auto_pad": 1, "kernel_shape": 1, "pads": 1, "strides": 1, "count_include_pad": 7, "ceil_mode": 10,
              "dilations": 19}
FLOATS = ("float16", "float32", "float64")
TYPES = {"X.C2": FLOATS, "X.C3": ("bfloat16", *FLOATS)}


class MeanCall(PoolCall):
    """A call with the means of its windows."""

    @cached_property
    def means(self) -> Means:
        """The windows of a call inside the domain."""
        include = bool(self.call.attributes.get("count_include_pad", 0))
        return Means(self.x, self.geometry, self.shape[2:], include)


bindings = Bindings("onnx/averagepool", read=MeanCall)
common.bind_calls(bindings, ATTRIBUTES, TYPES)
common.bind_shapes(bindings)
common.bind_silences(bindings, ("Y",), {"ceil_mode.U1": "ceil_mode", "count_include_pad.U1": "count_include_pad"},
                     lambda call: call.means.selected == 0)
common.bind_reads(bindings)
bind_means(bindings, "pads.F1")
common.bind_last_window(bindings, ("Y",))
common.bind_size_errata(bindings, "auto_pad.E1", "Y.E1")
common.bind_two_forms(bindings, "Y.E3")
common.bind_behind_the_padding(bindings, "Y.E4")


def _where(call: MeanCall, mask: np.ndarray) -> dict[str, object]:
    return {"Y": mask} if mask.any() else {}


@bindings.leaves_open("Y.U3")
def not_finite(call: MeanCall) -> dict[str, object]:
    return _where(call, ~call.means.all_finite) if call.has_windows else {}


@bindings.leaves_open("Y.U5")
def overflow(call: MeanCall) -> dict[str, object]:
    return _where(call, call.means.may_overflow) if call.has_windows else {}


@bindings.leaves_open("count_include_pad.U2")
def beyond_the_padding(call: MeanCall) -> dict[str, object]:
    open_there = call.has_windows and call.means.include_padding and bool(call.ceil_mode)
    return _where(call, call.means.beyond_padding) if open_there else {}


@bindings.evidence("Y.E2")
def floor_for_same() -> str:
    printed, today, earlier = 3, 5 // 2, -(-5 // 2)
    assert today != printed == earlier
    return f"in = 5, s = 2, SAME_UPPER: today's text gives {today}, the earlier edition {earlier}, and the " \
           f"documented example (2d_precomputed_same_upper) prints {printed}"
