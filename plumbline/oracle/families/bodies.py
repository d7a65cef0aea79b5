"""The nodes of a graph that is an attribute, computed through the definitions of their operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, helper, numpy_helper

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.graphs import graph_text
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.response import is_float
from plumbline.oracle.specification import Spec, load_spec, operators


@cache
def spec_at(operator: str, opset: int) -> Spec | None:
    """Return ONNX's specification of an operator that is in force; None where the suite has none."""
    versions = [int(name.partition("@")[2]) for name in operators().get(operator, ()) if name.startswith("onnx/")]
    version = max((version for version in versions if version <= opset), default=None)
    return load_spec(f"onnx/{operator.lower()}@{version}") if version is not None else None


class Body:
    """A graph on given values, those that it reads from around it among them.

    values:  what each tensor is, by the canonical outputs of each node.
    settled: the tensors for which the specifications allow nothing else.
    givers:  the call that gives a tensor, with the name of the output, where what that call reads is settled.
    invalid: why a node breaks a clause of its operator, "" if none does; nothing behind it is computed.

    Raises OutsideDomain for a graph that is not tried."""

    def __init__(self, graph: GraphProto, opset: int, given: Mapping[str, np.ndarray]) -> None:
        self.values = dict(given) | {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.settled, self.givers, self.invalid = set(self.values), dict[str, tuple[JudgedCall, str]](), ""
        self._opset = opset
        if graph.sparse_initializer:
            raise OutsideDomain("sparse tensors are not tried")
        for node in graph.node:
            self._add(node)
            if self.invalid:
                return

    def _add(self, node: NodeProto) -> None:
        spec = None if node.domain not in ("", "ai.onnx") else spec_at(node.op_type, self._opset)
        if spec is None:
            raise OutsideDomain(f"{node.op_type} has no specification at opset {self._opset}")
        inner = {name for each in node.attribute if each.type == AttributeProto.GRAPH for name in reads(each.g)}
        read = {*filter(None, node.input), *inner}
        if not read <= set(self.values):
            raise OutsideDomain(f"{min(read - set(self.values))} is read from around the graph: a call does not have "
                                "it")
        names = spec.input_names(len(node.input))
        inputs = {name: self.values[value] for name, value in zip(names, node.input, strict=True) if value}
        outputs = dict(zip(spec.output_names(len(node.output)), node.output, strict=False))
        asked = tuple(name for name, value in outputs.items() if value)
        judged = JudgedCall(spec, Call(node.op_type, dict(self._attributes(node)), inputs, asked))
        if judged.violations:
            self.invalid = f"{node.op_type}: {judged.violations[0].clause}: {judged.violations[0].why}"
            return
        for name, array in judged.expected.items():
            self.values[outputs[name]] = array
        if read <= self.settled:
            self.givers |= {outputs[name]: (judged, name) for name in asked}
            self.settled |= {outputs[name] for name in asked if _is_settled(judged, name)}

    def _attributes(self, node: NodeProto) -> Iterator[tuple[str, Any]]:
        """Yield the attributes of a node as those of a call; what graphs read from around them becomes part of them."""
        for attribute in node.attribute:
            value = helper.get_attribute_value(attribute)
            if attribute.type == AttributeProto.GRAPH:
                value = graph_text(bound(value, self.values))
            elif attribute.type == AttributeProto.TENSOR:
                value = numpy_helper.to_array(value)
            elif isinstance(value, bytes):
                value = value.decode()
            elif not isinstance(value, (int, float)):
                value = [item.decode() if isinstance(item, bytes) else item for item in value]
            yield attribute.name, value


def _is_settled(judged: JudgedCall, name: str) -> bool:
    """Return True if one value alone conforms."""
    is_open = judged.unspecified_by_clause or judged.disputes or judged.alternatives
    return not is_open and (judged.spec.exact or not is_float(judged.expected[name].dtype))


def reads(graph: GraphProto) -> set[str]:
    """Return the tensors that a graph reads from around it."""
    inside = {value.name for value in (*graph.input, *graph.initializer)} | {
        entry.values.name for entry in graph.sparse_initializer}
    read = set[str]()
    for node in graph.node:
        inner = {name for each in node.attribute if each.type == AttributeProto.GRAPH for name in reads(each.g)}
        read |= {*filter(None, node.input), *inner} - inside
        inside |= set(node.output)
    return read | {value.name for value in graph.output} - inside


def bound(graph: GraphProto, values: Mapping[str, np.ndarray]) -> GraphProto:
    """Return a graph whose initialisers are also the values that it reads from around it."""
    whole = GraphProto()
    whole.CopyFrom(graph)
    whole.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(values[name]).reshape(values[name].shape),
                                                     name) for name in sorted(reads(graph)))
    return whole
