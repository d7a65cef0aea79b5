"""Replace nodes `If` by the branch that the given inputs take, and nodes `Loop` by their iterations.

The nodes of branches and bodies are part of the graph then, and their tensors can be fetched. The final outputs of the
model as it is are compared with those of the changed one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from onnx import ModelProto, NodeProto

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import difference, in_words
from plumbline.oracle.check.graph import is_branch, subgraphs
from plumbline.trial.model.branchings import Branching
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inlining import Inlining, count_nodes, replace_nodes
from plumbline.trial.model.loops import UNROLLED, Iterations, unroll, with_counts
from plumbline.trial.model.parts_of_trial import Tensors

DEEPEST = 100
"""Most graphs within each other; protobuf nests messages no deeper."""

Submit = Callable[[bytes, Tensors, Sequence[str], str], Outcome]


class ControlFlow:
    """The nodes `If` and `Loop` of a graph, replaced.

    wrong:      why loops should have run more or fewer iterations.
    branchings: the nodes `If` that were replaced.
    """

    def __init__(self, graph: Graph, inputs: Tensors, submit: Submit) -> None:
        self.wrong: list[str] = []
        self.branchings: list[Branching] = []
        self._graph, self._inputs, self._submit = graph, inputs, submit
        self._left = self._unrolled = 0
        self._loops: list[Iterations] = []
        self._inlining = Inlining(graph.plain.graph)

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
        branches, kinds = len(self.branchings), list[str]()
        if branches:
            kinds.append(f"{branches} If node{'s' * (branches > 1)} replaced by the branch that these "
                         f"inputs take, and {self._left:,} node{'s' * (self._left != 1)} of other branches left out")
        if self._loops:
            count, between = sum(loop.count for loop in self._loops), self._between
            kinds.append(f"{len(self._loops)} Loop node{'s' * (len(self._loops) > 1)} replaced by the {count:,} "
                         f"iteration{'s' * (count != 1)} that these inputs take"
                         + (f", of which {between:,} remain a loop" if between else ""))
        if not kinds:
            return
        if not isinstance(before, Answered):
            graph.notes.append("; ".join(kinds))
            return
        needed = list(dict.fromkeys(name for names in (
            *(loop.tensors for loop in self._loops), *(branching.gave for branching in self.branchings))
            for name in names if name not in graph.constants and name not in self._inputs))
        extra = [name for name in needed if name not in graph.outputs]
        after = self._submit(graph.giving(extra), self._inputs, [*graph.outputs, *extra], f"{file} with {kinds[0]}")
        if isinstance(after, Answered):
            values = {**self._inputs, **after.outputs, **{
                name: graph.value(name) for loop in self._loops for name in loop.tensors if name in graph.constants}}
            self.wrong = list(filter(None, (loop.wrong(values) for loop in self._loops)))
            for branching in self.branchings:
                branching.given = {name: values[name] for name in branching.gave if name in values}
            after = Answered({name: after.outputs[name] for name in graph.outputs})
        words = difference(before, after)
        graph.notes.append(f"{'; '.join(kinds)}; the final outputs "
                           f"{f'differ: {words}' if words else 'stay the same bit by bit'}")

    @property
    def _between(self) -> int:
        return sum(loop.count - 2 for loop in self._loops if len(loop.conditions) <= loop.count)

    def _pass(self) -> bool:
        """Replace the nodes that are in the graph itself; return False if what decides them cannot be fetched."""
        graph, inputs = self._graph, self._inputs
        wanted = [name for name in graph.conditions if name not in graph.constants and name not in inputs]
        branches = [step for step in graph.steps if is_branch(step.proto)]
        given = list(dict.fromkeys(name for step in branches for name in step.gives))
        outcome, counts = self._decided(wanted, given)
        if given and not isinstance(outcome, Answered):
            outcome, counts = self._decided(wanted, [])
        if not isinstance(outcome, Answered):
            graph.notes.append(f"conditions of {'Loop' if counts else 'If'} nodes cannot be fetched: "
                               f"{in_words(outcome)}")
            return False
        values = {**{name: graph.value(name) for name in graph.conditions if name in graph.constants},
                  **{name: inputs[name] for name in graph.conditions if name in inputs}, **outcome.outputs}
        self.branchings += [Branching(step, values[step.proto.input[0]], {
            name: values[name] for name in step.gives if name in values}, {}) for step in branches]
        self._inline({name: bool(np.ravel(values[name])[0]) for name in graph.conditions},
                     {place: np.size(outcome.outputs[name]) for place, name in counts.items()})
        graph.bind(inputs)
        return True

    def _decided(self, wanted: Sequence[str], given: Sequence[str]) -> tuple[Outcome, dict[int, str]]:
        """Fetch tensors that decide, outputs of nodes, and the numbers of iterations, whose names are returned."""
        graph = self._graph
        model = ModelProto.FromString(graph.giving([*wanted, *(name for name in given if name not in wanted)]))
        counts = with_counts(model, graph.loops)
        if not (wanted or given or counts):
            return Answered({}), counts
        names = list(dict.fromkeys([*wanted, *given, *counts.values()]))
        return self._submit(model.SerializeToString(), self._inputs, names,
                            f"{graph.path.name} with the conditions of branches and loops"), counts

    def _pass_in_parts(self) -> bool:
        """Replace nodes `If` whose conditions can be fetched without what lies behind them; return False if there are
        none."""
        fetched = {name: self._fetched(name) for name in self._graph.conditions}
        known = {name: value for name, value in fetched.items() if value is not None}
        self.branchings += [Branching(step, known[step.proto.input[0]], {}, {}) for step in self._graph.steps
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

    def _inline(self, taken: Mapping[str, bool], counts: Mapping[int, int]) -> None:
        """Replace the nodes, given the values of conditions, and the iterations of loops by the number of the node."""
        graph, proto = self._graph, self._graph.plain.graph
        inlining, nodes = self._inlining, list[NodeProto]()
        for place, node in enumerate(proto.node):
            if is_branch(node) and node.input[0] in taken:
                branches = dict(subgraphs(node))
                branch = branches.pop("then_branch" if taken[node.input[0]] else "else_branch")
                more, _ = inlining.nodes(branch, inlining.constants(branch), node.output, node.name or "If")
                self._left += sum(map(count_nodes, branches.values()))
            elif place in counts:
                more, loop, rest = unroll(inlining, node, counts[place], graph.opsets[""],
                                          UNROLLED - self._unrolled)
                self._loops.append(loop)
                self._unrolled += len(more)
                if rest is not None:
                    graph.remaining.add(rest.output[0])
            else:
                more = [node]
            nodes += more
        replace_nodes(proto, nodes)
