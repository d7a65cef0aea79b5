"""Convert graphs that are attributes to and from text.

A graph is written in ONNX's text form (`onnx.parser`). Where that does not hold it bit by bit, as it does not hold
halves, it is base64 of its message instead, behind `ENCODED`. The onnx package is imported where a graph is read:
calls without one do without it.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from plumbline.oracle.tensor_protos import to_array

if TYPE_CHECKING:
    from onnx import GraphProto, TensorProto

ENCODED = "base64:"
"""The prefix of a graph that is not in ONNX's text form."""

READABLE = 2**14
"""Most bytes of a graph that is written in ONNX's text form."""


DEEPEST = 100
"""Levels of brackets in a text: the parser, which is native code, goes one call deeper for each."""

_QUIET = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|[^(){}\[\]"#]+')
"""The parts of a text between brackets: strings, comments, and all else."""


@lru_cache(maxsize=256)
def graph_of(text: str) -> GraphProto:
    """Return the graph that a text holds, which is not to be changed. Raises ValueError."""
    from google.protobuf.message import DecodeError
    from onnx import GraphProto, parser

    try:
        if text.startswith(ENCODED):
            graph: GraphProto = GraphProto.FromString(base64.b64decode(text.removeprefix(ENCODED), validate=True))
        else:
            _check_depth(text)
            graph = parser.parse_graph(text)
    except (binascii.Error, DecodeError, parser.ParseError, IndexError, RuntimeError, UnicodeError) as error:
        raise ValueError(f"not a graph: {_line(error)}") from None
    return graph


def _check_depth(text: str) -> None:
    """Raise ValueError for a text with too many brackets in one another."""
    depth = 0
    for bracket in _QUIET.sub("", text):
        depth += 1 if bracket in "({[" else -1
        if depth > DEEPEST:
            raise ValueError(f"not a graph: more than {DEEPEST} levels of brackets")


def graph_text(graph: GraphProto) -> str:
    """Return the text of a graph, in ONNX's text form if that gives the same graph again."""
    from onnx import parser, printer

    if graph.ByteSize() <= READABLE:
        try:
            plain = _plain(graph)
            text: str = printer.to_text(plain)
            if parser.parse_graph(text).SerializeToString(deterministic=True) == plain.SerializeToString(
                    deterministic=True):
                return text
        except (parser.ParseError, RuntimeError, TypeError, ValueError):  # a model may hold anything
            pass
    return encoded(graph)


def encoded(graph: GraphProto) -> str:
    """Return the text of a graph in base64, whatever the graph holds."""
    return ENCODED + base64.b64encode(graph.SerializeToString(deterministic=True)).decode()


def _plain(graph: GraphProto) -> GraphProto:
    """Return a graph that says the same in the message that the parser gives."""
    from onnx import AttributeProto

    plain = type(graph)()
    plain.CopyFrom(graph)
    for tensor in plain.initializer:
        _write_out(tensor)
    for node in plain.node:
        node.domain = node.domain  # a field that is there, though empty
        for attribute in node.attribute:
            if attribute.type == AttributeProto.TENSOR:
                _write_out(attribute.t)
            elif attribute.type == AttributeProto.GRAPH:
                attribute.g.CopyFrom(_plain(attribute.g))
    return plain


def _write_out(tensor: TensorProto) -> None:
    """Give a tensor of plain numbers the field that the parser gives it."""
    from onnx import helper

    array = to_array(tensor) if tensor.HasField("raw_data") else None
    if array is not None and array.dtype.kind in "fiub" and array.dtype != np.float16 and (
            array.dtype.isbuiltin == 1):
        tensor.CopyFrom(helper.make_tensor(tensor.name, tensor.data_type, tensor.dims, array.reshape(-1).tolist()))


def is_graph(value: Any) -> bool:
    """Return True for a text that holds a graph."""
    try:
        return isinstance(value, str) and graph_of(value) is not None
    except ValueError:
        return False


def _line(error: Exception) -> str:
    """The message of an error on one line; the parser's are bytes."""
    message = error.args[0] if error.args else ""
    return " ".join((message.decode(errors="replace") if isinstance(message, bytes) else str(message)).split())[:200]
