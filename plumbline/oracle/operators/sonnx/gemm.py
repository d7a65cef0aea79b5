"""Judge and generate calls of SONNX Gemm, by `spec/sonnx/gemm.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of
from plumbline.oracle.families.matrices import FLOATS, tensor
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.operators.onnx.gemm import _Gemm
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import DTYPE, Named
from plumbline.oracle.terms import Terms

EXCLUDED = ("alpha", "beta", "transA", "transB")


class Gemm(_Gemm):
    """A call of Gemm in the profile: A * B + C, of matrices alone."""

    clauses = {"signature.F1": "missing", "Y.C1": "y_shape", "Y.C2": "y_type", "restrictions.R1": "axes_of_a",
               "B.C1": "axes_of_b", "B.C2": "inner_size", "B.C3": "type_of_b", "C.C2": "type_of_c"}

    known_attributes = attributes_of("signature.C1", dict.fromkeys(EXCLUDED, 1))
    types_of_a = element_type("A.C2", "A", FLOATS)
    value = elements_of("Y.F1", "Y", "not the sum of its products and C")

    @on_call("restrictions.R2")
    def no_factors(self) -> str | None:
        given = [name for name in EXCLUDED if name in self.attributes]
        return f"set: {', '.join(given)}" if given else None

    @on_call("restrictions.R3", needs=("restrictions.R1", "B.C1"))
    def whole_c(self) -> str | None:
        wanted = (self.left.shape[0], self.right.shape[1])
        fits = self.c is None or self.c.shape == wanted
        return None if fits or self.c is None else f"C has shape {list(self.c.shape)}, not {list(wanted)}"

    @on_call("restrictions.R4")
    def c_given(self) -> str | None:
        return None if self.c is not None else "C is not given"

    @unspecified("Y.U1")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(~self.products.finite, "Y")

    @unspecified("Y.U2")
    def overflow(self) -> Unspecified | None:
        return Unspecified.of(self.overflows & self.products.finite, "Y",
                              admits=lambda got: ~np.isfinite(got.astype(Wide)))

    @evidence("restrictions.E1")
    @staticmethod
    def set_and_not_supported() -> str:
        one = np.ones((1, 1))
        inputs = {"A": one, "B": one, "C": one}
        defaults = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0}
        set_by_gr4, unset = (Gemm(Call("Gemm", attributes, inputs), 13) for attributes in (defaults, {}))
        assert set_by_gr4.no_factors() and unset.no_factors() is None and (set_by_gr4.whole == unset.whole)
        return f"the node that GR4 asks for, with ONNX's default values, breaks R2 ({set_by_gr4.no_factors()})"

    @evidence("Y.E1")
    @staticmethod
    def cells_beyond() -> str:
        n = 2
        cells = [((i, n - i + k), (n - k + j, j)) for i in range(2) for j in range(2) for k in range(n)]
        beyond = [cell for cell in cells if cell[0][1] >= n or cell[1][0] >= n]
        assert beyond == cells
        return f"of two 2x2 matrices, each of {len(cells)} products has a cell beyond A or B, the first " \
               f"A{list(cells[0][0])} * B{list(cells[0][1])}"

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        """A, B and C of one type."""
        dtype = choose(Named(DTYPE, FLOATS))
        shapes = {"A": ((m, k), (1,)), "B": ((k, n), (0,)), "C": ((m, n), ())}
        return Call("Gemm", {}, {name: tensor(choose, shape, dtype, Terms(k + 1, inner))
                                 for name, (shape, inner) in shapes.items()})
