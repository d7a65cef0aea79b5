"""Nodes `If` that were replaced by a branch, as nodes that can be judged.

The nodes of the branch are judged in the graph around it. What is left to judge is the choice: the node runs with
constants in place of its branches. The branch that is taken holds what its nodes gave, the other one other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from onnx import GraphProto, NodeProto, helper, numpy_helper

from plumbline.oracle.check.graph import plain
from plumbline.trial.model.graph import Step
from plumbline.trial.model.parts_of_trial import Tensors


@dataclass(eq=False)
class Branching:
    """A node that was replaced.

    condition: the value that selects the branch.
    gave:      by tensor, the outputs of the node in the model as it is; {} where they could not be fetched.
    given:     by tensor, what the nodes of the branch give in the graph around it, likewise.
    """

    step: Step
    condition: np.ndarray
    gave: Tensors
    given: Tensors

    @property
    def tensors(self) -> Tensors:
        """The tensors that the node reads and gives."""
        return {**self.given, self.step.proto.input[0]: self.condition}

    @property
    def is_same(self) -> bool:
        """True if the node gives what the nodes of its branch do, bit by bit."""
        return bool(self.given) and self.gave.keys() == self.given.keys() and all(
            _bits(self.gave[name]) == _bits(self.given[name]) for name in self.given)

    @property
    def why_not(self) -> str:
        """The reason why the node cannot be judged, "" if it can."""
        if not self.given:
            return "its outputs cannot be fetched"
        texts = [name for name, array in self.given.items() if array.dtype.kind in "OSUT"]
        return f"{texts[0]} holds texts" if texts else ""

    def with_constants(self) -> Step:
        """Return the node with constants in place of its branches."""
        proto, names = NodeProto(), self.step.gives
        proto.CopyFrom(self.step.proto)
        taken = "then_branch" if bool(np.ravel(self.condition)[0]) else "else_branch"
        for attribute in proto.attribute:
            arrays = [self.given[name] for name in names]
            attribute.g.CopyFrom(_holding(attribute.name, arrays if attribute.name == taken else list(
                map(_other, arrays))))
        attributes = {attribute.name: plain(attribute) for attribute in proto.attribute}
        return Step(proto, replace(self.step.node, attributes=attributes))


def _bits(array: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    return array.dtype.name, array.shape, array.tobytes()


def _other(array: np.ndarray) -> np.ndarray:
    """Return other values of the same type and shape."""
    zeros = np.zeros(array.shape, array.dtype)
    return zeros if _bits(zeros) != _bits(array) else np.ones(array.shape, array.dtype)


def _holding(name: str, arrays: Sequence[np.ndarray]) -> GraphProto:
    """Return a graph that gives copies of constants."""
    names = [f"{name}_{number}" for number in range(len(arrays))]
    constants = [numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), f"{name} holds")
                 for name, array in zip(names, arrays, strict=True)]
    described = [helper.make_tensor_value_info(name, tensor.data_type, tensor.dims)
                 for name, tensor in zip(names, constants, strict=True)]
    nodes = [helper.make_node("Identity", [tensor.name], [name]) for name, tensor in zip(names, constants, strict=True)]
    return helper.make_graph(nodes, name, [], described, constants)
