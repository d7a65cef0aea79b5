"""Unroll a `Scan`, so that the nodes of its body are judged.

Where the body has too many nodes for that, some iterations become part of the graph (see `iterations`), and the others
remain nodes `Scan` between them, on the elements of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import NodeProto, helper

from plumbline.oracle.check.graph import name_of, scanned, subgraphs
from plumbline.trial.model.inlining import Inlining, replace_nodes
from plumbline.trial.model.iterations import Iterations
from plumbline.trial.model.loops import unsqueezed


def unroll_scan(inlining: Inlining, node: NodeProto, counted: tuple[int, Sequence[int]], opset: int, kept: Sequence[int]
                ) -> tuple[list[NodeProto], Iterations, list[NodeProto]]:
    """Return the nodes of a scan, how often it ran and should have run, and the scans that remain.

    counted: how often it ran, and the shape of the first tensor that it scans.

    Iterations that are not kept remain scans. So does one that does not run and gathers: what it gives has a shape that
    is not known."""
    return _Unrolling(inlining, node, counted, opset).nodes(kept)


class _Unrolling:
    """A scan that is unrolled."""

    def __init__(self, inlining: Inlining, node: NodeProto, counted: tuple[int, Sequence[int]], opset: int) -> None:
        self._inlining, self._node, self._opset, self._name = inlining, node, opset, name_of(node)
        self._body = dict(subgraphs(node))["body"]
        self._carried = len(self._body.input) - scanned(node)
        gathered = len(self._body.output) - self._carried
        self._axes = self._list("scan_input_axes", scanned(node))
        self._backward = self._list("scan_input_directions", scanned(node))
        self._axes_out = self._list("scan_output_axes", gathered)
        self._prepends = self._list("scan_output_directions", gathered)
        count, sizes = counted
        self.count = sizes[self._axes[0]]
        self.ran = Iterations(self._name, count, elements=self.count)

    def _list(self, name: str, count: int) -> list[int]:
        found = [list(attribute.ints) for attribute in self._node.attribute if attribute.name == name]
        return found[0] if found else [0] * count

    def nodes(self, kept: Sequence[int]) -> tuple[list[NodeProto], Iterations, list[NodeProto]]:
        """Return the nodes, how often it ran, and the scans that remain.

        kept: numbers of the iterations to unroll, in order."""
        node, carried, name = self._node, self._carried, self._name
        if not self.count and any(node.output[carried:]):
            return [node], self.ran, [node]
        state, names = list(node.input[:carried]), self._inlining.constants(self._body)
        nodes, remaining, number = list[NodeProto](), list[NodeProto](), 0
        parts: list[list[str]] = [[] for _ in node.output[carried:]]
        while number < self.count:
            if number not in kept:
                end = next(place for place in kept if place > number)
                more, rest = self._between(names, state, number, end)
                nodes += more
                remaining.append(rest)
                state = list(rest.output[:carried])
                for part, given in zip(parts, rest.output[carried:], strict=True):
                    part.append(given)
                number = end
            elements, inputs = self._elements(number)
            wanted = list(node.output[:carried]) if number == self.count - 1 else [""] * carried
            more, results = self._inlining.nodes(
                self._body, {**names, **dict(zip((value.name for value in self._body.input), [*state, *inputs],
                                                 strict=True))},
                [*wanted, *[""] * len(parts)], f"{name} iteration {number + 1}")
            nodes += [*elements, *more]
            state = results[:carried]
            number += 1
            for part, given, axis in zip(parts, results[carried:], self._axes_out, strict=True):
                part.append(self._inlining.free(f"{given} in front"))
                nodes.append(unsqueezed(self._inlining, given, part[-1], self._opset, axis))
        if not self.count:
            nodes += [helper.make_node("Identity", [given], [wanted], f"{name} gives {wanted}")
                      for given, wanted in zip(state, node.output, strict=False) if wanted]
        nodes += [helper.make_node("Concat", part[::-1] if prepends else part, [wanted], f"{name} gives {wanted}",
                                   axis=axis)
                  for part, wanted, axis, prepends in zip(parts, node.output[carried:], self._axes_out, self._prepends,
                                                          strict=True) if wanted and part]
        return nodes, self.ran, remaining

    def _elements(self, number: int) -> tuple[list[NodeProto], list[str]]:
        """Return nodes that select the elements which an iteration scans, and their names."""
        nodes, names = list[NodeProto](), list[str]()
        for tensor, axis, backward in zip(self._node.input[self._carried:], self._axes, self._backward, strict=True):
            place = self.count - 1 - number if backward else number
            names.append(self._inlining.free(f"{tensor} element {place + 1}"))
            index = self._inlining.constant(f"{self._name} iteration", np.array(place, np.int64))
            nodes.append(helper.make_node("Gather", [tensor, index], [names[-1]], names[-1], axis=axis))
        return nodes, names

    def _between(self, constants: Mapping[str, str], state: Sequence[str], first: int, end: int
                 ) -> tuple[list[NodeProto], NodeProto]:
        """Return the scan of the iterations from `first` to before `end`, behind the nodes that give it what it scans,
        and the scan itself."""
        rest, inlining, nodes = NodeProto(), self._inlining, list[NodeProto]()
        rest.CopyFrom(self._node)
        rest.name = f"{self._name} iterations {first + 1} to {end}"
        rest.input[:] = state
        for tensor, axis, backward in zip(self._node.input[self._carried:], self._axes, self._backward, strict=True):
            ends = (self.count - end, self.count - first) if backward else (first, end)
            rest.input.append(inlining.free(f"{tensor} elements {ends[0] + 1} to {ends[1]}"))
            nodes.append(self._slice(tensor, rest.input[-1], axis, ends))
        rest.output[:] = [inlining.free(f"{name or 'left out'} so far") for name in self._node.output]
        body = dict(subgraphs(rest))["body"]
        names = {value.name: inlining.free(value.name) for value in body.input}
        wanted = [inlining.free(value.name) for value in body.output]
        inner, _ = inlining.nodes(body, {**constants, **names}, wanted, rest.name, remain=True)
        for value, name in zip((*body.input, *body.output), (*names.values(), *wanted), strict=True):
            value.name = name
        del body.initializer[:], body.sparse_initializer[:], body.value_info[:]
        replace_nodes(body, inner)
        return [*nodes, rest], rest

    def _slice(self, tensor: str, wanted: str, axis: int, ends: tuple[int, int]) -> NodeProto:
        if self._opset < 10:
            return helper.make_node("Slice", [tensor], [wanted], wanted, axes=[axis], starts=[ends[0]], ends=[ends[1]])
        constants = [self._inlining.constant(f"{wanted} {what}", np.array([number], np.int64)) for what, number in
                     zip(("start", "end", "axis"), (*ends, axis), strict=True)]
        return helper.make_node("Slice", [tensor, *constants], [wanted], wanted)
