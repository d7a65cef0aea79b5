"""Symptoms of wrong loops: iterations too many, and constants of the body that are read otherwise."""

from __future__ import annotations

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
    """The shape or the elements are those of one iteration; those of 64 bits and of uint32 may be cut."""
    return any(_is_given_by(other, entry) for other in definition.with_an_iteration())


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
    """Elements are the lower 32 bits of what integers of 64 give that are cut to their lower 32 bits, while those of
    the body are limited to int32."""
    if entry.where is None or not isinstance(entry.got, np.ndarray) or entry.got.dtype.kind not in "iu":
        return False
    graph = GraphProto()
    graph.CopyFrom(definition.graph)
    _limit(graph)
    inputs = {name: lower_bits(x).astype(x.dtype) if x.dtype.itemsize == 8 and x.dtype.kind in "iu" else x
              for name, x in definition.inputs.items()}
    attributes = {**definition.call.attributes, "body": graph_text(graph)}
    other = type(definition)(replace(definition.call, inputs=inputs, attributes=attributes), definition.version)
    right = other.canonical[entry.output][tuple(entry.where.T)].reshape(-1)
    return bool(np.all(lower_bits(right) == entry.got.astype(np.int64)))


def _limit(graph: GraphProto) -> None:
    """Limit constants of 64 bits, of a graph and of those inside it, to int32."""
    attributes = [attribute for node in graph.node for attribute in node.attribute]
    for tensor in (*graph.initializer, *(attribute.t for attribute in attributes if attribute.HasField("t"))):
        if tensor.data_type in (TensorProto.INT64, TensorProto.UINT64):
            array = numpy_helper.to_array(tensor)
            low = ENDS.min if array.dtype.kind == "i" else 0
            tensor.CopyFrom(numpy_helper.from_array(np.clip(array, low, ENDS.max).astype(array.dtype), tensor.name))
    for attribute in attributes:
        if attribute.HasField("g"):
            _limit(attribute.g)


SHAPES = {"of-one-iteration": of_one_iteration}
SYMPTOMS = {**SHAPES, "body-constants-held": body_constants_held}
"""Symptoms of every operator that iterates."""
