"""Replace nodes `If` by the branch that the given inputs take, so that its nodes are judged.

A branch is part of the graph then, and its tensors can be fetched. The final outputs of the model as it is are compared
with those of the changed one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, helper

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import difference, in_words
from plumbline.oracle.check.graph import is_branch, subgraphs
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.parts_of_trial import Tensors

DEEPEST = 100
"""Most branches within each other; protobuf nests messages no deeper."""

Submit = Callable[[bytes, Tensors, Sequence[str], str], Outcome]


def follow_branches(graph: Graph, inputs: Tensors, submit: Submit) -> None:
    """Replace the nodes `If` of a graph, and note what that changes.

    A model that is refused, or whose conditions cannot be fetched, stays as it is from there on."""
    if not graph.conditions or graph.too_large:
        return
    file = graph.path.name
    before = submit(graph.giving([]), inputs, graph.outputs, file)
    if not isinstance(before, Answered):
        return
    count = left = 0
    for _ in range(DEEPEST):
        wanted = [name for name in graph.conditions if name not in graph.constants and name not in inputs]
        outcome: Outcome = Answered({})
        if wanted:
            outcome = submit(graph.giving(wanted), inputs, wanted, f"{file} with the conditions of branches")
        if not isinstance(outcome, Answered):
            graph.notes.append(f"conditions of If nodes cannot be fetched: {in_words(outcome)}")
            break
        values = {**{name: graph.value(name) for name in graph.conditions if name in graph.constants},
                  **{name: inputs[name] for name in graph.conditions if name in inputs}, **outcome.outputs}
        count += len(graph.conditions)
        left += _inline(graph, {name: bool(np.ravel(values[name])[0]) for name in graph.conditions})
        graph.bind(inputs)
        if not graph.conditions:
            break
    after = submit(graph.giving([]), inputs, graph.outputs, f"{file} with the branches taken")
    words = difference(before, after)
    graph.notes.append(f"{count} If node{'s' * (count > 1)} replaced by the branch that these inputs take, and "
                       f"{left:,} nodes of other branches left out; the final outputs "
                       f"{f'differ: {words}' if words else 'stay the same bit by bit'}")


def _inline(graph: Graph, taken: Mapping[str, bool]) -> int:
    """Replace all nodes `If` of the graph; return how many nodes are left out with the other branches."""
    proto, left = graph.plain.graph, 0
    used = {name for node in proto.node for name in (*node.input, *node.output)}
    used |= {value.name for value in (*proto.input, *proto.initializer, *proto.output)}
    nodes: list[NodeProto] = []
    for node in proto.node:
        if not is_branch(node):
            nodes.append(node)
            continue
        branches = dict(subgraphs(node))
        chosen = "then_branch" if taken[node.input[0]] else "else_branch"
        left += sum(_count(branch) for name, branch in branches.items() if name != chosen)
        nodes += _branch(node, branches[chosen], proto, used)
    copies = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del proto.node[:]
    proto.node.extend(copies)
    return left


def _branch(node: NodeProto, branch: GraphProto, graph: GraphProto, used: set[str]) -> Iterator[NodeProto]:
    """Yield the nodes of a branch under names that the graph does not use; its initialisers join those of the graph."""
    given = [name for inner in branch.node for name in inner.output if name]
    names: dict[str, str] = {}
    for result, name in zip(branch.output, node.output, strict=True):
        if name and result.name in given and result.name not in names:
            names[result.name] = name
    held = [*(tensor.name for tensor in branch.initializer), *(each.values.name for each in branch.sparse_initializer)]
    for name in (*held, *given):
        if name not in names:
            names[name] = _free(name, used)
    for tensor in branch.initializer:
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = names[tensor.name]
    for sparse in branch.sparse_initializer:
        graph.sparse_initializer.add().CopyFrom(sparse)
        graph.sparse_initializer[-1].values.name = names[sparse.values.name]
    for inner in branch.node:
        renamed = NodeProto()
        renamed.CopyFrom(inner)
        _rename(renamed, names)
        yield renamed
    for result, name in zip(branch.output, node.output, strict=True):
        if name and names.get(result.name) != name:  # a tensor from around the branch, or one that is given twice
            yield helper.make_node("Identity", [names.get(result.name, result.name)], [name],
                                   f"{node.name or 'If'} gives {name}")


def _free(name: str, used: set[str]) -> str:
    """Return a name that is not used, and use it."""
    free, number = name, 1
    while free in used:
        number += 1
        free = f"{name}#{number}"
    used.add(free)
    return free


def _rename(node: NodeProto, names: Mapping[str, str]) -> None:
    """Rename the tensors that a node reads and gives, those that its inner graphs read from around it included."""
    node.input[:] = [names.get(name, name) for name in node.input]
    node.output[:] = [names.get(name, name) for name in node.output]
    for _, graph in subgraphs(node):
        own = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer),
               *(each.values.name for each in graph.sparse_initializer),
               *(name for inner in graph.node for name in inner.output)}
        around = {name: new for name, new in names.items() if name not in own}
        for inner in graph.node:
            _rename(inner, around)
        for result in graph.output:
            result.name = around.get(result.name, result.name)


def _count(graph: GraphProto) -> int:
    return sum(1 + sum(_count(inner) for _, inner in subgraphs(node)) for node in graph.node)
