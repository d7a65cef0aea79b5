"""Calls put to a backend in this process block by block: those that differ in X alone share model, windows, reading.

A verdict found so is counted. Of each cause the first few calls, as many as a tally keeps lines of, are put once more
by themselves, as every call is outside bulk work; where that comes to something else, bulk work is in doubt and ends.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property

import numpy as np

from plumbline.backends import Answered, Asking, Outcome, Raised, to_request
from plumbline.cases import Case
from plumbline.cases.format.tested_clauses import on_outputs, together
from plumbline.cases.generate.blocks import INPUTS, Block, block
from plumbline.oracle.stack import Stack
from plumbline.trial.campaign.tally import Cause, Tally, was_judged
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.record.judge import ACCUSES, Verdict, judge_inside, verdict_on_outputs
from plumbline.trial.record.lines import CaseLine

Alone = Callable[[Case], CaseLine]
"""Puts a case by itself; the line of a record."""


Counted = tuple[Cause, tuple[str, ...]]
"""A cause, and the clauses that calls with it keep."""


class Doubt(RuntimeError):
    """In a block a call was answered otherwise than alone."""


def add_blocks(tally: Tally, spec_name: str, form: str, *, seed: int, numbers: range, time_limit: float,
               asking: Asking, known: KnownDivergences, alone: Alone) -> None:
    """Add to a tally what the calls of these numbers come to, put to a host that has `run_inputs`. Raises Doubt, with
    the tally spoilt."""
    for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
        first = number * INPUTS
        places = range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS))
        tried = _Tried(block(spec_name, seed=seed, number=number), places, form, asking, time_limit)
        counted: Counter[Counted] = Counter()
        for place, verdict in zip(places, tried.verdicts, strict=True):
            _add(tally, counted, tried, place, verdict, known, alone)
        for (cause, kept), calls in counted.items():
            tally.count(cause, kept, tried.seconds, calls)


def _add(tally: Tally, counted: Counter[Counted], tried: _Tried, place: int, verdict: Verdict | None,
         known: KnownDivergences, alone: Alone) -> None:
    """A call whose line is kept goes to the tally, any other to `counted`."""
    drawn = tried.drawn
    number = drawn.number * INPUTS + place
    if verdict is None:
        tally.add(number, alone(drawn.case(place)), drawn.spec.outputs)
        return
    entry = known.explain(drawn.spec, drawn.outline(place), tried.form, verdict) \
        if verdict.verdict in ACCUSES else None
    cause = Cause(verdict.verdict, verdict.clauses, entry.id if entry else "")
    if not tally.keeps(cause, number):
        counted[cause, tried.kept(place, verdict)] += 1
        return
    line = alone(drawn.case(place))
    if Cause.of(line) != cause:
        raise Doubt(f"{line.spec} {line.id} [{line.form}] came to {cause.verdict} in a block and to "
                    f"{line.verdict} alone")
    tally.add(number, line, drawn.spec.outputs)


class _Tried:
    """Some calls of a block that were put to a backend. `seconds`: the part that one call has of the time."""

    def __init__(self, drawn: Block, places: range, form: str, asking: Asking, time_limit: float) -> None:
        self.drawn, self.form, self._places, self._outputs = drawn, form, places, tuple(form.split("+"))
        first = drawn.call_at(0).asking_for(*self._outputs)
        self._request = to_request(drawn.spec, first, drawn.spec.opset, time_limit)
        began = time.perf_counter()
        self._outcomes = asking.host.run_inputs(self._request, [drawn.inputs[place] for place in places])
        self.seconds = (time.perf_counter() - began) / len(places)
        for outcome in self._outcomes:
            if isinstance(outcome, (Answered, Raised)) and outcome.harm:
                raise Doubt(f"in a block of {drawn.spec.name}, {outcome.harm}")
        self._undeclared = asking.undeclared(self._request)

    @cached_property
    def _stack(self) -> Stack | None:
        laid = self.drawn.together(self._places)
        return None if laid is None else Stack(self.drawn.spec, laid.asking_for(*self._outputs), len(self._places))

    @cached_property
    def verdicts(self) -> list[Verdict | None]:
        """On each call; None for what is neither an answer nor a refusal."""
        accepted = np.zeros(len(self._places), dtype=bool)
        if self._stack is not None and all(isinstance(outcome, Answered) for outcome in self._outcomes):
            accepted = self._stack.accepts([outcome.outputs for outcome in self._outcomes])
        return [verdict_on_outputs(()) if right else self._by_itself(place, outcome)
                for place, outcome, right in zip(self._places, self._outcomes, accepted, strict=True)]

    def _by_itself(self, place: int, outcome: Outcome) -> Verdict | None:
        judged = self.drawn.spec.judged(self.drawn.call_at(place).asking_for(*self._outputs))
        if isinstance(outcome, Raised):
            return judge_inside(judged, replace(outcome, gap=self._undeclared or outcome.gap))
        return judge_inside(judged, outcome) if isinstance(outcome, Answered) else None

    @cached_property
    def _tried(self) -> list[set[str]]:
        """The clauses on outputs that each call of the block tries; of all of them, however the campaign is cut."""
        laid = self.drawn.together(range(INPUTS))
        if laid is not None:
            return together(self.drawn.spec.judged(laid.asking_for(*self._outputs)), INPUTS)
        return [set(on_outputs(self.drawn.spec, self.drawn.call_at(place).asking_for(*self._outputs)))
                for place in range(INPUTS)]

    def kept(self, place: int, verdict: Verdict) -> tuple[str, ...]:
        """The clauses that a call tries and its outputs keep."""
        spoilt = tuple(entry.output for entry in verdict.divergences if entry.where is None)
        kept = self._tried[place].difference(verdict.clauses)
        return tuple(sorted(address for address in kept if was_judged(address, verdict.verdict, self.form, spoilt,
                                                                      self.drawn.spec.outputs)))
