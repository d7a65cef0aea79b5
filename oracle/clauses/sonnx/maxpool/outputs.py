"""The clauses that judge outputs, what U clauses leave open, and the canonical outputs.

Each wrong element is charged to one clause, the most particular that its window depends on: to the clause on NaN when
the window selects a NaN, to the padding constant when it selects padding and the value is none of X's, else to the
value itself. An index is charged to the tie rule when it points at a maximum of its window that is not the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product

import numpy as np

from plumbline.oracle.answer import (
    Answer,
    missing_output,
    wrong_batch_or_channel,
    wrong_dtype,
    wrong_shape_of_indices,
    wrong_spatial_shape,
)
from plumbline.oracle.binding import Wrong
from plumbline.oracle.clauses.sonnx.maxpool.bindings import ProfileCall, bindings


class MaxAnswer(Answer):
    """An answer with the windows of its call."""

    def __init__(self, call: ProfileCall, given: Mapping[str, np.ndarray]) -> None:
        self.maxima = call.maxima
        super().__init__(call.x, given, self.maxima.shape,
                         lambda name: {"Y": self.maxima.values, "Indices": self.maxima.indices}[name])

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not the maximum; NaN is never right."""
        return self.judged("Y", lambda got: got != self.maxima.equal_values)

    @cached_property
    def foreign_values(self) -> np.ndarray:
        """Where Y is wrong and, its window reaching into the padding, is no element of X in it."""
        return np.asarray(self.wrong_values & self.maxima.has_padding & ~self.maxima.selects_value(self.given["Y"]))

    @cached_property
    def wrong_indices(self) -> np.ndarray:
        """Where Indices is not the lowest index of the maximum."""
        return self.judged("Indices", lambda got: got != self.maxima.indices)


bindings.answer = MaxAnswer

bindings.on_outputs("signature.F1")(missing_output)
bindings.on_outputs("Y.C1")(wrong_spatial_shape)
bindings.on_outputs("Y.F3", needs=("Y.C1",))(wrong_batch_or_channel)
bindings.on_outputs("Indices.C1")(wrong_shape_of_indices)


@bindings.on_outputs("Y.F2")
def type_of_y(answer: MaxAnswer) -> Wrong | None:
    return wrong_dtype(answer, "Y", answer.x.dtype)


@bindings.on_outputs("Indices.F3")
def type_of_indices(answer: MaxAnswer) -> Wrong | None:
    return wrong_dtype(answer, "Indices", np.dtype(np.int64))


@bindings.on_outputs("float.Y.F1")
def nan_counts_as_minus_infinity(answer: MaxAnswer) -> Wrong | None:
    return answer.at("Y", answer.wrong_values & answer.maxima.has_nan, "a NaN in the window is not taken as -inf")


def padding_won(answer: MaxAnswer, kind: str) -> Wrong | None:
    if answer.x.dtype.kind not in kind or not answer.wrong_values.any():
        return None
    mask = answer.foreign_values & ~answer.maxima.has_nan
    return answer.at("Y", mask, "a window with padding gives a value that X does not hold there")


@bindings.on_outputs("float.pads.F1")
def float_padding(answer: MaxAnswer) -> Wrong | None:
    return padding_won(answer, "f")


@bindings.on_outputs("int.pads.F1")
def integer_padding(answer: MaxAnswer) -> Wrong | None:
    return padding_won(answer, "iu")


@bindings.on_outputs("Y.F1")
def value(answer: MaxAnswer) -> Wrong | None:
    if not answer.wrong_values.any():
        return None
    mask = answer.wrong_values & ~answer.maxima.has_nan & ~answer.foreign_values
    return answer.at("Y", mask, "not the maximum of its window")


@bindings.on_outputs("float.Indices.F1")
def nan_has_no_index(answer: MaxAnswer) -> Wrong | None:
    return answer.at("Indices", answer.wrong_indices & answer.maxima.has_nan,
                        "with a NaN in the window, not the first maximum among the rest")


def points_at_a_maximum(answer: MaxAnswer) -> np.ndarray:
    return answer.maxima.selects_maximum_at(answer.given["Indices"])


@bindings.on_outputs("Indices.F1")
def index_of_the_maximum(answer: MaxAnswer) -> Wrong | None:
    wrong = answer.wrong_indices & ~answer.maxima.has_nan
    mask = wrong & ~points_at_a_maximum(answer) if wrong.any() else wrong
    return answer.at("Indices", mask, "not the index of a maximum of the window")


@bindings.on_outputs("Indices.F2")
def first_of_the_maxima(answer: MaxAnswer) -> Wrong | None:
    wrong = answer.wrong_indices & ~answer.maxima.has_nan
    mask = wrong & points_at_a_maximum(answer) if wrong.any() else wrong
    return answer.at("Indices", mask, "a maximum of the window, but not the first")



def expected(call: ProfileCall) -> dict[str, np.ndarray]:
    """Y (type of X) and Indices (int64), both of shape (dX0, dX1, dY2, dY3)."""
    return {"Y": call.maxima.values, "Indices": call.maxima.indices}


bindings.expected = expected
bindings.stacked = lambda call, count: {"Indices": call.x.size // count}


def reads(call: ProfileCall, where: tuple[int, ...]) -> np.ndarray:
    """The cells of the window at `where`, row by row."""
    windows = call.maxima
    places = [place[window] for place, window in
              zip(windows.geometry.positions(windows.counts), where[2:], strict=True)]
    return np.array([(*where[:2], *cell) for cell in product(*places)])


bindings.reads = reads



@bindings.leaves_open("X.U1", refusal=True)
def no_batch_or_channel(call: ProfileCall) -> dict[str, object]:
    return {"Y": "whole", "Indices": "whole"} if 0 in call.x.shape[:2] else {}


@bindings.leaves_open("float.Indices.U1")
def nothing_but_nan(call: ProfileCall) -> dict[str, object]:
    if call.x.dtype.kind != "f" or not np.isnan(call.x).any():
        return {}
    mask = call.maxima.only_nan
    return {"Indices": mask} if mask.any() else {}


@bindings.leaves_open("pads.U1", refusal=True)
def pads_that_reach_the_kernel(call: ProfileCall) -> dict[str, object]:
    windows = call.maxima
    axes = zip(windows.geometry.begin, windows.geometry.end, windows.geometry.kernel, strict=True)
    if all(max(begin, end) < kernel for begin, end, kernel in axes):
        return {}
    nothing = np.zeros(windows.shape, dtype=bool)
    return {"Y": nothing, "Indices": nothing}
