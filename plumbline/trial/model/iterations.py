"""Count iterations of `Loop` and `Scan`, and choose those to inline.

All are inlined where there is room; otherwise the first, the last, and those whose state is of another class than that
before them: classes are NaN, infinite, normal, subnormal and zero, of the sum of the magnitudes in each tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, helper

from plumbline.oracle.check.graph import is_loop, name_of, scanned, subgraphs
from plumbline.trial.model.inlining import Inlining, count_nodes

UNROLLED = 2_000
"""Most nodes that all loops of a model become."""

SHORT = 3
"""Iterations that are always unrolled."""


@dataclass(frozen=True)
class Iterations:
    """The tensors that decide how often a loop runs.

    count:      the number of iterations that the backend ran.
    most:       the tensor of its trip count, "" if it has none.
    conditions: by number of the iteration, the tensor that says whether it runs; {} without a condition, where what the
                body gives as one ends nothing.
    elements:   the number of elements that are scanned, None for a `Loop`.
    """

    name: str
    count: int
    most: str = ""
    conditions: Mapping[int, str] | None = None
    elements: int | None = None

    @property
    def words(self) -> str:
        """The loop, and how often it ran."""
        operator = "Loop" if self.elements is None else "Scan"
        return f"{self.name} ({operator}) ran {self.count:,} iteration{'s' * (self.count != 1)}"

    @property
    def tensors(self) -> list[str]:
        """The tensors that decide."""
        return list(filter(None, (self.most, *(self.conditions or {}).values())))

    def wrong(self, values: Mapping[str, np.ndarray]) -> str:
        """Return why the loop should have run more or fewer iterations, "" if it should not.

        Loop, "Semantics": an iteration runs while the trip count is not reached and the condition is true. Scan: one
        runs for each element."""
        if self.elements is not None:
            return "" if self.elements == self.count else f"{self.words}, for {self.elements:,} elements"
        most = int(np.ravel(values[self.most])[0]) if self.most else None
        if most is not None and self.count > max(most, 0):
            return f"{self.words}, more than its trip count {most:,}"
        conditions = {number: bool(np.ravel(values[name])[0])
                      for number, name in (self.conditions or {}).items() if name}
        stopped = [number for number, is_true in conditions.items() if not is_true and number < self.count]
        if stopped:
            return f"{self.words}, though the condition is false before iteration {stopped[0] + 1:,}"
        if most is not None and self.count < most and not conditions:
            return f"{self.words}, though no condition is given and its trip count is {most:,}"
        if (most is None or self.count < most) and conditions.get(self.count, True):
            return f"{self.words}, though the condition is true after them" + (
                f" and the trip count {most:,}" * bool(most))
        return ""


def kept(node: NodeProto, count: int, room: int, changes: Sequence[int]) -> list[int]:
    """Return the iterations that become part of the graph, where there is room for a number of nodes."""
    size = max(count_nodes(dict(subgraphs(node))["body"]), 1)
    if count <= SHORT or count * size <= room:
        return list(range(count))
    ends = [0, count - 1]
    more = [number for number in changes if 0 < number < count - 1][:max(room // size - len(ends), 0)]
    return sorted({*ends, *more})


def with_counts(model: ModelProto, loops: Sequence[int]) -> tuple[dict[int, str], dict[int, str]]:
    """Add outputs to a model that count iterations and tell scanned shapes.

    loops: indices of nodes `Loop` and `Scan`. The names of the outputs are returned by index: those with one entry on
           the first axis for each iteration, and those with the shape of what a `Scan` scans."""
    taken, counts, shapes = _names(model), dict[int, str](), dict[int, str]()
    for place in loops:
        node = model.graph.node[place]
        body = dict(subgraphs(node))["body"]
        if is_loop(node):
            name = taken.free(f"iteration of {name_of(node)}")
            given = helper.make_node("Identity", [body.input[0].name], [name])
            number = body.output.add()
            number.CopyFrom(body.input[0])
            number.name = name
            body.node.append(given)
        else:
            scan = len(body.input) - scanned(node)
            shapes[place] = taken.free(f"shape of {node.input[scan]}")
            model.graph.node.append(helper.make_node("Shape", [node.input[scan]], [shapes[place]]))
            model.graph.output.append(helper.make_tensor_value_info(shapes[place], TensorProto.INT64, None))
            _gather(body, node, helper.make_node("Shape", [body.input[scan].name], [
                taken.free(f"iteration of {name_of(node)}")]), TensorProto.INT64)
        counts[place] = taken.free(f"iterations of {name_of(node)}")
        node.output.append(counts[place])
        model.graph.output.append(helper.make_empty_tensor_value_info(counts[place]))
    return counts, shapes


def with_classes(model: ModelProto, loops: Sequence[int]) -> dict[int, list[str]]:
    """Let a model also give the sum of the magnitudes in each float tensor of the state after each iteration of loops.

    Return the names of these outputs by the number of the node."""
    taken, names = _names(model), dict[int, list[str]]()
    for place in loops:
        node = model.graph.node[place]
        body = dict(subgraphs(node))["body"]
        state = body.output[1:len(body.input) - 1] if is_loop(node) else body.output[:len(body.input) - scanned(node)]
        inputs = body.input[2:] if is_loop(node) else body.input
        for after, before in list(zip(state, inputs, strict=False)):
            if before.type.tensor_type.elem_type not in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE):
                continue
            wide, positive, total = (taken.free(f"{after.name} {what}") for what in ("wide", "positive", "total"))
            body.node.append(helper.make_node("Cast", [after.name], [wide], to=TensorProto.DOUBLE))
            body.node.append(helper.make_node("Abs", [wide], [positive]))
            _gather(body, node, helper.make_node("ReduceSum", [positive], [total], keepdims=0), TensorProto.DOUBLE)
            name = taken.free(f"magnitudes of {after.name}")
            names.setdefault(place, []).append(name)
            node.output.append(name)
            model.graph.output.append(helper.make_empty_tensor_value_info(name))
    return names


def changes(magnitudes: Sequence[np.ndarray]) -> list[int]:
    """Return the iterations whose state is of another class than that before them."""
    return sorted({number for each in magnitudes for number in (np.flatnonzero(np.diff(_classes(each))) + 1).tolist()})


def _classes(magnitudes: np.ndarray) -> np.ndarray:
    """Return a number for the class of each magnitude."""
    tiny = float(np.finfo(np.float32).tiny)
    return np.select([np.isnan(magnitudes), np.isinf(magnitudes), magnitudes >= tiny, magnitudes > 0], [4, 3, 2, 1], 0)


def _gather(body: GraphProto, node: NodeProto, giver: NodeProto, elements: int) -> None:
    """Add an output to the body of a loop, which the node gathers along the first axis."""
    body.node.append(giver)
    body.output.append(helper.make_tensor_value_info(giver.output[0], elements, None))
    for attribute in node.attribute:
        if attribute.name in ("scan_output_axes", "scan_output_directions"):
            attribute.ints.append(0)


def _names(model: ModelProto) -> Inlining:
    taken = Inlining(model.graph)
    taken.avoid(model.graph)
    return taken
