"""A model on trial: each node whose operator has a specification is judged on the inputs that it really receives.

Two ways, since runtimes take different paths: `in-place` fetches the inputs and outputs of nodes from the whole model,
whose inner tensors are made outputs; `alone` puts the node by itself, with the inputs that it had in place. Where the
backend does not take the whole model, or no request holds it, it is put node by node, each with what the nodes before
it gave.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from plumbline.backends import Answered, Asking, Host, Outcome, Request
from plumbline.backends.outcomes import in_words
from plumbline.backends.request import to_request
from plumbline.oracle import load_spec
from plumbline.oracle.check.selection import Text
from plumbline.trial.known import KnownDivergences
from plumbline.trial.minimise import MinimiseError
from plumbline.trial.model_graph import Graph
from plumbline.trial.model_judging import Judging
from plumbline.trial.model_parts import Judged, Span, Subject, Tensors
from plumbline.trial.model_static import subjects


def _nobody(done: int) -> None:
    """Is told how many nodes are done, and does nothing."""


@dataclass(eq=False)
class ModelTrial:
    """A model, a backend, and what became of the one on the other."""

    graph: Graph
    host: Host
    known: KnownDivergences
    texts: Sequence[Text]
    inputs: Tensors
    time_limit: float = 20.0
    progress: Callable[[int], None] = _nobody
    """Is told how many more nodes are done."""
    refused: str = ""
    """How the backend failed to take or to run the whole model; "" where it did not."""
    notes: list[str] = field(default_factory=list)
    span: Span | None = None
    spans_searched: bool = False
    """Whether a span was looked for that gives something else together; `span` is what was found."""

    def __post_init__(self) -> None:
        self.graph.bind(self.inputs)
        self._asking = Asking(self.host)
        self.judging = Judging(self.graph, self.host, self.known, self.time_limit)
        self.subjects = list(subjects(self.graph.steps, self.texts, self.host.identity["specifications"], self.known))

    def run(self) -> None:
        """Judge every node that can be judged."""
        if self.graph.too_large:
            self.notes.append(f"the whole model is not put, only node by node: {self.graph.too_large}")
            self._node_by_node()
            return
        outcome = self._whole([])
        if isinstance(outcome, Answered):
            chosen = [subject for subject in self.subjects if subject.findings]
            rest = iter(chosen)
            for portion in self.graph.portions([subject.step for subject in chosen]):
                self._portion(list(islice(rest, len(portion))))
            self.progress(sum(not subject.findings for subject in self.subjects))
        else:
            self.refused = in_words(outcome)
            self._node_by_node()

    def put(self, model: bytes, inputs: Tensors, outputs: Sequence[str], label: str) -> Outcome:
        """What comes of a model of any nodes."""
        request = Request(model, "", {}, self.graph.opsets[""], inputs, tuple(outputs), self.time_limit, "", label)
        return self._asking.put([request])[0]

    def _whole(self, names: Sequence[str]) -> Outcome:
        """The whole model, with these tensors besides its outputs."""
        extra = [name for name in names if name not in self.graph.outputs]
        return self.put(self.graph.giving(extra), self.inputs, [*self.graph.outputs, *extra],
                        f"{self.graph.path.name} with {len(extra)} inner tensors")

    def _portion(self, some: Sequence[Subject]) -> None:
        names = list(dict.fromkeys(name for subject in some for name in (*subject.step.reads, *subject.step.gives)
                                   if name not in self.graph.constants and name not in self.inputs))
        began, before = time.perf_counter(), len(self.judged)
        outcome = self._whole(names)
        seconds = (time.perf_counter() - began) / len(some)
        if isinstance(outcome, Answered):
            tensors = {**self.inputs, **outcome.outputs}
            accused = []
            for subject in some:
                accused.append(self.judging.judge(subject, tensors, outcome.outputs, seconds))
                self.progress(1)
            if any(accused):  # an accusation rests on more than one answer
                second = self._whole(names)
                for judged in self.judged[before:]:
                    if judged.way == "in-place" and judged.result.accuses:
                        self.judging.again(judged, outcome, second)
        elif len(some) > 1:
            self._portion(some[:len(some) // 2])
            self._portion(some[len(some) // 2:])
        else:
            some[0].why_not = f"its tensors cannot be fetched: {in_words(outcome)}"

    def _node_by_node(self) -> None:
        """Each node by itself, with what the nodes before it gave; those that get nothing are not reached."""
        tensors: dict[str, np.ndarray] = dict(self.inputs)
        left = Counter(name for subject in self.subjects for name in subject.step.reads)
        for subject in self.subjects:
            self._by_itself(subject, tensors)
            self.progress(1)
            for name in subject.step.reads:
                left[name] -= 1
                if not left[name]:
                    tensors.pop(name, None)

    def _by_itself(self, subject: Subject, tensors: dict[str, np.ndarray]) -> None:
        """Judge a node, and add to the tensors what it gives."""
        step = subject.step
        reads = [name for name in step.reads if name not in self.graph.constants]
        lacking = [name for name in reads if name not in tensors]
        if lacking:
            subject.why_not = f"not reached: nothing gave {', '.join(lacking)}"
            return
        self.judging.judge(subject, tensors, None, 0.0)
        if subject.findings and not subject.why_not:
            case = self.judged[-1].result.case  # a single node, as any backend is asked for one
            request = to_request(load_spec(case.spec), case.call, case.opset, self.time_limit, step.node.name)
            outcome = self._asking.put([request])[0]
            if isinstance(outcome, Answered):
                tensors |= zip(step.gives, (outcome.outputs[name] for name in request.outputs), strict=True)
            return
        try:
            model = self.graph.part(reads, step.gives)
        except ValueError as error:
            subject.why_not = subject.why_not or f"cannot be cut out: {error}"
            return
        outcome = self.put(model, {name: tensors[name] for name in reads}, step.gives, step.node.name)
        if isinstance(outcome, Answered):
            tensors |= outcome.outputs
        elif not subject.findings:
            self.notes.append(f"the node {step.node.name} ({step.operator}) by itself: {in_words(outcome)}")

    def probe(self) -> None:
        """Put each node that was judged by itself with values that betray faults."""
        for judged in [judged for judged in self.judged if judged.way == "alone"]:
            self.judging.probe(judged)
            self.progress(0)

    def minimise(self) -> None:
        """For each cause found on a node by itself, whose inputs a record keeps in part: a smaller call that shows it,
        which can be made a case."""
        causes: dict[tuple[str, ...], Judged] = {}
        for judged in self.wrong:
            line = judged.line
            if judged.way == "alone" and line.call is not None and not line.call.whole:
                causes.setdefault((line.spec, line.verdict, *line.clauses), judged)
        for judged in causes.values():
            try:
                self.judging.smaller(judged)
            except MinimiseError as error:
                self.notes.append(str(error))

    # What was found

    @property
    def judged(self) -> list[Judged]:
        """Each node in each way in which it was judged."""
        return self.judging.judged

    @property
    def wrong(self) -> list[Judged]:
        """Those that accuse the backend, in the order of the graph."""
        return [judged for judged in self.judged if judged.result.accuses]

    def status(self) -> int:
        """The exit status: 2 where nothing was judged, or the suite failed; 1 where the model as a whole is not run, or
        something new is wrong; else 0."""
        if not self.judged or any(judged.line.verdict == "harness-error" for judged in self.judged):
            return 2
        return 1 if self.refused or any(judged.news for judged in self.judged) else 0
