"""Judge and generate calls of ONNX MaxPool, by `spec/onnx/maxpool.md`."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from plumbline.oracle.families.clauses import element_type, integer_attribute, type_of_output
from plumbline.oracle.families.maxima import PADDING, MaxWindows
from plumbline.oracle.families.window_errata import (
    dilations_without_a_default,
    indices_alone,
    size_errata,
    starts_behind_the_padding,
    strides_without_a_default,
    two_forms_are_equal,
)
from plumbline.oracle.families.window_repairs import RepairedWindows
from plumbline.oracle.families.window_sizes import AT_ENDS
from plumbline.oracle.operator import Allowance, Unspecified, disputed, evidence, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import CEIL_MODE, LAST_WINDOW, MAXIMA, POOLED, WINDOWS

FLOATS = ("float16", "float32", "float64")


class _MaxPool(MaxWindows, RepairedWindows):
    """The part that ONNX and its NHWC domain share."""

    introduced = {"auto_pad": 1, "kernel_shape": 1, "pads": 1, "strides": 1, "storage_order": 8, "ceil_mode": 10,
                  "dilations": 10}
    produces = ("Y", "Indices")
    at_ends = tuple(AT_ENDS)
    switches = {"storage_order": (0.7, 0.15, 0.15)}
    storage_order_type = integer_attribute("storage_order.C1", "storage_order")

    @property
    def column_major(self) -> bool:
        """True if indices count column by column."""
        value = self.attributes.get("storage_order", 0)
        return isinstance(value, (int, float)) and value == 1

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
        """Column-major indices of a single plane as row-major ones, -1 where there is no such position; row-major
        indices as they are."""
        if not self.column_major or self.rank != 2:
            return got
        height, width = self.sizes
        column, row = np.divmod(got.astype(np.int64), height)
        return np.where((got >= 0) & (got < height * width), row * width + column, -1)

    def stack_offset(self, output: str, count: int) -> int | None:
        """Column-major indices are judged of a single plane alone, which several calls laid together are not."""
        if output == "Indices" and self.has_windows and self.column_major and self.rank == 2:
            return None
        return super().stack_offset(output, count)

    @unspecified("storage_order.U1", refusal=True)
    def other_storage_orders(self) -> Unspecified | None:
        return self.other_values("storage_order")

    @unspecified("Indices.U1")
    def column_major_elsewhere(self) -> Unspecified | None:
        if not self.column_major or self.rank == 2 and self.x.shape[:2] == (1, 1):
            return None
        return Unspecified.of(np.ones(self.shape, dtype=bool), "Indices", admits=self.in_range)

    def in_range(self, got: np.ndarray) -> np.ndarray:
        """The indices that are positions in X."""
        return np.asarray((got >= 0) & (got < self.x.size))

    @property
    def index_is_open(self) -> np.ndarray:
        """bool, in the shape of the output: where an unspecified clause leaves more of the index than which of several
        maxima it points at."""
        elsewhere = self.column_major and not (self.rank == 2 and self.x.shape[:2] == (1, 1))
        return np.asarray(self.empty_windows | self.maxima.has_nan | elsewhere)

    @unspecified("Y.U2")
    def nothing_selected(self) -> Unspecified | None:
        mask = self.empty_windows if self.has_windows else np.zeros(0, bool)
        return Unspecified({"Y": Allowance(mask), "Indices": Allowance(mask, self.in_range)}) if mask.any() else None

    @on_elements("Indices.F4", "Indices", "not a position in X")
    def range_of_indices(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.index_is_open & ~self.in_range(got))

    @on_elements("pads.F1", "Y", PADDING)
    def padding(self, got: np.ndarray) -> np.ndarray:
        return self.foreign(got)

    @on_elements("Indices.F1", "Indices", "not the index of a maximum of the window")
    def row_major_index(self, got: np.ndarray) -> bool:
        return not self.column_major

    @on_elements("Indices.F2", "Indices", "not the index of a maximum of the window")
    def column_major_index(self, got: np.ndarray) -> bool:
        return self.column_major

    size_of_same, floor_and_ceil = size_errata("auto_pad.E1", "Y.E1")


class MaxPool(_MaxPool):
    """A call of MaxPool under one version of its specification."""

    clauses = MAXIMA | CEIL_MODE | LAST_WINDOW | WINDOWS | POOLED
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "int8": (12, 1.0),
                     "uint8": (12, 1.0), "bfloat16": (22, 0.0)}

    types_1 = element_type("X.C2", "X", FLOATS)
    types_12 = element_type("X.C3", "X", (*FLOATS, "int8", "uint8"))
    types_22 = element_type("X.C4", "X", ("bfloat16", *FLOATS, "int8", "uint8"))
    type_of_indices = type_of_output("Indices.F3", "Indices", lambda self: np.dtype(np.int64))
    default_strides = evidence("strides.E1")(strides_without_a_default)
    default_dilations = evidence("dilations.E1")(dilations_without_a_default)
    order_of_indices = evidence("storage_order.E1")(indices_alone)
    two_forms = evidence("Y.E2")(two_forms_are_equal)
    behind_the_padding = evidence("Y.E3")(starts_behind_the_padding)
    fewer_windows = disputed("Y.E4")(RepairedWindows.windows_in_the_padding_left_out)
    rounded_up = disputed("Y.E5")(RepairedWindows.valid_rounded_up)
