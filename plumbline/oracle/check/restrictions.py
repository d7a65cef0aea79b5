"""Predicates of specifications about whole models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import onnx.defs
from onnx import AttributeProto, GraphProto, NodeProto, TensorProto, TypeProto

from plumbline.oracle.answers import Standing
from plumbline.oracle.check.graph import MARK, Values, domain_of, name_of, subgraphs
from plumbline.oracle.check.model_file import Model


class Found(NamedTuple):
    """A part of a model that breaks a clause, or could if it is unknown; in a few words."""

    what: str
    known: bool = True


Predicate = Callable[[Model], Iterator[Found]]
PREDICATES: dict[str, Predicate] = {}

NAMED = 3
"""Places that are named."""

UNKNOWN = "undefined"
"""How ONNX calls no element type."""


def on_model(clause: str) -> Callable[[Predicate], Predicate]:
    """Binds a predicate to the address of its clause."""
    def bind(predicate: Predicate) -> Predicate:
        PREDICATES[clause] = predicate
        return predicate
    return bind


def standing(clause: str, model: Model) -> Standing:
    """Return the state of a clause for a model."""
    found = list(dict.fromkeys(PREDICATES[clause](model)))
    for known in (True, False):
        words = [one.what for one in found if one.known is known]
        if words:
            more = f" and {len(words) - NAMED} more" if len(words) > NAMED else ""
            return Standing(clause, "broken" if known else "undecided", "; ".join(words[:NAMED]) + more)
    return Standing(clause, "kept")


def _graphs(graph: GraphProto, outer: Values) -> Iterator[tuple[GraphProto, Values]]:
    """A graph and those within, each with what is known of its values."""
    values = outer.inside(graph)
    for node in graph.node:
        values.add(node)
    yield graph, values
    for node in graph.node:
        for _, inner in subgraphs(node):
            yield from _graphs(inner, values)


@on_model("sonnx/general#restrictions.R1")
def sparse(model: Model) -> Iterator[Found]:
    """Sparse initialisers, attributes and values."""
    for graph, _ in _graphs(model.plain.graph, Values()):
        for tensor in graph.sparse_initializer:
            yield Found(f"the initialiser {tensor.values.name} is sparse")
        for value in (*graph.input, *graph.output, *graph.value_info):
            if _is_sparse(value.type):
                yield Found(f"the value {value.name} is sparse")
        for node in graph.node:
            yield from (Found(f"the attribute {attribute.name} of {name_of(node)} is sparse")
                        for attribute in node.attribute
                        if attribute.type in (AttributeProto.SPARSE_TENSOR, AttributeProto.SPARSE_TENSORS))


def _is_sparse(of: TypeProto) -> bool:
    """Return True for the type of a sparse tensor, or of something that holds one."""
    kind = of.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return _is_sparse(getattr(of, kind).elem_type)
    return _is_sparse(of.map_type.value_type) if kind == "map_type" else kind == "sparse_tensor_type"


@on_model("sonnx/general#restrictions.R2")
def untyped(model: Model) -> Iterator[Found]:
    """Values whose type is not written; those of functions, which stand inlined in the graph, are left open."""
    for graph, values in _graphs(model.plain.graph, Values()):
        names = [value.name for value in (*graph.input, *graph.output)]
        names += [name for node in graph.node if not _in_function(node) for name in node.output if name]
        for name in dict.fromkeys(names):
            if name not in values.constants and not _is_typed(values.types.get(name)):
                yield Found(f"no type is written for {name}")


def _in_function(node: NodeProto) -> bool:
    return any(entry.key == MARK for entry in node.metadata_props)


def _is_typed(of: TypeProto | None) -> bool:
    """Return True if a type is stated down to its elements."""
    kind = of.WhichOneof("value") if of is not None else None
    if of is None or kind is None:
        return False
    if kind in ("tensor_type", "sparse_tensor_type"):
        return bool(getattr(of, kind).elem_type != TensorProto.UNDEFINED)
    return _is_typed(of.map_type.value_type if kind == "map_type" else getattr(of, kind).elem_type)


@on_model("sonnx/general#restrictions.R3")
def converted(model: Model) -> Iterator[Found]:
    """Nodes whose values have types that their operator does not take together."""
    for graph, values in _graphs(model.proto.graph, Values()):
        for node in graph.node:
            schema = _schema(model, node)
            if schema is None:
                yield Found(f"the operator {node.op_type} is not known", known=False)
                continue
            yield from _types_of(node, schema, values)


def _types_of(node: NodeProto, schema: onnx.defs.OpSchema, values: Values) -> Iterator[Found]:
    """Yield values of a node with types that the schema does not allow, or with unknown types.

    `values` holds the types by name."""
    takes = {constraint.type_param_str: constraint.allowed_type_strs for constraint in schema.type_constraints}
    bound: dict[str, tuple[str, str]] = {}
    for names, formal in ((node.input, schema.inputs), (node.output, schema.outputs)):
        for number, name in enumerate(names):
            parameter = formal[min(number, len(formal) - 1)] if formal else None
            kind = _element(values, name) if parameter is not None and name else ""
            if parameter is None or not kind:
                continue
            if kind == UNKNOWN:
                yield Found(f"the type of {name}", known=False)
                continue
            if f"tensor({kind})" not in takes.get(parameter.type_str, [parameter.type_str]):
                yield Found(f"{name_of(node)} does not take {name} as {kind}")
            first, other = bound.setdefault(parameter.type_str, (name, kind))
            if other != kind and parameter.is_homogeneous and parameter.type_str in takes:
                yield Found(f"{name_of(node)} takes {first}, {other}, and {name}, {kind}, as one type")


def _element(values: Values, name: str) -> str:
    """Return ONNX's name of the element type, as in ``tensor(float)``; UNKNOWN where it is not known, "" for a
    value of another kind."""
    written = values.types.get(name)
    if written is None and name in values.constants:
        return _called(values.constants[name].tensor.data_type)
    if written is None or written.WhichOneof("value") is None:
        return UNKNOWN
    return _called(written.tensor_type.elem_type) if written.HasField("tensor_type") else ""


def _called(elem_type: int) -> str:
    return TensorProto.DataType.Name(elem_type).lower() if elem_type in TensorProto.DataType.values() else UNKNOWN


@on_model("sonnx/general#restrictions.R4")
def defaulted(model: Model) -> Iterator[Found]:
    """Nodes that leave out an attribute with a default value."""
    for graph, _ in _graphs(model.plain.graph, Values()):
        for node in graph.node:
            schema = _schema(model, node)
            if schema is None:
                yield Found(f"the operator {node.op_type} is not known", known=False)
                continue
            given = {attribute.name for attribute in node.attribute}
            absent = sorted(name for name, attribute in schema.attributes.items()
                            if attribute.default_value.type != AttributeProto.UNDEFINED and name not in given)
            if absent:
                yield Found(f"{name_of(node)} leaves out {', '.join(absent)}")


def _schema(model: Model, node: NodeProto) -> onnx.defs.OpSchema | None:
    """ONNX's definition of the operator of a node, at the version that the model imports; None for one that ONNX does
    not define."""
    domain = domain_of(node)
    try:
        return onnx.defs.get_schema(node.op_type, model.opsets[domain], domain)
    except (KeyError, onnx.defs.SchemaError):
        return None
