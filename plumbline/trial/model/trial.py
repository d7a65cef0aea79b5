"""A model on trial: each node whose operator has a specification is judged on the inputs that it really receives.

Two ways, since runtimes take different paths: `in-place` fetches the inputs and outputs of nodes from the whole model,
whose inner tensors are made outputs; `alone` puts the node by itself, with the inputs that it had in place. Where the
backend does not take the whole model, the nodes up to the one that it does not get past are so judged in as much of it
as gives their tensors; the others, and those of a model that no request holds, by themselves, each with what the nodes
before it gave.
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
from plumbline.cases import Case
from plumbline.oracle import load_spec
from plumbline.oracle.check.selection import Text
from plumbline.oracle.response import is_float
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.node_judging import Judging
from plumbline.trial.model.parts_of_trial import Judged, Span, Subject, Tensors
from plumbline.trial.model.sentences import decides, is_smaller
from plumbline.trial.model.static_facts import meet, subjects
from plumbline.trial.tools.minimisation import MinimiseError

SENT = 2**23
"""Bytes that are sent to a process in a second, on a busy machine; so much longer is a call given."""


def _nobody(done: int) -> None:
    """Is told how many nodes are done, and does nothing."""


def _nothing(name: str, case: Case) -> None:
    """Is told of a node that is wrong, and does nothing."""


@dataclass(eq=False)
class ModelTrial:
    """A model, a backend, and what became of the one on the other."""

    graph: Graph
    host: Host
    known: KnownDivergences
    texts: Sequence[Text]
    inputs: Tensors
    time_limit: float = 20.0
    probing: bool = False
    """Whether each node is put by itself with values that betray faults, too."""
    progress: Callable[[int], None] = _nobody
    """Is told how many more nodes are done."""
    wrong_case: Callable[[str, Case], None] = _nothing
    """Is told the name and the case of each node that accuses the backend, which are not kept."""
    refused: str = ""
    """How the backend failed to take or to run the whole model; "" where it did not."""
    notes: list[str] = field(default_factory=list)
    not_finite: dict[str, str] = field(default_factory=dict)
    """By output of the model how much of it is NaN or infinite; those that are finite are not there."""
    span: Span | None = None
    spans_searched: bool = False
    """Whether a span was looked for that gives something else together; `span` is what was found."""

    def __post_init__(self) -> None:
        self.graph.bind(self.inputs)
        self.time_limit += max(map(self.graph.size, self.graph.steps), default=0) / SENT
        self._asking, self._causes = Asking(self.host), set[tuple[str, ...]]()
        self.judging = Judging(self.graph, self.host, self.known, self.time_limit)
        steps, inner = self.graph.steps, self.graph.inner
        every = list(subjects([*steps, *inner], self.texts, self.host.identity.specifications))
        self.subjects, self.inner = every[:len(steps)], every[len(steps):]
        for subject in self.inner:
            subject.why_not = f"it stands in {subject.step.node.place}, from where nothing is fetched"

    def run(self) -> None:
        """Judge every node that can be judged; then find out what known divergences each can meet."""
        self._run()
        meet([*self.subjects, *self.inner], self.known, self.progress)

    def _run(self) -> None:
        if self.graph.too_large:
            self.notes.append(f"the whole model is not put, only node by node: {self.graph.too_large}")
            self._node_by_node()
            return
        outcome = self._whole([])
        self.refused = "" if isinstance(outcome, Answered) else in_words(outcome)
        if isinstance(outcome, Answered):
            self._look_at(outcome.outputs)
        chosen = [subject for subject in self.subjects if subject.findings]
        rest = iter(chosen)
        for portion in self.graph.portions([subject.step for subject in chosen]):
            if not self._portion(list(islice(rest, len(portion)))) and self.refused:
                break
        if self.refused:
            self._node_by_node()
        else:
            self.progress(len(self.subjects) - len(chosen))

    def _look_at(self, outputs: Tensors) -> None:
        """Note which of these are outputs of the model and not finite."""
        for name in self.graph.outputs:
            if name in outputs and (count := _not_finite(outputs[name])):
                self.not_finite[name] = f"{count:,} of {outputs[name].size:,} elements"

    def submit(self, model: bytes, inputs: Tensors, outputs: Sequence[str], label: str) -> Outcome:
        """What comes of a model of any nodes."""
        limit = self.time_limit + len(model) / SENT
        request = Request(model, "", {}, self.graph.opsets[""], inputs, tuple(outputs), limit, "", label)
        return self._asking.submit([request])[0]

    def _whole(self, names: Sequence[str]) -> Outcome:
        """The whole model, with these tensors besides its outputs; where it is refused, what of it gives these."""
        if self.refused:
            return self.submit(self.graph.part(self.inputs, self.inputs, names), self.inputs, names,
                            f"{len(names)} inner tensors")
        extra = [name for name in names if name not in self.graph.outputs]
        return self.submit(self.graph.giving(extra), self.inputs, [*self.graph.outputs, *extra],
                           f"{self.graph.path.name} with {len(extra)} inner tensors")

    def _portion(self, some: Sequence[Subject]) -> bool:
        """Judge some nodes in both ways; whether all that takes was fetched. In a model that is refused, what comes
        behind a node whose tensors cannot be fetched is not tried."""
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
                    if judged.way == "in-place" and judged.line.accuses:
                        self.judging.again(judged, outcome, second)
            self._let_go(before)
            return True
        if len(some) > 1:
            fetched = self._portion(some[:len(some) // 2])
            return (fetched or not self.refused) and self._portion(some[len(some) // 2:]) and fetched
        some[0].why_not = f"its tensors cannot be fetched: {in_words(outcome)}"
        return False

    def _node_by_node(self) -> None:
        """Each node by itself, with what the nodes before it gave; those that get nothing are not reached."""
        tensors: dict[str, np.ndarray] = dict(self.inputs)
        left = Counter(name for subject in self.subjects for name in subject.step.reads)
        done = {id(judged.subject) for judged in self.judged}
        for subject in self.subjects:
            self._by_itself(subject, tensors, id(subject) in done)
            self.progress(id(subject) not in done)
            for name in subject.step.reads:
                left[name] -= 1
                if not left[name]:
                    tensors.pop(name, None)

    def _by_itself(self, subject: Subject, tensors: dict[str, np.ndarray], done: bool) -> None:
        """Judge a node, unless that is done, and add to the tensors what it gives."""
        step = subject.step
        reads = [name for name in step.reads if name not in self.graph.constants]
        lacking = [name for name in reads if name not in tensors]
        if lacking:
            subject.why_not = f"not reached: nothing gave {', '.join(lacking)}"
            return
        before = len(self.judged)
        if not done:
            self.judging.judge(subject, tensors, None, 0.0)
        case = self.judged[-1].case if len(self.judged) > before else None
        self._let_go(before)
        if case is not None:  # a single node, as any backend is asked for one
            request = to_request(load_spec(case.spec), case.call, case.opset, self.time_limit, step.node.name)
            outcome = self._asking.submit([request])[0]
            if isinstance(outcome, Answered):
                given = dict(zip(step.gives, (outcome.outputs[name] for name in request.outputs), strict=True))
                tensors |= given
                self._look_at(given)
            return
        try:
            model = self.graph.part(tensors, reads, step.gives)
        except ValueError as error:
            subject.why_not = subject.why_not or f"cannot be cut out: {error}"
            return
        outcome = self.submit(model, {name: tensors[name] for name in reads}, step.gives, step.node.name)
        if isinstance(outcome, Answered):
            tensors |= outcome.outputs
            self._look_at(outcome.outputs)
        elif not subject.findings:
            self.notes.append(f"the node {step.node.name} ({step.operator}) by itself: {in_words(outcome)}")

    def _let_go(self, before: int) -> None:
        """Do with the last results what needs their tensors, and keep these no longer."""
        for judged in islice(self.judged, before, None):  # which grows by what is done
            case, gave, judged.case, judged.gave = judged.case, judged.gave, None, None
            assert case is not None
            if judged.line.accuses and not is_smaller(judged.way):
                self.wrong_case(judged.subject.name, case)
                self._smaller(judged, case, gave)
            if judged.way == "alone" and self.probing:
                self.judging.probe(judged, case)

    def _smaller(self, judged: Judged, case: Case, gave: Answered | None) -> None:
        """For the first of a cause whose inputs a record keeps in part: a smaller call that shows it, for a case."""
        line = judged.line
        cause = (line.spec, line.verdict, *line.clauses)
        if line.call is None or line.call.whole or cause in self._causes:
            return
        self._causes.add(cause)
        try:
            self.judging.smaller(judged, case, gave)
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
        return [judged for judged in self.judged if judged.line.accuses]

    @property
    def inputs_finite(self) -> bool:
        """Whether no input holds a NaN or an infinity."""
        return not any(map(_not_finite, self.inputs.values()))

    def status(self, allow_undecided: bool = False) -> int:
        """The exit status: 2 where nothing was judged, a node is malformed, or the suite failed; 1 where the model as a
        whole is not run, or something new is wrong; 2 where nothing was decided of a node that has a specification, or
        outputs are not finite and the inputs are, unless that is allowed; else 0."""
        failed = any(judged.line.verdict == "harness-error" for judged in self.judged)
        every = [*self.subjects, *self.inner]
        if not self.judged or failed or any(finding.malformed for subject in every for finding in subject.findings):
            return 2
        if self.refused or any(judged.news for judged in self.judged):
            return 1
        decided = {id(judged.subject) for judged in self.judged if decides(judged.way, judged.line)}
        undecided = any(subject.findings and id(subject) not in decided for subject in every)
        return 2 if (undecided or self.not_finite and self.inputs_finite) and not allow_undecided else 0


def _not_finite(array: np.ndarray) -> int:
    """How many elements are NaN or infinite."""
    return int((~np.isfinite(array)).sum()) if is_float(array.dtype) else 0
