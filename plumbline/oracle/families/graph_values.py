"""Read tensors that a graph states; clauses on their types; symptoms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from onnx import GraphProto, TensorProto, ValueInfoProto, helper

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.element_types import moved, same_bits
from plumbline.oracle.operator import Operator, Predicate
from plumbline.oracle.type_names import STRING

SINCE = (1, 16, 19, 21, 23, 24)
"""Versions that brought element types but for the last, which has all that arrays hold."""


def types(version: int) -> tuple[str, ...]:
    """The element types of outputs."""
    return tuple(name for name in moved(version, 19) if name != STRING and (version >= 16 or name != "bfloat16"))


def types_of_outputs(section: str, first: int, outputs: Callable[[Any], Iterable[tuple[str, ValueInfoProto]]]
                     ) -> Iterator[Predicate]:
    """Yield clauses `section.C<first>` and on: graphs give tensors of types that a version has.

    outputs: the names of graphs, each with a tensor that it gives."""
    def clause(number: int, version: int) -> Predicate:
        def other(self: Operator) -> str | None:
            given = ((graph, value.name, dtype) for graph, value in outputs(self)
                     if (dtype := declared(value)) is not None)
            return next((f"{name} of {graph} is {dtype.name}" for graph, name, dtype in given
                         if dtype.name not in types(version)), None)
        return Predicate("call", f"{section}.C{number}", other)
    return (clause(number, version) for number, version in enumerate(SINCE, first))


BOOLS = "an initializer of bool in a graph has its elements in int32_data, not in raw_data."
"""The note of a flag."""


def declared(value: ValueInfoProto) -> np.dtype | None:
    """Return the element type that a graph states for a tensor; None for none, and for what arrays do not hold."""
    element = value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else 0
    dtype = helper.tensor_dtype_to_np_dtype(element) if element and element in TensorProto.DataType.values() else None
    return None if dtype is None or dtype.kind in "OUS" else dtype


def has_bools_in_fields(graph: GraphProto) -> bool:
    """Return True if an initializer of bool, of the graph or of one inside it, has its elements in int32_data."""
    inner = (attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g"))
    return any(each.data_type == TensorProto.BOOL and bool(each.int32_data) for each in graph.initializer) or any(
        map(has_bools_in_fields, inner))


def shape(value: ValueInfoProto) -> list[int | None] | None:
    """Return the shape that a graph states for a tensor, with None for unknown sizes or rank."""
    tensor = value.type.tensor_type
    return [size.dim_value if size.HasField("dim_value") else None for size in tensor.shape.dim] \
        if tensor.HasField("shape") else None


def as_in(entry: Divergence, wanted: np.ndarray) -> bool:
    """Return True if the wrong elements, or the wrong shape, are those of a tensor."""
    if entry.where is None:
        return bool(entry.got == str(list(wanted.shape)))
    assert isinstance(entry.got, np.ndarray)  # it is about elements
    places = tuple(entry.where.T)
    is_inside = wanted.ndim == len(places) and all(
        bool((place < size).all()) for place, size in zip(places, wanted.shape, strict=True))
    with np.errstate(all="ignore"):
        return is_inside and bool(np.all(same_bits(entry.got.astype(wanted.dtype), wanted[places])))


def narrowed(definition: Operator, entry: Divergence) -> bool:
    """Elements of 64 bits are those of 32 bits that are nearest, or those; of uint32 they are at most 2147483647."""
    assert isinstance(entry.expected, np.ndarray) and isinstance(entry.got, np.ndarray)  # it is about elements
    dtype = entry.expected.dtype
    if dtype.kind not in "iuf" or dtype.itemsize < 8 and dtype != np.uint32 or entry.got.dtype not in (
            dtype, np.dtype({"f": np.float32, "i": np.int32}.get(dtype.kind, dtype))):
        return False
    ends = np.finfo(np.float32) if dtype.kind == "f" else np.iinfo(np.int32)
    near = np.clip(entry.expected.astype(np.longdouble), float(ends.min), float(ends.max)).astype(ends.dtype)
    return bool(np.all(entry.got == near))


def in_halves(definition: Operator, entry: Divergence) -> bool:
    """Elements of uint32 are every half of the first ones as int64, at most 2147483647; of what is gathered, the first
    of each iteration."""
    assert isinstance(entry.got, np.ndarray)  # it is about elements
    whole = definition.canonical[entry.output]
    if entry.where is None or whole.dtype != np.uint32 or entry.got.dtype != np.uint32:
        return False
    alike = [axis for axis in range(whole.ndim) if whole.size and (whole == whole.take([0], axis)).all()]
    parts = [whole, *(whole.take([0], axis) for axis in alike)]
    return any(bool(np.all(entry.got == np.broadcast_to(_halves(part), whole.shape)[tuple(entry.where.T)]))
               for part in parts)


def _halves(whole: np.ndarray) -> np.ndarray:
    """Return the halves of the first elements as int64, at most 2147483647, as many as there are elements."""
    return np.minimum(whole.reshape(-1).astype(np.int64), 2**31 - 1).view(np.uint32)[:whole.size].reshape(whole.shape)
