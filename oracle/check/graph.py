"""Walks the graph of a model, subgraphs (If, Loop, Scan) included, to the nodes of some operators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, OperatorSetIdProto, TensorProto, TypeProto, helper

from plumbline.oracle.call import Call
from plumbline.oracle.partial import PartialAttributes, PartialTensor

Operators = Collection[tuple[str, str]]
"""Operators by domain and name."""

MARK = "plumbline.function"
"""The metadata key that tells, after inlining, which function a node was written in."""


@dataclass(frozen=True, eq=False)
class Node:
    """One application of an operator, as far as the model tells.

    name:       of the node; of its first output where it has none. place: ``graph > If c > then_branch``.
    domain:     the operator set that the operator is of, "" for ONNX's own.
    opset:      the version of it that the node is written for.
    attributes: those set; unknown: those that a function leaves to its caller.
    dtype:      of X, None where unknown.
    shape:      of X, None where even the rank is unknown; an unknown size is its symbol, or "".
    asked:      which outputs are asked for, by position.
    """

    name: str
    place: str
    domain: str
    operator: str
    opset: int
    attributes: Mapping[str, Any]
    dtype: np.dtype | None
    shape: tuple[int | str, ...] | None
    asked: tuple[bool, ...] = (True,)
    unknown: tuple[str, ...] = ()

    def call(self) -> Call:
        """The call that the node makes, known in part."""
        attributes = PartialAttributes(self.attributes, self.unknown) if self.unknown else self.attributes
        x: Any = PartialTensor(self.dtype, self.shape)  # an array as far as clauses on calls read one
        return Call(self.operator, attributes, {"X": x})


def subgraphs(node: NodeProto) -> Iterator[tuple[str, GraphProto]]:
    """The graphs among the attributes of a node, by name."""
    for attribute in node.attribute:
        graphs = [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs
        yield from ((attribute.name, graph) for graph in graphs)


def domain_of(proto: NodeProto | OperatorSetIdProto) -> str:
    """The operator set named; ONNX's own, which has two names, is ""."""
    return "" if proto.domain == "ai.onnx" else proto.domain


def in_graph(graph: GraphProto, place: str, opsets: Mapping[str, int], outer: Mapping[str, TypeProto],
             operators: Operators) -> Iterator[Node]:
    """The nodes of `operators` in a graph, in order; `outer` are the types of the values around it, `opsets` the
    versions of operator sets by domain."""
    values = dict(outer)
    for tensor in graph.initializer:
        values[tensor.name] = helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
    for value in (*graph.output, *graph.value_info, *graph.input):
        values[value.name] = value.type
    yield from in_nodes(graph.node, place, opsets, values, operators)


def in_nodes(nodes: Iterable[NodeProto], place: str, opsets: Mapping[str, int], values: Mapping[str, TypeProto],
             operators: Operators) -> Iterator[Node]:
    """The same of a list of nodes, whose values have the types `values`."""
    for node in nodes:
        if (domain_of(node), node.op_type) in operators and domain_of(node) in opsets:
            yield _node(node, place, opsets, values)
        for name, graph in subgraphs(node):
            inner = f"{place} > {_text(node.op_type)} {_name(node)} > {_text(name)}"
            yield from in_graph(graph, inner, opsets, values, operators)


def _name(node: NodeProto) -> str:
    return _text(node.name or next(filter(None, node.output), ""))


def _text(value: str | bytes) -> str:
    """A string of a model; one that is not UTF-8 comes as bytes."""
    return value if isinstance(value, str) else value.decode(errors="replace")


def _node(node: NodeProto, place: str, opsets: Mapping[str, int], values: Mapping[str, TypeProto]) -> Node:
    written_in = next((f"function {entry.value}" for entry in node.metadata_props if entry.key == MARK), place)
    dtype, shape = _type(values.get(node.input[0] if node.input else ""))
    given = [attribute for attribute in node.attribute if not attribute.ref_attr_name]
    return Node(_name(node), place if written_in in place else f"{place} > {written_in}", domain_of(node), node.op_type,
                opsets[domain_of(node)],
                {_text(attribute.name): _plain(attribute) for attribute in given}, dtype, shape,
                tuple(map(bool, node.output)),
                tuple(_text(attribute.name) for attribute in node.attribute if attribute.ref_attr_name))


def _plain(attribute: AttributeProto) -> Any:
    """Ints, strings and lists of them as Python has them; of other attributes the type alone."""
    value = helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, (int, float)):
        return value
    if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRINGS):
        return [_text(item) if isinstance(item, bytes) else item for item in value]
    return f"a {AttributeProto.AttributeType.Name(attribute.type).lower()}"


def _type(proto: TypeProto | None) -> tuple[np.dtype | None, tuple[int | str, ...] | None]:
    """Element type and shape of a tensor, each None where it is unknown (or there is no tensor)."""
    if proto is None or not proto.HasField("tensor_type"):
        return None, None
    tensor = proto.tensor_type
    dtype = None
    if tensor.elem_type == TensorProto.STRING:
        dtype = np.dtype(str)
    elif tensor.elem_type in TensorProto.DataType.values() and tensor.elem_type:
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, tuple(size.dim_value if size.HasField("dim_value") and size.dim_value >= 0 else _text(size.dim_param)
                        for size in tensor.shape.dim)
