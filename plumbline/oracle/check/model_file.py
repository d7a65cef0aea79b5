"""Read a model from a file, inline its functions, and infer shapes.

Structure alone is read: weights kept in other files are not looked for. Functions are inlined, so that a node of theirs
is read once for each call, with the attributes and shapes of that call; a function that cannot be inlined (it is
written for another opset than the model) is read once, without them. Types and shapes are the model's own, and what
ONNX's shape inference, data propagation included, derives from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import onnx
import onnx.defs
import onnx.inliner
from google.protobuf.message import DecodeError
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto

from plumbline.oracle.check.graph import (
    MARK,
    Operators,
    Values,
    domain_of,
    in_graph,
    in_nodes,
    name_of,
    subgraphs,
    text_of,
)
from plumbline.oracle.check.shape_inference import ERRORS, add_inferred
from plumbline.oracle.files import read_bytes
from plumbline.oracle.node import Node
from plumbline.oracle.safe_text import safe

MOST_NODES = 1_000_000
"""Of a model after its functions are inlined."""

OWN = "ONNX's operators"

Identity = tuple[str, str, str]
"""Of a function or an operator: domain, name and overload."""

DEEPEST = 100
"""Functions that call each other in a row; messages of protobuf are nested no deeper either."""


class ModelError(ValueError):
    """A file that cannot be checked; the text is one line that says which and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(safe(f"{path}: {why}"))


@dataclass(eq=False)
class Model:
    """A model read from a file, its functions inlined. `opsets` are the versions of operator sets by domain; `notes`
    says, one line each, what limits the reading; `plain` is the model without what shape inference adds."""

    path: Path
    proto: ModelProto
    opsets: Mapping[str, int]
    notes: list[str] = field(default_factory=list)
    plain: ModelProto = field(default_factory=ModelProto)

    def nodes(self, operators: Operators) -> Iterator[Node]:
        """The nodes of these operators, in the order of the graph. Raises ModelError."""
        try:
            yield from in_graph(self.proto.graph, "graph", self.opsets, Values(), operators)
            called = _called(self.proto)
            for function in self.proto.functions:
                if _identity(function) in called:
                    place = f"function {function.domain}.{function.name}"
                    yield from in_nodes(function.node, place, _opsets(function), Values(), operators)
        except ValueError as error:
            raise ModelError(self.path, str(error)) from None


def read_model(path: Path, infer: bool = True, sizes: Mapping[str, int] | None = None) -> Model:
    """Return the model in a file, with functions inlined. Raises ModelError.

    `infer` adds inferred types and shapes; `sizes` sets sizes of inputs, by symbol or by place as ``ids.1``."""
    try:
        proto = onnx.load_model_from_string(read_bytes(path))
    except OSError as error:
        raise ModelError(path, f"cannot be read: {error.strerror}") from None
    except DecodeError:
        raise ModelError(path, "not an ONNX model") from None
    if not proto.HasField("graph") or not proto.graph.node:
        raise ModelError(path, "not an ONNX model: it has no graph with nodes")
    try:
        opsets = _opsets(proto)
        _check_functions(proto)
        _check_names(proto.graph)
    except ValueError as error:
        raise ModelError(path, str(error)) from None
    _clear_marks(proto.graph)
    if sizes:
        _set_sizes(path, proto.graph, sizes)
    if infer:
        _name_sizes(proto.graph)
    if "" not in opsets and proto.ir_version >= 3:
        raise ModelError(path, "imports no version of ONNX's operators")
    model = Model(path, proto, {"": 1, **opsets})
    inference = [("shapes could not be inferred", _inferred)] if infer else []
    for name, step in [("functions could not be inlined", _inlined), *inference]:
        model.plain = model.proto
        try:
            model.proto = step(model.proto)
        except ERRORS as error:
            model.notes.append(f"{name}: {' '.join(str(error).split())[:200]}")
    left = [f"{function.domain}.{function.name}" for function in model.proto.functions
            if _identity(function) in _called(model.proto)]
    if left:
        model.notes.append(f"not inlined, so that what their callers give is not known: {', '.join(left)}")
    return model


def open_size(value: ValueInfoProto, axis: int) -> str:
    """The symbol of a size of an input, or its place, as in ``ids.1``; "" where the size is known."""
    size = value.type.tensor_type.shape.dim[axis]
    known = size.HasField("dim_value") and size.dim_value >= 0
    return "" if known else text_of(size.dim_param) or f"{value.name}.{axis}"


def _clear_marks(graph: GraphProto) -> None:
    """Clear the symbols of sizes that are not names: Paddle writes ``?`` for each unknown size, equal or not."""
    for value in (*graph.input, *graph.output, *graph.value_info):
        for size in value.type.tensor_type.shape.dim:
            if size.dim_param and not any(map(str.isalnum, text_of(size.dim_param))):
                size.ClearField("dim_param")


def _name_sizes(graph: GraphProto) -> None:
    """Name the open sizes of inputs by their places, as ``ids.1``: inference would number them."""
    for value in graph.input:
        for axis, size in enumerate(value.type.tensor_type.shape.dim):
            if not size.dim_param and (name := open_size(value, axis)):
                size.dim_param = name


def _set_sizes(path: Path, graph: GraphProto, sizes: Mapping[str, int]) -> None:
    """Set open sizes of inputs. Raises ModelError for a name that none has."""
    constant = {tensor.name for tensor in graph.initializer}
    places = [(open_size(value, axis), size) for value in graph.input if value.name not in constant
              for axis, size in enumerate(value.type.tensor_type.shape.dim)]
    for name in set(sizes) - {symbol for symbol, _ in places}:
        raise ModelError(path, f"--size {name}: the model's inputs have no such size; they have "
                         f"{', '.join(sorted({symbol for symbol, _ in places if symbol})) or 'none that is open'}")
    for symbol, size in places:
        if symbol in sizes:
            size.dim_value = sizes[symbol]


def _check_names(graph: GraphProto) -> None:
    """Raises ValueError where two nodes, or a node and an input or initialiser, give a tensor of the same name."""
    givers = {name: "an input or initialiser" for name in (
        *(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer),
        *(tensor.values.name for tensor in graph.sparse_initializer))}
    for node in graph.node:
        for name in filter(None, node.output):
            if name in givers:
                raise ValueError(f"not a valid model: the tensor {text_of(name)} is given twice, by {givers[name]} and "
                                 f"by the node {name_of(node)}")
            givers[name] = f"the node {name_of(node)}"


def _check_functions(proto: ModelProto) -> None:
    """Raises ValueError where functions cannot be inlined within bounds: one is there twice, calls itself, or the calls
    nest too deeply or come to too many nodes."""
    twice = [identity for identity, count in Counter(map(_identity, proto.functions)).items() if count > 1]
    if twice:
        raise ValueError(f"has the function {'.'.join(filter(None, twice[0]))} twice")
    bodies = {_identity(function): function for function in proto.functions}
    calls = {identity: Counter(_calls(body.node)) for identity, body in bodies.items()}
    try:
        order = list(TopologicalSorter(calls).static_order())
    except CycleError as error:
        raise ValueError(f"the function {'.'.join(filter(None, error.args[1][0]))} calls itself") from None
    nodes: dict[Identity, int] = {}
    depth: dict[Identity, int] = {}
    for identity in order:
        if identity in bodies:
            _opsets(bodies[identity])
            nodes[identity] = sum(count * nodes.get(called, 1) for called, count in calls[identity].items())
            depth[identity] = 1 + max((depth.get(called, 0) for called in calls[identity]), default=0)
    whole = sum(nodes.get(called, 1) for called in _calls(proto.graph.node))
    if whole > MOST_NODES:
        raise ValueError(f"has {whole:,} nodes with its functions inlined; at most {MOST_NODES:,} are read")
    deepest = max(depth.values(), default=0)
    if deepest > DEEPEST:
        raise ValueError(f"functions call each other {deepest:,} times in a row; at most {DEEPEST} are read")


def _calls(nodes: Iterable[NodeProto]) -> Iterator[Identity]:
    """The operator of each node, those in subgraphs included."""
    for node in nodes:
        yield node.domain, node.op_type, node.overload
        for _, graph in subgraphs(node):
            yield from _calls(graph.node)


def _inlined(proto: ModelProto) -> ModelProto:
    if not proto.functions:
        return proto
    marked = ModelProto()
    marked.CopyFrom(proto)
    for function in marked.functions:
        for node in function.node:
            node.metadata_props.add(key=MARK, value=f"{function.domain}.{function.name}")
    return onnx.inliner.inline_local_functions(marked)


def _inferred(proto: ModelProto) -> ModelProto:
    copy = ModelProto()
    copy.CopyFrom(proto)
    add_inferred(copy)
    return copy


def _opsets(proto: ModelProto | FunctionProto) -> dict[str, int]:
    """The version of each operator set. Raises ValueError for two versions of one, and for one that does not exist."""
    found: dict[str, int] = {}
    for entry in proto.opset_import:
        domain = domain_of(entry)
        if found.setdefault(domain, entry.version) != entry.version:
            raise ValueError(f"imports versions {found[domain]} and {entry.version} of {domain or OWN}")
        if entry.version < 1:
            raise ValueError(f"imports version {entry.version} of {domain or OWN}; versions begin with 1")
        if not domain and entry.version > onnx.defs.onnx_opset_version():
            raise ValueError(f"imports version {entry.version} of {OWN}; the last that is known is "
                             f"{onnx.defs.onnx_opset_version()}")
    return found


def _identity(function: FunctionProto) -> Identity:
    return function.domain, function.name, function.overload


def _called(proto: ModelProto) -> set[Identity]:
    """The functions that the graph calls, directly or through others."""
    bodies = {_identity(function): function.node for function in proto.functions}
    found: set[Identity] = set()
    pending = [proto.graph.node]
    while pending:
        for node in pending.pop():
            identity = (node.domain, node.op_type, node.overload)
            if identity in bodies and identity not in found:
                found.add(identity)
                pending.append(bodies[identity])
            pending += [graph.node for _, graph in subgraphs(node)]
    return found
