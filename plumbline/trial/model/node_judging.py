"""Judge nodes of a model: alone, in place, with fault-revealing values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.backends import Answered, Host, Outcome
from plumbline.backends.outcomes import difference
from plumbline.cases import Case, Expectation
from plumbline.cases.format.computed import CanonicalOutputs
from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, Operator, OutsideDomain, Spec, TooLarge, load_spec
from plumbline.oracle.check.graph import LARGEST as LARGEST_GRAPH
from plumbline.oracle.check.graph import read_around, subgraphs
from plumbline.oracle.families.bodies import bound
from plumbline.oracle.graphs import encoded
from plumbline.oracle.parts import narrowed
from plumbline.oracle.type_names import bytes_of
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.known_divergences import revealing_calls
from plumbline.trial.model.parts_of_trial import Judged, Subject, Tensors
from plumbline.trial.model.sentences import is_smaller
from plumbline.trial.model.static_facts import asked
from plumbline.trial.record.measurements import ALLOWED_ERROR, DECIDED, ELEMENTS, LARGEST_ERROR
from plumbline.trial.record.recording import MemoryWriter
from plumbline.trial.run.session import Session
from plumbline.trial.tools.minimisation import MinimiseError, minimised

ATTEMPTS, SECONDS = 300, 10.0
"""Most calls that are run to find a smaller one, and the time for them."""

LARGEST = 2**29
"""Most bytes of the tensors of a node that is judged as a whole."""

AT_ONCE = 2**22
"""Most elements judged at once of other nodes; each takes some 250 bytes."""


class Judging:
    """Runs and judges nodes, and keeps the results.

    types: element type and shape of the tensors that judged nodes read.
    """

    def __init__(self, graph: Graph, host: Host, known: KnownDivergences, time_limit: float) -> None:
        self.graph, self.judged, self.types = graph, list[Judged](), dict[str, tuple[np.dtype, tuple[int, ...]]]()
        self._written, self._host, self._limit = MemoryWriter(), host, time_limit
        self._session = Session(host, known, self._written, time_limit, more_figures=self._figures)
        self._answer: Answered | None = None

    def _figures(self, spec: Spec, call: Call, outcome: Answered) -> dict[str, float]:
        """Return the errors and decided elements of an answer, and keep it for `_run`."""
        self._answer = outcome
        return {**errors(spec, call, outcome), **counts(spec, call, outcome)}

    def judge(self, subject: Subject, tensors: Tensors, gave: Tensors | None, seconds: float) -> bool:
        """Judge a node alone, and in place if possible.

        tensors: by name, the tensors that the node reads.
        gave:    by name, its outputs in the whole model; None if unknown, so that it is only judged alone.
        seconds: time to record for the result in place.

        Return True if the results in place accuse the backend."""
        step, accused = subject.step, False
        for finding in subject.findings:
            spec = finding.spec
            outputs = asked(spec, step.node.asked)
            if finding.malformed or len(step.gives) > len(outputs) or is_opaque(step):
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
            constants = self._constants(step, spec) if gave is not None else ()
            try:
                case = self._case(subject, spec, call, constants)
            except (OutsideDomain, TooLarge) as error:
                subject.why_not = str(error)
                continue
            for way, outcome in ways:
                judged = self._run(subject, case, way, spec.form(call), outcome, seconds)
                accused |= judged.line.accuses and outcome is not None
            subject.why_not = ""
        Spec.release()
        return accused

    def _too_large(self, step: Step, spec: Spec, call: Call) -> str:
        """Return why a node is too large to be judged, or ""."""
        if spec.definition.slices is Operator.slices:
            size = self.graph.size(step)
            return f"its tensors have {size:,} bytes, and at most {LARGEST:,} are judged" if size > LARGEST else ""
        reading = spec.judged(call)
        size = 0 if reading.violations else reading.at_once
        return f"{size:,} elements would be judged at once, and at most {AT_ONCE:,} are" if size > AT_ONCE else ""

    def again(self, judged: Judged, first: Answered, second: Outcome) -> None:
        """Compare a second run: a node that differs is unstable, unless it may draw what it gives anew, or is wrong as
        well on other tensors that it read then."""
        step = judged.step
        words = difference(_of(first, step), _of(second, step))
        if words is None or judged.case is None:
            return
        if not load_spec(judged.case.spec).judged(judged.case.call).is_random and not self._is_wrong_too(
                judged, judged.case, first, second):
            outputs = dict(zip(judged.line.outputs, (first.outputs[name] for name in step.gives), strict=True))
            self._session.judged(judged.case, judged.line.form, Answered(outputs), judged.line.seconds,
                                 f"in a second run of the whole model, {words}")
            judged.line = self._written.lines.pop()

    def _is_wrong_too(self, judged: Judged, case: Case, first: Answered, second: Outcome) -> bool:
        """Return True if a node read other tensors in a second run, as behind one that draws at random, and was wrong
        on these."""
        step, spec = judged.step, load_spec(case.spec)
        if not isinstance(second, Answered) or all(
                same_bits({name: first.outputs[name]}, {name: second.outputs[name]})
                for name in step.reads if name in second.outputs):
            return False
        named = zip(spec.input_names(len(step.proto.input)), step.proto.input, strict=True)
        call = replace(case.call, inputs={**case.call.inputs} | {
            name: second.outputs[tensor] for name, tensor in named if tensor in second.outputs})
        gave = dict(zip(judged.line.outputs, (second.outputs[name] for name in step.gives), strict=True))
        return not spec.violations(call) and bool(spec.judged(call).divergences(gave))

    def probe(self, judged: Judged, case: Case) -> None:
        """Run a node alone with fault-revealing values. They replace those of all inputs that are not constant."""
        spec = load_spec(case.spec)
        for number, call in enumerate(revealing_calls(case.call, set(self._constants(judged.step, spec)))):
            if not spec.violations(call):
                with suppress(OutsideDomain):  # values that lead into a branch without a specification
                    probe = self._case(judged.subject, spec, call, case.constants)
                    self._run(judged.subject, probe, f"probe-{number}", judged.line.form)

    def _constants(self, step: Step, spec: Spec) -> tuple[str, ...]:
        """Return the names of inputs that are constants of the model."""
        names = zip(spec.input_names(len(step.proto.input)), step.proto.input, strict=True)
        return tuple(name for name, tensor in names if tensor in self.graph.constants)

    def smaller(self, judged: Judged, case: Case, gave: Answered | None) -> None:
        """Run the smallest call with the fault of a node.

        It is searched in the part with the first wrong element, then in the whole. For a result in place, that part of
        the outputs is judged instead. Raises MinimiseError."""
        before = sum(is_smaller(each.way) for each in self.judged if each.subject is judged.subject)
        way, form = f"smaller-{before + 1}" if before else "smaller", judged.line.form
        wrong, parts = judged.line.divergences, []
        spec = load_spec(case.spec)
        if "+" not in form and not spec.variadic_output and wrong and wrong[0].where:
            call, where = narrowed(spec, case.call.asking_for(form), tuple(wrong[0].where[0]))
            parts.append(self._case(judged.subject, spec, call, case.constants))
            if gave is not None:
                self._run(judged.subject, parts[0], way, form, Answered({form: gave.outputs[form][where]}))
        if gave is None:
            self._run(judged.subject, self._minimised([*parts, case], form), way, form)

    def _minimised(self, cases: Sequence[Case], form: str) -> Case:
        """Return the minimised first case on which the backend fails. Raises MinimiseError."""
        for case in cases[:-1]:
            with suppress(MinimiseError):
                return minimised(self._host, case, form, self._limit, ATTEMPTS, SECONDS)
        return minimised(self._host, cases[-1], form, self._limit, ATTEMPTS, SECONDS)

    def call(self, step: Step, spec: Spec, tensors: Tensors) -> Call:
        """Return the call that a node makes with these tensors."""
        inputs = {}
        for name, tensor in zip(spec.input_names(len(step.proto.input)), step.proto.input, strict=True):
            if tensor:
                inputs[name] = tensors[tensor] if tensor in tensors else self.graph.value(tensor)
                self.types[tensor] = inputs[name].dtype, inputs[name].shape
        return Call(step.node.operator, self._attributes(step, tensors), inputs,
                    spec.output_names(len(step.proto.output)) if spec.variadic_output else None, step.node.opset)

    def _attributes(self, step: Step, tensors: Tensors) -> Mapping[str, Any]:
        """Return the attributes of a node; what its graphs read from around them becomes part of them."""
        around = {name: tensors[name] if name in tensors else self.graph.value(name)
                  for name in read_around(step.proto)}
        if not around or sum(array.nbytes for array in around.values()) > LARGEST_GRAPH:
            return step.node.attributes
        graphs = dict(subgraphs(step.proto))
        return {name: encoded(bound(graphs[name], around)) if name in graphs else value
                for name, value in step.node.attributes.items()}

    def _run(self, subject: Subject, case: Case, way: str, form: str, outcome: Outcome | None = None,
             seconds: float = 0.0) -> Judged:
        """Judge an outcome of a node, or run it if there is none."""
        title = case.title if is_smaller(way) else f"{case.title}, {way.replace('-', ' ')}"
        named = replace(case, id=f"{subject.name}.{way}", title=title)
        if outcome is None:
            self._answer = None
            self._session.submit(named, form)
        elif self._is_judged(subject, outcome):
            alone = self.judged[-1].line
            self._written.lines.append(alone.model_copy(update={
                "id": named.id, "title": f"{alone.title.removesuffix(', alone')}, {way.replace('-', ' ')}",
                "seconds": seconds, "provider": ""}))
        else:
            self._session.judged(named, form, outcome, seconds)
        self._session.results.clear()  # they hold tensors
        gave = outcome if isinstance(outcome, Answered) else None
        self.judged.append(Judged(subject, way, self._written.lines.pop(), named, gave))
        return self.judged[-1]

    def _is_judged(self, subject: Subject, outcome: Outcome) -> bool:
        """Return True if a node gave the same alone, bit by bit, which was judged last."""
        last = self.judged[-1] if self.judged else None
        if last is None or last.subject is not subject or last.way != "alone" or last.line.verdict == "unstable":
            return False
        return isinstance(outcome, Answered) and self._answer is not None and same_bits(
            self._answer.outputs, outcome.outputs)

    def _case(self, subject: Subject, spec: Spec, call: Call, constants: tuple[str, ...]) -> Case:
        """Return a node as a case without clauses.

        Its constants stay constants of its model, unless nothing else is left: some runtimes need an input.
        Finding the clauses that a call tests takes longer than judging it. Raises OutsideDomain for what is not a call
        of the operator, and for graphs with a node without a specification."""
        node, file = subject.step.node, self.graph.path.name
        broken = tuple(entry.clause for entry in spec.violations(call))
        if broken:
            expectation = Expectation(outside=broken)
        else:  # asked for where it is wrong alone
            _ = spec.judged(call).at_once  # which computes the nodes of graphs
            expectation = Expectation(outputs=CanonicalOutputs(spec.name, call))
        return Case(subject.name, f"{node.operator} {node.name} on its inputs in {file}", spec.name, node.opset, call,
                    expectation, broken, file, flags_of(spec, call),
                    constants=constants if set(call.inputs) - set(constants) else ())


def errors(spec: Spec, call: Call, outcome: Answered) -> dict[str, float]:
    """Return the largest error of an answer, and the largest that the specification allows.

    Both are of the output with the larger share of what is allowed. The latter is left out where it is not bounded."""
    if spec.exact or spec.violations(call):
        return {}
    judged = spec.judged(call)
    figures, share = dict[str, float](), -1.0
    for name, error in judged.errors(outcome.outputs).items():
        bound = float(judged.tolerance.get(name, 0.0))
        bounded = bound > 0 and np.isfinite(bound)
        if (new := error / bound if bounded else 0.0) > share:
            share, figures = new, {LARGEST_ERROR: error, **({ALLOWED_ERROR: bound} if bounded else {})}
    return figures


def counts(spec: Spec, call: Call, outcome: Answered) -> dict[str, int]:
    """Return the numbers of decided elements and of elements of an answer, {} if an output is missing."""
    if spec.violations(call) or not set(spec.asked(call)) <= set(outcome.outputs):
        return {}
    return dict(zip((DECIDED, ELEMENTS), spec.judged(call).decided_elements(outcome.outputs), strict=True))


def same_bits(left: Tensors, right: Tensors) -> bool:
    """Return True for the same tensors by name, bit by bit."""
    return left.keys() == right.keys() and all(
        (left[name].dtype, left[name].shape) == (array.dtype, array.shape) and bytes_of(left[name]) == bytes_of(array)
        for name, array in right.items())


def _of(outcome: Outcome, step: Step) -> Outcome:
    """Return the part of an outcome of the whole model about a node."""
    if not isinstance(outcome, Answered):
        return outcome
    return Answered({name: outcome.outputs[name] for name in (*step.reads, *step.gives) if name in outcome.outputs})


def is_opaque(step: Step) -> bool:
    """Return True if an attribute holds sparse tensors, lists of tensors or graphs, or a tensor that is not read."""
    return any(
        attribute.type in (attribute.SPARSE_TENSOR, attribute.TENSORS, attribute.GRAPHS)
        or attribute.type == attribute.TENSOR and not isinstance(
            step.node.attributes.get(attribute.name), np.ndarray) for attribute in step.proto.attribute)
