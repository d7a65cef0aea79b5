"""OpenVINO AvgPool: the clauses of `spec/openvino/avgpool.md`, bound to predicates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.answer import is_float
from plumbline.oracle.binding import Bindings
from plumbline.oracle.clauses.openvino import common
from plumbline.oracle.clauses.openvino.common import OpenVinoCall
from plumbline.oracle.clauses.openvino.words import avgpool_words
from plumbline.oracle.mean import Means, bind_means


class MeanCall(OpenVinoCall):
    """A call with the means of its windows."""

    words_of = staticmethod(avgpool_words)

    @property
    def dilations(self) -> tuple[int, ...]:
        """The operation has none; a call may say that they are 1."""
        return (1,) * max(self.rank, 0)

    @cached_property
    def means(self) -> Means:
        """The windows of a call inside the domain."""
        return Means(self.x, self.geometry, self.shape[2:], not self.words["exclude-pad"])

    @property
    def has_means(self) -> bool:
        """Whether there are windows, over floating-point numbers."""
        return self.has_windows and is_float(self.x.dtype)


bindings = Bindings("openvino/avgpool", read=MeanCall)
bindings.words = avgpool_words
common.bind_calls(bindings, ("count_include_pad",),
                  {"rounding_type.C1": ("floor", "ceil"), "rounding_type.C2": ("floor", "ceil", "ceil_torch")})
common.bind_choice(bindings, "exclude-pad.C1", "exclude-pad", (True, False))
common.bind_outputs(bindings)
common.bind_silences(bindings, ("Y",))
common.bind_errata(bindings, "Y.E2")
bind_means(bindings, "exclude-pad.F1")


def _where(mask: np.ndarray) -> dict[str, object]:
    return {"Y": mask} if mask.any() else {}


@bindings.leaves_open("X.U2", refusal=True)
def other_types(call: MeanCall) -> dict[str, object]:
    return {} if is_float(call.x.dtype) else {"Y": np.zeros(call.shape, dtype=bool)}


@bindings.leaves_open("Y.U7")
def integers(call: MeanCall) -> dict[str, object]:
    return {} if is_float(call.x.dtype) else {"Y": np.ones(call.shape, dtype=bool)}


@bindings.leaves_open("Y.U3")
def not_finite(call: MeanCall) -> dict[str, object]:
    return _where(~call.means.all_finite) if call.has_means else {}


@bindings.leaves_open("Y.U6")
def overflow(call: MeanCall) -> dict[str, object]:
    return _where(call.means.may_overflow) if call.has_means else {}


@bindings.leaves_open("Y.U2")
def nothing_selected(call: MeanCall) -> dict[str, object]:
    if not call.has_windows:
        return {}
    mask = call.means.selected == 0
    if call.means.include_padding:
        mask = mask & ~common.reaches_padding(call.geometry, call.shape[2:])
    return _where(mask)


@bindings.leaves_open("exclude-pad.U1")
def beyond_the_padding(call: MeanCall) -> dict[str, object]:
    open_there = call.has_means and call.means.include_padding and call.rounding != "floor"
    return _where(call.means.beyond_padding) if open_there else {}


@bindings.evidence("Y.E1")
def parenthesis() -> str:
    size, pads, kernel, stride, printed = 32, 2, 5, 3, 10
    formula, rules = size + pads - kernel / stride + 1, (size + pads - kernel) // stride + 1
    assert formula != int(formula) and rules == printed
    return f"in = {size}, pads {pads} together, k = {kernel}, s = {stride}: the formula gives {formula:.4}, the " \
           f"shape rules {rules}, and the layer example prints {printed}"


@bindings.evidence("Y.E3")
def one_term_too_many() -> str:
    n = 4
    mean_of_ones = sum(1 for _ in range(0, n + 1)) / n
    assert mean_of_ones != 1
    return f"the formula gives {mean_of_ones} as the mean of {n} cells of 1, or of {n + 1}"
