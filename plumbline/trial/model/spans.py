"""Find the smallest span of nodes whose result optimisation changes.

The nodes first run one by one, each as a model. Then spans run as models, on the tensors of the run one by one. The
result of a span differs if an output breaks a clause of its node, judged on the inputs of the run one by one. For a
node without specification it differs in shape, type, integers, or in which elements are NaN or infinite.

This accuses nobody: each node of a span may round, and no clause bounds several roundings together. The search by
halves ends at a span that differs, but not without its first or last node.
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
    """The reason why spans cannot be searched, in one line."""


def search_span(trial: ModelTrial) -> None:
    """Search, and store the result in the trial."""
    try:
        trial.span = smallest_span(trial)
        trial.spans_searched = True
    except SpanError as error:
        trial.notes.append(f"spans were not searched: {error}")


def smallest_span(trial: ModelTrial) -> Span | None:
    """Return the smallest span with a different result, or None.

    All inner tensors are kept in memory. Raises SpanError if a node cannot run alone."""
    search = _Search(trial)
    steps = trial.graph.steps
    if search.differing(0, len(steps)) is None:
        return None
    first, last = 0, len(steps)
    while last - first > 1:
        shorter = next((place for place in _shorter(first, last) if search.differing(*place) is not None), None)
        if shorter is None:
            break
        first, last = shorter
    return search.differing(first, last)


def _shorter(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield parts of a span, from half of it on."""
    part = (last - first) // 2
    while part:
        yield first, last - part
        yield first + part, last
        part //= 2


class _Search:
    """Runs spans; `tensors` are those of the nodes one by one."""

    def __init__(self, trial: ModelTrial) -> None:
        self.trial, self.graph = trial, trial.graph
        self.tensors: dict[str, np.ndarray] = dict(trial.inputs)
        self.results: dict[tuple[int, int], Span | None] = {}
        self.findings = {id(subject.step): subject.findings for subject in trial.subjects}
        for number, step in enumerate(self.graph.steps):
            _, _, outcome = self._run(number, number + 1, step.gives)
            if not isinstance(outcome, Answered):
                raise SpanError(f"the node {step.node.name} does not run by itself: {in_words(outcome)}")
            self.tensors |= outcome.outputs

    def differing(self, first: int, last: int) -> Span | None:
        """Return the span of nodes `first` to `last` - 1 if its result differs."""
        if (first, last) not in self.results:
            self.results[first, last] = self._differing(first, last)
        return self.results[first, last]

    def _differing(self, first: int, last: int) -> Span | None:
        steps = self.graph.steps[first:last]
        after = {name for step in self.graph.steps[last:] for name in step.reads} | set(self.graph.outputs)
        outputs = [name for step in steps for name in step.gives if name in after]
        model, inputs, outcome = self._run(first, last, outputs)
        if not isinstance(outcome, Answered):
            return Span(steps, model, inputs, in_words(outcome)) if last - first > 1 else None
        why = next(filter(None, (self._difference(step, outcome.outputs) for step in steps)), None)
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

    def _difference(self, step: Step, outputs: Tensors) -> str | None:
        """Describe how a node's outputs differ, or return None."""
        arrays = {name: outputs[name] for name in step.gives if name in outputs}
        if all(_same(array, self.tensors[name]) for name, array in arrays.items()):
            return None
        for finding in self.findings[id(step)]:
            spec, call = finding.spec, self.trial.judging.call(step, finding.spec, self.tensors)
            pairs = zip(asked(spec, step.node.asked), step.gives, strict=False)
            named = {name: arrays[tensor] for name, tensor in pairs if tensor in arrays}
            if spec.variadic_output and len(named) < len(step.gives):
                continue  # the number of outputs is part of what the call means
            try:
                entry = next(iter(spec.divergences(call.asking_for(*named), named)), None)
            except OutsideDomain:
                continue
            return f"{step.node.name} breaks {entry.clause}: {entry.why}" if entry else None
        for name, array in arrays.items():
            alone = self.tensors[name]
            if (array.shape, array.dtype) != (alone.shape, alone.dtype):
                return f"{name} is {array.dtype.name}{list(array.shape)}, not {alone.dtype.name}{list(alone.shape)}"
            if array.dtype.kind == "f" and not np.array_equal(_special(array), _special(alone), equal_nan=True):
                return f"other elements of {name} are NaN or infinite"
            if array.dtype.kind in "iub" and not np.array_equal(array, alone):
                return f"elements of {name} differ"
        return None


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    """Return True for arrays of the same bytes, type and shape."""
    return left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()


def _special(array: np.ndarray) -> np.ndarray:
    """Return an array with zeros for finite elements."""
    return np.where(np.isfinite(array), 0, array)
