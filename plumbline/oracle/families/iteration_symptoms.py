"""Symptoms of wrong loops: iterations too many, and constants of the body that are read otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from onnx import GraphProto, TensorProto, numpy_helper

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.graph_values import as_in, in_halves, narrowed
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.graphs import graph_text

ENDS = np.iinfo(np.int32)


def of_one_iteration(definition: Any, entry: Divergence) -> bool:
    """Where no iteration runs, the shape or the elements are those of one, or of a loop without its negative trip
    count; those of 64 bits and of uint32 may be cut."""
    return any(_is_given_by(other, entry) for other in _with_iterations(definition))


def _with_iterations(definition: Any) -> Iterator[Any]:
    """Yield the call with an iteration, where it has none."""
    inputs = definition.inputs
    if definition.call.operator == "Scan":
        if not definition.batched and not definition.length:
            axes = [None] * definition.carries + list(definition._axes_in)
            yield _other(definition, {name: x if axis is None else np.zeros(_with_size_1(x.shape, axis), x.dtype)
                                      for (name, x), axis in zip(inputs.items(), axes, strict=True)})
    elif not definition.runs.done.count:
        yield _other(definition, {**inputs, "M": np.array(1), "cond": np.array(True)})
        if (definition.most or 0) < 0 and "cond" in inputs:
            yield _other(definition, {name: x for name, x in inputs.items() if name != "M"})


def _with_size_1(shape: tuple[int, ...], axis: int) -> list[int]:
    """Return a shape with one element along an axis."""
    return [1 if number == axis % len(shape) else size for number, size in enumerate(shape)]


def _other(definition: Any, inputs: dict[str, np.ndarray], **attributes: str) -> Any:
    """Return the definition of the call with other inputs, in the order of the operator's, and attributes."""
    ordered = {name: inputs[name] for name in dict.fromkeys((*("M", "cond"), *inputs)) if name in inputs}
    call = replace(definition.call, inputs=ordered, attributes={**definition.call.attributes, **attributes})
    return type(definition)(call, definition.version)


def _is_given_by(other: Any, entry: Divergence) -> bool:
    """True if another call gives the wrong shape or elements, or their 32 bits."""
    whole = other.canonical[entry.output]
    if as_in(entry, whole):
        return True
    if entry.where is None or whole.ndim != entry.where.shape[1] or not np.all(entry.where < whole.shape):
        return False
    instead = replace(entry, expected=whole[tuple(entry.where.T)].reshape(-1))
    return narrowed(other, instead) or in_halves(other, instead)


def body_constants_held(definition: Any, entry: Divergence) -> bool:
    """Elements are the lower 32 bits of what comes out where integers of 64 are cut to their lower 32 bits, but those
    of the body held at the ends of int32."""
    if entry.where is None or not isinstance(entry.got, np.ndarray) or entry.got.dtype.kind not in "iu":
        return False
    graph = GraphProto()
    graph.CopyFrom(definition.graph)
    _hold(graph)
    inputs = {name: lower_bits(x).astype(x.dtype) if x.dtype.itemsize == 8 and x.dtype.kind in "iu" else x
              for name, x in definition.inputs.items()}
    right = _other(definition, inputs, body=graph_text(graph)).canonical[entry.output][tuple(entry.where.T)].reshape(-1)
    return bool(np.all(lower_bits(right) == entry.got.astype(np.int64)))


def _hold(graph: GraphProto) -> None:
    """Hold constants of 64 bits, of a graph and of those inside it, at the ends of int32."""
    attributes = [attribute for node in graph.node for attribute in node.attribute]
    for tensor in (*graph.initializer, *(attribute.t for attribute in attributes if attribute.HasField("t"))):
        if tensor.data_type in (TensorProto.INT64, TensorProto.UINT64):
            array = numpy_helper.to_array(tensor)
            low = ENDS.min if array.dtype.kind == "i" else 0
            tensor.CopyFrom(numpy_helper.from_array(np.clip(array, low, ENDS.max).astype(array.dtype), tensor.name))
    for attribute in attributes:
        if attribute.HasField("g"):
            _hold(attribute.g)


def batch_axis_lost(definition: Any, entry: Divergence) -> bool:
    """A state of version 8 has no axis for the batch."""
    is_state, _ = definition.place(entry.output)
    shape = definition.canonical[entry.output].shape
    return bool(definition.batched and is_state and isinstance(entry.got, str) and entry.got == str(list(shape[1:])))


SHAPES = {"of-one-iteration": of_one_iteration}
SYMPTOMS = {**SHAPES, "body-constants-held": body_constants_held}
"""Symptoms of Loop and Scan."""
