"""Draw graphs of constants, copies and exact operators, for attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.element_types import FLOATS
from plumbline.oracle.operator import Choose

SHAPES = ((2,), (3,), (1,), (0,), (), (2, 3), (1, 4, 2), (17,), (3, 33))
"""Of tensors that branches give."""


Kind = tuple[str, tuple[int, ...]]
"""The element type and the shape of a tensor."""


def a_branch(choose: Choose, name: str, version: int, outputs: list[Kind], depth: int,
             variables: Mapping[str, Kind] | None = None) -> GraphProto:
    """Return a graph that gives tensors of some types and shapes: constants, copies, and what exact operators give of
    them and of variables."""
    maker = Expressions(choose, version, depth, variables)
    for number, (dtype, size) in enumerate(outputs):
        maker.add(f"{name}_{number}", dtype, size)
    described = [described_as(f"{name}_{number}", dtype, size) for number, (dtype, size) in enumerate(outputs)]
    return helper.make_graph(maker.nodes, name, [], described, maker.constants)


def described_as(name: str, dtype: str, size: Sequence[int | None] | None) -> ValueInfoProto:
    """Return what a graph states of a tensor; sizes may be unknown."""
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(element_type(dtype)), size)


class Expressions:
    """Nodes and initialisers of a graph. variables: tensors that it may read from elsewhere."""

    def __init__(self, choose: Choose, version: int, depth: int, variables: Mapping[str, Kind] | None = None) -> None:
        self.choose, self.version, self.depth, self.variables = choose, version, depth, dict(variables or {})
        self.nodes, self.constants = list[NodeProto](), list[TensorProto]()

    def add(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        """Add nodes that give a tensor `name` of an element type and shape (`size`)."""
        forms = ["identity"]
        if self.version > 8 or dtype in FLOATS:
            forms.insert(0, "constant")
        if self.version > 1 and size and dtype in ("float32", "int64", "bool"):
            forms.append("concat")
        if self.version > 1 and dtype in ("int64", "int32"):
            forms.append("add")
        if dtype == "bool":
            forms.append("not")
        if self.depth:
            forms.append("if")
        if (dtype, size) in self.variables.values():
            forms[:0] = ["variable"] + ["sum"] * (self.version > 1 and dtype in ("int64", "int32"))
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

    def _variable(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Identity", [self._any(dtype, size)], [name]))

    def _any(self, dtype: str, size: tuple[int, ...]) -> str:
        return self.choose([other for other, kind in self.variables.items() if kind == (dtype, size)])

    def _sum(self, name: str, dtype: str, size: tuple[int, ...]) -> None:
        self.nodes.append(helper.make_node("Add", [self._any(dtype, size), self._given(f"{name}_b", dtype, size)],
                                           [name]))

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
        branches = {branch: a_branch(self.choose, f"{name}_{branch[:4]}", self.version, [(dtype, size)],
                                     self.depth - 1, self.variables) for branch in ("then_branch", "else_branch")}
        self.nodes.append(helper.make_node("If", [f"{name}_c"], [name], **branches))
