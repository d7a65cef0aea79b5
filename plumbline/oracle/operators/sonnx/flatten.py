"""Judge and generate calls of SONNX Flatten, by `spec/sonnx/flatten.md`."""

from __future__ import annotations

from math import prod

from plumbline.oracle.families.axes import axis_within
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, type_of_source
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import evidence, on_call
from plumbline.oracle.operators.onnx.flatten import _Flattening


class Flatten(_Flattening):
    """A call of Flatten in the profile: its axis given, numbers alone."""

    types = {1: (*FLOATS, *INTEGERS)}
    has_default = False

    output_is_given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", {"axis": 1})
    types_of_x = element_type("X.C2", "input", types[1])
    shape = copied_shape("Y.C1")
    value = elements_of("Y.F1", "output", "not the element of X at that position")
    type_of_y = type_of_source("Y.F2")
    nan = bits_of_nan("Y.U1")
    closed_indices = evidence("X.E9")(last_index)

    @on_call("restrictions.R1")
    def axis_is_set(self) -> str | None:
        return None if "axis" in self.attributes else "axis is not set"

    @on_call("axis.C1")
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, 1, -self.source.ndim, self.source.ndim)

    @evidence("Y.E1")
    @staticmethod
    def row_of_rows() -> str:
        x, axis, printed = (2, 3, 4), 2, [6, 1, 4]
        formula = [prod(x[:axis]), prod(x[axis:])]
        assert formula != printed and prod(formula) == prod(printed)
        return f"X has shape {x} and axis is {axis}: the formula gives {formula}, six one-row matrices side by side " \
               f"have {printed}"
