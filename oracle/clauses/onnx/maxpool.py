"""ONNX MaxPool: the clauses of `spec/onnx/maxpool.md`, bound to predicates."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.answer import is_float, wrong_dtype
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.clauses.onnx import common
from plumbline.oracle.maximum import MaxAnswer, Maxima, bind_maxima, index_of_the_maximum
from plumbline.oracle.pooling import PoolCall

ATTRIBUTES = {"auto_pad": 1, "kernel_shape": 1, "pads": 1, "strides": 1, "storage_order": 8, "ceil_mode": 10,
              "dilations": 10}
FLOATS = ("float16", "float32", "float64")
TYPES = {"X.C2": FLOATS, "X.C3": (*FLOATS, "int8", "uint8"), "X.C4": ("bfloat16", *FLOATS, "int8", "uint8")}


class MaxCall(PoolCall):
    """A call with the maxima of its windows."""

    @property
    def column_major(self) -> bool:
        """Whether indices count column by column."""
        value = self.call.attributes.get("storage_order", 0)
        return isinstance(value, (int, float)) and value == 1

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
        return np.asarray(plane * height * width + column * height + row)

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Column-major indices of a single plane as row-major ones; what is none is -1. Row-major ones as they are."""
        if not self.column_major or self.rank != 2:
            return got
        height, width = self.sizes
        column, row = np.divmod(got.astype(np.int64), height)
        return np.where((got >= 0) & (got < height * width), row * width + column, -1)


def bind_maxpool(bindings: Bindings) -> None:
    """What the text of ONNX says and that of its NHWC domain says alike."""
    common.bind_shapes(bindings)
    common.bind_silences(bindings, ("Y", "Indices"), {"ceil_mode.U1": "ceil_mode", "storage_order.U1": "storage_order"},
                         lambda call: call.maxima.selected == 0)
    common.bind_reads(bindings)
    bind_maxima(bindings, "pads.F1")
    bindings.stacked = rise_of_indices
    bindings.leaves_open("Y.U3")(nan)
    bindings.leaves_open("Indices.U1")(column_major_elsewhere)
    bindings.on_outputs("Indices.F1")(row_major_index)
    bindings.on_outputs("Indices.F2")(column_major_index)


def rise_of_indices(call: MaxCall, count: int) -> dict[str, int] | None:
    """Column-major indices are judged of a single plane alone, which several calls laid together are not."""
    single = call.rank == 2 and call.x.shape[:2] == (count, 1)
    return None if call.column_major and single else {"Indices": call.x.size // count}


def nan(call: MaxCall) -> dict[str, object]:
    if not is_float(call.x.dtype) or not call.has_windows:
        return {}
    mask = call.maxima.has_nan
    return {"Y": mask, "Indices": mask} if mask.any() else {}


def column_major_elsewhere(call: MaxCall) -> dict[str, object]:
    single = call.rank == 2 and call.x.shape[:2] == (1, 1)
    return {"Indices": np.ones(call.shape, dtype=bool)} if call.column_major and not single else {}


def row_major_index(answer: MaxAnswer) -> Wrong | None:
    return None if answer.call.column_major else index_of_the_maximum(answer)


def column_major_index(answer: MaxAnswer) -> Wrong | None:
    return index_of_the_maximum(answer) if answer.call.column_major else None


bindings = Bindings("onnx/maxpool", read=MaxCall)
common.bind_calls(bindings, ATTRIBUTES, TYPES)
bind_maxpool(bindings)
common.bind_last_window(bindings, ("Y", "Indices"))
common.bind_size_errata(bindings, "auto_pad.E1", "Y.E1")
common.bind_two_forms(bindings, "Y.E2")
common.bind_behind_the_padding(bindings, "Y.E3")


@bindings.on_outputs("Indices.F3")
def type_of_indices(answer: MaxAnswer) -> Wrong | None:
    return wrong_dtype(answer, "Indices", np.dtype(np.int64))
