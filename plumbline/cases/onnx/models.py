"""Build the ONNX model of a call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper

from plumbline.oracle import Call, Spec
from plumbline.oracle.check.shape_inference import ERRORS, inferred_outputs
from plumbline.oracle.graphs import graph_of, graph_text
from plumbline.oracle.tensor_protos import to_array


def model_of(spec: Spec, call: Call, opset: int) -> bytes:
    """Return the serialised model of a call, b"" if no ONNX model can hold calls of the specification.

    Raises what `to_model` raises."""
    if spec.domain is None:
        return b""
    inputs = spec.places(call.inputs)
    if spec.variadic_output and call.inputs:  # on some of whose nodes ONNX's shape inference ends the process
        return to_model(call, spec.asked(call), opset, spec.domain, inputs, produced(spec, call))

    def axes(name: str) -> int | None:
        return None if spec.violations(call) else spec.judged(call).expected[name].ndim

    return to_model(call, spec.asked(call), opset, spec.domain, inputs, axes=axes, places=spec.outputs)


def produced(spec: Spec, call: Call) -> dict[str, tuple[np.dtype, int]]:
    """Return type and number of axes of each output; outside the domain, those of the first input, or a
    float32 scalar where there is none."""
    first = next(iter(call.inputs.values()), np.zeros((), np.float32))
    expected = {} if spec.violations(call) else spec.expected(call)
    arrays = {name: expected.get(name, first) for name in spec.asked(call)}
    return {name: (array.dtype, array.ndim) for name, array in arrays.items()}


CONSTANTS_SINCE = 4
"""The first IR version in which a constant need not be an input."""

OPSETS = {3: 1, 4: 9, 5: 10, 6: 11, 7: 12, 8: 15, 9: 19, 10: 21, 11: 23, 12: 24, 13: 25, 14: 28}
"""By IR version the first opset that needs it (ONNX, Versioning.md)."""


def to_model(call: Call, outputs: tuple[str, ...], opset: int, domain: str = "",
             inputs: tuple[str, ...] | None = None,
             produced: Mapping[str, tuple[np.dtype, int]] | None = None,
             axes: Callable[[str], int | None] = lambda name: None, places: tuple[str, ...] = ()) -> bytes:
    """Return a serialised model of one node, with outputs of unknown sizes.

    outputs:  the names of the outputs asked for.
    domain:   the operator set of the node, ONNX's own by default; `opset` is its version.
    inputs:   all inputs of the operator in order, so that an omitted optional one keeps its place.
    produced: type and number of axes of each output. The model is then equal under any version of the onnx package.
              Without them ONNX's shape inference gives both, or else the type of the first input, and `axes`.
    axes:     from the name of an output to its number of axes; None stands for as many as the first input has.
    places:   all outputs of the operator in order.

    The model states types and numbers of axes, since ONNX's checker and some runtimes require them. Raises ValueError
    or TypeError for attributes that a model cannot hold (a list of mixed types)."""
    fewest = defs.get_schema(call.operator, opset).min_input if not domain and defs.has(call.operator) else int(
        inputs != ())
    if not call.inputs and fewest:
        raise ValueError("a model needs an input, whose type its outputs take")
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in call.inputs.items()}
    names = _in_place(call.inputs, inputs or call.inputs, fewest)
    given = _in_place(outputs, places if set(outputs) <= set(places) else outputs)
    node = helper.make_node(call.operator, names, given, call.operator, domain=domain)
    node.attribute.extend(_attributes(call, opset))
    imports = [helper.make_opsetid(name, opset) for name in dict.fromkeys(["", domain])]
    values = [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in call.inputs.items()]
    # The lowest IR version that has the opset, so that a runtime older than the installed onnx package reads the model.
    version = max(version for version, first in OPSETS.items() if first <= opset)
    if any(attribute.HasField("g") for attribute in node.attribute):
        version = max(version, CONSTANTS_SINCE)

    def model(described: list[onnx.ValueInfoProto], node: onnx.NodeProto) -> onnx.ModelProto:
        graph = helper.make_graph([node], "plumbline", values, described)
        return helper.make_model(graph, opset_imports=imports, ir_version=version, producer_name="plumbline")

    first = next(iter(call.inputs.values()), np.zeros((), np.float32))
    described = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), [None] * rank)
                 for name, (dtype, rank) in (produced or {}).items()]
    if produced is not None:
        return bytes(model(described, node).SerializeToString(deterministic=True))
    own = helper.make_node(call.operator, names, given)  # another domain has no schema
    own.attribute.extend(node.attribute)
    for output in _inferred(model([onnx.ValueInfoProto(name=name) for name in outputs], own)):
        tensor = output.type.tensor_type
        rank = len(tensor.shape.dim) if tensor.HasField("shape") else axes(output.name)
        rank = first.ndim if rank is None else rank
        element = tensor.elem_type or helper.np_dtype_to_tensor_dtype(first.dtype)
        described.append(helper.make_tensor_value_info(output.name, element, [None] * rank))
    return bytes(model(described, node).SerializeToString())


def _attributes(call: Call, opset: int) -> Iterator[onnx.AttributeProto]:
    """Yield the attributes of a node; the schema gives the type of an empty list, and of an array."""
    known = defs.get_schema(call.operator, opset).attributes if defs.has(call.operator) else {}
    for name, value in sorted(call.attributes.items()):
        kind = None if name not in known else onnx.AttributeProto.AttributeType.Value(
            str(known[name].type).rpartition(".")[2])
        if isinstance(value, np.ndarray) and (kind == onnx.AttributeProto.TENSOR or value.ndim != 1):
            value = numpy_helper.from_array(value)
        if isinstance(value, str) and kind == onnx.AttributeProto.GRAPH:
            value = graph_of(value)
        is_empty = isinstance(value, (list, tuple)) and not value
        try:
            yield helper.make_attribute(name, value, attr_type=kind if is_empty else None)
        except AssertionError:  # an empty list in place of a number
            raise ValueError(f"{name} is of another type than the operator has it") from None


def _in_place(chosen: Collection[str], every: Iterable[str], fewest: int = 0) -> list[str]:
    """Return every name up to the last chosen one, or `fewest` names, with "" for those not chosen."""
    names = [name if name in chosen else "" for name in every]
    while len(names) > fewest and not names[-1]:
        names.pop()
    return names


def _inferred(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """Return the outputs of a model, with the types and axes that ONNX's shape inference gives.

    Without them if it does not know the operator, refuses the call, or gives no answer."""
    try:
        return inferred_outputs(model)
    except ERRORS:
        return list(model.graph.output)


def to_call(model: bytes, inputs: dict[str, np.ndarray]) -> tuple[Call, int]:
    """The call that a model of one node makes, and its opset. Raises ValueError for any other model."""
    proto = onnx.load_model_from_string(model)
    if len(proto.graph.node) != 1:
        raise ValueError(f"the model has {len(proto.graph.node)} nodes, not one")
    node = proto.graph.node[0]
    attributes = {attribute.name: _plain(helper.get_attribute_value(attribute)) for attribute in node.attribute}
    opset = next(entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx"))
    return Call(node.op_type, attributes, inputs, tuple(node.output)), opset


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, onnx.TensorProto):
        return to_array(value)
    if isinstance(value, onnx.GraphProto):
        return graph_text(value)
    return list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else value
