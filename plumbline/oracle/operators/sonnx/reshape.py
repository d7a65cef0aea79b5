"""Judge and generate calls of SONNX Reshape, by `spec/sonnx/reshape.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.checks import one_of
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, type_of_source
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import evidence, on_call
from plumbline.oracle.operators.onnx.reshape import _Reshaping
from plumbline.oracle.type_names import STRING


class Reshape(_Reshaping):
    """A call of Reshape in the profile: allowzero given, and every size determined."""

    types = {1: (*FLOATS, *INTEGERS, "bool", "int4", "uint4", "int2", "uint2", STRING)}
    has_default = False

    output_is_given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", {"allowzero": 1})
    types_of_x = element_type("X.C2", "data", types[1])
    shape = copied_shape("Y.C1")
    value = elements_of("Y.F1", "reshaped", "not the element of X at that position")
    type_of_y = type_of_source("Y.F2")
    nan = bits_of_nan("Y.U1")
    closed_indices = evidence("S.E9")(last_index)

    @on_call("restrictions.R1")
    def allowzero_is_set(self) -> str | None:
        return None if "allowzero" in self.attributes else "allowzero is not set"

    @on_call("allowzero.C1")
    def zero_or_one(self) -> str | None:
        return one_of(self.call, "allowzero", 0, (0, 1))

    @on_call("allowzero.C2", needs=("allowzero.C1", "S.C4"))
    def copied(self) -> str | None:
        return self.copy_of_nothing()

    @on_call("allowzero.C3", needs=("allowzero.C1", "S.C4"))
    def entries(self) -> str | None:
        empty = 0 in self.source.shape
        if self.copies:
            return self.wrong_entry() or ("-1 for an X with a size of zero" if empty and -1 in self.target else None)
        if 0 in self.target and (not empty or -1 in self.target):
            return f"{list(self.target)} with allowzero 1 for an X of shape {list(self.source.shape)}"
        return self.wrong_entry()

    @on_call("X.C1", needs=("allowzero.C1", "allowzero.C2", "allowzero.C3", "S.C1", "S.C4"))
    def number_of_elements(self) -> str | None:
        return self.wrong_number()

    @on_call("S.C1", needs=("S.C4",))
    def one_inferred(self) -> str | None:
        return self.several_inferred()

    @on_call("S.C4")
    def list_of_int64(self) -> str | None:
        return None if self.target is not None else "S is not a list of int64"

    @evidence("allowzero.E1")
    @staticmethod
    def everything_meets_it() -> str:
        """Return evidence: each entry as printed is positive, or `= 0 implies empty`, or `= -1 implies no 0`."""
        admitted = []
        for shape in ([-5], [0, -1], [3]):
            meets = [entry > 0 or (entry != 0 or False) or (entry != -1 or 0 not in shape) for entry in shape]
            admitted += [shape] if all(meets) else []
        assert admitted == [[-5], [0, -1], [3]]
        return f"the disjunction admits S = {admitted[0]} and {admitted[1]} for an X that is not empty"

    @evidence("allowzero.E2")
    @staticmethod
    def inferred_is_not_kept() -> str:
        kept, inferred = (0, 6, -1), np.zeros((2, 3, 4)).reshape(2, 6, -1).shape
        assert inferred[2] != kept[2]
        return f"Example 2 has S = {list(kept)} and a Y of shape {inferred}: the last entry becomes {inferred[2]}"

    @evidence("Y.E1")
    @staticmethod
    def outside_its_own_domain() -> str:
        x, shape = (2, 5), (0, -1)
        printed = tuple(x[0] if entry == 0 else 5 for entry in shape)
        assert 0 in shape and -1 in shape and 0 not in x and printed == x
        return f"allowzero 1 and S = {list(shape)} for X of shape {x}: a size of zero holds none of its 10 elements; " \
               f"the shape printed, {printed}, has a copied size"
