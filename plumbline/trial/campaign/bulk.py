"""Run calls in blocks that differ in X alone.

The calls of a block share model, windows and judging, and their verdicts are counted. The first calls of each root
cause, as many as a tally keeps lines of, run once more alone. If that gives another verdict, Doubt ends the work in
blocks.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from plumbline.backends import Answered, Asking, Outcome, Raised, to_request
from plumbline.backends.hosts import BulkHost
from plumbline.cases import Case
from plumbline.cases.format.tested_clauses import on_outputs, together
from plumbline.cases.generate.blocks import INPUTS, Block
from plumbline.oracle.stack import Stack
from plumbline.trial.campaign.declared_draws import DeclaredDraws
from plumbline.trial.campaign.tally import Cause, Tally, was_judged
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.judge import ACCUSES, Verdict, judge_inside, verdict_on_outputs
from plumbline.trial.record.lines import CaseLine

Alone = Callable[[Case], CaseLine]
"""Runs a case alone; returns its line of a record."""

Counted = tuple[Cause, tuple[str, ...]]
"""A root cause, and the clauses that its calls keep."""


class Doubt(RuntimeError):
    """A call with different answers in a block and alone."""


def add_blocks(tally: Tally, form: str, *, draws: DeclaredDraws, numbers: range, time_limit: float, host: BulkHost,
               known: KnownDivergences, alone: Alone) -> None:
    """Run calls by number and add their verdicts to a tally. Raises Doubt, after which the tally is useless."""
    asking = Asking(host)
    for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
        first = number * INPUTS
        places = range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS))
        results = _BlockResults(draws.block(number), places, form, host, asking, time_limit)
        tally.add_shapes([results.block.call])
        counted: Counter[Counted] = Counter()
        for place, verdict in zip(places, results.verdicts, strict=True):
            _add(tally, counted, results, first + place, place, verdict, known, alone)
        for (cause, kept), calls in counted.items():
            tally.count(cause, kept, results.seconds, calls)


def _add(tally: Tally, counted: Counter[Counted], results: _BlockResults, number: int, place: int,
         verdict: Verdict | None, known: KnownDivergences, alone: Alone) -> None:
    """Add a call whose line is kept to the tally, any other to `counted`.

    number:  of the call in the campaign; `place` is its index in the block.
    verdict: None for a call without an answer, which runs again alone."""
    drawn = results.block
    if verdict is None:
        tally.add(number, alone(drawn.case(place)), drawn.spec.outputs)
        return
    entry = known.explain(drawn.spec, drawn.outline(place), results.form, verdict) \
        if verdict.verdict in ACCUSES else None
    cause = Cause(verdict.verdict, verdict.clauses, entry.id if entry else "")
    if not tally.keeps(cause, number):
        counted[cause, results.kept(place, verdict)] += 1
        return
    line = alone(drawn.case(place))
    if Cause.of(line) != cause:
        raise Doubt(f"{line.spec} {line.id} [{line.form}] got the verdict {cause.verdict} in a block and "
                    f"{line.verdict} alone")
    tally.add(number, line, drawn.spec.outputs)


class _BlockResults:
    """Results of some calls of a block.

    block:   the block, of which the calls at `places` were run.
    seconds: mean time of a call.
    """

    def __init__(self, block: Block, places: range, form: str, host: BulkHost, asking: Asking, time_limit: float
                 ) -> None:
        self.block, self.form, self._places, self._outputs = block, form, places, tuple(form.split("+"))
        first = block.call_at(0).asking_for(*self._outputs)
        self._request = to_request(block.spec, first, block.spec.opset, time_limit)
        began = time.perf_counter()
        self._outcomes = host.run_inputs(self._request, [block.inputs[place] for place in places])
        self.seconds = (time.perf_counter() - began) / len(places)
        for outcome in self._outcomes:
            if isinstance(outcome, (Answered, Raised)) and outcome.harm:
                raise Doubt(f"in a block of {block.spec.name}, {outcome.harm}")
        self._undeclared = asking.undeclared(self._request)

    @cached_property
    def _stack(self) -> Stack | None:
        whole = self.block.together(self._places)
        return None if whole is None else Stack(self.block.spec, whole.asking_for(*self._outputs), len(self._places))

    @cached_property
    def verdicts(self) -> list[Verdict | None]:
        """The verdict on each call; None for one without answer or refusal."""
        accepted = np.zeros(len(self._places), dtype=bool)
        answers = [outcome.outputs for outcome in self._outcomes if isinstance(outcome, Answered)]
        if self._stack is not None and len(answers) == len(self._places):
            accepted = self._stack.accepts(answers)
        return [verdict_on_outputs(()) if conforms else self._verdict(place, outcome)
                for place, outcome, conforms in zip(self._places, self._outcomes, accepted, strict=True)]

    def _verdict(self, place: int, outcome: Outcome) -> Verdict | None:
        judged = self.block.spec.judged(self.block.call_at(place).asking_for(*self._outputs))
        if isinstance(outcome, Raised):
            return judge_inside(judged, replace(outcome, gap=self._undeclared or outcome.gap))
        return judge_inside(judged, outcome) if isinstance(outcome, Answered) else None

    @cached_property
    def _tested(self) -> list[set[str]]:
        """The clauses on outputs that each call of the whole block tests."""
        whole = self.block.together(range(INPUTS))
        if whole is not None:
            return together(self.block.spec.judged(whole.asking_for(*self._outputs)), INPUTS)
        return [set(on_outputs(self.block.spec, self.block.call_at(place).asking_for(*self._outputs)))
                for place in range(INPUTS)]

    def kept(self, place: int, verdict: Verdict) -> tuple[str, ...]:
        """Return the clauses that a call tests and its outputs keep."""
        unjudged = tuple(entry.output for entry in verdict.divergences if entry.where is None)
        kept = self._tested[place].difference(verdict.clauses)
        return tuple(sorted(address for address in kept if was_judged(address, verdict.verdict, self.form, unjudged,
                                                                      self.block.spec.outputs)))
