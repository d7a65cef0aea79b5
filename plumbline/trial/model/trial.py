"""Trial of a model: judge nodes on their real inputs.

Nodes whose operator has a specification are judged in two ways, since runtimes take different paths. "in-place" takes
the inputs and outputs of nodes from the whole model, whose inner tensors become outputs. "alone" runs the node by
itself, with its inputs in place.

If the backend refuses the whole model, the first nodes are judged in parts of it, up to the node that it refuses. Other
nodes, and those of a model too large for a request, run by themselves, each on the outputs of the nodes before it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from plumbline.backends import Answered, Asking, Host, Outcome, Request
from plumbline.backends.outcomes import in_words
from plumbline.backends.request import to_request
from plumbline.cases import Case
from plumbline.cases.onnx.contexts import contexts
from plumbline.oracle import load_spec
from plumbline.oracle.check.selection import Text
from plumbline.oracle.response import is_float
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.control_flow import ControlFlow
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.node_judging import Judging
from plumbline.trial.model.other_runs import compared
from plumbline.trial.model.parts_of_trial import Change, Judged, Span, Subject, Tensors
from plumbline.trial.model.sentences import OWN, decides, is_smaller, settles
from plumbline.trial.model.static_facts import find_possible_divergences, learn, subjects
from plumbline.trial.record.model_part import BoundOfModel, OtherModel, OtherRun
from plumbline.trial.tools.minimisation import MinimiseError

BYTES_PER_SECOND = 2**23
"""Rate of sending to a process on a busy machine, by which time limits are extended."""

UNOPTIMISED = "unoptimized"
"""The context in which a backend does not rewrite graphs."""


def _ignore(*_: object) -> None:
    """Do nothing."""


@dataclass(eq=False)
class ModelTrial:
    """A model, a backend, and the results.

    probing:        whether each node also runs alone with fault-revealing values.
    progress:       called with the number of further nodes done.
    wrong_case:     called with name and case of each node that accuses the backend; cases are not kept.
    refused:        why the backend did not run the whole model, "" if it did.
    wrong_loops:    why loops should have run more or fewer iterations, where no known divergence accounts for it.
    followed:       the final outputs against those of the model whose branches and loops are replaced, if they differ.
    not_finite:     by output of the model, how much of it is NaN or infinite.
    unoptimised:    the final outputs against those with optimisation off.
    effect:         the final outputs against those with the first wrong node put right.
    independent:    the final outputs against a run through the definitions, if there was one.
    bound:          what all conforming implementations can give, if it was asked for.
    against:        the comparison with the model of floats, if there was one.
    every:          all nodes: `subjects` of the graph, `replaced` nodes with branches, `inner` nodes.
    final:          the final outputs, {} if the whole model did not run.
    span:           the smallest span with a different result, if `spans_searched`.
    changes:        the short spans that give other bits together than one by one, likewise.
    interrupted:    how far the trial came if it ends here, "" while it runs.
    """

    graph: Graph
    host: Host
    known: KnownDivergences
    texts: Sequence[Text]
    inputs: Tensors
    time_limit: float = 20.0
    probing: bool = False
    progress: Callable[[int], None] = _ignore
    wrong_case: Callable[[str, Case], None] = _ignore
    refused: str = ""
    notes: list[str] = field(default_factory=list)
    not_finite: dict[str, str] = field(default_factory=dict)
    unoptimised: OtherRun | None = None
    effect: OtherRun | None = None
    independent: OtherRun | None = None
    bound: BoundOfModel | None = None
    against: OtherModel | None = None
    final: Tensors = field(default_factory=dict)
    span: Span | None = None
    spans_searched: bool = False
    changes: list[Change] = field(default_factory=list)
    interrupted: str = field(default="", init=False)

    followed: OtherRun | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.graph.bind(self.inputs)
        self.time_limit += max(map(self.graph.size, self.graph.steps), default=0) / BYTES_PER_SECOND
        self._asking, self._causes = Asking(self.host), set[tuple[str, ...]]()
        control_flow = ControlFlow(self.graph, self.inputs, self.submit)
        control_flow.follow()
        self.wrong_loops = control_flow.wrong
        self.judging = Judging(self.graph, self.host, self.known, self.time_limit)
        self.followed, self._replaced = control_flow.changed, control_flow.replaced
        steps, inner = self.graph.steps, self.graph.inner
        self.every = list(subjects([*steps, *(each.step for each in self._replaced), *inner], self.texts,
                                   self.host.identity.specifications))
        first = len(self.every) - len(inner)
        self.subjects, self.replaced = self.every[:len(steps)], self.every[len(steps):first]
        self.inner = self.every[first:]
        for subject in self.inner:
            subject.why_not = f"it is in {subject.step.node.place}, whose tensors cannot be fetched"

    def run(self) -> None:
        """Judge all nodes, then find the known divergences that can affect them."""
        self._run()
        self._judge_replaced()
        learn(self.subjects, self.judging.types)
        find_possible_divergences(self.every, self.known, self.progress)

    @contextmanager
    def interrupted_here(self) -> Iterator[None]:
        """Note meanwhile how far an interrupted trial came, and which nodes it did not reach."""
        reached = {id(judged.subject) for judged in self.judged}
        judged = [subject for subject in self.every if subject.findings]
        missing = [subject for subject in judged if id(subject) not in reached and not subject.why_not]
        for subject in missing:
            subject.why_not = "not reached: the trial was interrupted"
        self.interrupted = f"interrupted when {len(reached)} of {len(judged)} nodes were judged"
        try:
            yield
        finally:
            self.interrupted = ""
            for subject in missing:
                subject.why_not = ""

    def _run(self) -> None:
        if self.graph.too_large:
            self.notes.append(f"the whole model does not run, only its nodes one by one: {self.graph.too_large}")
            self._node_by_node()
            return
        outcome = self._whole([])
        self.refused = "" if isinstance(outcome, Answered) else in_words(outcome)
        if isinstance(outcome, Answered):
            self._note_not_finite(outcome.outputs)
            self.final = {name: outcome.outputs[name] for name in self.graph.outputs}
            self.unoptimised = self._against_unoptimised(outcome.outputs)
        chosen = [subject for subject in self.subjects if subject.findings]
        if not self.refused:
            self._learn_sizes([subject.step for subject in chosen])
        rest = iter(chosen)
        for portion in self.graph.portions([subject.step for subject in chosen]):
            if not self._portion(list(islice(rest, len(portion)))) and self.refused:
                break
        if self.refused:
            self._node_by_node()
        else:
            self.progress(len(self.subjects) - len(chosen))

    def _learn_sizes(self, steps: Sequence[Step]) -> None:
        """Fetch the shapes of tensors that are not inferred, so that more of them are fetched at once."""
        names = [name for name in self.graph.unknown(steps) if name not in self.inputs]
        if len(names) > 1:
            model, outputs = self.graph.giving_shapes(names)
            outcome = self.submit(model, self.inputs, outputs, f"{self.graph.path.name} with shapes of inner tensors")
            if isinstance(outcome, Answered):
                self.graph.sizes |= {name: int(np.prod(outcome.outputs[output]))
                                     for name, output in zip(names, outputs, strict=True)}

    def _judge_replaced(self) -> None:
        """Judge nodes that were replaced by others: what they choose, or all that they give."""
        for subject, replaced in zip(self.replaced, self._replaced, strict=True):
            subject.why_not, before, step = replaced.why_not, len(self.judged), subject.step
            if subject.findings and not subject.why_not:
                subject.step = replaced.alone()
                self.judging.judge(subject, replaced.tensors, replaced.in_place, 0.0)
                accusing = [judged for judged in islice(self.judged, before, None) if judged.line.accuses]
                subject.unsettled = "" if accusing else replaced.unsettled
                if accusing and not any(judged.news for judged in accusing):  # known divergences account for it
                    self.wrong_loops = [why for why in self.wrong_loops if why != replaced.wrong]
                self._release(before)
                subject.step = step
            self.progress(1)

    def _note_not_finite(self, outputs: Tensors) -> None:
        """Note outputs of the model that are not finite."""
        for name in self.graph.outputs:
            if name in outputs and (count := _not_finite(outputs[name])):
                self.not_finite[name] = f"{count:,} of {outputs[name].size:,} elements"

    def _against_unoptimised(self, outputs: Tensors) -> OtherRun:
        """Compare the final outputs with those of the same model with optimisation off."""
        if UNOPTIMISED not in self.host.identity.contexts:
            return OtherRun(why=f"{self.host.identity} has no setting that turns it off")
        settings = contexts()[UNOPTIMISED].settings
        return compared(outputs, self.submit(self.graph.giving([]), self.inputs, self.graph.outputs,
                                             f"{self.graph.path.name} without optimisation", settings))

    def _effect(self, judged: Judged, case: Case, gave: Answered) -> OtherRun:
        """Compare the final outputs with those that the nodes behind a wrong node give on what it should give."""
        right = case.expectation.outputs or {}
        names = dict(zip(judged.line.outputs, judged.step.gives, strict=True))
        runs = [{tensor: outputs[name] for name, tensor in names.items()} for outputs in (gave.outputs, right)]
        behind = [name for name in self.graph.outputs if name not in runs[0]]
        outcomes: list[Outcome] = []
        for given in runs:
            outcome: Outcome = Answered({})
            if behind:
                tensors = {**self.inputs, **given}
                try:
                    model = self.graph.part(tensors, tensors, behind)
                except ValueError as error:
                    return OtherRun(why=f"what is behind it cannot be cut out: {error}")
                outcome = self.submit(model, tensors, behind, f"what is behind {judged.step.node.name}")
            if not isinstance(outcome, Answered):
                return compared({}, outcome)
            final = {**outcome.outputs, **given}
            outcomes.append(Answered({name: final[name] for name in self.graph.outputs}))
        first, second = outcomes
        assert isinstance(first, Answered)
        return compared(first.outputs, second)

    def submit(self, model: bytes, inputs: Tensors, outputs: Sequence[str], label: str,
               settings: Mapping[str, Any] | None = None) -> Outcome:
        """Run a model of any nodes."""
        limit = self.time_limit + len(model) / BYTES_PER_SECOND
        request = Request(model, "", {}, self.graph.opsets[""], inputs, tuple(outputs), limit, "", label,
                          settings or {})
        return self._asking.submit([request])[0]

    def _whole(self, names: Sequence[str]) -> Outcome:
        """Run the whole model and fetch tensors. If the whole is refused, run the part that gives them."""
        if self.refused:
            return self.submit(self.graph.part(self.inputs, self.inputs, names), self.inputs, names,
                            f"{len(names)} inner tensors")
        extra = [name for name in names if name not in self.graph.outputs]
        return self.submit(self.graph.giving(extra), self.inputs, [*self.graph.outputs, *extra],
                           f"{self.graph.path.name} with {len(extra)} inner tensors")

    def _portion(self, portion: Sequence[Subject]) -> bool:
        """Judge a portion of nodes; return True if all was fetched.

        In a model that is refused, nodes after one whose tensors cannot be fetched are not tried."""
        names = list(dict.fromkeys(name for subject in portion for name in (*subject.step.reads, *subject.step.gives)
                                   if name not in self.graph.constants and name not in self.inputs))
        began, before = time.perf_counter(), len(self.judged)
        outcome = self._whole(names)
        seconds = (time.perf_counter() - began) / len(portion)
        if isinstance(outcome, Answered):
            tensors = {**self.inputs, **outcome.outputs}
            accused = []
            for subject in portion:
                accused.append(self.judging.judge(subject, tensors, outcome.outputs, seconds))
                self.progress(1)
            if any(accused):  # an accusation rests on more than one answer
                second = self._whole(names)
                for judged in self.judged[before:]:
                    if judged.way == "in-place" and judged.line.accuses:
                        self.judging.again(judged, outcome, second)
            self._release(before)
            return True
        if len(portion) > 1:
            middle = len(portion) // 2
            fetched = self._portion(portion[:middle])
            return (fetched or not self.refused) and self._portion(portion[middle:]) and fetched
        portion[0].why_not = f"its tensors cannot be fetched: {in_words(outcome)}"
        return False

    def _node_by_node(self) -> None:
        """Run each node alone, on the outputs of the nodes before it."""
        tensors: dict[str, np.ndarray] = dict(self.inputs)
        left = Counter(name for subject in self.subjects for name in subject.step.reads)
        done = {id(judged.subject) for judged in self.judged}
        for subject in self.subjects:
            self._run_alone(subject, tensors, id(subject) in done)
            self.progress(id(subject) not in done)
            for name in subject.step.reads:
                left[name] -= 1
                if not left[name]:
                    tensors.pop(name, None)

    def _run_alone(self, subject: Subject, tensors: dict[str, np.ndarray], done: bool) -> None:
        """Judge a node by itself, run it, and add its outputs to `tensors`.

        tensors: by name, what the nodes before it gave.
        done:    the node was judged already."""
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
        self._release(before)
        if case is not None:  # runs as a call, which backends without whole models take
            try:
                request = to_request(load_spec(case.spec), case.call, case.opset, self.time_limit, step.node.name)
            except (TypeError, ValueError):  # no model can hold the call, as its result says
                return
            outcome = self._asking.submit([request])[0]
            if isinstance(outcome, Answered):
                outputs = dict(zip(step.gives, (outcome.outputs[name] for name in request.outputs), strict=True))
                tensors |= outputs
                self._note_not_finite(outputs)
            return
        try:
            model = self.graph.part(tensors, reads, step.gives)
        except ValueError as error:
            subject.why_not = subject.why_not or f"cannot be cut out: {error}"
            return
        outcome = self.submit(model, {name: tensors[name] for name in reads}, step.gives, step.node.name)
        if isinstance(outcome, Answered):
            tensors |= outcome.outputs
            self._note_not_finite(outcome.outputs)
        elif not subject.findings:
            self.notes.append(f"the node {step.node.name} ({step.operator}) by itself: {in_words(outcome)}")

    def _release(self, before: int) -> None:
        """Do what needs the tensors of the last results, then release these."""
        for judged in islice(self.judged, before, None):  # probes append to it
            case, gave, judged.case, judged.gave = judged.case, judged.gave, None, None
            assert case is not None
            if judged.way == "in-place" and judged.line.accuses and gave is not None and self.effect is None:
                self.effect = self._effect(judged, case, gave)
            if judged.line.accuses and not is_smaller(judged.way):
                self.wrong_case(judged.subject.name, case)
                self._smaller(judged, case, gave)
            if judged.way == "alone" and self.probing:
                self.judging.probe(judged, case)

    def _smaller(self, judged: Judged, case: Case, gave: Answered | None) -> None:
        """Look for a smaller call, once for each root cause."""
        line = judged.line
        cause = (line.spec, line.verdict, *line.clauses)
        if line.call is None or line.call.whole or cause in self._causes:
            return
        self._causes.add(cause)
        try:
            self.judging.smaller(judged, case, gave)
        except MinimiseError as error:
            self.notes.append(str(error))

    @property
    def judged(self) -> list[Judged]:
        """Results of all nodes, each alone, in place and so on."""
        return self.judging.judged

    @property
    def wrong(self) -> list[Judged]:
        """The results that accuse the backend, in the order of the graph."""
        return [judged for judged in self.judged if judged.line.accuses]

    @property
    def inputs_finite(self) -> bool:
        """True if all inputs are finite."""
        return not any(map(_not_finite, self.inputs.values()))

    @property
    def refused_as_it_is(self) -> str:
        """Why the whole model did not run, "" if it ran before its branches and loops were replaced."""
        return "" if self.followed is not None and self.followed.why else self.refused

    def status(self, allow_undecided: bool = False, strict: bool = False) -> int:
        """Return the exit status.

        - 2 if nothing was judged, a node is malformed, or the suite failed
        - else 1 if the whole model did not run, a loop ran too often or too rarely, or something new is wrong (or
          known, if strict)
        - else 2, unless allowed, if nothing was decided of a node with a specification, or outputs are not finite but
          inputs are
        - else 0"""
        failed = any(judged.line.verdict == "harness-error" for judged in self.judged)
        malformed = any(finding.malformed for subject in self.every for finding in subject.findings)
        if not self.judged or failed or malformed:
            return 2
        if self.refused_as_it_is or self.wrong_loops or any(
                judged.news or strict and judged.line.accuses for judged in self.judged):
            return 1
        decided = {id(judged.subject) for judged in self.judged if decides(judged.way, judged.line)}
        around = {id(judged.subject) for judged in self.judged if judged.way in OWN and settles(judged.line)}
        decided |= {id(subject) for subject in self.inner
                    if subject.step.around is not None and id(self.subjects[subject.step.around]) in around}
        undecided = any(subject.findings and (subject.unsettled or id(subject) not in decided)
                        for subject in self.every)
        return 2 if (undecided or self.not_finite and self.inputs_finite) and not allow_undecided else 0


def _not_finite(array: np.ndarray) -> int:
    """Return the number of elements that are NaN or infinite."""
    return int((~np.isfinite(array)).sum()) if is_float(array.dtype) else 0
