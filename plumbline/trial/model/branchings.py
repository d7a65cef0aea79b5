"""Judge nodes `If`, `Loop` and `Scan` that their graphs replaced.

Of an `If`, the nodes of the branch are judged in the graph around it. The choice is left to judge: the node runs with
constants in place of its branches. The branch that is taken holds what its nodes gave, the other one other values.

Of a `Loop` or `Scan`, nothing is left to judge if it runs as often as it should and gives what its iterations do;
otherwise it is judged as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from onnx import GraphProto, NodeProto, helper, numpy_helper

from plumbline.oracle.check.graph import plain
from plumbline.oracle.type_names import bytes_of, name_of
from plumbline.trial.model.graph import Step
from plumbline.trial.model.parts_of_trial import Tensors


@dataclass(eq=False)
class Branching:
    """A node `If` that was replaced.

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
        return _same(self.gave, self.given)

    @property
    def in_place(self) -> Tensors | None:
        """Outputs of the node in the model; None if its branch gives others."""
        return self.given if self.is_same else None

    @property
    def unsettled(self) -> str:
        """The choice is all that is left to judge."""
        return ""

    wrong = ""

    @property
    def why_not(self) -> str:
        """The reason why the node cannot be judged, "" if it can."""
        if not self.given:
            return "its outputs cannot be fetched"
        return _of_texts(self.given)

    def alone(self) -> Step:
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


@dataclass(eq=False)
class Looping:
    """A node `Loop` or `Scan` that was replaced.

    tensors: what the node reads in the model as it is; {} where that could not be fetched.
    gave:    by tensor, its outputs in the model as it is, likewise.
    given:   by tensor, what the nodes of its iterations give in the graph around it.
    wrong:   why it should have run more or fewer iterations, "" if it should not.
    """

    step: Step
    tensors: Tensors
    gave: Tensors
    given: Tensors = field(default_factory=dict)
    wrong: str = ""

    @property
    def is_same(self) -> bool:
        """True if the node gives what its iterations do, bit by bit."""
        return _same(self.gave, self.given)

    @property
    def in_place(self) -> Tensors | None:
        """Outputs of the node in the model."""
        return self.gave

    @property
    def unsettled(self) -> str:
        """Why the node is undecided where its clauses accuse nobody: they may leave open what errors add up to."""
        return self.wrong or "it does not give what its iterations give node by node"

    @property
    def why_not(self) -> str:
        """The reason why the node cannot be judged, "" if it can."""
        return _of_texts({**self.tensors, **self.gave}) if self.gave else "its tensors cannot be fetched"

    def alone(self) -> Step:
        """Return the node."""
        return self.step


def _of_texts(tensors: Tensors) -> str:
    """Say which tensor holds texts, "" if none does."""
    return next((f"{name} holds texts" for name, array in tensors.items() if array.dtype.kind in "OSUT"), "")


def _same(gave: Tensors, given: Tensors) -> bool:
    """Return True for tensors that are the same bit by bit."""
    return bool(given) and gave.keys() == given.keys() and all(
        _bits(gave[name]) == _bits(given[name]) for name in given)


def _bits(array: np.ndarray) -> tuple[str, tuple[int, ...], bytes]:
    return name_of(array.dtype), array.shape, bytes_of(array)


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
