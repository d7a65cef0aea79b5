"""Reads a model from a file: functions inlined, types and shapes inferred.

Structure alone is read: weights kept in other files are not looked for. Functions are inlined, so that a node of theirs
is read once for each call, with the attributes and shapes of that call; a function that cannot be inlined (it is
written for another opset than the model) is read once, without them. Types and shapes are the model's own, and what
ONNX's shape inference, data propagation included, derives from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import onnx
import onnx.inliner
import onnx.shape_inference
from google.protobuf.message import DecodeError, EncodeError
from onnx import FunctionProto, ModelProto

from plumbline.oracle.check.graph import MARK, Node, Operators, domain_of, in_graph, in_nodes, subgraphs


class ModelError(ValueError):
    """A file that cannot be checked; the text is one line that says which and why."""


@dataclass(eq=False)
class Model:
    """A model read from a file, its functions inlined. `opsets` are the versions of operator sets by domain; `notes`
    says, one line each, what limits the reading."""

    path: Path
    proto: ModelProto
    opsets: Mapping[str, int]
    notes: list[str] = field(default_factory=list)

    def nodes(self, operators: Operators) -> Iterator[Node]:
        """The nodes of these operators, in the order of the graph."""
        yield from in_graph(self.proto.graph, "graph", self.opsets, {}, operators)
        called = _called(self.proto)
        for function in self.proto.functions:
            if _identity(function) in called:
                place = f"function {function.domain}.{function.name}"
                yield from in_nodes(function.node, place, _opsets(function), {}, operators)


def read_model(path: Path) -> Model:
    """The model in a file. Raises ModelError."""
    try:
        proto = onnx.load_model_from_string(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
    except DecodeError:
        raise ModelError(f"{path}: is no ONNX model") from None
    if not proto.HasField("graph") or not proto.graph.node:
        raise ModelError(f"{path}: is no ONNX model: it has no graph with nodes")
    opsets = _opsets(proto)
    if "" not in opsets and proto.ir_version >= 3:
        raise ModelError(f"{path}: imports no version of ONNX's operators")
    model = Model(path, proto, {"": 1, **opsets})
    for name, step in (("functions could not be inlined", _inlined), ("shapes could not be inferred", _inferred)):
        try:
            model.proto = step(model.proto)
        except (RuntimeError, ValueError, EncodeError, onnx.shape_inference.InferenceError) as error:
            model.notes.append(f"{name}: {' '.join(str(error).split())[:200]}")
    left = [f"{function.domain}.{function.name}" for function in model.proto.functions
            if _identity(function) in _called(model.proto)]
    if left:
        model.notes.append(f"not inlined, so that what their callers give is not known: {', '.join(left)}")
    return model


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
    return onnx.shape_inference.infer_shapes(proto, data_prop=True)


def _opsets(proto: ModelProto | FunctionProto) -> dict[str, int]:
    return {domain_of(entry): entry.version for entry in proto.opset_import}


def _identity(function: FunctionProto) -> tuple[str, str]:
    return function.domain, function.name


def _called(proto: ModelProto) -> set[tuple[str, str]]:
    """The functions that the graph calls, directly or through others."""
    bodies = {_identity(function): function.node for function in proto.functions}
    found: set[tuple[str, str]] = set()
    pending = [proto.graph.node]
    while pending:
        for node in pending.pop():
            identity = (node.domain, node.op_type)
            if identity in bodies and identity not in found:
                found.add(identity)
                pending.append(bodies[identity])
            pending += [graph.node for _, graph in subgraphs(node)]
    return found
