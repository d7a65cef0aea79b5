"""ONNX If: the definition of `spec/onnx/if.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from plumbline.oracle.answers import Divergence, OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.families.bodies import Body, reads
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import FLOATS, a_type, moved, same_bits
from plumbline.oracle.graphs import graph_of, graph_text, is_graph
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Operator,
    Predicate,
    Unspecified,
    Wrong,
    on_call,
    on_outputs,
    unspecified,
)
from plumbline.oracle.response import Response, wrong_type

BRANCHES = ("then_branch", "else_branch")

SHAPES = ((2,), (3,), (1,), (0,), (), (2, 3), (1, 4, 2), (17,), (3, 33))
"""Of tensors that branches give."""

SINCE = (1, 16, 19, 21, 23, 24)
"""Versions that brought element types but for the last, which has all that arrays hold."""


def types(version: int) -> tuple[str, ...]:
    """The element types of outputs."""
    return tuple(name for name in moved(version, 19) if version >= 16 or name != "bfloat16")


def type_of_outputs(clause: str, version: int) -> Predicate:
    """Branches give tensors of types that a version has."""
    def other(self: If) -> str | None:
        given = ((branch, value.name, dtype) for branch, graph in self.graphs.items() for value in graph.output
                 if (dtype := declared(value)) is not None)
        return next((f"{name} of {branch} is {dtype.name}" for branch, name, dtype in given
                     if dtype.name not in types(version)), None)
    return Predicate("call", clause, other)


def declared(value: ValueInfoProto) -> np.dtype | None:
    """Return the element type that a graph states for a tensor; None for none, and for what arrays do not hold."""
    element = value.type.tensor_type.elem_type if value.type.HasField("tensor_type") else 0
    dtype = helper.tensor_dtype_to_np_dtype(element) if element and element in TensorProto.DataType.values() else None
    return None if dtype is None or dtype.kind in "OUS" else dtype


def shape(value: ValueInfoProto) -> list[int | None] | None:
    """Return the shape that a graph states for a tensor, with None for unknown sizes or rank."""
    tensor = value.type.tensor_type
    return [size.dim_value if size.HasField("dim_value") else None for size in tensor.shape.dim] \
        if tensor.HasField("shape") else None


def other_zero(definition: Operator, entry: Divergence) -> bool:
    """Elements are the zero of the other sign."""
    return bool(np.all(entry.expected == 0) and np.all(entry.got == 0))


def narrowed(definition: Operator, entry: Divergence) -> bool:
    """Elements of 64 bits are those of 32 bits that are nearest."""
    assert isinstance(entry.expected, np.ndarray) and isinstance(entry.got, np.ndarray)  # it is about elements
    if entry.expected.dtype != entry.got.dtype or entry.got.dtype.kind not in "iuf" or entry.got.dtype.itemsize < 8:
        return False
    ends = np.finfo(np.float32) if entry.got.dtype.kind == "f" else np.iinfo(np.int32)
    near = np.clip(entry.expected.astype(np.longdouble), float(ends.min), float(ends.max)).astype(ends.dtype)
    return bool(np.all(entry.got == near))


def in_halves(definition: Operator, entry: Divergence) -> bool:
    """Elements of uint32 are every half of the first ones as int64, at most 2147483647."""
    assert isinstance(entry.got, np.ndarray)  # it is about elements
    whole = definition.canonical[entry.output]
    if entry.where is None or whole.dtype != np.uint32 or entry.got.dtype != np.uint32:
        return False
    halves = np.minimum(whole.reshape(-1).astype(np.int64), 2**31 - 1).view(np.uint32)[:whole.size].reshape(whole.shape)
    return bool(np.all(entry.got == halves[tuple(entry.where.T)]))


class If(Operator):
    """A call of If under one version of the text."""

    family = "Control flow"
    symptoms = {"other-zero": other_zero, "narrowed": narrowed, "in-halves": in_halves}
    flag_notes = {"false": "the condition is false.",
                  "scalar": "the condition has no axes.",
                  "several-outputs": "there are several outputs.",
                  "other-shapes": "the branches state different shapes.",
                  "nested": "a branch has a node If.",
                  "empty": "a branch states an output without elements.",
                  "of-64-bits": "a branch gives elements of int64, uint64 or float64, which some runtimes narrow.",
                  "of-uint32": "a branch gives elements of uint32, which some runtimes read as int32.",
                  "of-no-numpy": "a branch gives elements of types that numpy lacks.",
                  "one-tensor-twice": "a branch names one tensor for two of its outputs: the answer needs a copy."}

    shape_of_outputs = shape_of_output("outputs.C1", "outputs")
    value = elements_of("outputs.F2", "outputs", "not what the branch gives")
    type_1, type_16, type_19, type_21, type_23, type_24 = (
        type_of_outputs(f"branches.C{number}", version) for number, version in enumerate(SINCE, 5))

    @cached_property
    def graphs(self) -> Mapping[str, GraphProto]:
        """The branches, as far as the attributes hold graphs."""
        return {branch: graph_of(self.attributes[branch]) for branch in BRANCHES
                if branch in self.attributes and is_graph(self.attributes[branch])}

    @property
    def count(self) -> int:
        """The number of outputs of the call."""
        return len(self.call.outputs or ("outputs_0",))

    @on_call("cond.C2")
    def one_element(self) -> str | None:
        size = self.inputs["cond"].size
        return None if size == 1 else f"cond has {size} elements"

    @on_call("branches.C1")
    def no_inputs(self) -> str | None:
        return next((f"{branch} has {len(graph.input)} inputs" for branch, graph in self.graphs.items()
                     if graph.input), None)

    @on_call("branches.C2")
    def number_of_outputs(self) -> str | None:
        return next((f"{branch} gives {len(graph.output)} tensors, and the node {self.count}"
                     for branch, graph in self.graphs.items() if len(graph.output) != self.count), None)

    @on_call("branches.C3", needs=("branches.C2",))
    def one_type(self) -> str | None:
        for one, other in self._pairs():
            first, second = declared(one), declared(other)
            if first is not None and second is not None and first != second:
                return f"{one.name} of then_branch is {first.name}, {other.name} of else_branch {second.name}"
        return None

    @on_call("branches.C4", needs=("branches.C2",))
    def one_shape(self) -> str | None:
        for one, other in self._pairs():
            first, second = shape(one), shape(other)
            if first is not None and second is not None and (len(first) != len(second) or any(
                    None not in sizes and sizes[0] != sizes[1] for sizes in zip(first, second, strict=True))):
                return f"{one.name} of then_branch has shape {first}, {other.name} of else_branch {second}"
        return None

    def _pairs(self) -> Iterator[tuple[ValueInfoProto, ValueInfoProto]]:
        """The outputs at the same place of both branches."""
        one, other = (self.graphs[branch].output if branch in self.graphs else () for branch in BRANCHES)
        return zip(one, other, strict=False)

    @cached_property
    def taken(self) -> GraphProto:
        """The branch that the condition selects."""
        return self.graphs[BRANCHES[0] if bool(self.inputs["cond"].reshape(-1)[0]) else BRANCHES[1]]

    @cached_property
    def body(self) -> Body:
        """That branch, computed. Raises OutsideDomain for one that is not tried."""
        outer = reads(self.taken)
        if outer:
            raise OutsideDomain(f"a branch reads {min(outer)} from around it, which a call does not have")
        if any(declared(value) is None for value in self.taken.output):
            raise OutsideDomain("an output is no tensor of numbers, or its type is not stated")
        return Body(self.taken, self.version, {})

    def _source(self, output: str) -> str:
        return str(self.taken.output[int(output.rpartition("_")[2])].name)

    def expected(self) -> dict[str, np.ndarray]:
        """The outputs of the branch; of one that breaks a clause, zeros."""
        if self.body.invalid:
            return {f"outputs_{number}": np.zeros([size or 0 for size in shape(value) or ()], declared(value))
                    for number, value in enumerate(self.taken.output)}
        return {f"outputs_{number}": self.body.values[value.name] for number, value in enumerate(self.taken.output)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """By the specification of the node that gives it; a constant is copied bit by bit."""
        giver = self.body.givers.get(self._source(output))
        if giver is not None:
            judged, name = giver
            allowed = judged.definition.conforms(name, got)
            for allowance in judged.allowances.get(name, ()):
                allowed = allowed | allowance.allows(got)
            return np.asarray(allowed)
        wanted = self.canonical[output]
        with np.errstate(all="ignore"):
            return np.asarray(same_bits(got.astype(wanted.dtype), wanted) | (got != got) & (wanted != wanted))

    @on_outputs("outputs.F1")
    def element_type(self, response: Response) -> Wrong | None:
        return next(filter(None, (wrong_type(response, name, self.canonical[name].dtype)
                                  for name in response.given)), None)

    @unspecified("outputs.U1")
    def behind_open_values(self) -> Unspecified | None:
        names = [name for name in self.canonical if not self.body.invalid and self._is_open(self._source(name))]
        return Unspecified(dict.fromkeys(names, Allowance(shape=True))) if names else None

    def _is_open(self, tensor: str) -> bool:
        if tensor not in self.body.givers:
            return tensor not in self.body.settled
        judged, name = self.body.givers[tensor]
        return bool(judged.disputes) or any(effect.readings for effect in judged.unspecified_by_clause.values()) or any(
            allowance.shape or allowance.dtype for allowance in judged.allowances.get(name, ()))

    @unspecified("outputs.U2", refusal=True)
    def invalid_node(self) -> Unspecified | None:
        return Unspecified(dict.fromkeys(self.canonical, Allowance(shape=True, dtype=True))) if self.body.invalid \
            else None

    @unspecified("outputs.U3", refusal=True)
    def one_tensor_twice(self) -> Unspecified | None:
        return Unspecified.refusal() if self._is_twice else None

    @property
    def _is_twice(self) -> bool:
        return any(len({value.name for value in graph.output}) < len(graph.output) for graph in self.graphs.values())

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Branches of one to three expressions of constants, and nodes If within them."""
        count, cond = choose((1, 2, 3)), np.full(choose(((), (1,), (1, 1))), choose((True, False)))
        kinds = [a_type(choose, types(version)) for _ in range(count)]
        sizes = [choose(SHAPES) for _ in kinds]
        branches = {branch: a_branch(choose, branch[:4], version, [
            (kind, size if version < 11 or choose((True, False)) else choose(SHAPES))
            for kind, size in zip(kinds, sizes, strict=True)], 2) for branch in BRANCHES}
        return Call("If", {branch: graph_text(graph) for branch, graph in branches.items()}, {"cond": cond},
                    tuple(f"outputs_{number}" for number in range(count)))

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        cond = self.inputs["cond"]
        nested = any(node.op_type == "If" for graph in self.graphs.values() for node in graph.node)
        outputs = [value for graph in self.graphs.values() for value in graph.output]
        kinds = {dtype for value in outputs if (dtype := declared(value)) is not None}
        return {"empty": any(0 in (shape(value) or ()) for value in outputs), "of-uint32": np.dtype("uint32") in kinds,
                "of-64-bits": any(dtype.kind in "iuf" and dtype.itemsize == 8 for dtype in kinds),
                "of-no-numpy": any(dtype.isbuiltin != 1 for dtype in kinds),
                "false": cond.size == 1 and not cond.reshape(-1)[0], "scalar": not cond.ndim, "nested": nested,
                "several-outputs": self.count > 1, "one-tensor-twice": self._is_twice,
                "other-shapes": any(shape(one) != shape(other) for one, other in self._pairs())}


def a_branch(choose: Choose, name: str, version: int, outputs: list[tuple[str, tuple[int, ...]]], depth: int
             ) -> GraphProto:
    """Return a graph that gives tensors of some types and shapes: constants, copies, and what exact operators give of
    them."""
    maker = _Expressions(choose, version, depth)
    for number, (dtype, size) in enumerate(outputs):
        maker.add(f"{name}_{number}", dtype, size)
    described = [helper.make_tensor_value_info(f"{name}_{number}", helper.np_dtype_to_tensor_dtype(
        choose.tensor((0,), dtype, "bits").dtype), size) for number, (dtype, size) in enumerate(outputs)]
    return helper.make_graph(maker.nodes, name, [], described, maker.constants)


class _Expressions:
    """Nodes and initialisers of a branch."""

    def __init__(self, choose: Choose, version: int, depth: int) -> None:
        self.choose, self.version, self.depth = choose, version, depth
        self.nodes, self.constants = list[NodeProto](), list[TensorProto]()

    def add(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        """Add the nodes that give a tensor."""
        forms = ["identity"]
        if self.version > 1 or dtype in FLOATS:
            forms.insert(0, "constant")
        if self.version > 1 and size and dtype in ("float32", "int64", "bool"):
            forms.append("concat")
        if self.version > 1 and dtype in ("int64", "int32"):
            forms.append("add")
        if dtype == "bool":
            forms.append("not")
        if self.depth:
            forms.append("if")
        getattr(self, f"_{self.choose(forms)}")(name, dtype, size)

    def _drawn(self, name: str, dtype: str, size: tuple[int, ...]) -> TensorProto:
        return numpy_helper.from_array(self.choose.tensor(size, dtype, "bits"), name)

    def _constant(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Constant", [], [name], value=self._drawn("", dtype, size)))

    def _given(self, name: str, dtype: str, size: tuple[int, ...]) -> str:
        self.constants.append(self._drawn(name, dtype, size))
        return name

    def _identity(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Identity", [self._given(f"{name}_x", dtype, size)], [name]))

    def _add(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Add", [self._given(f"{name}_{side}", dtype, size) for side in "ab"],
                                           [name]))

    def _concat(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        cut = self.choose(range(size[0] + 1))
        parts = [self._given(f"{name}_a", dtype, (cut, *size[1:])),
                 self._given(f"{name}_b", dtype, (size[0] - cut, *size[1:]))]
        self.nodes.append(helper.make_node("Concat", parts, [name], axis=0))

    def _not(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Not", [self._given(f"{name}_x", dtype, size)], [name]))

    def _if(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.constants.append(numpy_helper.from_array(np.array(self.choose((True, False))), f"{name}_c"))
        branches: Mapping[str, GraphProto] = {branch: a_branch(
            self.choose, f"{name}_{branch[:4]}", self.version, [(dtype, size)], self.depth - 1) for branch in BRANCHES}
        self.nodes.append(helper.make_node("If", [f"{name}_c"], [name], **branches))
