"""Judge and generate calls of SONNX Where, by `spec/sonnx/where.md`."""

from __future__ import annotations

from itertools import product

import numpy as np

from plumbline.oracle.families.clauses import element_type, elements_of, same_shape, shape_of_output, type_of_output
from plumbline.oracle.families.profile import NUMBERS, last_index
from plumbline.oracle.families.selection import Selection, condition_is_bool, one_type
from plumbline.oracle.operator import evidence


class Where(Selection):
    """A call of Where."""

    clauses = {"signature.F1": "given", "signature.C1": "no_attribute"}
    types = dict.fromkeys(NUMBERS, 1)

    one_shape = same_shape("restrictions.R1")
    one_type = one_type("condition.C2")
    truth = condition_is_bool("condition.C3")
    types_of_x = element_type("X.C3", "X", NUMBERS)
    shape = shape_of_output("Z.C1", "output")
    type_of_copy = type_of_output("Z.C2", "output", lambda self: self.inputs["X"].dtype)
    nan = Selection.nan_is_open("Z.U1")
    any_other = elements_of("Z.F1", "output", "not the element that the condition selects")
    index = evidence("Z.E9")(last_index)

    @evidence("restrictions.E1")
    @staticmethod
    def unlisted() -> str:
        condition: tuple[int, ...] = (1,)
        others: tuple[int, ...] = (3,)
        assert np.broadcast_shapes(condition, others, others) == others != condition
        return f"a condition of shape {list(condition)} with X and Y of {list(others)} is broadcast by ONNX and " \
               "refused by the constraint"

    @evidence("Z.E1")
    @staticmethod
    def the_only_condition() -> str:
        x, y = np.array([[1, 20], [3, 40], [5, 60]]), np.array([[12, 110], [10, 90], [8, 70]])
        z = np.array([[1, 20], [3, 90], [8, 60]])
        fits = [found for found in product((True, False), repeat=x.size)
                if (np.where(np.reshape(found, x.shape), x, y) == z).all()]
        assert len(fits) == 1
        return f"of {2**x.size} conditions one gives Z: {np.reshape(fits[0], x.shape).tolist()}"

    @evidence("Z.E2")
    @staticmethod
    def no_empty_tensor() -> str:
        shapes = [shape for shape in product(range(3), repeat=2)]
        empty = [shape for shape in shapes if np.where(np.ones(shape, bool), np.ones(shape), np.ones(shape)).size == 0]
        assert empty == [shape for shape in shapes if 0 in shape]
        return f"of {len(shapes)} shapes the {len(empty)} that have no elements give an empty Z, and no other"
