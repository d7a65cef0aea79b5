"""A model on trial: each node whose operator has a specification is judged on the inputs that it really receives.

Two ways, since runtimes take different paths: `in-place` fetches the inputs and outputs of nodes from the whole model,
whose inner tensors are made outputs; `alone` puts the node by itself, with the inputs that it had in place. Where the
backend does not take the whole model, it is put node by node, each with what the nodes before it gave.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from onnx import numpy_helper

from plumbline.backends import Answered, Asking, Host, Outcome, Request, is_asked
from plumbline.backends.outcomes import difference, in_words
from plumbline.cases import Case, Expectation
from plumbline.cases.flags import flags_of
from plumbline.cases.generate import MadeCase
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.check.findings import Finding, finding_of
from plumbline.oracle.check.selection import Text
from plumbline.trial.known import KnownDivergences
from plumbline.trial.model_graph import Graph, Step
from plumbline.trial.model_known import Met, betraying_calls, met
from plumbline.trial.model_parts import Judged, Lines, Span, Subject, Tensors
from plumbline.trial.places import file_name
from plumbline.trial.record import CaseLine
from plumbline.trial.session import Session


@dataclass(eq=False)
class ModelTrial:
    """A model, a backend, and what became of the one on the other."""

    graph: Graph
    host: Host
    known: KnownDivergences
    texts: Sequence[Text]
    inputs: Tensors
    time_limit: float = 20.0
    refused: str = ""
    """How the backend failed to take or to run the whole model; "" where it did not."""
    judged: list[Judged] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    span: Span | None = None
    spans_searched: bool = False
    """Whether a span was looked for that gives something else together; `span` is what was found."""

    def __post_init__(self) -> None:
        self.graph.bind(self.inputs)
        self._asking = Asking(self.host)
        self._lines = Lines()
        self.session = Session(self.host, self.known, self._lines, self.time_limit)  # type: ignore[arg-type]
        self._constants: dict[str, np.ndarray] = {}
        self.subjects = list(self._subjects())
        self._by_step = {id(subject.step): subject for subject in self.subjects}

    # The static part

    def _subjects(self) -> Iterator[Subject]:
        patterns = self.host.identity["specifications"]
        names: Counter[str] = Counter()
        for step in self.graph.steps:
            node = step.node
            specs = [spec for text in self.texts if text.about == (node.domain, node.operator)
                     and (spec := text.spec(node.opset)) is not None and is_asked(patterns, spec.name)]
            name = file_name(node.name) or file_name(node.operator)
            names[name] += 1
            unique = name if names[name] == 1 else f"{name}-{names[name]}"
            subject = Subject(step, unique, [finding_of(spec, node) for spec in specs])
            for finding in subject.findings:
                subject.met += self._met(finding)
            yield subject

    def _met(self, finding: Finding) -> list[Met]:
        """What is known of calls with the types and shapes of a node, where these are known."""
        spec, given = finding.spec, finding.node.named(finding.spec)
        shapes = [tensor.shape for tensor in given.values()]
        if finding.malformed or not given or any(
                tensor.dtype is None or tensor.shape is None or not all(isinstance(size, int) for size in tensor.shape)
                for tensor in given.values()) or not all(shape is not None for shape in shapes):
            return []
        arrays = {name: tensor.value if tensor.value is not None else np.ones(tensor.shape, tensor.dtype)
                  for name, tensor in given.items()}
        constant = {name for name, tensor in given.items() if tensor.value is not None}
        outputs = asked(spec, finding.node.asked)
        call = Call(finding.node.operator, finding.node.attributes, arrays, outputs)
        return met(spec, call, constant, "+".join(outputs), self.known)

    # The dynamic part

    def run(self) -> None:
        """Judge every node that can be judged."""
        outcome = self._whole([])
        chosen = [subject for subject in self.subjects if subject.findings]
        if isinstance(outcome, Answered):
            for portion in self.graph.portions([subject.step for subject in chosen]):
                self._portion(portion)
        else:
            self.refused = in_words(outcome)
            self._node_by_node()
        for judged in self.judged:
            self.subject(judged.step).why_not = ""

    def put(self, model: bytes, inputs: Tensors, outputs: Sequence[str], label: str) -> Outcome:
        """What comes of a model of any nodes."""
        request = Request(model, "", {}, self.graph.opsets[""], inputs, tuple(outputs), self.time_limit, "", label)
        return self._asking.put([request])[0]

    def _whole(self, names: Sequence[str]) -> Outcome:
        """The whole model, with these tensors besides its outputs."""
        extra = [name for name in names if name not in self.graph.outputs]
        return self.put(self.graph.giving(extra), self.inputs, [*self.graph.outputs, *extra],
                         f"{self.graph.path.name} with {len(extra)} inner tensors")

    def _portion(self, steps: list[Step]) -> None:
        names = dict.fromkeys(name for step in steps for name in (*step.reads, *step.gives)
                              if name not in self.graph.constants and name not in self.inputs)
        began = time.perf_counter()
        outcome = self._whole(list(names))
        seconds = (time.perf_counter() - began) / len(steps)
        if isinstance(outcome, Answered):
            tensors = {**self.inputs, **outcome.outputs}
            accused = [self._judge(step, tensors, outcome.outputs, seconds) for step in steps]
            if any(accused):
                self._again(steps, list(names), outcome)
        elif len(steps) > 1:
            self._portion(steps[:len(steps) // 2])
            self._portion(steps[len(steps) // 2:])
        else:
            self.subject(steps[0]).why_not = f"its tensors cannot be fetched: {in_words(outcome)}"

    def _again(self, steps: Sequence[Step], names: Sequence[str], first: Answered) -> None:
        """An accusation rests on more than one answer: a node whose tensors differ in a second run is unstable."""
        second = self._whole(names)
        for place, judged in enumerate(self.judged):
            if judged.way == "in-place" and judged.result.accuses and judged.step in steps:
                words = difference(_of(first, judged.step), _of(second, judged.step))
                if words is not None:
                    given = dict(zip(judged.line.outputs, (first.outputs[name] for name in judged.step.gives),
                                     strict=True))
                    result = self.session.judged(judged.result.case, judged.line.form, Answered(given),
                                                 judged.line.seconds, f"in a second run of the whole model, {words}")
                    self._lines.lines[self._lines.lines.index(judged.line)] = line = self._lines.lines.pop()
                    self.judged[place] = Judged(judged.step, judged.way, result, line)

    def _node_by_node(self) -> None:
        """Each node by itself, with what the nodes before it gave; those that get nothing are not reached."""
        tensors: dict[str, np.ndarray] = dict(self.inputs)
        left = Counter(name for subject in self.subjects for name in subject.step.reads)
        for subject in self.subjects:
            step = subject.step
            reads = [name for name in step.reads if name not in self.graph.constants]
            lacking = [name for name in reads if name not in tensors]
            if lacking:
                subject.why_not = f"not reached: nothing gave {', '.join(lacking)}"
                continue
            self._judge(step, tensors, None, 0.0)
            try:
                model = self.graph.part(reads, step.gives)
            except ValueError as error:
                subject.why_not = f"cannot be cut out: {error}"
                continue
            outcome = self.put(model, {name: tensors[name] for name in reads}, step.gives, step.node.name)
            if isinstance(outcome, Answered):
                tensors |= outcome.outputs
            else:
                subject.why_not = in_words(outcome)
                if not subject.findings:
                    self.notes.append(f"the node {step.node.name} ({step.operator}) by itself: {in_words(outcome)}")
            for name in step.reads:
                left[name] -= 1
                if not left[name]:
                    tensors.pop(name, None)

    def probe(self) -> None:
        """Put each node that was judged, with its attributes and shapes, by itself with values that betray faults in
        place of those of every input that is not a constant."""
        for judged in [judged for judged in self.judged if judged.way == "alone"]:
            case, step = judged.result.case, judged.step
            names = zip(load_spec(case.spec).input_names(len(step.proto.input)), step.proto.input, strict=True)
            constant = {name for name, tensor in names if tensor in self.graph.constants}
            for number, call in enumerate(betraying_calls(case.call, constant)):
                self._probe(step, load_spec(case.spec), call, f"probe-{number}", judged.line.form)

    def _probe(self, step: Step, spec: Spec, call: Call, way: str, form: str) -> None:
        if not spec.violations(call):
            result = self.session.put(self._case(self.subject(step), spec, call, way), form)
            self.judged.append(Judged(step, way, result, self._lines.lines[-1]))

    # Judging

    def _judge(self, step: Step, tensors: Tensors, gave: Tensors | None, seconds: float) -> bool:
        """A node in both ways, in place where it is known what it `gave`; whether the backend is accused."""
        subject = self.subject(step)
        accused = False
        for finding in subject.findings:
            spec = finding.spec
            call = self.call(step, spec, tensors)
            outputs = asked(spec, step.node.asked)
            if finding.malformed or len(step.gives) > len(spec.outputs) or _opaque(step):
                subject.why_not = finding.malformed or "its attributes or outputs are beyond its specification"
                continue
            ways: list[tuple[str, Outcome | None]] = [("alone", None)]
            if gave is not None:
                named = dict(zip(outputs, (gave[name] for name in step.gives), strict=True))
                ways.append(("in-place", Answered(named)))
            for way, outcome in ways:
                try:
                    case = self._case(subject, spec, call.asking_for(*outputs), way)
                except OutsideDomain as error:
                    subject.why_not = str(error)
                    break
                form = "+".join(outputs)
                result = (self.session.put(case, form) if outcome is None
                          else self.session.judged(case, form, outcome, seconds))
                self.judged.append(Judged(step, way, result, self._lines.lines[-1]))
                accused |= result.accuses and outcome is not None
        return accused

    def subject(self, step: Step) -> Subject:
        """What a node is judged by."""
        return self._by_step[id(step)]

    def call(self, step: Step, spec: Spec, tensors: Tensors) -> Call:
        """The call that a node makes of these tensors."""
        inputs = {}
        for name, tensor in zip(spec.input_names(len(step.proto.input)), step.proto.input, strict=True):
            if tensor:
                inputs[name] = tensors[tensor] if tensor in tensors else self._constant(tensor)
        return Call(step.node.operator, step.node.attributes, inputs)

    def _constant(self, name: str) -> np.ndarray:
        return numpy_helper.to_array(self.graph.constants[name])

    def _case(self, subject: Subject, spec: Spec, call: Call, way: str) -> Case:
        """A node as a case. Raises OutsideDomain for what is no call of the operator."""
        broken = tuple(entry.clause for entry in spec.violations(call))
        node = subject.step.node
        about = (f"{subject.name}.{way}", f"{node.operator} {node.name}, {way.replace('-', ' ')}, on its inputs in "
                 f"{self.graph.path.name}", spec.name, node.opset, call)
        if broken:
            return Case(*about, Expectation(outside=broken), broken, self.graph.path.name, flags_of(spec, call))
        return MadeCase(*about, Expectation(outputs=spec.expected(call)), (), self.graph.path.name,
                        flags_of(spec, call))

    # What was found

    @property
    def lines(self) -> list[CaseLine]:
        """The lines of the record."""
        return self._lines.lines

    @property
    def wrong(self) -> list[Judged]:
        """Those that accuse the backend, in the order of the graph."""
        return [judged for judged in self.judged if judged.result.accuses]

    @property
    def judged_nodes(self) -> list[Subject]:
        """The nodes that were judged in some way."""
        seen = {id(judged.step) for judged in self.judged}
        return [subject for subject in self.subjects if id(subject.step) in seen]

    def status(self) -> int:
        """The exit status: 2 where nothing was judged, or the suite failed; 1 where the model as a whole is not run, or
        something new is wrong; else 0."""
        if not self.judged or any(judged.line.verdict == "harness-error" for judged in self.judged):
            return 2
        return 1 if self.refused or any(judged.news for judged in self.judged) else 0


def asked(spec: Spec, asked: Sequence[bool]) -> tuple[str, ...]:
    """The names of the outputs that a node gives."""
    return tuple(name for name, given in zip(spec.outputs, asked, strict=False) if given)


def _of(outcome: Outcome, step: Step) -> Outcome:
    """What an outcome of the whole model says of one node."""
    if not isinstance(outcome, Answered):
        return outcome
    return Answered({name: outcome.outputs[name] for name in (*step.reads, *step.gives) if name in outcome.outputs})


def _opaque(step: Step) -> bool:
    """Whether an attribute holds a tensor or a graph, which a call does not carry."""
    return any(attribute.type in (attribute.TENSOR, attribute.GRAPH, attribute.SPARSE_TENSOR, attribute.TENSORS,
                                  attribute.GRAPHS) for attribute in step.proto.attribute)
