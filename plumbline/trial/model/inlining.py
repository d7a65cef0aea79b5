"""Inline branches of `If` and bodies of `Loop` and `Scan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, NodeProto, helper, numpy_helper

from plumbline.oracle.check.graph import is_branch, is_loop, scanned, subgraphs


class Inlining:
    """Names in a graph, and the initialisers that inlined graphs add to it."""

    def __init__(self, graph: GraphProto) -> None:
        self.graph = graph
        self._used, self._numbers = _names(graph), dict[str, int]()
        self._nodes, self._node_numbers = {node.name for node in graph.node}, dict[str, int]()
        for node in graph.node:
            # those that are inlined keep their names where these are free
            if not (is_branch(node) or is_loop(node) or scanned(node)):
                for _, inner in subgraphs(node):
                    self.avoid(inner)

    def avoid(self, graph: GraphProto) -> None:
        """Take all names in a graph, those in its inner graphs included."""
        self._used |= _names(graph)
        for node in graph.node:
            for _, inner in subgraphs(node):
                self.avoid(inner)

    def free(self, name: str) -> str:
        """Return a name like this one that nothing has, and take it."""
        return _free(name, self._used, self._numbers)

    def constant(self, name: str, value: np.ndarray) -> str:
        """Add an initialiser; return its name."""
        name = self.free(name)
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def constants(self, inner: GraphProto) -> dict[str, str]:
        """Add the initialisers of an inner graph; return their new names."""
        names = {}
        for tensor in inner.initializer:
            names[tensor.name] = self.free(tensor.name)
            self.graph.initializer.add().CopyFrom(tensor)
            self.graph.initializer[-1].name = names[tensor.name]
        for sparse in inner.sparse_initializer:
            names[sparse.values.name] = self.free(sparse.values.name)
            self.graph.sparse_initializer.add().CopyFrom(sparse)
            self.graph.sparse_initializer[-1].values.name = names[sparse.values.name]
        return names

    def nodes(self, inner: GraphProto, around: Mapping[str, str], wanted: Sequence[str], who: str,
              remain: bool = False) -> tuple[list[NodeProto], list[str]]:
        """Return the nodes of an inner graph renamed, and its output tensors.

        who:    name of the node that has the graph, for names of added nodes.
        around: new names of its inputs and initialisers.
        wanted: for each output the name that it must have, "" for any.
        remain: whether graphs within it remain, so that names in them must be new, too."""
        given = [name for node in inner.node for name in node.output if name]
        names: dict[str, str] = {}
        for result, name in zip(inner.output, wanted, strict=True):
            if name and result.name in given and result.name not in names:
                names[result.name] = name
        names = {**around, **{name: names.get(name) or self.free(name) for name in given}}
        nodes = [self._renamed(node, names, remain) for node in inner.node]
        if not remain:
            for node in nodes:  # some runtimes refuse a graph in which two nodes have one name
                node.name = node.name and _free(node.name, self._nodes, self._node_numbers)
        results = [names.get(result.name, result.name) for result in inner.output]
        for place, name in enumerate(wanted):
            if name and results[place] != name:  # a tensor from around the graph, or one that is given twice
                nodes.append(helper.make_node("Identity", [results[place]], [name], f"{who} gives {name}"))
                results[place] = name
        return nodes, results

    def _renamed(self, node: NodeProto, names: Mapping[str, str], remain: bool) -> NodeProto:
        renamed = NodeProto()
        renamed.CopyFrom(node)
        self._rename(renamed, names, remain)
        return renamed

    def _rename(self, node: NodeProto, names: Mapping[str, str], remain: bool) -> None:
        """Rename the tensors that a node reads and gives, those that its inner graphs read from around it included."""
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
        for _, graph in subgraphs(node):
            own = {*(value.name for value in graph.input), *(tensor.name for tensor in graph.initializer),
                   *(each.values.name for each in graph.sparse_initializer),
                   *(name for inner in graph.node for name in inner.output if name)}
            around = {name: new for name, new in names.items() if name not in own}
            around |= {name: self.free(name) for name in sorted(own) if remain}
            for inner in graph.node:
                self._rename(inner, around, remain)
            values = [each.values for each in graph.sparse_initializer]
            for value in (*graph.input, *graph.initializer, *values, *graph.output):
                value.name = around.get(value.name, value.name)


def _free(name: str, used: set[str], numbers: dict[str, int]) -> str:
    """Return a name like this one that is not used, and take it."""
    free, number = name, numbers.get(name, 1)
    while free in used:
        number += 1
        free = f"{name}#{number}"
    used.add(free)
    numbers[name] = number
    return free


def _names(graph: GraphProto) -> set[str]:
    """Return the names of tensors in a graph itself."""
    return {*(name for node in graph.node for name in (*node.input, *node.output)),
            *(value.name for value in (*graph.input, *graph.initializer, *graph.output)),
            *(each.values.name for each in graph.sparse_initializer)}


def replace_nodes(graph: GraphProto, nodes: Sequence[NodeProto]) -> None:
    """Replace the nodes of a graph; these may stand in it."""
    copies = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(copies)


def count_nodes(graph: GraphProto) -> int:
    """Count nodes, those of inner graphs included."""
    return sum(1 + sum(count_nodes(inner) for _, inner in subgraphs(node)) for node in graph.node)
