"""Read the function bodies by which ONNX's schemas define operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import (
    AttributeProto,
    FunctionProto,
    NodeProto,
    TypeProto,
    ValueInfoProto,
    defs,
    helper,
    numpy_helper,
    parser,
    shape_inference,
)

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.binding import BoundSpec
from plumbline.oracle.call import Call
from plumbline.oracle.enclosures import enclosure, with_inputs
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.bodies import Body, Tensor, attributes_of, spec_at
from plumbline.oracle.families.element_types import same_bits
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.predicates import Predicate
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide
from plumbline.oracle.specification import load_spec


@dataclass(frozen=True, eq=False)
class FunctionBody:
    """A body on the tensors of one call.

    opset:   the operator set of its nodes, whose attributes are those of the call.
    inputs:  what is given, by the names of the body.
    outputs: by the outputs that the call asks for, their names in the body."""

    opset: int
    nodes: tuple[NodeProto, ...]
    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, str]


def has_body(spec: BoundSpec) -> bool:
    """True if ONNX's schema of this version has a function body, for some calls at least."""
    if spec.domain != "" or not spec.name.startswith("onnx/") or not defs.has(spec.operator):
        return False
    schema: Any = defs.get_schema(spec.operator, spec.opset)
    return bool(schema.since_version == spec.opset and (
        schema.has_function or schema.has_context_dependent_function))


def bodies_of(spec: BoundSpec, call: Call) -> Iterator[FunctionBody]:
    """Yield the bodies of a call inside the domain, one for each operator set that the schema has one for."""
    schema: Any = defs.get_schema(spec.operator, spec.opset)
    if schema.has_function:
        for opset in schema.function_opset_versions:
            yield _body(schema, spec, call, opset, schema.get_function_with_opset_version(opset))
        return
    places = spec.places(call.inputs)
    node = helper.make_node(spec.operator, [name if name in call.inputs else "" for name in places], spec.asked(call))
    node.attribute.extend(_attribute(schema, name, value) for name, value in call.attributes.items())
    types = [_type(call.inputs[name]) if name in call.inputs else TypeProto() for name in places]
    for opset in schema.context_dependent_function_opset_versions:
        made = schema.get_context_dependent_function_with_opset_version(
            opset, node.SerializeToString(), [each.SerializeToString() for each in types])
        if made:  # b"" where there is none for the call
            yield _body(schema, spec, call, opset, made)


def _by_formula(spec: BoundSpec, call: Call, formula: str) -> FunctionBody:
    """Return a function in ONNX's text form on the tensors of a call."""
    function = parser.parse_function(formula)
    schema: Any = defs.get_schema(spec.operator, spec.opset)
    return _body(schema, spec, call, function.opset_import[0].version, function.SerializeToString())


def _type(array: np.ndarray) -> TypeProto:
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def _attribute(schema: Any, name: str, value: object) -> AttributeProto:
    if isinstance(value, np.ndarray):
        value = numpy_helper.from_array(value)
    kind = AttributeProto.AttributeType.Value(str(schema.attributes[name].type).rpartition(".")[2])
    return helper.make_attribute(name, value, attr_type=kind)


def _body(schema: Any, spec: BoundSpec, call: Call, opset: int, serialized: bytes) -> FunctionBody:
    """Return a body on the tensors of a call; `schema` is ONNX's, and `serialized` a FunctionProto for `opset`."""
    body = FunctionProto.FromString(serialized)
    given = {name: each.default_value for name, each in schema.attributes.items() if each.default_value.type}
    given |= {name: _attribute(schema, name, value) for name, value in call.attributes.items()}
    names = dict(zip(spec.places(call.inputs), body.input, strict=False))
    inputs = {names[name]: array for name, array in call.inputs.items()}
    for node in body.node:
        node.input[:] = ["" if name in body.input and name not in inputs else name for name in node.input]
        attributes = [each if not each.ref_attr_name else _renamed(given[each.ref_attr_name], each.name)
                      for each in node.attribute if not each.ref_attr_name or each.ref_attr_name in given]
        del node.attribute[:]
        node.attribute.extend(attributes)
    outputs = {name: inner for name, inner in zip(spec.outputs, body.output, strict=False) if name in spec.asked(call)}
    nodes = tuple(body.node)
    if any(each.type == AttributeProto.GRAPH for node in nodes for each in node.attribute):
        nodes = _with_types(nodes, inputs, list(body.output), opset)
    return FunctionBody(opset, nodes, inputs, outputs)


def _with_types(nodes: tuple[NodeProto, ...], inputs: Mapping[str, np.ndarray], outputs: list[str],
                opset: int) -> tuple[NodeProto, ...]:
    """Return nodes whose graphs state the types of their tensors, as ONNX infers them."""
    graph = helper.make_graph(nodes, "body", [ValueInfoProto(name=name, type=_type(array)) for name, array in
                                              inputs.items()], [ValueInfoProto(name=name) for name in outputs])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    return tuple(shape_inference.infer_shapes(model).graph.node)


def _renamed(attribute: AttributeProto, name: str) -> AttributeProto:
    copy = AttributeProto()
    copy.CopyFrom(attribute)
    copy.name = name
    return copy


class InvalidBody(ValueError):
    """A node of a body breaks a clause of its operator."""


def judged_node(node: NodeProto, opset: int, tensors: Mapping[str, np.ndarray]) -> tuple[JudgedCall, dict[str, str]]:
    """Return the call of a node, with the names of its outputs. Raises InvalidBody, and OutsideDomain for an operator
    without a specification."""
    operator = "Add" if node.op_type == "Sum" and len(node.input) == 2 else node.op_type
    spec = spec_at(operator, opset)
    if spec is None:
        raise OutsideDomain(f"{node.op_type} has no specification at opset {opset}")
    inputs = {name: tensors[value] for name, value in zip(spec.input_names(len(node.input)), node.input, strict=True)
              if value in tensors}
    names = {name: value for name, value in zip(spec.output_names(len(node.output)), node.output, strict=False)
             if value}
    judged = JudgedCall(spec, Call(operator, dict(attributes_of(node, tensors)), inputs, tuple(names)))
    if judged.violations:
        raise InvalidBody(f"{judged.violations[0].clause}: {judged.violations[0].why}")
    return judged, names


def ends_of(judged: JudgedCall, lows: Mapping[str, np.ndarray], highs: Mapping[str, np.ndarray]) -> dict[str, Ends]:
    """Return the ends of outputs for inputs between others; {} where none are known."""
    if not all(is_float(low.dtype) or np.array_equal(low, highs[name]) for name, low in lows.items()):
        return {}
    with np.errstate(all="ignore"):
        by_output = {name: ends.where(~(np.isinf(ends.low) & (ends.high == -ends.low)))  # a product with zero between
                 for name, ends in (enclosure(judged.definition, lows, highs) or {}).items()}
    for inputs in (lows, highs):
        given = all(same_bits(array, judged.call.inputs[name]).all() for name, array in inputs.items())
        at_end = judged if given else JudgedCall(judged.spec, with_inputs(judged.definition, inputs).call)
        for name in () if at_end.violations else by_output:
            for allowance in at_end.allowances.get(name, ()):
                if allowance.admits is None or allowance.shape or allowance.dtype:
                    by_output[name] = by_output[name].where(np.logical_not(allowance.where))
    return by_output


def enclosed_by_body(name: str, call: Call, low: Call, high: Call,
                     formula: str = "") -> dict[str, tuple[np.ndarray, Ends]]:
    """Return canonical outputs of a function body, and ends of what conforms, by output.

    name:      the specification, "onnx/mish@22".
    formula:   a function in ONNX's text form that is read in place of the body.
    low, high: calls between whose inputs those of `call` may lie; `call` itself if they are exact.

    Raises InvalidBody, and OutsideDomain where integers depend on numbers that are not exact."""
    spec = load_spec(name)
    function = _by_formula(spec, call, formula) if formula else next(bodies_of(spec, call))
    places = dict(zip(call.inputs, function.inputs, strict=True))
    tensors, *ends = ({places[each]: np.asarray(array) for each, array in at.inputs.items()}
                      for at in (call, low, high))
    enclose(function.nodes, function.opset, tensors, *ends, of=name)
    return {output: (tensors[inner], Ends(*(at[inner].astype(Wide) for at in ends)))
            for output, inner in function.outputs.items()}


def enclose(nodes: Iterable[NodeProto], opset: int, tensors: dict[str, np.ndarray], *ends: dict[str, np.ndarray],
            of: str) -> None:
    """Add what nodes give to `tensors`, and to `ends` the lower and the upper ends of what conforms.

    of: the specification that the nodes are part of, for messages. Raises as `enclosed_by_body`."""
    for node in nodes:
        judged, names = judged_node(node, opset, tensors)
        given = dict(zip(judged.call.inputs, filter(None, node.input), strict=True))
        by_output = ends_of(judged, *({each: at[value] for each, value in given.items()} for at in ends))
        for output, inner in names.items():
            tensors[inner] = array = judged.expected[output]
            known = by_output.get(output, Ends.around(array, np.nan))
            if not is_float(array.dtype) and not (_is_exact(judged, given, *ends) or np.all(
                    (known.low == array) & (known.high == array))):
                raise OutsideDomain(f"{inner} of the body of {of} is of {array.dtype}, and depends on what is known "
                                    "between ends alone")
            of_output = known.outward(array.dtype) if is_float(array.dtype) else (array, array)
            for at, end in zip(ends, of_output, strict=True):
                at[inner] = np.asarray(end)


def _is_exact(judged: JudgedCall, given: Mapping[str, str], low: Mapping[str, np.ndarray],
              high: Mapping[str, np.ndarray]) -> bool:
    """Return True if a node gives the same for all tensors between ends: it reads none that differ, or shapes alone."""
    same = all(same_bits(low[value], high[value]).all() for value in given.values())
    return (same or judged.definition.reads_sizes_alone) and not judged.unspecified_by_clause


def _by_body(name: str, call: Call) -> tuple[FunctionBody, Body]:
    function = next(bodies_of(load_spec(name), call))
    graph = helper.make_graph(function.nodes, "body", [], [])
    return function, Body(graph, function.opset, {each: Tensor(array) for each, array in function.inputs.items()})


def body_for_fewer_calls(clause: str, name: str, *calls: Callable[[], Call]) -> Predicate:
    """Return the evidence of an erratum: calls inside the domain, whose function bodies break a clause."""
    return Predicate("evidence", clause, lambda: "; ".join(_broken_body(name, call()) for call in calls))


def _broken_body(name: str, call: Call) -> str:
    """Return which clause a node of the body of a call breaks."""
    spec, invalid = load_spec(name), _by_body(name, call)[1].invalid
    assert not spec.violations(call) and invalid
    types = ", ".join(sorted({array.dtype.name for array in call.inputs.values()}))
    return f"a call of {types} is inside, and its function body breaks {invalid}"


def canonical_by_body(name: str, call: Call) -> dict[str, np.ndarray]:
    """Return the canonical outputs of the body of a call."""
    function, body = _by_body(name, call)
    return {output: body.values[inner] for output, inner in function.outputs.items()}
