"""ONNX MaxPool: the clauses of `spec/onnx/maxpool.md`, bound to predicates.

A wrong element of Y is charged to the padding when its window selects padding and the value is none of X's, to the
split of the padding when auto_pad is SAME, else to the value itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from oracle.answer import Answer, is_float, wrong_dtype, wrong_shape_of_indices
from oracle.binding import Bindings, Wrong
from oracle.clauses.onnx import common
from oracle.maximum import Maxima
from oracle.pooling import SAME, PoolCall

ATTRIBUTES = {"auto_pad": 1, "kernel_shape": 1, "pads": 1, "strides": 1, "storage_order": 8, "ceil_mode": 10,
              "dilations": 10}
FLOATS = ("float16", "float32", "float64")
TYPES = {"X.C2": FLOATS, "X.C3": (*FLOATS, "int8", "uint8"), "X.C4": ("bfloat16", *FLOATS, "int8", "uint8")}


class MaxCall(PoolCall):
    """A call with the maxima of its windows."""

    @property
    def column_major(self) -> bool:
        """Whether indices count column by column."""
        return self.call.attributes.get("storage_order", 0) == 1

    @cached_property
    def maxima(self) -> Maxima:
        """The windows of a call inside the domain."""
        return Maxima(self.x, self.geometry, self.shape[2:])

    @cached_property
    def indices(self) -> np.ndarray:
        """The canonical indices: of the first maximum of each window."""
        rows = self.maxima.indices
        if not self.column_major or self.rank != 2:
            return rows
        height, width = self.sizes
        plane, inside = np.divmod(rows, max(height * width, 1))
        row, column = np.divmod(inside, max(width, 1))
        return plane * height * width + column * height + row

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Column-major indices of a single plane as row-major ones; what is none stays none (-1)."""
        height, width = self.sizes
        column, row = np.divmod(got.astype(np.int64), height)
        return np.where((got >= 0) & (got < height * width), row * width + column, -1)


bindings = Bindings("onnx/maxpool", read=MaxCall)
common.bind_calls(bindings, ATTRIBUTES, TYPES)
common.bind_shapes(bindings)
common.bind_silences(bindings, ("Y", "Indices"), {"ceil_mode.U1": "ceil_mode", "storage_order.U1": "storage_order"},
                     lambda call: call.maxima.selected == 0)
common.bind_reads(bindings)
common.bind_size_errata(bindings, "auto_pad.E1", "Y.E1")
common.bind_two_forms(bindings, "Y.E2")


@bindings.leaves_open("Y.U3")
def nan(call: MaxCall) -> dict[str, object]:
    if not is_float(call.x.dtype) or not call.has_windows:
        return {}
    mask = call.maxima.has_nan
    return {"Y": mask, "Indices": mask} if mask.any() else {}


@bindings.leaves_open("Indices.U1")
def column_major_elsewhere(call: MaxCall) -> dict[str, object]:
    single = call.rank == 2 and call.x.shape[:2] == (1, 1)
    return {"Indices": np.ones(call.shape, dtype=bool)} if call.column_major and not single else {}


class MaxAnswer(Answer):
    """An answer with the windows of its call."""

    def __init__(self, call: MaxCall, given: Mapping[str, np.ndarray]) -> None:
        self.call = call
        super().__init__(call.x, given, call.shape,
                         lambda name: call.maxima.values if name == "Y" else call.indices)

    @cached_property
    def wrong_values(self) -> np.ndarray:
        """Where Y is not the maximum."""
        return self.judged("Y", lambda got: got != self.call.maxima.values)

    @cached_property
    def foreign_values(self) -> np.ndarray:
        """Where Y is wrong and, its window reaching into the padding, is no element of X in it; with automatic padding,
        where it is no element of X at all: one from beside the window tells of the split, not of the padding."""
        if not self.wrong_values.any():
            return self.wrong_values
        maxima, got = self.call.maxima, self.given["Y"]
        known = np.isin(got, self.x) if self.call.auto_pad in SAME else maxima.selects_value(got)
        return self.wrong_values & maxima.has_padding & ~known

    @cached_property
    def wrong_indices(self) -> np.ndarray:
        """Where Indices points at no maximum of its window."""
        call = self.call
        return self.judged("Indices", lambda got: ~call.maxima.selects_maximum_at(
            call.row_major(got) if call.column_major and call.rank == 2 else got))


bindings.answer = MaxAnswer
bindings.on_outputs("Indices.C1")(wrong_shape_of_indices)


@bindings.on_outputs("pads.F1")
def padding_left_out(answer: MaxAnswer) -> Wrong | None:
    return answer.at("Y", answer.foreign_values, "a window with padding gives a value that X does not hold there")


@bindings.on_outputs("auto_pad.F1")
def split_of_the_padding(answer: MaxAnswer) -> Wrong | None:
    if answer.call.auto_pad not in SAME:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.foreign_values, "not the maximum of its window")


@bindings.on_outputs("Y.F1")
def value(answer: MaxAnswer) -> Wrong | None:
    if answer.call.auto_pad in SAME:
        return None
    return answer.at("Y", answer.wrong_values & ~answer.foreign_values, "not the maximum of its window")


@bindings.on_outputs("Indices.F1")
def index_of_the_maximum(answer: MaxAnswer) -> Wrong | None:
    mask = answer.wrong_indices if not answer.call.column_major else np.False_
    return answer.at("Indices", np.asarray(mask), "not the index of a maximum of the window")


@bindings.on_outputs("Indices.F2")
def column_major_index(answer: MaxAnswer) -> Wrong | None:
    mask = answer.wrong_indices if answer.call.column_major else np.False_
    return answer.at("Indices", np.asarray(mask), "not the column-major index of a maximum of the window")


@bindings.on_outputs("Indices.F3")
def type_of_indices(answer: MaxAnswer) -> Wrong | None:
    return wrong_dtype(answer, "Indices", np.dtype(np.int64))


def expected(call: MaxCall) -> dict[str, np.ndarray]:
    """Y (type of X) and Indices (int64)."""
    return {"Y": call.maxima.values, "Indices": call.indices}


bindings.expected = expected
