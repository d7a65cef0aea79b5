"""Judge and generate calls of ONNX Constant, by `spec/onnx/constant.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.element_types import FLOATS, a_type, moved
from plumbline.oracle.families.elementwise import SIZES, a_shape
from plumbline.oracle.families.graph_values import in_halves, narrowed
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Predicate, on_call
from plumbline.oracle.type_names import STRING, name_of

VERSIONS = (1, 9, 13, 19, 21, 23, 24)
"""Those that brought element types, but for the last one, which has all that arrays hold."""

LISTS = {"value_float": "float32", "value_floats": "float32", "value_int": "int64", "value_ints": "int64",
         "value_string": STRING, "value_strings": STRING}
"""The other attributes that are tried, with the element type of the output."""


def types(version: int) -> tuple[str, ...]:
    """The element types of value."""
    return FLOATS if version < 9 else moved(version, 19)


def type_of_value(clause: str, version: int) -> Predicate:
    """The elements of value are of a type that a version has."""
    def other(self: Operator) -> str | None:
        value = self.attributes.get("value")
        dtype = None if value is None else name_of(value.dtype)
        return None if dtype is None or dtype in types(version) else f"value is {dtype}"
    return Predicate("call", clause, other)


class _Copy(Movement):
    """A call without inputs: a copy of what an attribute holds."""

    symptoms = {"narrowed": narrowed, "in-halves": in_halves}
    flag_notes = {"scalar": "The constant has no axes.", "no-elements": "The constant has no elements."}

    shape = copied_shape(UNBOUND)
    value = elements_of(UNBOUND, "output", "not the element of the attribute")
    element_type = type_of_output(UNBOUND, "output", lambda self: self.source.dtype)

    @property
    def source(self) -> np.ndarray:
        """The value of the attribute. Raises OutsideDomain for sparse tensors."""
        if "sparse_value" in self.attributes:
            raise OutsideDomain("sparse tensors are not tried")
        name = next((name for name in LISTS if name in self.attributes), None)
        if name is None:
            return np.asarray(self.attributes.get("value", np.zeros(0, np.float32)))
        if LISTS[name] == STRING:
            return np.array(self.attributes[name], object)
        return np.asarray(np.array(self.attributes[name]).astype(LISTS[name]))

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The tensor to copy, alone."""
        return {"value": self.source}

    def places(self) -> np.ndarray:
        """Return the position of each element itself."""
        return row_by_row(self.source.shape)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """There are no inputs."""
        return {}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "no-elements": self.source.size == 0}


class Constant(_Copy):
    """A call of Constant under one version of its specification."""

    clauses = {"output.C1": "shape", "output.F1": "value", "output.F2": "element_type"}

    type_1, type_9, type_13, type_19, type_21, type_23, type_24 = (
        type_of_value(f"value.C{number}", version) for number, version in enumerate(VERSIONS, 3))
    nan = bits_of_nan("output.U1")

    @on_call("values.C1")
    def one_of_two(self) -> str | None:
        return self._one()

    @on_call("values.C2")
    def one_of_all(self) -> str | None:
        return self._one()

    def _one(self) -> str | None:
        return None if len(self.attributes) == 1 else f"set: {', '.join(self.attributes) or 'none'}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: a tensor of any shape and type, or a number or a list."""
        name = choose(("value", *LISTS), (8, 1, 1, 1, 1, 1, 1)) if version > 11 else "value"
        if name == "value":
            value: Any = choose.tensor(a_shape(choose), a_type(choose, types(version)), "bits")
        else:
            drawn = choose.tensor((choose((*SIZES, 0)),) if name.endswith("s") else (1,), LISTS[name], "bits").tolist()
            value = drawn if name.endswith("s") else drawn[0]
        return Call("Constant", {name: value}, {})
