"""Graphs that are attributes: in a call, texts.

A graph is written in ONNX's text form (`onnx.parser`). Where that does not hold it bit by bit, as it does not hold
halves, it is base64 of its message instead, behind `ENCODED`.
"""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache
from typing import Any

import numpy as np
import onnx.parser
import onnx.printer
from google.protobuf.message import DecodeError
from onnx import AttributeProto, GraphProto, TensorProto, helper, numpy_helper

ENCODED = "base64:"
"""What stands before a graph that is not in ONNX's text form."""

READABLE = 2**14
"""Most bytes of a graph that is written in ONNX's text form."""


@lru_cache(maxsize=256)
def graph_of(text: str) -> GraphProto:
    """Return the graph that a text holds, which is not to be changed. Raises ValueError."""
    graph: GraphProto
    try:
        if text.startswith(ENCODED):
            graph = GraphProto.FromString(base64.b64decode(text.removeprefix(ENCODED), validate=True))
        else:
            graph = onnx.parser.parse_graph(text)
    except (binascii.Error, DecodeError, onnx.parser.ParseError) as error:
        raise ValueError(f"not a graph: {_line(error)}") from None
    return graph


def graph_text(graph: GraphProto) -> str:
    """Return the text of a graph, in ONNX's text form if that gives the same graph again."""
    content = graph.SerializeToString(deterministic=True)
    if len(content) <= READABLE:
        try:
            plain = _plain(graph)
            text: str = onnx.printer.to_text(plain)
            if onnx.parser.parse_graph(text).SerializeToString(deterministic=True) == plain.SerializeToString(
                    deterministic=True):
                return text
        except (onnx.parser.ParseError, RuntimeError, TypeError, ValueError):  # a model may hold anything
            pass
    return encoded(graph)


def encoded(graph: GraphProto) -> str:
    """Return the text of a graph in base64, whatever the graph holds."""
    return ENCODED + base64.b64encode(graph.SerializeToString(deterministic=True)).decode()


def _plain(graph: GraphProto) -> GraphProto:
    """Return a graph that says the same in the message that the parser gives."""
    plain = GraphProto()
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
    array = numpy_helper.to_array(tensor) if tensor.HasField("raw_data") else None
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
