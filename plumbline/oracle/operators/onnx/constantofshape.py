"""Judge and generate calls of ONNX ConstantOfShape, by `spec/onnx/constantofshape.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.element_types import COMPLEX, a_type, moved
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.graph_values import in_halves, narrowed
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Operator, Predicate, on_call
from plumbline.oracle.type_names import STRING

VERSIONS = (9, 20, 21, 23, 24, 25)
"""Those that brought element types."""


def types(version: int) -> tuple[str, ...]:
    """The element types of the output."""
    return tuple(name for name in moved(version, 20) if name not in (*COMPLEX, STRING))


def type_of_value(clause: str, version: int) -> Predicate:
    """The element of value is of a type that a version has."""
    def other(self: Operator) -> str | None:
        value = self.attributes.get("value")
        return None if value is None or value.dtype.name in types(version) else f"value is {value.dtype.name}"
    return Predicate("call", clause, other)


def second_of_two(definition: Any, entry: Any) -> bool:
    """Elements are 0, and the second ones of pairs that share an octet."""
    if entry.where is None:
        return False
    shape = definition.shape_of(entry.output)
    places = np.arange(np.prod(shape, dtype=int)).reshape(shape)[tuple(entry.where.T)]
    return bool(np.all((entry.got.astype(float) == 0) & (places.reshape(-1) % 2 == 1)))


class ConstantOfShape(Movement):
    """A call of ConstantOfShape: a copy of one element to every place."""

    symptoms = {"narrowed": narrowed, "in-halves": in_halves, "second-of-two": second_of_two}
    tall = None
    flag_notes = {"of-float4": "the element is of float4, of which two share an octet.",
                  "no-value": "value is not set, and stands for 0 of float32.",
                  "no-entries": "the shape has no entry, so that the output has no axes."}

    type_9, type_20, type_21, type_23, type_24, type_25 = (
        type_of_value(f"value.C{number}", version) for number, version in enumerate(VERSIONS, 3))
    shape = copied_shape("output.C1")
    value = elements_of("output.F1", "output", "not the element of value")
    element_type = type_of_output("output.F2", "output", lambda self: self.source.dtype)
    nan = bits_of_nan("output.U1")

    @property
    def source(self) -> np.ndarray:
        """The tensor value, or its default."""
        return np.asarray(self.attributes.get("value", np.zeros(1, np.float32)))

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The tensor to copy, alone."""
        return {"value": self.source}

    @on_call("value.C2")
    def one_element(self) -> str | None:
        return None if self.source.size == 1 else f"value has {self.source.size} elements"

    @on_call("input.C2")
    def one_axis(self) -> str | None:
        rank = self.inputs["input"].ndim
        return None if rank == 1 else f"input has {rank} axes"

    @on_call("input.C3")
    def value_domain(self) -> str | None:
        return next((f"input has {size}" for size in self.inputs["input"].reshape(-1) if size < 0), None)

    def places(self) -> np.ndarray:
        """Return the first position everywhere."""
        sizes = self.inputs["input"].tolist()
        holdable(self.output, sizes)
        return np.broadcast_to(np.int64(0), sizes)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return {}: no output element depends on single input elements."""
        return {}

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes, with the last axis of the output."""
        return {**super().named_sizes(), "columns": (0, *self.positions.shape)[-1]}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, with a value of any type in a tensor of one axis or none."""
        shape = np.array(a_shape(choose), np.int64)
        dtype = a_type(choose, types(version))
        attributes = {} if dtype == "float32" and choose((False, True)) else {
            "value": choose.tensor(choose(((1,), ())), dtype, "bits")}
        return Call("ConstantOfShape", attributes, {"input": shape})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"of-float4": self.source.dtype.name.startswith("float4"), "no-value": "value" not in self.attributes,
                "no-entries": self.inputs["input"].size == 0}
