"""Judge and generate calls of ONNX If, by `spec/onnx/if.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from onnx import GraphProto, ValueInfoProto

from plumbline.oracle.answers import Divergence, OutsideDomain
from plumbline.oracle.call import Call
from plumbline.oracle.families.bodies import Body, Tensor, allowed, reads
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.expressions import SHAPES, a_branch
from plumbline.oracle.families.graph_values import (
    BOOLS,
    as_in,
    declared,
    has_bools_in_fields,
    in_halves,
    narrowed,
    shape,
    types,
    types_of_outputs,
)
from plumbline.oracle.graphs import graph_of, graph_text, is_graph
from plumbline.oracle.operator import Allowance, Choose, Operator, Unspecified, Wrong, on_call, on_outputs, unspecified
from plumbline.oracle.response import Response, wrong_type

BRANCHES = ("then_branch", "else_branch")


def then_branch(definition: Operator, entry: Divergence) -> bool:
    """The output is that of then_branch."""
    other = If(replace(definition.call, inputs={"cond": np.array(True)}), definition.version)
    return as_in(entry, other.canonical[entry.output])


class If(Operator):
    """A call of If under one version of its specification."""

    family = "Control flow"
    symptoms = {"narrowed": narrowed, "in-halves": in_halves, "then-branch": then_branch}
    flag_notes = {"false": "the condition is false.",
                  "scalar": "the condition has no axes.",
                  "several-outputs": "there are several outputs.",
                  "other-shapes": "the branches state different shapes.",
                  "nested": "a branch has a node If.",
                  "empty": "a branch states an output without elements.",
                  "of-64-bits": "a branch gives elements of int64, uint64 or float64, which some runtimes narrow.",
                  "of-uint32": "a branch gives elements of uint32, which some runtimes read as int32.",
                  "of-no-numpy": "a branch gives elements of types that numpy lacks.", "bools-in-fields": BOOLS,
                  "one-tensor-twice": "a branch names one tensor for two of its outputs: the answer needs a copy."}

    shape_of_outputs = shape_of_output("outputs.C1", "outputs")
    value = elements_of("outputs.F2", "outputs", "not what the branch gives")
    type_1, type_16, type_19, type_21, type_23, type_24 = types_of_outputs("branches", 5, lambda self: (
        (branch, value) for branch, graph in self.graphs.items() for value in graph.output))

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
        """The branch that is taken, computed. Raises OutsideDomain for one that is not tried."""
        outer = reads(self.taken)
        if outer:
            raise OutsideDomain(f"a branch reads {min(outer)} from around it, which a call does not have")
        if any(declared(value) is None for value in self.taken.output):
            raise OutsideDomain("an output is not a tensor of numbers, or its type is not stated")
        return Body(self.taken, self.call.opset or self.version, {})

    def _source(self, output: str) -> str:
        return str(self.taken.output[int(output.rpartition("_")[2])].name)

    def expected(self) -> dict[str, np.ndarray]:
        """The outputs of the branch; of one that breaks a clause, zeros."""
        if self.body.invalid:
            return {f"outputs_{number}": np.zeros([size or 0 for size in shape(value) or ()], declared(value))
                    for number, value in enumerate(self.taken.output)}
        return {f"outputs_{number}": self.body.values[value.name] for number, value in enumerate(self.taken.output)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of what the node that gives an output allows; constants are copied bit by bit."""
        invalid = self.body.invalid
        return allowed(Tensor(self.canonical[output]) if invalid else self.body.tensor(self._source(output)), got)

    @on_outputs("outputs.F1")
    def element_type(self, response: Response) -> Wrong | None:
        return next(filter(None, (wrong_type(response, name, self.canonical[name].dtype)
                                  for name in response.given)), None)

    @unspecified("outputs.U1")
    def behind_open_values(self) -> Unspecified | None:
        names = [name for name in self.canonical
                 if not self.body.invalid and self.body.tensor(self._source(name)).is_open]
        return Unspecified(dict.fromkeys(names, Allowance(shape=True))) if names else None

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
        """Draw a call: branches of one to three expressions of constants, and nodes If within them."""
        count, cond = choose((1, 2, 3)), np.full(choose(((), (1,), (1, 1))), choose((True, False)))
        kinds = [a_type(choose, types(version)) for _ in range(count)]
        sizes = [choose(SHAPES) for _ in kinds]
        branches = {branch: a_branch(choose, branch[:4], version, [
            (kind, size if version < 11 or choose((True, False)) else choose(SHAPES))
            for kind, size in zip(kinds, sizes, strict=True)], 2) for branch in BRANCHES}
        return Call("If", {branch: graph_text(graph) for branch, graph in branches.items()}, {"cond": cond},
                    tuple(f"outputs_{number}" for number in range(count)))

    def attribute_flags(self) -> dict[str, bool]:
        """See `Operator.attribute_flags`."""
        return {"bools-in-fields": any(map(has_bools_in_fields, self.graphs.values()))}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        cond = self.inputs["cond"]
        nested = any(node.op_type == "If" for graph in self.graphs.values() for node in graph.node)
        outputs = [value for graph in self.graphs.values() for value in graph.output]
        kinds = {dtype for value in outputs if (dtype := declared(value)) is not None}
        return {"empty": any(0 in (shape(value) or ()) for value in outputs), "of-uint32": np.dtype("uint32") in kinds,
                "of-64-bits": any(dtype.kind in "iuf" and dtype.itemsize == 8 for dtype in kinds),
                "of-no-numpy": any(dtype.isbuiltin != 1 for dtype in kinds),
                **self.attribute_flags(),
                "false": cond.size == 1 and not cond.reshape(-1)[0], "scalar": not cond.ndim, "nested": nested,
                "several-outputs": self.count > 1, "one-tensor-twice": self._is_twice,
                "other-shapes": any(shape(one) != shape(other) for one, other in self._pairs())}
