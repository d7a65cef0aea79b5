"""Compute graphs that are attributes, through their operators' definitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, helper, numpy_helper

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.families.element_types import same_bits
from plumbline.oracle.graphs import graph_text
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.limits import holdable
from plumbline.oracle.response import is_float
from plumbline.oracle.specification import Spec, load_spec, operators
from plumbline.oracle.tensor_protos import to_array

NODES = 10_000
"""Most nodes that are computed of the graphs of one call."""

ELEMENTS = 2**25
"""Most elements that these nodes give together."""


LISTS = (AttributeProto.INTS, AttributeProto.FLOATS, AttributeProto.STRINGS)


class Work:
    """The nodes and elements computed so far of the graphs of one call, graphs within them included."""

    def __init__(self) -> None:
        self.nodes = self.elements = 0

    def add(self, elements: int) -> None:
        """Count a node that gives so many elements, before it is computed. Raises OutsideDomain for one too many."""
        self.nodes, self.elements = self.nodes + 1, self.elements + elements
        if self.nodes > NODES:
            raise OutsideDomain(f"its graphs have more than {NODES:,} nodes to compute, and no more are computed")
        if self.elements > ELEMENTS:
            raise OutsideDomain(f"its graphs give more than {ELEMENTS:,} elements, and no more are computed")

    @staticmethod
    def current() -> Work:
        """Yield the work of the surrounding call, or a new one."""
        return _WORK.get() or Work()


_WORK: ContextVar[Work | None] = ContextVar("work", default=None)


@cache
def spec_at(operator: str, opset: int) -> Spec | None:
    """Return ONNX's specification of an operator that is in force; None where the suite has none."""
    versions = [int(name.partition("@")[2]) for name in operators().get(operator, ()) if name.startswith("onnx/")]
    version = max((version for version in versions if version <= opset), default=None)
    return load_spec(f"onnx/{operator.lower()}@{version}") if version is not None else None


@dataclass(frozen=True, eq=False)
class Tensor:
    """A tensor of a graph.

    array:   what it is, by the canonical outputs of each node.
    settled: the specifications allow nothing else.
    giver:   the call that gives it, with the name of the output, where what that call reads is settled."""

    array: np.ndarray
    settled: bool = True
    giver: tuple[JudgedCall, str] | None = None

    @property
    def is_open(self) -> bool:
        """True if nothing fixes more than its element type and rank."""
        if self.giver is None:
            return not self.settled
        judged, name = self.giver
        return bool(judged.disputes) or any(effect.readings for effect in judged.unspecified_by_clause.values()) or any(
            allowance.shape or allowance.dtype for allowance in judged.allowances.get(name, ()))


def allowed(tensor: Tensor, got: np.ndarray) -> np.ndarray:
    """Return the mask of elements that a tensor may have, by the specification of the node that gives it; what no node
    gives is copied bit by bit, a NaN as any NaN."""
    if tensor.giver is not None:
        judged, name = tensor.giver
        mask = judged.definition.conforms(name, got)
        for allowance in judged.allowances.get(name, ()):
            mask = mask | allowance.allows(got)
        return np.asarray(mask)
    wanted = tensor.array
    with np.errstate(all="ignore"):
        return np.asarray(same_bits(got.astype(wanted.dtype), wanted) | (got != got) & (wanted != wanted))


class Body:
    """A graph on given values, those that it reads from around it among them.

    values:  what each tensor is, by the canonical outputs of each node.
    settled: the tensors for which the specifications allow nothing else.
    givers:  the call that gives a tensor, with the name of the output, where what that call reads is settled.
    invalid: why a node breaks a clause of its operator, "" if none does; nothing behind it is computed.

    Raises OutsideDomain for a graph that is not tried."""

    def __init__(self, graph: GraphProto, opset: int, given: Mapping[str, Tensor], work: Work | None = None) -> None:
        self.values = {tensor.name: _array(tensor) for tensor in graph.initializer} | {
            name: tensor.array for name, tensor in given.items()}
        self.settled = set(self.values) - {name for name, tensor in given.items() if not tensor.settled}
        self.givers = {name: tensor.giver for name, tensor in given.items() if tensor.giver}
        self.invalid = ""
        self._opset, self._work = opset, work or Work.current()
        if graph.sparse_initializer:
            raise OutsideDomain("sparse tensors are not tried")
        around = _WORK.set(self._work)
        try:
            for node in graph.node:
                self._add(node)
                if self.invalid:
                    return
        finally:
            _WORK.reset(around)

    def _add(self, node: NodeProto) -> None:
        """Compute a node. Raises OutsideDomain for one without a specification, or with unknown inputs."""
        spec = None if node.domain not in ("", "ai.onnx") else spec_at(node.op_type, self._opset)
        if spec is None:
            raise OutsideDomain(f"{node.op_type} has no specification at opset {self._opset}")
        inner = {name for each in node.attribute if each.type == AttributeProto.GRAPH for name in reads(each.g)}
        read = {*filter(None, node.input), *inner}
        if not read <= self.values.keys():
            raise OutsideDomain(f"{min(read - self.values.keys())} is read from around the graph: a call does not have "
                                "it")
        names = spec.input_names(len(node.input))
        inputs = {name: self.values[value] for name, value in zip(names, node.input, strict=True) if value}
        outputs = dict(zip(spec.output_names(len(node.output)), node.output, strict=False))
        asked = tuple(name for name, value in outputs.items() if value)
        judged = JudgedCall(spec, Call(
            node.op_type, dict(attributes_of(node, self.values)), inputs, asked, self._opset))
        try:
            self.invalid = next((f"{entry.clause}: {entry.why}" for entry in judged.violations), "")
        except OutsideDomain as error:  # other inputs than the operator has
            self.invalid = f"{spec.name}: {error}"
        if self.invalid:
            return
        self._work.add(sum(prod(judged.definition.shape_of(name)) for name in asked))
        for name, array in judged.expected.items():
            self.values[outputs[name]] = array
        if node.op_type == "Identity":  # what it reads, open or not
            source = self.tensor(node.input[0])
            self.settled |= set(node.output) if source.settled else set()
            self.givers |= dict.fromkeys(node.output, source.giver) if source.giver else {}
            return
        if read <= self.settled:
            self.givers |= {outputs[name]: (judged, name) for name in asked}
            self.settled |= {outputs[name] for name in asked if _is_settled(judged, name)}

    def tensor(self, name: str) -> Tensor:
        """Return a tensor. Raises OutsideDomain for one that the graph does not have."""
        if name not in self.values:
            raise OutsideDomain(f"{name} is read from around the graph: a call does not have it")
        return Tensor(self.values[name], name in self.settled, self.givers.get(name))


def attributes_of(node: NodeProto, around: Mapping[str, np.ndarray]) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a node as those of a call; what graphs read from around them becomes part of them."""
    for attribute in node.attribute:
        try:
            value = helper.get_attribute_value(attribute)
        except ValueError:  # of no type
            raise OutsideDomain(f"{attribute.name} of {node.op_type} has no value") from None
        if attribute.type == AttributeProto.GRAPH:
            value = graph_text(bound(value, around))
        elif attribute.type == AttributeProto.TENSOR:
            value = _array(value)
        elif isinstance(value, bytes):
            value = value.decode(errors="backslashreplace")
        elif attribute.type not in LISTS and not isinstance(value, (int, float)):
            raise OutsideDomain(f"{attribute.name} of {node.op_type} is of a type that is not tried")
        elif not isinstance(value, (int, float)):
            value = [item.decode(errors="backslashreplace") if isinstance(item, bytes) else item for item in value]
        yield attribute.name, value


def _array(tensor: TensorProto) -> np.ndarray:
    """Return a tensor that a graph holds. Raises OutsideDomain for one that it does not hold."""
    if tensor.data_location == TensorProto.EXTERNAL:
        raise OutsideDomain(f"{tensor.name} is in a file of its own")
    if any(size < 0 for size in tensor.dims):
        raise OutsideDomain(f"{tensor.name} has a negative size")
    holdable(tensor.name, tensor.dims)
    try:
        return to_array(tensor)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise OutsideDomain(f"{tensor.name} cannot be read: {error}") from None


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


def varying(graph: GraphProto, given: Iterable[str]) -> set[str]:
    """Return the tensors of a graph that depend on given ones.

    Of a node If whose condition is an initialiser only the branch that it takes counts."""
    names, constants = set(given), {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        graphs = {each.name: each.g for each in node.attribute if each.type == AttributeProto.GRAPH}
        if node.op_type == "If" and node.input[0] in constants:
            is_true = bool(to_array(constants[node.input[0]]).any())
            taken = graphs["then_branch" if is_true else "else_branch"]
            inner = varying(taken, names)
            names.update(name for name, value in zip(node.output, taken.output, strict=False) if value.name in inner)
        elif names & {*node.input, *(name for inside in graphs.values() for name in reads(inside))}:
            names.update(node.output)
    return names


def bound(graph: GraphProto, values: Mapping[str, np.ndarray]) -> GraphProto:
    """Return a graph whose initialisers are also the values that it reads from around it."""
    whole = GraphProto()
    whole.CopyFrom(graph)
    whole.initializer.extend(numpy_helper.from_array(np.ascontiguousarray(values[name]).reshape(values[name].shape),
                                                     name) for name in sorted(reads(graph)))
    return whole
