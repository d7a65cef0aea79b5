"""Unroll a `Loop` whose number of iterations is known, so that the nodes of its body are judged.

Where the body has too many nodes for that, the first and the last iteration become part of the graph, and the others
remain a `Loop` between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper

from plumbline.oracle.check.graph import name_of, subgraphs
from plumbline.trial.model.inlining import Inlining, count_nodes, replace_nodes

UNROLLED = 2_000
"""Most nodes that all loops of a model become."""


@dataclass(frozen=True)
class Iterations:
    """The tensors that decide how often a loop runs.

    count:      the number of iterations that the backend ran.
    most:       the tensor of its trip count, "" if it has none.
    conditions: by number of the iteration, the tensor that says whether it runs, "" for none.
    """

    name: str
    count: int
    most: str
    conditions: dict[int, str]

    @property
    def tensors(self) -> list[str]:
        """The tensors that decide."""
        return list(filter(None, (self.most, *self.conditions.values())))

    def wrong(self, values: dict[str, np.ndarray]) -> str:
        """Return why the loop should have run more or fewer iterations, "" if it should not.

        Loop, "Semantics": an iteration runs while the trip count is not reached and the condition is true."""
        ran = f"{self.name} (Loop) ran {self.count:,} iteration{'s' * (self.count != 1)}"
        most = int(np.ravel(values[self.most])[0]) if self.most else None
        if most is not None and self.count > max(most, 0):
            return f"{ran}, more than its trip count {most:,}"
        conditions = {number: bool(np.ravel(values[name])[0]) for number, name in self.conditions.items() if name}
        stopped = [number for number, is_true in conditions.items() if not is_true and number < self.count]
        if stopped:
            return f"{ran}, though the condition is false before iteration {stopped[0] + 1:,}"
        if (most is None or self.count < most) and conditions.get(self.count, True):
            return f"{ran}, though the condition is true after them" + (f" and the trip count {most:,}" * bool(most))
        return ""


def with_counts(model: ModelProto, loops: Sequence[int]) -> dict[int, str]:
    """Let a model also give the numbers of the iterations of loops; return these outputs by the number of the node."""
    taken, counts = Inlining(model.graph), {}
    taken.avoid(model.graph)
    for place in loops:
        node = model.graph.node[place]
        body = dict(subgraphs(node))["body"]
        number = body.output.add()
        number.CopyFrom(body.input[0])
        number.name = taken.free(f"iteration of {name_of(node)}")
        body.node.append(helper.make_node("Identity", [body.input[0].name], [number.name]))
        counts[place] = taken.free(f"iterations of {name_of(node)}")
        node.output.append(counts[place])
        model.graph.output.append(helper.make_empty_tensor_value_info(counts[place]))
    return counts


def unroll(inlining: Inlining, node: NodeProto, count: int, opset: int, room: int
           ) -> tuple[list[NodeProto], Iterations, NodeProto | None]:
    """Return the nodes of a loop that runs `count` iterations, what decides their number, and a loop that remains.

    Without room for all nodes, iterations between the first and the last remain a loop. So does one that does not run
    and gives tensors of all iterations: their shapes are not known."""
    body = dict(subgraphs(node))["body"]
    name, carried = name_of(node), len(body.input) - 2
    if not count and any(node.output[carried:]):
        return [node], Iterations(name, 0, node.input[0], {0: node.input[1]}), node
    state = [node.input[1] or inlining.constant(f"{name} runs", _scalar(body, 1, True)), *node.input[2:]]
    names, nodes, conditions = inlining.constants(body), list[NodeProto](), {0: state[0]}
    scans: list[list[str]] = [[] for _ in node.output[carried:]]
    whole, rest, number = count <= 3 or count * count_nodes(body) <= room, None, 0
    while number < count:
        if number == 1 and not whole:
            rest = _between(inlining, node, names, state, count)
            nodes.append(rest)
            state[1:] = rest.output[:carried]
            for scan, given in zip(scans, rest.output[carried:], strict=True):
                scan.append(given)
            number = count - 1
        inputs = [inlining.constant(f"{name} iteration", _scalar(body, 0, number)), *state]
        wanted = ["", *node.output[:carried]] if number == count - 1 else [""] * (carried + 1)
        more, results = inlining.nodes(
            body, {**names, **dict(zip((value.name for value in body.input), inputs, strict=True))},
            [*wanted, *[""] * len(scans)], f"{name} iteration {number + 1}")
        state = results[:carried + 1]
        number += 1
        conditions[number] = state[0]
        nodes += more
        for scan, given in zip(scans, results[carried + 1:], strict=True):
            scan.append(inlining.free(f"{given} in front"))
            nodes.append(_unsqueezed(inlining, given, scan[-1], opset))
    if not count:
        nodes += [helper.make_node("Identity", [given], [wanted], f"{name} gives {wanted}")
                  for given, wanted in zip(state[1:], node.output, strict=False) if wanted]
    nodes += [helper.make_node("Concat", scan, [wanted], f"{name} gives {wanted}", axis=0)
              for scan, wanted in zip(scans, node.output[carried:], strict=True) if wanted and scan]
    return nodes, Iterations(name, count, node.input[0], conditions), rest


def _between(inlining: Inlining, node: NodeProto, constants: Mapping[str, str], state: Sequence[str], count: int
             ) -> NodeProto:
    """Return the loop of all iterations but the first and the last."""
    rest = NodeProto()
    rest.CopyFrom(node)
    rest.name = f"{name_of(node)} iterations 2 to {count - 1}"
    most = inlining.constant(f"{name_of(node)} most", np.array(count - 2, np.int64))
    rest.input[:] = [most, *state]
    rest.output[:] = [inlining.free(f"{name or 'left out'} so far") for name in node.output]
    body = dict(subgraphs(rest))["body"]
    names = {value.name: inlining.free(value.name) for value in body.input}
    wanted = [inlining.free(value.name) for value in body.output]
    nodes, _ = inlining.nodes(body, {**constants, **names}, wanted, rest.name, remain=True)
    number = body.input[0].name
    shift = helper.make_node("Add", [before := inlining.free("iteration before"), inlining.constant(
        "one", _scalar(body, 0, 1))], [names[number]])
    names[number] = before
    for value, name in zip((*body.input, *body.output), (*names.values(), *wanted), strict=True):
        value.name = name
    del body.initializer[:], body.sparse_initializer[:], body.value_info[:]
    replace_nodes(body, [shift, *nodes])
    return rest


def _scalar(body: GraphProto, place: int, value: int | bool) -> np.ndarray:
    """Return a number of the shape that the body states for an input."""
    axes = body.input[place].type.tensor_type.shape.dim
    return np.full((1,) * len(axes), value, np.bool_ if isinstance(value, bool) else np.int64)


def _unsqueezed(inlining: Inlining, name: str, wanted: str, opset: int) -> NodeProto:
    if opset < 13:
        return helper.make_node("Unsqueeze", [name], [wanted], wanted, axes=[0])
    return helper.make_node("Unsqueeze", [name, inlining.constant("first axis", np.array([0], np.int64))], [wanted],
                            wanted)
