"""Judge and generate calls of SONNX ArgMax, by `spec/sonnx/argmax.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.axes import axis_of, axis_within
from plumbline.oracle.families.checks import one_of
from plumbline.oracle.families.clauses import (
    attributes_of,
    element_type,
    elements_of,
    presence,
    shape_of_output,
    type_of_output,
)
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import evidence, on_call, on_elements
from plumbline.oracle.operators.onnx.arguments import NUMBERS, _Search, nan_left_aside, nan_passed_over


class ArgMax(_Search):
    """A call of ArgMax in the profile: every attribute given, no axis from the back, no empty line."""

    has_defaults = False
    counts_back_from = 2**31
    symptoms = {"nan-passed-over": nan_passed_over, "nan-left-aside": nan_left_aside}

    output_is_given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", {"axis": 1, "keepdims": 1, "select_last_index": 1})
    types_of_x = element_type("X.C3", "data", NUMBERS)
    type_of_y = type_of_output("Y.C1", "reduced", lambda self: np.dtype(np.int64))
    shape = shape_of_output("Y.C2", "reduced")
    closed_indices = evidence("X.E9")(last_index)

    @on_elements("Y.C3", "reduced", "not an index of the line")
    def out_of_range(self, got: np.ndarray) -> np.ndarray:
        return ~self.inside(got)

    @on_elements("float.Y.F1", "reduced", "not the index of the first or last NaN of the line")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return self.with_nan

    @on_elements("Y.F2", "reduced", "not the first or last maximum, as select_last_index says")
    def other_tie(self, got: np.ndarray) -> np.ndarray:
        return self.of_a_maximum(got)

    value = elements_of("Y.F1", "reduced", "not the index of a maximum of the line")

    @evidence("float.Y.E1")
    @staticmethod
    def equal_to_nan() -> str:
        line = np.array([1.0, np.nan, 3.0])
        equal, nan = np.flatnonzero(line == np.nan).tolist(), np.flatnonzero(np.isnan(line)).tolist()
        assert equal == [] and nan == [1]
        return f"of {line.tolist()} the indices {equal} equal NaN, and the indices {nan} are NaN"

    @on_call("restrictions.R1")
    def axis_is_set(self) -> str | None:
        return None if "axis" in self.attributes else "axis is not set"

    @on_call("restrictions.R2")
    def keepdims_is_set(self) -> str | None:
        return None if "keepdims" in self.attributes else "keepdims is not set"

    @on_call("restrictions.R3")
    def select_last_index_is_set(self) -> str | None:
        return None if "select_last_index" in self.attributes else "select_last_index is not set"

    @on_call("restrictions.R4")
    def not_negative(self) -> str | None:
        axis = axis_of(self, 0)
        return None if axis is None or axis >= 0 else f"axis is {axis}"

    @on_call("restrictions.R5", needs=("axis.C2",))
    def no_empty_line(self) -> str | None:
        return None if self.size else "X has no elements on axis"

    @on_call("axis.C2")
    def below_the_rank(self) -> str | None:
        return axis_within(self, 0, -self.data.ndim, self.data.ndim - 1)

    @on_call("keepdims.C1")
    def keepdims_domain(self) -> str | None:
        return one_of(self.call, "keepdims", 1, (0, 1))

    @on_call("select_last_index.C1")
    def select_last_index_domain(self) -> str | None:
        return one_of(self.call, "select_last_index", 0, (0, 1))

    @evidence("X.E1")
    @staticmethod
    def axis_of_a_vector() -> str:
        x, axis = np.zeros(4), 1
        assert not axis < x.ndim and axis < x.reshape(1, 4).ndim
        return f"axis {axis} of an X of shape {x.shape}, which has {x.ndim} axis; shape (1, 4) has two"
