"""Run ONNX's shape inference in a process of its own.

Inference of the onnx package ends the process on some models, such as a node with more outputs than it says,
and never returns on others, such as an equation with a lone point.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache

import onnx.defs
import onnx.shape_inference
from google.protobuf.message import DecodeError, EncodeError
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto

from plumbline.oracle.check.graph import domain_of, subgraphs
from plumbline.processes.forked import Forked

SECONDS = 20.0
"""Time for one model."""

NODE_SECONDS = 5.0
"""Time for a model of one node."""

FORKS = sys.platform == "linux" and hasattr(os, "fork")
"""True if inference has a process of its own."""

DONE, REFUSED = b"+", b"-"

ERRORS = (RuntimeError, ValueError, DecodeError, EncodeError, onnx.shape_inference.InferenceError)
"""The exceptions of `add_inferred` and `inferred_outputs`."""

SMALL = 2**12
"""Most bytes of a tensor on which shapes may depend."""

ANSWERS = 10_000
"""The largest number of answers that are stored; many calls have the same model."""

_answers = dict[bytes, bytes | None]()
"""By the digest of a model of one node what inference answered, None where it gave no answer: it is not asked again."""


def add_inferred(proto: ModelProto) -> None:
    """Add the types and shapes to a model that ONNX's shape inference finds. Raises `ERRORS`; the model then stays.

    On other systems than Linux inference runs in this process."""
    if FORKS:
        def answer(request: bytes) -> bytes:
            model = _inferred(without_values(proto))
            del model.graph.initializer[:]  # the caller has them
            return bytes(model.SerializeToString())

        copy = Forked(_guarded(answer), SECONDS)  # it shares the memory of the model, which may be large
        content = copy.ask(b"")
        copy.close()
        found = _model(content)
    else:
        found = _inferred(proto)
    for name in ("node", "value_info", "input", "output"):
        into = getattr(proto.graph, name)
        del into[:]
        into.extend(getattr(found.graph, name))


def without_values(proto: ModelProto) -> ModelProto:
    """Return a copy of a model without the values of large initialisers, on which no shape depends.

    It is made from its parts: what is cleared in a message stays in its memory."""
    graph = proto.graph
    copy = ModelProto(opset_import=proto.opset_import, functions=proto.functions, graph=GraphProto(
        name=graph.name, node=graph.node, input=graph.input, output=graph.output, value_info=graph.value_info,
        sparse_initializer=graph.sparse_initializer))
    if proto.HasField("ir_version"):
        copy.ir_version = proto.ir_version
    for tensor in graph.initializer:
        is_kept = tensor.data_type in (TensorProto.INT64, TensorProto.INT32) or tensor.ByteSize() <= SMALL
        copy.graph.initializer.append(tensor if is_kept else TensorProto(
            name=tensor.name, data_type=tensor.data_type, dims=tensor.dims))
    return copy


def _inferred(proto: ModelProto) -> ModelProto:
    """Infer types and shapes, with the defaults of attributes written out.

    Inference takes some for others: see the errata on shape inference in the specifications."""
    opset = next((entry.version for entry in proto.opset_import if entry.domain in ("", "ai.onnx")), 1)
    lengths = []
    for node in _nodes(proto.graph):
        lengths.append(len(node.attribute))
        names = {attribute.name for attribute in node.attribute}
        node.attribute.extend(default for default in _defaults(domain_of(node), node.op_type, opset)
                              if default.name not in names)
    try:
        model = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    finally:
        for node, length in zip(_nodes(proto.graph), lengths, strict=True):
            del node.attribute[length:]
    for node, length in zip(_nodes(model.graph), lengths, strict=True):
        del node.attribute[length:]
    return model


@cache
def _defaults(domain: str, operator: str, opset: int) -> tuple[AttributeProto, ...]:
    """Return the attributes of an operator that have a default, with it; none of one that ONNX lacks."""
    try:
        attributes = onnx.defs.get_schema(operator, opset, domain).attributes.values()
    except onnx.defs.SchemaError:
        return ()
    return tuple(each.default_value for each in attributes if each.default_value.type != AttributeProto.UNDEFINED)


def _nodes(graph: GraphProto) -> Iterator[NodeProto]:
    """Yield the nodes of a graph and of the graphs in them."""
    for node in graph.node:
        yield node
        for _, inner in subgraphs(node):
            yield from _nodes(inner)


def inferred_outputs(proto: ModelProto) -> list[ValueInfoProto]:
    """Return the outputs of a model of one node, with types and shapes as far as inference finds them.

    Raises `ERRORS`. One process answers for all models, since a fork takes longer than an inference."""
    if not FORKS:
        return list(onnx.shape_inference.infer_shapes(proto).graph.output)
    request = proto.SerializeToString(deterministic=True)
    digest = hashlib.sha256(request).digest()
    if digest not in _answers:
        if len(_answers) == ANSWERS:
            _answers.clear()
        _answers[digest] = _answer(request)
    answer = _answers[digest]
    if answer is None:
        raise RuntimeError("inference gives no answer")
    return list(_model(answer).graph.output)


def _answer(request: bytes) -> bytes | None:
    try:
        return _copy().ask(request)
    except RuntimeError:
        _copy.cache_clear()
        return None
    except BaseException:
        _copy.cache_clear()
        raise


def _guarded(answer: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return a function that puts its errors into its answer."""
    def guarded(request: bytes) -> bytes:
        try:
            return DONE + answer(request)
        except ERRORS as error:
            return REFUSED + str(error).encode(errors="replace")
    return guarded


def _model(answer: bytes) -> ModelProto:
    """Return the model of an answer. Raises InferenceError for a refusal."""
    if answer[:1] == REFUSED:
        raise onnx.shape_inference.InferenceError(answer[1:].decode(errors="replace"))
    model = ModelProto()
    model.ParseFromString(memoryview(answer)[1:])
    return model


def _outputs(request: bytes) -> bytes:
    model = ModelProto()
    model.graph.output.extend(onnx.shape_inference.infer_shapes(request).graph.output)
    return bytes(model.SerializeToString())


@cache
def _copy() -> Forked:
    return Forked(_guarded(_outputs), NODE_SECONDS)


def _forked() -> None:
    """Give a copy of this process a copy of its own."""
    if _copy.cache_info().currsize:
        _copy().release()
        _copy.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
