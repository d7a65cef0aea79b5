"""Judge and generate calls of ONNX TopK, by `spec/onnx/topk.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along, either_end
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.reading_symptoms import in_32_bits
from plumbline.oracle.operator import Allowance, Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import (
    DTYPE,
    FAR,
    LARGE,
    LONG_AXIS,
    ROWS,
    WIDE_ROWS,
    Named,
    SizeClass,
    a_far_index,
    a_large_output,
    is_far,
    is_large,
)

OUTPUTS = ("Values", "Indices")


def other_of_ties(definition: Operator, entry: Divergence) -> bool:
    """Indices are those of elements that are equal to the right ones, or that become so in 32 bits."""
    assert isinstance(definition, TopK) and isinstance(entry.got, np.ndarray)  # it is about elements
    if entry.output != "Indices" or entry.where is None or not ((0 <= entry.got) & (
            entry.got < definition.x.shape[definition.axis])).all():
        return False
    narrow = {"f": np.float32, "i": np.int32, "u": np.uint32}.get(definition.x.dtype.kind)
    x = definition.x.astype(narrow) if narrow and definition.x.itemsize == 8 else definition.x
    places = [[*entry.where.T] for _ in range(2)]
    for place, index in zip(places, (entry.got, entry.expected), strict=True):
        place[definition.axis] = index
    return bool(np.all(x[tuple(places[0])] == x[tuple(places[1])]))


def of_32_bits(definition: Operator, entry: Divergence) -> bool:
    """Values and Indices are those of elements as int32, or in float32 without subnormal numbers, equal ones in any
    order."""
    assert isinstance(definition, TopK) and isinstance(entry.got, np.ndarray)  # it is about elements
    axis, x = definition.axis, in_32_bits(definition.x)
    if entry.where is None or ((x == definition.x) | (x != x)).all():
        return False
    if entry.output == "Indices" and not ((0 <= entry.got) & (entry.got < x.shape[axis])).all():
        return False
    place, order = [*entry.where.T], np.sort(x, axis=axis)
    wanted = (np.flip(order, axis) if definition.attribute("largest") != 0 else order)[tuple(place)]
    if entry.output == "Indices":
        place[axis] = entry.got
    return bool(np.all(wanted == (x[tuple(place)] if entry.output == "Indices" else in_32_bits(entry.got))))


class TopK(Operator):
    """A call of TopK under one version of its specification."""

    symptoms = {"other-of-ties": other_of_ties, "of-32-bits": of_32_bits}
    flag_notes = {"smallest": "The smallest elements are asked for.", "unsorted": "No order is asked for.",
                  "negative-axis": "axis counts from the back."}

    shape_of_values = shape_of_output("Values.C1", "Values")
    shape_of_indices = shape_of_output("Indices.C1", "Indices")
    value = elements_of("Values.F2", "Values", "not the element of X of that rank")
    index = elements_of("Indices.F2", "Indices", "not the index of the element of that rank")

    @property
    def x(self) -> np.ndarray:
        """The input."""
        return self.inputs["X"]

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        axis = int(self.attribute("axis"))
        return axis + self.x.ndim if axis < 0 else axis

    @property
    def count(self) -> int:
        """The number of elements asked for."""
        return int(self.attributes["k"] if self.version < 10 else self.inputs["K"].reshape(-1)[0])

    @property
    def is_sorted(self) -> bool:
        """True if an order is asked for."""
        return self.version < 11 or self.attribute("sorted") != 0

    @cached_property
    def ranks(self) -> np.ndarray:
        """int64, in the shape of X: the ranks of its elements, those asked for the lowest; equal ones have one."""
        numbers = self.x.astype(np.float32) if self.x.dtype.kind == "V" else self.x
        found = np.asarray(np.unique(numbers, return_inverse=True)[1]).reshape(self.x.shape)
        return np.asarray(found if self.version >= 11 and self.attribute("largest") == 0 else -found)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of X, with the number asked for on the axis."""
        return (*self.x.shape[:self.axis], self.count, *self.x.shape[self.axis + 1:])

    def expected(self) -> dict[str, np.ndarray]:
        """Return the outputs by a stable order of all elements."""
        order = np.argsort(self.ranks, axis=self.axis, kind="stable")
        indices = np.take(order, np.arange(self.count), axis=self.axis)
        return {"Values": np.take_along_axis(self.x, indices, self.axis), "Indices": indices}

    @on_call("X.C4")
    def has_an_axis(self) -> str | None:
        return None if self.x.ndim else "X has no axes"

    axis_from_either_end = along("axis.C2", "X", needs=("X.C4",))

    def beyond_the_axis(self) -> str | None:
        """Why the number asked for is not one of elements on the axis."""
        size = self.x.shape[self.axis]
        return None if 1 <= self.count <= size else f"{self.count} of {size} elements are asked for"

    @on_call("K.C2")
    def one_number(self) -> str | None:
        shape = self.inputs["K"].shape
        return None if shape == (1,) else f"K has the shape {shape}"

    number_1 = on_call("k.C3", needs=("X.C4", "axis.C2"))(beyond_the_axis)
    number_10 = on_call("K.C3", needs=("X.C4", "axis.C2", "K.C2"))(beyond_the_axis)

    def order(self, array: np.ndarray) -> np.ndarray:
        """Sort along the axis."""
        return np.asarray(np.sort(array, axis=self.axis))

    def permuted(self, name: str, got: np.ndarray) -> np.ndarray:
        """bool: which elements of an output are in a set along the axis that holds what the canonical one holds."""
        if name == "Values":
            same = self.order(got) == self.order(self.canonical[name])
        else:
            places = np.where((got >= 0) & (got < self.x.shape[self.axis]), got, 0)
            taken, wanted = (self.order(np.take_along_axis(self.ranks, indices, self.axis))
                             for indices in (places, self.canonical[name]))
            once = np.diff(self.order(got), axis=self.axis, prepend=-1) > 0
            same = (taken == wanted) & once & (places == got)
        return np.broadcast_to(same.all(axis=self.axis, keepdims=True), got.shape)

    @unspecified("sorted.U1")
    def no_order(self) -> Unspecified | None:
        if self.is_sorted:
            return None
        return Unspecified({name: Allowance(True, lambda got, name=name: self.permuted(name, got))  # type: ignore[misc]
                            for name in OUTPUTS})

    @unspecified("sorted.U2")
    def other_sorted(self) -> Unspecified | None:
        return Unspecified.everything(*OUTPUTS) if self.attribute("sorted") not in (0, 1) else None

    @unspecified("largest.U1")
    def other_largest(self) -> Unspecified | None:
        return Unspecified.everything(*OUTPUTS) if self.attribute("largest") not in (0, 1) else None

    @unspecified("X.U1")
    def not_a_number(self) -> Unspecified | None:
        with np.errstate(invalid="ignore"):
            found = (self.x != self.x).any(axis=self.axis, keepdims=True)
        return Unspecified.of(np.broadcast_to(found, self.shape_of("Values")), *OUTPUTS)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, and any number of its elements."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))[::-1]))
        count = choose(Named("top", range(1, shape[axis] + 1))) if shape[axis] else 1
        attributes = {} if axis == len(shape) - 1 and choose((True, False)) else {
            "axis": either_end(choose, axis, len(shape), back=version >= 11)}
        if version >= 11:
            attributes |= choose(({}, {"largest": 0}, {"largest": 1}))
            attributes |= choose(({}, {"sorted": 0}, {"sorted": 1}))
        inputs = {"X": choose.tensor(shape, a_type(choose, cls.types_of("X", version)), "order")}
        if version < 10:
            return Call("TopK", {**attributes, "k": count}, inputs)
        return Call("TopK", attributes, {**inputs, "K": np.array([count], np.int64)})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, and a far index."""
        return (SizeClass({"columns": ROWS}), a_large_output({**WIDE_ROWS, "axis": 1, "top": 34_999}),
                a_far_index({**LONG_AXIS, "top": 65}))

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis, and whether the outputs are large, and an index far."""
        return {DTYPE: self.x.dtype.name, "columns": self.x.shape[-1], LARGE: is_large(self.shape_of("Values")),
                FAR: is_large(self.x.shape) and is_far(self.canonical["Indices"])}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        smallest = self.version >= 11 and self.attribute("largest") == 0
        return {"smallest": smallest, "unsorted": not self.is_sorted, "negative-axis": self.attribute("axis") < 0}
