"""Unroll a `Loop`, so that the nodes of its body are judged.

Where the body has too many nodes for that, some iterations become part of the graph, and the others remain loops
between them: the first and the last one do, and those where the state changes its class (see `iterations`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, helper

from plumbline.oracle.check.graph import name_of, subgraphs
from plumbline.trial.model.inlining import Inlining, replace_nodes
from plumbline.trial.model.iterations import Iterations


def unroll(inlining: Inlining, node: NodeProto, count: int, opset: int, kept: Sequence[int]
           ) -> tuple[list[NodeProto], Iterations, list[NodeProto]]:
    """Return the nodes of an unrolled loop, its iterations, and remaining loops.

    count: number of iterations that run.
    opset: of the model, for the form of added nodes.
    kept:  numbers of the iterations to unroll, in order; the others remain loops. So does a loop without iterations
           that gives tensors of all iterations: their shapes are not known."""
    body = dict(subgraphs(node))["body"]
    name, carried = name_of(node), len(body.input) - 2
    if not count and any(node.output[carried:]):
        return [node], Iterations(name, 0, node.input[0], {0: node.input[1]}), [node]
    state = [node.input[1] or inlining.constant(f"{name} runs", _scalar(body, 1, True)), *node.input[2:]]
    names, nodes = inlining.constants(body), list[NodeProto]()
    conditions = {0: state[0]} if node.input[1] else {}
    scans: list[list[str]] = [[] for _ in node.output[carried:]]
    remaining, number = list[NodeProto](), 0
    while number < count:
        if number not in kept:
            end = next(place for place in kept if place > number)
            if number:  # ONNX Runtime needs a shape of the condition, and what computed it may have none
                state[0] = _as_scalar(inlining, state[0], nodes, opset)
            rest = _between(inlining, node, names, state, number, end)
            nodes.append(rest)
            remaining.append(rest)
            state[1:] = rest.output[:carried]
            for scan, given in zip(scans, rest.output[carried:], strict=True):
                scan.append(given)
            number = end
        inputs = [inlining.constant(f"{name} iteration", _scalar(body, 0, number)), *state]
        wanted = ["", *node.output[:carried]] if number == count - 1 else [""] * (carried + 1)
        more, results = inlining.nodes(
            body, {**names, **dict(zip((value.name for value in body.input), inputs, strict=True))},
            [*wanted, *[""] * len(scans)], f"{name} iteration {number + 1}")
        state = results[:carried + 1]
        number += 1
        if conditions:
            conditions[number] = state[0]
        nodes += more
        for scan, given in zip(scans, results[carried + 1:], strict=True):
            scan.append(inlining.free(f"{given} in front"))
            nodes.append(unsqueezed(inlining, given, scan[-1], opset))
    if not count:
        nodes += [helper.make_node("Identity", [given], [wanted], f"{name} gives {wanted}")
                  for given, wanted in zip(state[1:], node.output, strict=False) if wanted]
    nodes += [helper.make_node("Concat", scan, [wanted], f"{name} gives {wanted}", axis=0)
              for scan, wanted in zip(scans, node.output[carried:], strict=True) if wanted and scan]
    return nodes, Iterations(name, count, node.input[0], conditions), remaining


def _between(inlining: Inlining, node: NodeProto, constants: Mapping[str, str], state: Sequence[str],
             first: int, end: int) -> NodeProto:
    """Return the loop of the iterations from `first` to before `end`."""
    rest = NodeProto()
    rest.CopyFrom(node)
    rest.name = f"{name_of(node)} iterations {first + 1} to {end}"
    most = inlining.constant(f"{name_of(node)} most", np.array(end - first, np.int64))
    rest.input[:] = [most, *state]
    rest.output[:] = [inlining.free(f"{name or 'left out'} so far") for name in node.output]
    body = dict(subgraphs(rest))["body"]
    names = {value.name: inlining.free(value.name) for value in body.input}
    wanted = [inlining.free(value.name) for value in body.output]
    nodes, _ = inlining.nodes(body, {**constants, **names}, wanted, rest.name, remain=True)
    number = body.input[0].name
    shift = helper.make_node("Add", [before := inlining.free("iteration before"), inlining.constant(
        "iterations before", _scalar(body, 0, first))], [names[number]])
    names[number] = before
    for value, name in zip((*body.input, *body.output), (*names.values(), *wanted), strict=True):
        value.name = name
    for value in (*body.input[1:], *body.output[:len(body.input) - 1]):
        value.type.tensor_type.ClearField("shape")  # that of a state may change, or be stated wrongly
    del body.initializer[:], body.sparse_initializer[:], body.value_info[:]
    replace_nodes(body, [shift, *nodes])
    return rest


def _scalar(body: GraphProto, place: int, value: int | bool) -> np.ndarray:
    """Return a number of the shape that the body states for an input."""
    axes = body.input[place].type.tensor_type.shape.dim
    return np.full((1,) * len(axes), value, np.bool_ if isinstance(value, bool) else np.int64)


def _as_scalar(inlining: Inlining, name: str, nodes: list[NodeProto], opset: int) -> str:
    """Append the node that gives an element the shape of a scalar, and return what it gives."""
    scalar = inlining.free(f"{name} as a scalar")
    shape = () if opset < 5 else (inlining.constant("shape of a scalar", np.zeros(0, np.int64)),)
    nodes.append(helper.make_node("Reshape", [name, *shape], [scalar], scalar))
    return scalar


def unsqueezed(inlining: Inlining, name: str, wanted: str, opset: int, axis: int = 0) -> NodeProto:
    """Return the node that puts an axis into a tensor."""
    if opset < 13:
        return helper.make_node("Unsqueeze", [name], [wanted], wanted, axes=[axis])
    axes = inlining.constant(f"axis {axis}", np.array([axis], np.int64))
    return helper.make_node("Unsqueeze", [name, axes], [wanted], wanted)
