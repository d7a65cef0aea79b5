"""The two-way road between a call and an ONNX model with its data."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper

from plumbline.oracle import Call

OUTPUT_TYPES = {"Indices": TensorProto.INT64}
"""Element types of outputs that do not have the type of X."""


def to_model(call: Call, outputs: tuple[str, ...], opset: int, domain: str = "") -> bytes:
    """A serialised model of one node that asks for `outputs`; their sizes are left to the runtime. `domain` is the
    operator set of the node, ONNX's own by default, and `opset` its version.

    The number of their axes, that of X, is given: ONNX's checker and some runtimes want the shape of an output present.

    Raises ValueError or TypeError for attributes that a model cannot hold (a list of mixed types)."""
    types = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in call.inputs.items()}
    node = helper.make_node(call.operator, list(call.inputs), list(outputs), call.operator, domain=domain,
                            **dict(call.attributes))
    of_x = next(iter(types.values()))
    unknown = [None] * next(iter(call.inputs.values())).ndim
    graph = helper.make_graph(
        [node], "plumbline",
        [helper.make_tensor_value_info(name, types[name], array.shape) for name, array in call.inputs.items()],
        [helper.make_tensor_value_info(name, OUTPUT_TYPES.get(name, of_x), unknown) for name in outputs])
    imports = [helper.make_opsetid(name, opset) for name in dict.fromkeys(["", domain])]
    # The lowest IR version that holds the opset: a runtime older than the onnx package at hand still reads the model.
    version = max(helper.find_min_ir_version_for(imports[:1]), 3)
    return helper.make_model(graph, opset_imports=imports, ir_version=version,
                             producer_name="plumbline").SerializeToString()


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
    return list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else value
