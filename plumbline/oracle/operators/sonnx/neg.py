"""Judge and generate calls of SONNX Neg, by `spec/sonnx/neg.md`."""

from __future__ import annotations

from math import prod

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.unary import ExactUnary
from plumbline.oracle.operator import evidence

TYPES = ("float32", "float16", "float64", "bfloat16", "int64", "int32", "int8", "int16")


class Neg(ExactUnary):
    """A call of Neg in the profile."""

    clauses = {"signature.F1": "given", "B.C1": "shape", "B.U1": "lowest_integer", "B.U2": "nan",
               "B.U3": "zeros"}
    function = staticmethod(np.negative)
    types = dict.fromkeys(TYPES, 1)

    no_attribute = attributes_of("signature.C1", {})
    types_of_a = element_type("A.C1", "X", TYPES)
    type_of_b = type_of_output("B.C2", "Y", lambda self: self.x.dtype)
    negation = elements_of("B.F1", "Y", "not the number with the other sign")

    @evidence("A.E1")
    @staticmethod
    def negations_of_uint8() -> str:
        numbers = range(256)
        negated = [number for number in numbers if -number in numbers]
        assert negated == [0]
        return f"of the {len(numbers)} numbers of uint8 {len(negated)} has a negation in the type, {negated[0]}"

    @evidence("A.E2")
    @staticmethod
    def sizes_of_shapes() -> str:
        a, b = (2, 3), (3, 2)
        assert prod(a) == prod(b) and a != b
        return f"shapes {list(a)} and {list(b)} both have {prod(a)} elements"
