"""Replace `If` by the branch taken, `Loop` and `Scan` by iterations.

The nodes of branches and bodies are part of the graph then, and their tensors can be fetched. The final outputs of the
model as it is are compared with those of the changed one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from onnx import ModelProto, NodeProto

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import difference, in_words
from plumbline.oracle.check.graph import is_branch, is_loop, subgraphs
from plumbline.trial.model.branchings import Branching, Looping
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.inlining import Inlining, count_nodes, replace_nodes
from plumbline.trial.model.iterations import UNROLLED, Iterations, changes, kept, with_classes, with_counts
from plumbline.trial.model.loops import unroll
from plumbline.trial.model.other_runs import compared
from plumbline.trial.model.parts_of_trial import Tensors
from plumbline.trial.model.scans import unroll_scan
from plumbline.trial.record.model_part import OtherRun

DEEPEST = 100
"""Most graphs within each other; protobuf nests messages no deeper."""

Submit = Callable[[bytes, Tensors, Sequence[str], str], Outcome]


class ControlFlow:
    """The nodes `If`, `Loop` and `Scan` of a graph, replaced.

    wrong:      why loops should have run more or fewer iterations.
    replaced:   the nodes that were replaced and are left to judge: each `If`, and loops that run too often or too
                rarely, or do not give what their iterations give.
    changed:    the final outputs of the model as it is against those of the changed one, None where they are the same.
    """

    def __init__(self, graph: Graph, inputs: Tensors, submit: Submit) -> None:
        self.wrong: list[str] = []
        self.changed: OtherRun | None = None
        self._branchings: list[Branching] = []
        self._loopings: list[Looping] = []
        self._graph, self._inputs, self._submit = graph, inputs, submit
        self._left = self._unrolled = self._between = 0
        self._loops: list[Iterations] = []
        self._kinds: Counter[str] = Counter()
        self._inlining = Inlining(graph.plain.graph)

    @property
    def replaced(self) -> list[Branching | Looping]:
        """The nodes that are left to judge."""
        return [*self._branchings, *(looping for looping in self._loopings
                                       if looping.wrong or not looping.is_same and (
                                           looping.gave or self.changed is not None))]

    def follow(self) -> None:
        """Replace the nodes, and note what that changes.

        Of a model that is refused, conditions are fetched one by one from the nodes before them, and loops stay. Where
        a condition cannot be fetched, the model stays as it is from there on."""
        graph, file = self._graph, self._graph.path.name
        if graph.too_large or not (graph.conditions or graph.loops):
            return
        before = self._submit(graph.giving([]), self._inputs, graph.outputs, file)
        one_pass = self._pass if isinstance(before, Answered) else self._pass_in_parts
        for _ in range(DEEPEST):
            if not (graph.conditions or graph.loops) or not one_pass():
                break
        branches, kinds = len(self._branchings), list[str]()
        if branches:
            kinds.append(f"{branches} If node{'s' * (branches > 1)} replaced by the branch that these "
                         f"inputs take, and {self._left:,} node{'s' * (self._left != 1)} of other branches left out")
        if self._loops:
            count, between = sum(loop.count for loop in self._loops), self._between
            operators = " and ".join(f"{number} {operator} node{'s' * (number > 1)}"
                                     for operator, number in self._kinds.items())
            kinds.append(f"{operators} replaced by the {count:,} "
                         f"iteration{'s' * (count != 1)} that these inputs take"
                         + (f", of which {between:,} remain a loop" if between else ""))
        if not kinds:
            return
        if not isinstance(before, Answered):
            graph.notes.append("; ".join(kinds))
            return
        nodes: list[Branching | Looping] = [*self._branchings, *self._loopings]
        needed = list(dict.fromkeys(name for names in (
            *(loop.tensors for loop in self._loops), *(node.gave for node in nodes))
            for name in names if name not in self._inputs))
        extra = [name for name in needed if name not in graph.constants and name not in graph.outputs]
        after = self._submit(graph.giving(extra), self._inputs, [*graph.outputs, *extra], f"{file} with {kinds[0]}")
        if isinstance(after, Answered):
            values = {**self._inputs, **after.outputs,
                      **{name: graph.value(name) for name in needed if name in graph.constants}}
            for looping, loop in zip(self._loopings, self._loops, strict=True):
                looping.wrong = loop.wrong(values)
            self.wrong = [looping.wrong for looping in self._loopings if looping.wrong]
            for node in nodes:
                node.given = {name: values[name] for name in node.gave if name in values}
            after = Answered({name: after.outputs[name] for name in graph.outputs})
        words = difference(before, after)
        self.changed = compared(before.outputs, after) if words else None
        graph.notes.append(f"{'; '.join(kinds)}; the final outputs "
                           f"{f'differ: {words}' if words else 'stay the same bit by bit'}")

    def _pass(self) -> bool:
        """Replace the nodes that are in the graph itself; return False if what decides them cannot be fetched."""
        graph, inputs = self._graph, self._inputs
        wanted = [name for name in graph.conditions if name not in graph.constants and name not in inputs]
        branches = [step for step in graph.steps if is_branch(step.proto)]
        loops = [self._step(graph.plain.graph.node[place]) for place in graph.loops]
        given = list(dict.fromkeys([
            *(name for step in (*branches, *loops) for name in step.gives),
            *(name for step in loops for name in step.reads if name not in graph.constants and name not in inputs)]))
        outcome, counts, shapes = self._decided(wanted, given)
        if given and not isinstance(outcome, Answered):
            outcome, counts, shapes = self._decided(wanted, [])
        if not isinstance(outcome, Answered):
            graph.notes.append(f"conditions of {'loops' if counts else 'If nodes'} cannot be fetched: "
                               f"{in_words(outcome)}")
            return False
        values = {**{name: graph.value(name) for name in graph.conditions if name in graph.constants},
                  **{name: inputs[name] for name in graph.conditions if name in inputs}, **outcome.outputs}
        self._branchings += [Branching(step, values[step.proto.input[0]], {
            name: values[name] for name in step.gives if name in values}, {}) for step in branches]
        fetched = {**inputs, **values}
        self._loopings += [Looping(step, _those(step.reads, fetched), _those(step.gives, fetched)) for step in loops]
        self._inline({name: bool(np.ravel(values[name])[0]) for name in graph.conditions},
                     {place: (len(outcome.outputs[name]),
                              outcome.outputs[shapes[place]].tolist() if place in shapes else [])
                      for place, name in counts.items()})
        graph.bind(inputs)
        return True

    def _step(self, node: NodeProto) -> Step:
        """Return a node of the graph."""
        return next(step for step in self._graph.steps if step.proto.output[:] == node.output[:])

    def _decided(self, wanted: Sequence[str], given: Sequence[str]
                 ) -> tuple[Outcome, dict[int, str], dict[int, str]]:
        """Fetch tensors that decide, outputs of nodes, and what counts iterations, whose names are returned."""
        graph = self._graph
        model = ModelProto.FromString(graph.giving([*wanted, *(name for name in given if name not in wanted)]))
        counts, shapes = with_counts(model, graph.loops)
        if not (wanted or given or counts):
            return Answered({}), counts, shapes
        names = list(dict.fromkeys([*wanted, *given, *counts.values(), *shapes.values()]))
        return self._submit(model.SerializeToString(), self._inputs, names,
                            f"{graph.path.name} with the conditions of branches and loops"), counts, shapes

    def _changes(self, place: int) -> list[int]:
        """Return the iterations of a loop whose state changes its class; none where that cannot be fetched."""
        graph = self._graph
        model = ModelProto.FromString(graph.giving([]))
        names = with_classes(model, [place]).get(place, [])
        outcome: Outcome = Answered({}) if not names else self._submit(
            model.SerializeToString(), self._inputs, names, f"{graph.path.name} with the state of a loop")
        return changes([outcome.outputs[name] for name in names]) if isinstance(outcome, Answered) else []

    def _pass_in_parts(self) -> bool:
        """Replace nodes `If` whose conditions can be fetched without what lies behind them; return False if there are
        none."""
        fetched = {name: self._fetched(name) for name in self._graph.conditions}
        known = {name: value for name, value in fetched.items() if value is not None}
        self._branchings += [Branching(step, known[step.proto.input[0]], {}, {}) for step in self._graph.steps
                            if is_branch(step.proto) and step.proto.input[0] in known]
        self._inline({name: bool(np.ravel(value)[0]) for name, value in known.items()}, {})
        self._graph.bind(self._inputs)
        return bool(known)

    def _fetched(self, name: str) -> np.ndarray | None:
        """Return a tensor as a part of the model gives it, None if it does not."""
        graph, inputs = self._graph, self._inputs
        if name in graph.constants:
            return graph.value(name)
        if name in inputs:
            return inputs[name]
        try:
            part = graph.part(inputs, inputs, [name])
        except ValueError:
            return None
        outcome = self._submit(part, inputs, [name], f"what gives {name}")
        return outcome.outputs[name] if isinstance(outcome, Answered) else None

    def _inline(self, taken: Mapping[str, bool], counts: Mapping[int, tuple[int, Sequence[int]]]) -> None:
        """Replace the nodes, given the values of conditions.

        counts: by the number of a node, its iterations, and the shape of what a `Scan` scans."""
        proto = self._graph.plain.graph
        inlining, nodes = self._inlining, list[NodeProto]()
        for place, node in enumerate(proto.node):
            if is_branch(node) and node.input[0] in taken:
                branches = dict(subgraphs(node))
                branch = branches.pop("then_branch" if taken[node.input[0]] else "else_branch")
                more, _ = inlining.nodes(branch, inlining.constants(branch), node.output, node.name or "If")
                self._left += sum(map(count_nodes, branches.values()))
            elif place in counts:
                more = self._unrolled_nodes(place, node, counts[place])
            else:
                more = [node]
            nodes += more
        replace_nodes(proto, nodes)

    def _unrolled_nodes(self, place: int, node: NodeProto, counted: tuple[int, Sequence[int]]) -> list[NodeProto]:
        """Return the nodes that replace a loop."""
        graph, (count, _), room = self._graph, counted, UNROLLED - self._unrolled
        chosen = kept(node, count, room, ())
        if len(chosen) < count:
            chosen = kept(node, count, room, self._changes(place))
        opset = graph.opsets[""]
        nodes, loop, remaining = (unroll(self._inlining, node, count, opset, chosen) if is_loop(node) else
                                  unroll_scan(self._inlining, node, counted, opset, chosen))
        self._loops.append(loop)
        self._kinds[node.op_type] += 1
        self._unrolled += len(nodes)
        self._between += count - len(chosen)
        graph.remaining |= {name for rest in remaining for name in rest.output if name}
        return nodes


def _those(names: Sequence[str], tensors: Tensors) -> Tensors:
    """Return the tensors of these names that there are."""
    return {name: tensors[name] for name in names if name in tensors}
