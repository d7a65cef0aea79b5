"""Judge and generate calls of SONNX Concat, by `spec/sonnx/concat.md`."""

from __future__ import annotations

from plumbline.oracle.families.axes import axis_of, axis_within
from plumbline.oracle.families.clauses import attributes_of, elements_of, presence, same_type
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.families.movement import bits_of_nan, rank_of_output, type_of_source, wrong_sizes
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import Wrong, evidence, on_call, on_outputs
from plumbline.oracle.operators.onnx.concat import (
    _Concatenation,
    number_of_inputs,
    one_rank,
    one_shape_elsewhere,
    types_of_all,
)
from plumbline.oracle.response import Response
from plumbline.oracle.type_names import STRING


class Concat(_Concatenation):
    """A call of Concat in the profile: its axis given, and counted from the front."""

    types = {1: (*FLOATS, *INTEGERS, "bool", "bfloat16", STRING)}
    counts_back_from = 2**31

    output_is_given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", {"axis": 1})
    some_inputs = number_of_inputs("X.C1")
    ranks = one_rank("X.C2", "X.C1")
    shapes = one_shape_elsewhere("X.C3", "X.C1", "X.C2", "axis.C1")
    one_type = same_type("X.C4")
    types_of_x = types_of_all("X.C5", types[1])
    type_of_y = type_of_source("Y.C4")
    value = elements_of("Y.F1", "concat_result", "not the element of the inputs at that place")
    rank_of_y = rank_of_output("Y.C1")
    nan = bits_of_nan("Y.U1")
    closed_indices = evidence("X.E9")(last_index)

    @on_call("restrictions.R1")
    def not_negative(self) -> str | None:
        axis = axis_of(self)
        return None if axis is None or axis >= 0 else f"axis is {axis}"

    @on_call("axis.C1", needs=("X.C1", "X.C2"))
    def valid_axis(self) -> str | None:
        return axis_within(self, None, -self.rank, self.rank - 1)

    @on_outputs("Y.C2", needs=("Y.C1",))
    def sizes_elsewhere(self, response: Response) -> Wrong | None:
        return wrong_sizes(self, response, [axis for axis in range(self.rank) if axis != self.axis])

    @on_outputs("Y.C3", needs=("Y.C1",))
    def size_on_the_axis(self, response: Response) -> Wrong | None:
        return wrong_sizes(self, response, [self.axis])

    @evidence("X.E1")
    @staticmethod
    def one_too_many() -> str:
        sizes = [2, 3]
        summed = list(range(len(sizes) + 1))
        assert summed[-1] not in range(len(sizes))
        return f"of n = {len(sizes)} inputs of sizes {sizes}, a sum for k from 0 to n reads {len(summed)} sizes, the " \
               f"last of which is that of X_{summed[-1]}"
