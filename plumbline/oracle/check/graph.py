"""Walk the graph of a model, with its subgraphs, and read its nodes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import ref

import numpy as np
from onnx import (
    AttributeProto,
    GraphProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    TypeProto,
    helper,
    numpy_helper,
)

from plumbline.oracle.graphs import encoded
from plumbline.oracle.node import Given, Node, Shape
from plumbline.oracle.tensor_protos import to_array

Operators = Collection[tuple[str, str]]
"""Operators by domain and name."""

MARK = "plumbline.function"
"""The metadata key that tells, after inlining, which function a node was written in."""


LARGEST = 2**22
"""Most bytes of a graph in an attribute of a node that clauses are asked about."""


def subgraphs(node: NodeProto) -> Iterator[tuple[str, GraphProto]]:
    """The graphs among the attributes of a node, by name."""
    for attribute in node.attribute:
        graphs = [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs
        yield from ((attribute.name, graph) for graph in graphs)


def read_around(node: NodeProto) -> Iterator[str]:
    """Yield the tensors that the inner graphs of a node read and do not hold."""
    for _, graph in subgraphs(node):
        held = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer),
                *(each.values.name for each in graph.sparse_initializer),
                *(name for inner in graph.node for name in inner.output)}
        read = [*(name for inner in graph.node for name in (*inner.input, *read_around(inner))),
                *(value.name for value in graph.output)]
        yield from (name for name in read if name not in held)


def domain_of(proto: NodeProto | OperatorSetIdProto) -> str:
    """The operator set named; ONNX's own, which has two names, is ""."""
    return "" if proto.domain == "ai.onnx" else proto.domain


class Constant:
    """A tensor of a model, whose elements are in memory once for all nodes that hold them."""

    def __init__(self, tensor: TensorProto) -> None:
        self.tensor = tensor
        self._elements: Callable[[], np.ndarray | None] = lambda: None

    def read(self) -> np.ndarray | None:
        """The elements; None where they stand in another file, or do not fit the shape or type."""
        if (elements := self._elements()) is None and (elements := _read(self.tensor)) is not None:
            self._elements = ref(elements)
        return elements


@dataclass(frozen=True, eq=False)
class Values:
    """The known types of values by name, and those that are constant."""

    types: dict[str, TypeProto] = field(default_factory=dict)
    constants: dict[str, Constant] = field(default_factory=dict)

    def inside(self, graph: GraphProto) -> Values:
        """Return the values that an inner graph sees. An initialiser that is also an input is only a default."""
        found = Values(dict(self.types), dict(self.constants))
        for tensor in graph.initializer:
            found.types[tensor.name] = helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
            found.constants[tensor.name] = Constant(tensor)
        for sparse in graph.sparse_initializer:
            found.types[sparse.values.name] = helper.make_tensor_type_proto(sparse.values.data_type, sparse.dims)
        for value in (*graph.output, *graph.value_info, *graph.input):
            found.types[value.name] = value.type
        for value in graph.input:
            found.constants.pop(value.name, None)
        return found

    def add(self, node: NodeProto) -> None:
        """Learn what a node that comes next gives, where it is a constant."""
        tensor = constant_of(node)
        if tensor is not None and node.output:
            self.constants[node.output[0]] = Constant(tensor)

    def given(self, name: str) -> Given | None:
        """An input of that name; None for one that is left out."""
        if not name:
            return None
        constant = self.constants.get(name)
        return Given(*_type(self.types.get(name)), constant.read if constant is not None else None)


def in_graph(graph: GraphProto, place: str, opsets: Mapping[str, int], outer: Values, operators: Operators
             ) -> Iterator[Node]:
    """The nodes of `operators` in a graph, in order; `outer` are the values around it, `opsets` the versions of
    operator sets by domain. Raises ValueError for a node that has an attribute twice."""
    yield from in_nodes(graph.node, place, opsets, outer.inside(graph), operators)


def in_nodes(nodes: Iterable[NodeProto], place: str, opsets: Mapping[str, int], values: Values, operators: Operators
             ) -> Iterator[Node]:
    """Yield the nodes of `operators` in a list of nodes, which see these values."""
    for node in nodes:
        attributes_once(node, place)
        values.add(node)
        if (domain_of(node), node.op_type) in operators and domain_of(node) in opsets:
            yield node_of(node, place, opsets, values)
        for name, graph in subgraphs(node):
            inner = f"{place} > {text_of(node.op_type)} {name_of(node)} > {text_of(name)}"
            yield from in_graph(graph, inner, opsets, values, operators)


def unknown_tensors(graph: GraphProto, around: tuple[set[str], ...] = ()) -> Iterator[tuple[str, NodeProto]]:
    """Yield each tensor that a node reads and nothing before it gives, with that node; `around` are the names that
    graphs around this one know."""
    names = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer),
             *(tensor.values.name for tensor in graph.sparse_initializer)}
    for node in graph.node:
        yield from ((name, node) for name in node.input
                    if name and not any(name in scope for scope in (names, *around)))
        for _, inner in subgraphs(node):
            yield from unknown_tensors(inner, (names, *around))
        names.update(node.output)


def attributes_once(node: NodeProto, place: str) -> None:
    """Raises ValueError where a node has an attribute twice."""
    names = [attribute.name for attribute in node.attribute]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the node {name_of(node)} ({place}) has the attribute {text_of(twice)} twice")


def is_branch(node: NodeProto) -> bool:
    """Return True for a node `If` with a condition and two branches that give what the node does."""
    branches = dict(subgraphs(node)) if not domain_of(node) and node.op_type == "If" else {}
    return len(node.input) == 1 and {"then_branch", "else_branch"} == set(branches) and all(
        len(branch.output) == len(node.output) and not branch.input for branch in branches.values())


def is_loop(node: NodeProto) -> bool:
    """Return True for a node `Loop` whose body takes and gives what the node does."""
    body = dict(subgraphs(node)).get("body") if not domain_of(node) and node.op_type == "Loop" else None
    return body is not None and 2 <= len(node.input) == len(body.input) <= len(body.output) + 1 == len(node.output) + 2


def scanned(node: NodeProto) -> int:
    """Return how many tensors a node `Scan` scans; 0 for other nodes, and where it does not suit its body.

    So is one of version 8, which has an input more."""
    body = dict(subgraphs(node)).get("body") if not domain_of(node) and node.op_type == "Scan" else None
    if body is None or len(node.input) != len(body.input) or len(node.output) != len(body.output):
        return 0
    count = next((attribute.i for attribute in node.attribute if attribute.name == "num_scan_inputs"), 0)
    return count if all(node.input) and 1 <= count <= len(node.input) else 0


def constant_of(node: NodeProto) -> TensorProto | None:
    """Return the tensor of a node `Constant`; None for other nodes, and for one that holds no tensor."""
    if domain_of(node) or node.op_type != "Constant":
        return None
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            continue
        if attribute.type == AttributeProto.TENSOR:
            tensor: TensorProto = attribute.t
            return tensor
        if attribute.type in (AttributeProto.INT, AttributeProto.INTS):
            return _tensor(attribute, np.int64)
        if attribute.type in (AttributeProto.FLOAT, AttributeProto.FLOATS):
            return _tensor(attribute, np.float32)
        if attribute.type in (AttributeProto.STRING, AttributeProto.STRINGS):
            return _tensor(attribute, object)
    return None


def _tensor(attribute: AttributeProto, dtype: type) -> TensorProto:
    tensor: TensorProto = numpy_helper.from_array(np.array(helper.get_attribute_value(attribute), dtype))
    return tensor


def _read(tensor: TensorProto) -> np.ndarray | None:
    """The elements of a tensor; None where they stand in another file, or do not fit its shape or type."""
    if tensor.data_location == TensorProto.EXTERNAL:
        return None
    try:
        return np.asarray(to_array(tensor))
    except (TypeError, ValueError, KeyError, OverflowError):
        return None


def name_of(node: NodeProto) -> str:
    """The name of a node, or that of its first output."""
    return text_of(node.name or next(filter(None, node.output), ""))


def text_of(value: str | bytes) -> str:
    """A string of a model; one that is not UTF-8 comes as bytes."""
    return value if isinstance(value, str) else value.decode(errors="replace")


def node_of(node: NodeProto, place: str, opsets: Mapping[str, int], values: Values) -> Node:
    """Return a node as far as the model tells."""
    written_in = next((f"function {entry.value}" for entry in node.metadata_props if entry.key == MARK), place)
    given, unknown = list[AttributeProto](), list[AttributeProto]()
    for attribute in node.attribute:
        is_large = attribute.type == AttributeProto.GRAPH and attribute.g.ByteSize() > LARGEST
        (unknown if attribute.ref_attr_name or is_large else given).append(attribute)
    return Node(name_of(node), place if written_in in place else f"{place} > {written_in}", domain_of(node),
                node.op_type, opsets.get(domain_of(node), 0),
                {text_of(attribute.name): plain(attribute) for attribute in given},
                tuple(values.given(name) for name in node.input), tuple(map(bool, node.output)),
                tuple(text_of(attribute.name) for attribute in unknown))


def plain(attribute: AttributeProto) -> Any:
    """Numbers, strings and lists of them as Python has them, tensors, and graphs as texts; of other attributes the type
    alone."""
    value = helper.get_attribute_value(attribute)
    if attribute.type == AttributeProto.GRAPH:
        return encoded(value)
    if isinstance(value, bytes):
        return text_of(value)
    if isinstance(value, (int, float)):
        return value
    if attribute.type in (AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRINGS):
        return [text_of(item) if isinstance(item, bytes) else item for item in value]
    tensor = _read(value) if attribute.type == AttributeProto.TENSOR else None
    return tensor if tensor is not None else f"a {AttributeProto.AttributeType.Name(attribute.type).lower()}"


def _type(proto: TypeProto | None) -> tuple[np.dtype | None, Shape | None]:
    """Element type and shape of a tensor, each None where it is unknown (or there is no tensor)."""
    if proto is None or not proto.HasField("tensor_type"):
        return None, None
    tensor = proto.tensor_type
    dtype = None
    if tensor.elem_type == TensorProto.STRING:
        dtype = np.dtype(object)
    elif tensor.elem_type in TensorProto.DataType.values() and tensor.elem_type:
        dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, tuple(
        size.dim_value if size.HasField("dim_value") and size.dim_value >= 0 else text_of(size.dim_param)
        for size in tensor.shape.dim)
