"""Judges nodes of a model on tensors at hand: alone, in place, with values that betray faults."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from plumbline.backends import Answered, Host, Outcome
from plumbline.backends.outcomes import difference
from plumbline.cases import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, Operator, OutsideDomain, Spec, TooLarge, load_spec
from plumbline.oracle.parts import narrowed
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.known_divergences import betraying_calls
from plumbline.trial.model.parts_of_trial import Judged, Lines, Subject, Tensors
from plumbline.trial.model.sentences import is_smaller
from plumbline.trial.model.static_facts import asked
from plumbline.trial.run.session import Session
from plumbline.trial.tools.minimisation import MinimiseError, minimised

ATTEMPTS = 300
"""Calls put at most to find a smaller one."""

LARGEST = 2**29
"""Bytes of tensors of a node that moves data alone, and is judged as a whole."""

AT_ONCE = 2**22
"""Elements of what is judged at once of any other node; each takes some 250 bytes."""


class Judging:
    """A host that is put nodes, and what came of each, with a line of the record."""

    def __init__(self, graph: Graph, host: Host, known: KnownDivergences, time_limit: float) -> None:
        self.graph, self.judged = graph, list[Judged]()
        self._lines, self._host, self._limit = Lines(), host, time_limit
        self._session = Session(host, known, self._lines, time_limit)  # type: ignore[arg-type]

    def judge(self, subject: Subject, tensors: Tensors, gave: Tensors | None, seconds: float) -> bool:
        """A node in both ways, in place where it is known what it `gave`; whether the backend is accused of that."""
        step, accused = subject.step, False
        for finding in subject.findings:
            spec = finding.spec
            outputs = asked(spec, step.node.asked)
            if finding.malformed or len(step.gives) > len(spec.outputs) or _opaque(step):
                subject.why_not = finding.malformed or "its attributes or outputs are beyond its specification"
                continue
            call = self.call(step, spec, tensors).asking_for(*outputs)
            subject.why_not = self._too_large(step, spec, call)
            if subject.why_not:
                continue
            ways: list[tuple[str, Outcome | None]] = [("alone", None)]
            if gave is not None:
                ways.append(("in-place", Answered(dict(zip(outputs, (gave[name] for name in step.gives),
                                                           strict=True)))))
            try:
                case = self._case(subject, spec, call)
            except (OutsideDomain, TooLarge) as error:
                subject.why_not = str(error)
                continue
            for way, outcome in ways:
                found = self._put(subject, case, way, "+".join(outputs), outcome, seconds)
                accused |= found.line.accuses and outcome is not None
            subject.why_not = ""
        Spec.release()
        return accused

    def _too_large(self, step: Step, spec: Spec, call: Call) -> str:
        """Why a node is not judged for its size; "" where it is."""
        if spec.definition.slices is Operator.slices:
            size = self.graph.size(step)
            return f"its tensors have {size:,} bytes, and at most {LARGEST:,} are judged" if size > LARGEST else ""
        reading = spec.judged(call)
        size = 0 if reading.violations else reading.at_once
        return f"{size:,} elements would be judged at once, and at most {AT_ONCE:,} are" if size > AT_ONCE else ""

    def again(self, judged: Judged, first: Answered, second: Outcome) -> None:
        """What a second answer of the whole model says of one node: what differs is unstable."""
        step = judged.step
        words = difference(_of(first, step), _of(second, step))
        if words is not None and judged.case is not None:
            given = dict(zip(judged.line.outputs, (first.outputs[name] for name in step.gives), strict=True))
            self._session.judged(judged.case, judged.line.form, Answered(given), judged.line.seconds,
                                 f"in a second run of the whole model, {words}")
            judged.line = self._lines.last

    def probe(self, judged: Judged, case: Case) -> None:
        """Put a node, with its attributes and shapes, by itself with values that betray faults in place of those of
        every input that is not a constant."""
        proto = judged.step.proto
        spec = load_spec(case.spec)
        names = zip(spec.input_names(len(proto.input)), proto.input, strict=True)
        constant = {name for name, tensor in names if tensor in self.graph.constants}
        for number, call in enumerate(betraying_calls(case.call, constant)):
            if not spec.violations(call):
                self._put(judged.subject, self._case(judged.subject, spec, call), f"probe-{number}", judged.line.form)

    def smaller(self, judged: Judged, case: Case, gave: Answered | None) -> None:
        """Put the smallest call found on which the backend does to a node what it did, looked for in the part with the
        first wrong element before the whole; of what it `gave` in place, judge that part. Raises MinimiseError."""
        before = sum(is_smaller(each.way) for each in self.judged if each.subject is judged.subject)
        way, form = f"smaller-{before + 1}" if before else "smaller", judged.line.form
        wrong, parts = judged.line.divergences, []
        if "+" not in form and wrong and wrong[0].where:
            spec = load_spec(case.spec)
            call, where = narrowed(spec, case.call.asking_for(form), tuple(wrong[0].where[0]))
            parts.append(self._case(judged.subject, spec, call))
            if gave is not None:
                self._put(judged.subject, parts[0], way, form, Answered({form: gave.outputs[form][where]}))
        if gave is None:
            self._put(judged.subject, self._minimised([*parts, case], form), way, form)

    def _minimised(self, cases: Sequence[Case], form: str) -> Case:
        """The first of these on which the backend fails, with its call as small as it gets. Raises MinimiseError."""
        for case in cases[:-1]:
            with suppress(MinimiseError):
                return minimised(self._host, case, form, self._limit, ATTEMPTS)
        return minimised(self._host, cases[-1], form, self._limit, ATTEMPTS)

    def call(self, step: Step, spec: Spec, tensors: Tensors) -> Call:
        """The call that a node makes of these tensors."""
        inputs = {}
        for name, tensor in zip(spec.input_names(len(step.proto.input)), step.proto.input, strict=True):
            if tensor:
                inputs[name] = tensors[tensor] if tensor in tensors else self.graph.value(tensor)
        return Call(step.node.operator, step.node.attributes, inputs)

    def _put(self, subject: Subject, case: Case, way: str, form: str, outcome: Outcome | None = None,
             seconds: float = 0.0) -> Judged:
        """A node in one way, put now where no outcome is at hand."""
        title = case.title if is_smaller(way) else f"{case.title}, {way.replace('-', ' ')}"
        named = replace(case, id=f"{subject.name}.{way}", title=title)
        if outcome is None:
            self._session.submit(named, form)
        else:
            self._session.judged(named, form, outcome, seconds)
        self._session.results.clear()  # which hold tensors
        gave = outcome if isinstance(outcome, Answered) else None
        self.judged.append(Judged(subject, way, self._lines.last, named, gave))
        return self.judged[-1]

    def _case(self, subject: Subject, spec: Spec, call: Call) -> Case:
        """A node as a case that names no clause: to find out which ones a call tries takes longer than to judge it.
        Raises OutsideDomain for what is not a call of the operator."""
        node, file = subject.step.node, self.graph.path.name
        broken = tuple(entry.clause for entry in spec.violations(call))
        expectation = Expectation(outside=broken) if broken else Expectation(outputs=spec.expected(call))
        return Case(subject.name, f"{node.operator} {node.name} on its inputs in {file}", spec.name, node.opset, call,
                    expectation, broken, file, flags_of(spec, call))


def _of(outcome: Outcome, step: Step) -> Outcome:
    """What an outcome of the whole model says of one node."""
    if not isinstance(outcome, Answered):
        return outcome
    return Answered({name: outcome.outputs[name] for name in (*step.reads, *step.gives) if name in outcome.outputs})


def _opaque(step: Step) -> bool:
    """Whether an attribute holds a tensor or a graph, which a call does not carry."""
    return any(attribute.type in (attribute.TENSOR, attribute.GRAPH, attribute.SPARSE_TENSOR, attribute.TENSORS,
                                  attribute.GRAPHS) for attribute in step.proto.attribute)
