"""Where optimisation changes a result: the smallest span of nodes that gives something else together than one by one.

The nodes are first run one by one, each as a model, from the inputs on. A span, cut out and given the tensors that its
nodes got one by one, is taken to give something else where an output of it breaks a clause of the node that gives it,
judged on the inputs that the node got one by one; of a node without a specification, where shape, type, or which
elements are NaN or infinite differ. That accuses nobody: each node of a span may round, and what comes of several
roundings no clause bounds. A search by halves ends where no shorter span, without its first or its last node, does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import in_words
from plumbline.oracle import OutsideDomain
from plumbline.trial.model.graph import Step
from plumbline.trial.model.parts_of_trial import Span, Tensors
from plumbline.trial.model.static_facts import asked
from plumbline.trial.model.trial import ModelTrial


class SpanError(ValueError):
    """Why spans cannot be searched; one line."""


def search_span(trial: ModelTrial) -> None:
    """Search, and leave with the trial what was found."""
    try:
        trial.span = smallest_span(trial)
        trial.spans_searched = True
    except SpanError as error:
        trial.notes.append(f"spans were not searched: {error}")


def smallest_span(trial: ModelTrial) -> Span | None:
    """The smallest span found; None where the whole model gives what its nodes give. All inner tensors are held.
    Raises SpanError where a node cannot be run by itself."""
    search = _Search(trial)
    steps = trial.graph.steps
    found = search.differing(0, len(steps))
    if found is None:
        return None
    first, last = 0, len(steps)
    while last - first > 1:
        shorter = next((place for place in _shorter(first, last) if search.differing(*place) is not None), None)
        if shorter is None:
            break
        first, last = shorter
    return search.differing(first, last)


def _shorter(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Spans within one: without a half at either end, a quarter, ..., a single node."""
    part = (last - first) // 2
    while part:
        yield first, last - part
        yield first + part, last
        part //= 2


class _Search:
    def __init__(self, trial: ModelTrial) -> None:
        self.trial, self.graph = trial, trial.graph
        self.tensors: dict[str, np.ndarray] = dict(trial.inputs)
        self.found: dict[tuple[int, int], Span | None] = {}
        self.findings = {id(subject.step): subject.findings for subject in trial.subjects}
        for number, step in enumerate(self.graph.steps):
            _, _, outcome = self._run(number, number + 1, step.gives)
            if not isinstance(outcome, Answered):
                raise SpanError(f"the node {step.node.name} does not run by itself: {in_words(outcome)}")
            self.tensors |= outcome.outputs

    def differing(self, first: int, last: int) -> Span | None:
        """The span from one node to before another, where it gives something else."""
        if (first, last) not in self.found:
            self.found[first, last] = self._differing(first, last)
        return self.found[first, last]

    def _differing(self, first: int, last: int) -> Span | None:
        steps = self.graph.steps[first:last]
        after = {name for step in self.graph.steps[last:] for name in step.reads} | set(self.graph.outputs)
        gives = [name for step in steps for name in step.gives if name in after]
        model, inputs, outcome = self._run(first, last, gives)
        if not isinstance(outcome, Answered):
            return Span(steps, model, inputs, in_words(outcome)) if last - first > 1 else None
        why = next(filter(None, (self._otherwise(step, outcome.outputs) for step in steps)), None)
        return Span(steps, model, inputs, why) if why else None

    def _run(self, first: int, last: int, gives: Sequence[str]) -> tuple[bytes, Tensors, Outcome]:
        steps = self.graph.steps[first:last]
        inside = {name for step in steps for name in step.gives}
        reads = dict.fromkeys(name for step in steps for name in step.reads
                              if name not in inside and name not in self.graph.constants)
        try:
            model = self.graph.part(self.tensors, reads, gives)
        except ValueError as error:
            raise SpanError(f"{steps[0].node.name} to {steps[-1].node.name} cannot be cut out: {error}") from None
        inputs = {name: self.tensors[name] for name in reads}
        return model, inputs, self.trial.submit(model, inputs, gives, f"{steps[0].node.name} to {steps[-1].node.name}")

    def _otherwise(self, step: Step, outputs: Tensors) -> str | None:
        """What outputs of one node are otherwise than they are one by one."""
        given = {name: outputs[name] for name in step.gives if name in outputs}
        if all(_same(array, self.tensors[name]) for name, array in given.items()):
            return None
        for finding in self.findings[id(step)]:
            spec, call = finding.spec, self.trial.judging.call(step, finding.spec, self.tensors)
            named = {name: given[tensor] for name, tensor in zip(asked(spec, step.node.asked), step.gives, strict=False)
                     if tensor in given}
            try:
                entry = next(iter(spec.divergences(call.asking_for(*named), named)), None)
            except OutsideDomain:
                continue
            return f"{step.node.name} breaks {entry.clause}: {entry.why}" if entry else None
        for name, array in given.items():
            wanted = self.tensors[name]
            if (array.shape, array.dtype) != (wanted.shape, wanted.dtype):
                return f"{name} is {array.dtype.name}{list(array.shape)}, not {wanted.dtype.name}{list(wanted.shape)}"
            if array.dtype.kind == "f" and not np.array_equal(_special(array), _special(wanted), equal_nan=True):
                return f"other elements of {name} are NaN or infinite"
            if array.dtype.kind in "iub" and not np.array_equal(array, wanted):
                return f"elements of {name} differ"
        return None


def _same(one: np.ndarray, other: np.ndarray) -> bool:
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def _special(array: np.ndarray) -> np.ndarray:
    """With zero for every finite element."""
    return np.where(np.isfinite(array), 0, array)
