"""The two-way road between a call and an ONNX model with its data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

import numpy as np
import onnx
from onnx import helper

from plumbline.oracle import Call, Spec


def model_of(spec: Spec, call: Call, opset: int) -> bytes:
    """The model of a call under a specification; empty for one whose calls no ONNX model holds. Raises as `to_model`.
    """
    if spec.domain is None:
        return b""
    inputs = None if spec.variadic_input else spec.inputs

    def axes(name: str) -> int | None:
        return None if spec.violations(call) else spec.expected(call.asking_for(name))[name].ndim

    return to_model(call, call.outputs or spec.outputs, opset, spec.domain, inputs, axes=axes, places=spec.outputs)

OPSETS = {3: 1, 4: 9, 5: 10, 6: 11, 7: 12, 8: 15, 9: 19, 10: 21, 11: 23, 12: 24, 13: 25, 14: 28}
"""By IR version the first opset that needs it (ONNX, Versioning.md)."""


def to_model(call: Call, outputs: tuple[str, ...], opset: int, domain: str = "",
             inputs: tuple[str, ...] | None = None,
             produced: Mapping[str, tuple[np.dtype, int]] | None = None,
             axes: Callable[[str], int | None] = lambda name: None, places: tuple[str, ...] = ()) -> bytes:
    """A serialised model of one node that asks for `outputs`; their sizes are left to the runtime. `domain` is the
    operator set of the node, ONNX's own by default, and `opset` its version; `inputs` are all that the operator has, in
    order, so that an optional one left out keeps its place; `places` are all outputs likewise.

    Types and numbers of axes of the outputs are given, since ONNX's checker and some runtimes want them: those of
    `produced`, which make the model the same under any version of the onnx package; else those that ONNX's shape
    inference finds; what it does not find is the type of the first input, and what `axes` says of an output, or as many
    axes as the first input has.

    Raises ValueError or TypeError for attributes that a model cannot hold (a list of mixed types)."""
    if not call.inputs:
        raise ValueError("a model needs an input, whose type its outputs take")
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in call.inputs.items()}
    names = _in_place(call.inputs, inputs or call.inputs)
    given = _in_place(outputs, places if set(outputs) <= set(places) else outputs)
    node = helper.make_node(call.operator, names, given, call.operator, domain=domain, **dict(call.attributes))
    imports = [helper.make_opsetid(name, opset) for name in dict.fromkeys(["", domain])]
    values = [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in call.inputs.items()]
    # The lowest IR version that holds the opset: a runtime older than the onnx package at hand still reads the model.
    version = max(version for version, first in OPSETS.items() if first <= opset)

    def model(described: list[onnx.ValueInfoProto], node: onnx.NodeProto) -> onnx.ModelProto:
        graph = helper.make_graph([node], "plumbline", values, described)
        return helper.make_model(graph, opset_imports=imports, ir_version=version, producer_name="plumbline")

    first = next(iter(call.inputs.values()))
    described = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), [None] * rank)
                 for name, (dtype, rank) in (produced or {}).items()]
    if produced is not None:
        return model(described, node).SerializeToString(deterministic=True)
    own = helper.make_node(call.operator, names, given, **dict(call.attributes))  # another domain has no schema
    for found in _inferred(model([onnx.ValueInfoProto(name=name) for name in outputs], own)):
        tensor = found.type.tensor_type
        rank = len(tensor.shape.dim) if tensor.HasField("shape") else axes(found.name)
        rank = first.ndim if rank is None else rank
        element = tensor.elem_type or helper.np_dtype_to_tensor_dtype(first.dtype)
        described.append(helper.make_tensor_value_info(found.name, element, [None] * rank))
    return model(described, node).SerializeToString()


def _in_place(chosen: Collection[str], every: Iterable[str]) -> list[str]:
    """Every name up to the last that is chosen, with "" for one that is not."""
    names = [name if name in chosen else "" for name in every]
    while names and not names[-1]:
        names.pop()
    return names


def _inferred(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The outputs of a model, with the types and numbers of axes that ONNX's shape inference finds; without them where
    it does not know the operator, or refuses the call."""
    try:
        return list(onnx.shape_inference.infer_shapes(model).graph.output)
    except (onnx.shape_inference.InferenceError, RuntimeError, ValueError):
        return list(model.graph.output)
