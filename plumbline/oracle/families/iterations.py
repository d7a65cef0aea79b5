"""Compute the iterations of a graph that is the body of a loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from onnx import GraphProto, ValueInfoProto

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.families.bodies import Body, Tensor, Work, allowed, reads, varying
from plumbline.oracle.families.graph_values import BOOLS, declared, has_bools_in_fields, in_halves, narrowed, shape
from plumbline.oracle.families.iteration_symptoms import SHAPES, SYMPTOMS
from plumbline.oracle.graphs import graph_of, is_graph
from plumbline.oracle.operator import UNBOUND, Allowance, Operator, Unspecified, Wrong, on_outputs, unspecified
from plumbline.oracle.response import Response, wrong_type

LONGEST = 1_000
"""Most iterations that are computed."""


class Iterations:
    """The iterations of a body so far.

    state:    what the next iteration is given, the tensors that change from one to the next.
    states:   by tensor of the state, its values so far.
    gathered: by tensor that is gathered, what each iteration gave.
    invalid:  why an iteration cannot be computed: a node breaks a clause of its operator.
    misstated: where a tensor is not what the body states of it, "" if all are.

    Raises OutsideDomain for a body that is not tried."""

    def __init__(self, graph: GraphProto, opset: int, state: Iterable[np.ndarray], gathered: int) -> None:
        outer = reads(graph)
        if outer:
            raise OutsideDomain(f"the body reads {min(outer)} from around it, which a call does not have")
        self.state = [Tensor(array) for array in state]
        self.states = [[tensor] for tensor in self.state]
        self.gathered: list[list[Tensor]] = [[] for _ in range(gathered)]
        self.count, self.invalid, self.misstated = 0, "", ""
        self._graph, self._opset, self._work = graph, opset, Work.current()

    def run(self, before: Sequence[Tensor], after: Sequence[Tensor]) -> list[Tensor]:
        """Run one iteration; return what the body gives before the state.

        `before` and `after` are the tensors that it is given before and after the state, in the order of its inputs.
        Raises OutsideDomain for one too many."""
        if self.count == LONGEST:
            raise OutsideDomain(f"it has more than {LONGEST:,} iterations, and no more are computed")
        given = [*before, *self.state, *after]
        self._check("is given", self._graph.input, given)
        body = Body(self._graph, self._opset, {
            value.name: tensor for value, tensor in zip(self._graph.input, given, strict=True)}, self._work)
        self.invalid = body.invalid
        if self.invalid:
            return []
        outputs = [body.tensor(value.name) for value in self._graph.output]
        self._check("is", self._graph.output, outputs)
        first = len(outputs) - len(self.gathered) - len(self.state)
        state = outputs[first:len(outputs) - len(self.gathered)]
        for number, (old, new) in enumerate(zip(self.state, state, strict=True)):
            if old.array.dtype != new.array.dtype:
                self.misstated = self.misstated or f"value {number} becomes {new.array.dtype.name}"
        self.state = state
        for tensors, tensor in zip((*self.states, *self.gathered), outputs[first:], strict=True):
            tensors.append(tensor)
        self.count += 1
        return outputs[:first]

    def _check(self, verb: str, values: Iterable[ValueInfoProto], tensors: Iterable[Tensor]) -> None:
        for value, tensor in zip(values, tensors, strict=True):
            dtype, sizes, array = declared(value), shape(value), tensor.array
            other_shape = sizes is not None and (len(sizes) != array.ndim or any(
                stated not in (None, size) for stated, size in zip(sizes, array.shape, strict=True)))
            if other_shape or dtype is not None and dtype != array.dtype:
                self.misstated = self.misstated or (
                    f"iteration {self.count + 1}: {value.name} {verb} {array.dtype.name}{list(array.shape)}, which is "
                    "not what the body states")

    def unequal(self) -> str:
        """Return why tensors that are gathered cannot be laid together, "" if they can."""
        for tensors in self.gathered:
            for number, tensor in enumerate(tensors):
                first, array = tensors[0].array, tensor.array
                if (first.dtype, first.shape) != (array.dtype, array.shape):
                    return (f"an output to gather is {first.dtype.name}{list(first.shape)} in iteration 1, and "
                            f"{array.dtype.name}{list(array.shape)} in iteration {number + 1}")
        return ""


class Iterated(Operator):
    """A call of Loop or Scan: its outputs are carried tensors, then gathered ones."""

    family = "Control flow"
    output = ""
    """The variadic output of the node."""
    symptoms = {"narrowed": narrowed, "in-halves": in_halves, **SYMPTOMS}
    shape_symptoms = SHAPES
    before_carried = 0
    """Outputs of the body before those that are carried."""
    flag_notes = {"gathers": "tensors of all iterations are gathered.",
                  "gathers-scalars": "tensors without axes are gathered.",
                  "no-iterations": "no iteration runs.",
                  "gathers-nothing": "tensors are to be gathered, and no iteration runs.",
                  "one-tensor-twice": "the body names one tensor for two of its outputs: the answer needs a copy.",
                  "given-back": "the body names one of its inputs as an output.",
                  "gives-constants": "a tensor that the body gives depends on none of its inputs.",
                  "nothing-but-constants": "no tensor that the body gives depends on its inputs.",
                  "nested": "the body has a node with a graph.",
                  "of-no-numpy": "the body gives elements of types that numpy lacks.", "bools-in-fields": BOOLS}

    def with_an_iteration(self) -> Iterator[Iterated]:
        """Yield calls like this one, with one iteration."""
        raise NotImplementedError

    @property
    def has_graph(self) -> bool:
        """True if the attribute is there, and holds a graph."""
        return "body" in self.attributes and is_graph(self.attributes["body"])

    @cached_property
    def graph(self) -> GraphProto:
        """The graph that is the body."""
        return graph_of(self.attributes["body"])

    @property
    def carries(self) -> int:
        """The number of tensors that are carried."""
        raise NotImplementedError

    @property
    def count(self) -> int:
        """The number of outputs of the call."""
        return len(self.call.outputs or (f"{self.output}_0",))

    @property
    def to_gather(self) -> list[ValueInfoProto]:
        """The outputs of the body that are gathered."""
        return list(self.graph.output[max(self.before_carried + self.carries, 0):])

    def place(self, output: str) -> tuple[bool, int]:
        """Return whether an output is carried, and its number among those that are, or that are gathered."""
        number = int(output.rpartition("_")[2])
        return number < self.carries, number - (0 if number < self.carries else self.carries)

    def check_stated(self) -> None:
        """Raise OutsideDomain if the body does not state the element type of a tensor to gather."""
        if any(declared(value) is None for value in self.to_gather):
            raise OutsideDomain("an output is not a tensor of numbers, or its type is not stated")

    @on_outputs(UNBOUND)
    def element_type(self, response: Response) -> Wrong | None:
        return next(filter(None, (wrong_type(response, name, self.canonical[name].dtype)
                                  for name in response.given)), None)

    def anything(self) -> Unspecified:
        """Leave open all of every output."""
        return Unspecified(dict.fromkeys(self.canonical, Allowance(shape=True, dtype=True)))

    @unspecified(UNBOUND, refusal=True)
    def one_tensor_twice(self) -> Unspecified | None:
        return Unspecified.refusal() if self.is_twice else None

    @property
    def is_twice(self) -> bool:
        """True if the body names one tensor for two outputs."""
        return len({value.name for value in self.graph.output}) < len(self.graph.output)

    def attribute_flags(self) -> dict[str, bool]:
        """See `Operator.attribute_flags`."""
        return {"bools-in-fields": self.has_graph and has_bools_in_fields(self.graph)}

    def body_flags(self) -> dict[str, bool]:
        """Flags of `flag_notes` that are about the body."""
        graph, given = self.graph, {value.name for value in self.graph.input}
        depends = {value.name for value in graph.output[self.before_carried:]} & varying(graph, given)
        kinds = [dtype for value in graph.output if (dtype := declared(value)) is not None]
        return {"gathers": bool(self.to_gather), "gathers-scalars": [] in map(shape, self.to_gather),
                "one-tensor-twice": self.is_twice,
                "given-back": any(value.name in given for value in graph.output[self.before_carried:]),
                "gives-constants": any(value.name not in depends for value in graph.output[self.before_carried:]),
                "nothing-but-constants": not depends,
                "nested": any(attribute.HasField("g") for node in graph.node for attribute in node.attribute),
                "of-no-numpy": any(dtype.isbuiltin != 1 for dtype in kinds), **self.attribute_flags()}


def laid(tensors: Sequence[Tensor], axis: int = 0, reverse: bool = False) -> np.ndarray:
    """Return tensors of iterations along a new axis."""
    ordered = [tensor.array for tensor in (tensors[::-1] if reverse else tensors)]
    return np.stack(ordered, axis)


def allowed_in(tensors: Sequence[Tensor], got: np.ndarray, axis: int = 0, reverse: bool = False) -> np.ndarray:
    """Return the mask of elements that tensors laid along an axis may have."""
    parts = np.moveaxis(got, axis, 0)
    masks = [allowed(tensor, part) for tensor, part in zip(tensors[::-1] if reverse else tensors, parts, strict=True)]
    return np.moveaxis(np.stack(masks), 0, axis) if masks else np.ones(got.shape, bool)


def open_part(tensors: Sequence[Tensor], axis: int = 0, reverse: bool = False) -> Allowance | None:
    """Return what is open of tensors laid along an axis: those of single iterations, as one that is not has the shape
    of all; or the whole."""
    is_open = [tensor.is_open for tensor in (tensors[::-1] if reverse else tensors)]
    if not any(is_open):
        return None
    if all(is_open):
        return Allowance(shape=True)
    array = laid(tensors, axis, reverse)
    mask = np.zeros(array.shape, bool)
    np.moveaxis(mask, axis, 0)[is_open] = True
    return Allowance(mask)


def nothing_gathered(value: ValueInfoProto, axis: int = 0) -> np.ndarray:
    """Return what no iterations give, by what the body states of the tensor; sizes that it does not state are 0.

    Raises OutsideDomain where it does not state type or rank."""
    dtype, sizes = declared(value), shape(value)
    if dtype is None or sizes is None:
        raise OutsideDomain(f"no iteration gives {value.name}, whose element type or rank the body does not state")
    stated = [size or 0 for size in sizes]
    axis += (len(stated) + 1) * (axis < 0)
    return np.zeros([*stated[:axis], 0, *stated[axis:]], dtype)


def is_sized(value: ValueInfoProto) -> bool:
    """Return True if a body states all sizes of a tensor."""
    sizes = shape(value)
    return sizes is not None and None not in sizes
