"""Judge and generate calls of SONNX Max, by `spec/sonnx/max.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import (
    any_nan,
    attributes_of,
    element_type,
    elements_of,
    presence,
    same_type,
    shape_of_output,
    type_of_output,
)
from plumbline.oracle.families.extrema import Extremum
from plumbline.oracle.families.profile import NUMBERS, last_index
from plumbline.oracle.operator import evidence, on_call, on_elements


class Max(Extremum):
    """A call of Max."""

    operator = "Max"
    output = "max"
    largest = True
    types = dict.fromkeys(NUMBERS, 1)

    given = presence("signature.F1")
    no_attribute = attributes_of("signature.C1", {})
    one_type = same_type("X.C3")
    types_of_x = element_type("X.C4", "data_0", NUMBERS)
    shape = shape_of_output("Y.C1", "max")
    type_of_y = type_of_output("Y.F2", "max", lambda self: self.inputs["data_0"].dtype)
    bits = any_nan("float.Y.U1", "max")
    index = evidence("X.E9")(last_index)

    @on_call("X.C1")
    def together(self) -> str | None:
        shapes = [tuple(tensor.shape) for tensor in self.inputs.values()]
        rank = max(map(len, shapes))
        for axis, sizes in enumerate(zip(*((1,) * (rank - len(shape)) + shape for shape in shapes), strict=True)):
            if any(size not in (1, max(sizes)) for size in sizes):
                return f"axis {axis} has the sizes {', '.join(map(str, sizes))}"
        return None

    @on_elements("float.Y.F2", "max", "not NaN where an element is")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return self.any_nan

    @on_elements("float.Y.F1", "max", "the other zero")
    def zeros(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((got == 0) & (self.canonical["max"] == 0))

    any_other = elements_of("Y.F1", "max", "not the largest of the elements")

    @evidence("X.E1")
    @staticmethod
    def empty_beside_one() -> str:
        sizes = (0, 1)
        (by_numpy,) = np.broadcast_shapes(*((size,) for size in sizes))
        assert by_numpy == 0 and 0 not in (1, max(sizes))
        return f"sizes {sizes[0]} and {sizes[1]} give {by_numpy} by NumPy's rules; 0 is neither 1 nor {max(sizes)}, " \
               "the largest, so that the page refuses it"

    @evidence("X.E2")
    @staticmethod
    def number_of_tensors() -> str:
        last = 3
        tensors = range(last + 1)
        assert len(tensors) == last + 1 != last - 1
        return f"X0 to X{last} are {len(tensors)} tensors, not {last - 1}"
