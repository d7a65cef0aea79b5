"""Compute the nodes of a graph by the reference oracles of their operators."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx.parser
from onnx import GraphProto, defs, helper, numpy_helper

from plumbline.oracle import load_spec, reference_expected
from plumbline.oracle.call import Call


def graph_in(text: str) -> GraphProto:
    """Return the graph that an attribute holds."""
    graph = GraphProto()
    if text.startswith("base64:"):
        graph.ParseFromString(base64.b64decode(text[len("base64:"):]))
    else:
        graph.CopyFrom(onnx.parser.parse_graph(text))
    return graph


def results(graph: GraphProto, opset: int, around: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return what a graph gives, on the values around it."""
    values = dict(around)
    for tensor in graph.initializer:
        values[tensor.name] = numpy_helper.to_array(tensor)
    for node in graph.node:
        attributes = {entry.name: helper.get_attribute_value(entry) for entry in node.attribute}
        if node.op_type == "If":
            taken = "then_branch" if values[node.input[0]].reshape(-1)[0] else "else_branch"
            given = results(attributes[taken], opset, values)
        elif node.op_type == "Loop":
            most, condition = (values.get(name) for name in node.input[:2])
            given = looped(attributes["body"], opset, most, condition, [values[name] for name in node.input[2:]],
                           values)
        elif node.op_type == "Scan" and opset > 8:
            given = scanned(attributes, opset, [values[name] for name in node.input], values)
        else:
            given = _node(node, attributes, opset, values)
        for name, array in zip(node.output, given, strict=True):
            values[name] = array
    return [values[value.name] for value in graph.output]


def looped(body: GraphProto, opset: int, most: np.ndarray | None, condition: np.ndarray | None,
           carried: Sequence[np.ndarray], around: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return what a loop gives: the values it carries, then those that it gathers."""
    number, state = 0, list(carried)
    gathered: list[list[np.ndarray]] = [[] for _ in body.output[1 + len(carried):]]
    go_on = np.array(True) if condition is None else condition
    while (most is None or number < most.item()) and (condition is None or go_on.item()):
        names = [value.name for value in body.input]
        sizes = body.input[1].type.tensor_type.shape.dim
        arrays = [np.array(number), go_on.reshape([1] * len(sizes)), *state]
        given = results(body, opset, {**around, **dict(zip(names, arrays, strict=True))})
        go_on, state = given[0], given[1:1 + len(carried)]
        for rows, row in zip(gathered, given[1 + len(carried):], strict=True):
            rows.append(row)
        number += 1
    return state + [np.array(rows, rows[0].dtype) if rows else _nothing(value)
                    for rows, value in zip(gathered, body.output[1 + len(carried):], strict=True)]


def scanned(attributes: Mapping[str, Any], opset: int, inputs: Sequence[np.ndarray],
            around: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Return the outputs of a scan without batches: its state, then what it gathers.

    `attributes` and `inputs` are those of the node, for `opset`; `around` are tensors of the graph around it."""
    body, count = attributes["body"], attributes["num_scan_inputs"]
    carried = len(inputs) - count
    axes = attributes.get("scan_input_axes", [0] * count)
    backward = attributes.get("scan_input_directions", [0] * count)
    state, gathered = list(inputs[:carried]), [list[np.ndarray]() for _ in body.output[carried:]]
    for number in range(inputs[carried].shape[axes[0]]):
        elements = []
        for tensor, axis, reverse in zip(inputs[carried:], axes, backward, strict=True):
            place: list[Any] = [slice(None)] * tensor.ndim
            place[axis] = -1 - number if reverse else number
            elements.append(np.array(tensor[tuple(place)], tensor.dtype))
        names = [value.name for value in body.input]
        given = results(body, opset, {**around, **dict(zip(names, [*state, *elements], strict=True))})
        state = given[:carried]
        for rows, row in zip(gathered, given[carried:], strict=True):
            rows.append(row)
    outputs = []
    for number, (rows, value) in enumerate(zip(gathered, body.output[carried:], strict=True)):
        axis = attributes.get("scan_output_axes", [0] * len(gathered))[number]
        prepends = attributes.get("scan_output_directions", [0] * len(gathered))[number]
        whole = np.array(rows[::-1] if prepends else rows, rows[0].dtype) if rows else _nothing(value)
        outputs.append(np.moveaxis(whole, 0, axis))
    return state + outputs


def _nothing(value: onnx.ValueInfoProto) -> np.ndarray:
    tensor = value.type.tensor_type
    return np.zeros((0, *(size.dim_value for size in tensor.shape.dim)),
                    helper.tensor_dtype_to_np_dtype(tensor.elem_type))


def _node(node: onnx.NodeProto, attributes: dict[str, Any], opset: int, values: Mapping[str, np.ndarray]
          ) -> list[np.ndarray]:
    schema = defs.get_schema(node.op_type, opset)
    for name, value in attributes.items():
        if isinstance(value, onnx.TensorProto):
            attributes[name] = numpy_helper.to_array(value)
        elif isinstance(value, bytes):
            attributes[name] = value.decode()
    spec = f"onnx/{node.op_type.lower()}@{schema.since_version}"
    names = load_spec(spec).input_names(len(node.input))
    inputs = {name: values[value] for name, value in zip(names, node.input, strict=True) if value}
    return list(reference_expected(spec, Call(node.op_type, attributes, inputs)).values())
