"""Judge and generate calls of SONNX Unsqueeze, by `spec/sonnx/unsqueeze.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, type_of_source
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import evidence, on_call
from plumbline.oracle.operators.onnx.unsqueeze import _Insertion
from plumbline.oracle.type_names import STRING


class Unsqueeze(_Insertion):
    """A call of Unsqueeze in the profile."""

    types = {1: (*FLOATS, *INTEGERS, "bool", STRING)}

    output_is_given = presence("signature.F1")
    no_attribute = attributes_of("signature.C1", {})
    types_of_x = element_type("X.C1", "data", types[1])
    shape = copied_shape("Y.C1")
    value = elements_of("Y.F1", "expanded", "not the element of X at that position")
    type_of_y = type_of_source("Y.F2")
    nan = bits_of_nan("Y.U1")
    closed_indices = evidence("A.E9")(last_index)

    @on_call("A.C1", needs=("A.C3",))
    def value_domain(self) -> str | None:
        return self.out_of_range(-self.rank)

    @on_call("A.C2", needs=("A.C1", "A.C3"))
    def uniqueness(self) -> str | None:
        return self.repeated()

    @on_call("A.C3")
    def list_of_int64(self) -> str | None:
        axes = self.inputs["axes"]
        return None if axes.dtype == np.int64 and axes.ndim == 1 else f"axes are {axes.dtype.name} {list(axes.shape)}"

    @evidence("A.E1")
    @staticmethod
    def rank_for_a_number() -> str:
        x, a, printed = np.zeros((2, 3, 4)), np.array([0, 1]), 5
        assert a.ndim + x.ndim != printed == len(a) + x.ndim
        return f"Example 3 gives Y {printed} axes for A = {a.tolist()}: the rank of A, {a.ndim}, and that of X come " \
               f"to {a.ndim + x.ndim}, the number of its entries and that of X to {printed}"

    @evidence("A.E2")
    @staticmethod
    def negative_entries() -> str:
        x, a, printed = np.zeros((2, 3, 4)), np.array([-1]), (2, 3, 4, 1)
        rank = x.ndim + len(a)
        stated, meant = (np.expand_dims(x, int(a[0]) + added).shape for added in (a.ndim, rank))
        assert stated != printed == meant
        return f"A = [-1] with {a.ndim} added gives {stated}, with {rank} {meant}, which Example 2 prints"
