"""Find the smallest span of nodes whose result optimisation changes.

The nodes first run one by one, each as a model. Then spans run as models, on the tensors of the run one by one. The
result of a span differs if an output breaks a clause of its node, judged on the inputs of the run one by one. For a
node without specification it differs in shape, type, integers, or in which elements are NaN or infinite.

This accuses nobody: each node of a span may round, and no clause bounds several roundings together. The search by
halves ends at a span that differs, but not without its first or last node. Where errors of many nodes add up, it is
long.

So changes are looked for as well: short spans that give other bits together than one by one, each on the tensors of the
run one by one, so that none adds up. They are where the backend optimises with a different result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from plumbline.backends import Answered, Outcome
from plumbline.backends.outcomes import in_words
from plumbline.oracle import OutsideDomain
from plumbline.oracle.type_names import bytes_of
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.other_runs import difference_of
from plumbline.trial.model.parts_of_trial import Change, Span, Tensors
from plumbline.trial.model.static_facts import asked
from plumbline.trial.model.trial import ModelTrial

RUNS = 1_000
"""Most spans that are run to find changes."""

AROUND = 4
"""Nodes on each side of the middle of a span among which a change is looked for that neither half has."""


class SpanError(ValueError):
    """The reason why spans cannot be searched, in one line."""


def search_span(trial: ModelTrial) -> None:
    """Search, and store the result in the trial."""
    try:
        search = _Search(trial)
        trial.span = _smallest_span(search)
        trial.changes = search.changes()
        trial.spans_searched = True
    except SpanError as error:
        trial.notes.append(f"spans were not searched: {error}")


def _smallest_span(search: _Search) -> Span | None:
    """Return the smallest span with a different result, or None. Raises SpanError."""
    steps = search.graph.steps
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
    """Runs spans; `tensors` are those of the nodes one by one.

    All inner tensors are kept in memory. Raises SpanError if a node cannot run alone."""

    def __init__(self, trial: ModelTrial) -> None:
        self.trial, self.graph = trial, trial.graph
        self.tensors: dict[str, np.ndarray] = dict(trial.inputs)
        self.results: dict[tuple[int, int], Span | None] = {}
        self._compared, self._runs = dict[tuple[int, int], Change | None](), 0
        self._order: list[Step] = []
        self.findings = {id(subject.step): subject.findings for subject in trial.subjects}
        for step in self.graph.steps:
            _, _, outcome = self._run([step], step.gives)
            if not isinstance(outcome, Answered):
                raise SpanError(f"the node {step.node.name} does not run by itself: {in_words(outcome)}")
            self.tensors |= outcome.outputs

    def differing(self, first: int, last: int) -> Span | None:
        """Return the span of nodes `first` to `last` - 1 if its result differs."""
        if (first, last) not in self.results:
            self.results[first, last] = self._differing(first, last)
        return self.results[first, last]

    def changes(self) -> list[Change]:
        """Return the short spans that give other bits together, those with the largest difference first.

        Raises SpanError."""
        self._runs, self._order, found = 0, _at_readers(self.graph), dict[tuple[int, int], Change]()
        self._find(0, len(self._order), found)
        inner = {place for place in found for other in found
                 if place != other and other[0] >= place[0] and other[1] <= place[1]}
        return sorted((change for place, change in found.items() if place not in inner), key=lambda each: -each.share)

    def _find(self, first: int, last: int, found: dict[tuple[int, int], Change]) -> None:
        """Add the changes within a span to `found`."""
        if last - first < 2 or self._changed(first, last) is None:
            return
        middle, before = (first + last) // 2, len(found)
        self._find(first, middle, found)
        self._find(middle, last, found)
        around = max(first, middle - AROUND), min(last, middle + AROUND)
        if self._changed(*around) is None:
            if len(found) > before:
                return
            around = first, last
        while around[1] - around[0] > 2:
            shorter = next((place for place in _shorter(*around) if self._changed(*place) is not None), None)
            if shorter is None:
                break
            around = shorter
        change = self._changed(*around)
        if change is not None:
            found[around] = change

    def _changed(self, first: int, last: int) -> Change | None:
        """Return the difference of a span from its nodes one by one; None where there is none, or after `RUNS` runs."""
        if (first, last) not in self._compared:
            self._compared[first, last] = self._compare(first, last) if self._runs < RUNS and last - first > 1 else None
        return self._compared[first, last]

    def _compare(self, first: int, last: int) -> Change | None:
        steps, self._runs = self._order[first:last], self._runs + 1
        outputs = self._read_outside(steps)
        _, _, outcome = self._run(steps, outputs)
        if not isinstance(outcome, Answered):
            return None
        compares = [difference_of(outcome.outputs[name], self.tensors[name]) for name in outputs
                    if not _same(outcome.outputs[name], self.tensors[name])]
        if not compares:
            return None
        return Change(steps, max(each.largest / each.magnitude if each.magnitude else float(each.count > 0)
                                 for each in compares))

    def _read_outside(self, steps: Sequence[Step]) -> list[str]:
        """Return the outputs of some nodes that other nodes read, or the model gives."""
        inside = set(map(id, steps))
        read = {name for step in self.graph.steps if id(step) not in inside for name in step.reads}
        return [name for step in steps for name in step.gives if name in read or name in self.graph.outputs]

    def _differing(self, first: int, last: int) -> Span | None:
        steps = self.graph.steps[first:last]
        model, inputs, outcome = self._run(steps, self._read_outside(steps))
        if not isinstance(outcome, Answered):
            return Span(steps, model, inputs, in_words(outcome)) if last - first > 1 else None
        why = next(filter(None, (self._difference(step, outcome.outputs) for step in steps)), None)
        return Span(steps, model, inputs, why) if why else None

    def _run(self, steps: Sequence[Step], gives: Sequence[str]) -> tuple[bytes, Tensors, Outcome]:
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
        """Describe how a node's outputs differ from those alone, or return None.

        outputs: tensors of a span by name, some of which the node gives."""
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


def _at_readers(graph: Graph) -> list[Step]:
    """Return the nodes in an order in which those of constants alone stand before the first node that reads them."""
    constant, waiting, order = set(graph.constants), dict[str, Step](), list[Step]()

    def add(step: Step) -> None:
        for name in step.reads:
            if name in waiting:
                before = waiting[name]
                for given in before.gives:
                    del waiting[given]
                add(before)
        order.append(step)

    for step in graph.steps:
        if step.reads and step.gives and constant.issuperset(step.reads):
            constant.update(step.gives)
            waiting.update(dict.fromkeys(step.gives, step))
        else:
            add(step)
    for step in list(dict.fromkeys(waiting.values())):  # read by none, or by none but each other
        if waiting.get(step.gives[0]) is step:
            for given in step.gives:
                del waiting[given]
            add(step)
    return order


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    """Return True for arrays of the same bytes, type and shape."""
    return left.dtype == right.dtype and left.shape == right.shape and bytes_of(left) == bytes_of(right)


def _special(array: np.ndarray) -> np.ndarray:
    """Return an array with zeros for finite elements."""
    return np.where(np.isfinite(array), 0, array)
