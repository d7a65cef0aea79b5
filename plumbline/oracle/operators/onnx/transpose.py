"""Judge and generate calls of ONNX Transpose, by `spec/onnx/transpose.md`."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, on_call


class Transpose(Movement):
    """A call of Transpose under one version of its specification."""

    output = "transposed"
    flag_notes = {**Movement.flag_notes, "default": "perm is not set, and all axes are reversed."}

    shape = copied_shape("transposed.C1")
    value = elements_of("transposed.F1", "transposed", "not the element of data at the permuted position")
    nan = bits_of_nan("transposed.U1")

    @property
    def perm(self) -> tuple[int, ...]:
        """The axis of data that each axis of the output is."""
        return tuple(self.attributes.get("perm", range(self.source.ndim)[::-1]))

    @on_call("perm.C2")
    def permutation(self) -> str | None:
        rank = self.source.ndim
        is_permutation = sorted(self.perm) == list(range(rank))
        return None if is_permutation else f"perm is {list(self.perm)}, and data has {rank} axes"

    def places(self) -> np.ndarray:
        """Return the positions of data, with its axes permuted."""
        return row_by_row(self.source.shape).transpose(self.perm)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any order of the axes of any shape."""
        shape = a_shape(choose)
        orders = [tuple(range(len(shape)))[::-1], *permutations(range(len(shape)))]
        perm = choose(orders)
        attributes = {} if perm == orders[0] and choose((True, False)) else {"perm": list(perm)}
        return Call("Transpose", attributes, {"data": choose.tensor(
            shape, a_type(choose, cls.types_of("data", version)), "bits")})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "default": "perm" not in self.attributes}
