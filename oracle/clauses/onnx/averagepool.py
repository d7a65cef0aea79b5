"""ONNX AveragePool: the clauses of `spec/onnx/averagepool.md`, bound to predicates.

A wrong element is charged to the divisor when it is the mean with the other divisor, to the split of the padding when
auto_pad is SAME, else to the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from oracle.answer import Answer
from oracle.binding import Bindings, Wrong
from oracle.clauses.onnx import common
from oracle.mean import Means
from oracle.pooling import SAME, PoolCall

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
common.bind_size_errata(bindings, "auto_pad.E1", "Y.E1")
common.bind_two_forms(bindings, "Y.E3")


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


class MeanAnswer(Answer):
    """An answer with the windows of its call."""

    def __init__(self, call: MeanCall, given: Mapping[str, np.ndarray]) -> None:
        self.call = call
        super().__init__(call.x, given, call.shape, lambda name: call.means.values)

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not within the rounding error of the mean."""
        return self.judged("Y", self.call.means.wrong)

    @cached_property
    def other_divisor(self) -> np.ndarray:
        """Where Y is wrong and is the mean with the other divisor."""
        if not self.wrong_values.any():
            return self.wrong_values
        means = self.call.means
        return self.wrong_values & ~means.wrong(self.given["Y"], not means.include_padding)


bindings.answer = MeanAnswer


@bindings.on_outputs("pads.F1")
def padding_in_the_divisor(answer: MeanAnswer) -> Wrong | None:
    return answer.at("Y", answer.other_divisor, "the mean with padding "
                     + ("left out of" if answer.call.means.include_padding else "counted in") + " the divisor")


@bindings.on_outputs("auto_pad.F1")
def split_of_the_padding(answer: MeanAnswer) -> Wrong | None:
    if answer.call.auto_pad not in SAME:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.other_divisor, "not the mean of its window")


@bindings.on_outputs("Y.F1")
def value(answer: MeanAnswer) -> Wrong | None:
    if answer.call.auto_pad in SAME:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.other_divisor, "not the mean of its window")


def expected(call: MeanCall) -> dict[str, np.ndarray]:
    """Y, of the type of X: the mean, rounded once."""
    return {"Y": call.means.values}


def measure(call: MeanCall, given: Mapping[str, np.ndarray], judged: Mapping[str, np.ndarray]) -> dict[str, float]:
    """The largest error of Y among the judged elements, in ulp."""
    return {"largest error in ulp": call.means.largest_error(given["Y"], judged["Y"])} if "Y" in judged else {}


bindings.expected = expected
bindings.measure = measure


@bindings.evidence("Y.E2")
def floor_for_same() -> str:
    printed, today, earlier = 3, 5 // 2, -(-5 // 2)
    assert today != printed == earlier
    return f"in = 5, s = 2, SAME_UPPER: today's text gives {today}, the earlier edition {earlier}, and the " \
           f"documented example (2d_precomputed_same_upper) prints {printed}"
