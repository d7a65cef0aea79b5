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
from typing import Any

import numpy as np

from plumbline.backends import Answered, Asking, InProcess, Outcome, Raised, to_request
from plumbline.cases import Case
from plumbline.cases.blocks import INPUTS, Block, block
from plumbline.cases.generate import clauses_about
from plumbline.oracle.stack import Stack
from plumbline.trial.judge import ACCUSES, Verdict, judge_inside, verdict_on_outputs
from plumbline.trial.known import KnownDivergences
from plumbline.trial.record import CaseLine
from plumbline.trial.tally import Cause, Tally, was_judged

Alone = Callable[[Case], CaseLine]
"""Puts a case by itself; the line of a record."""


Counted = tuple[Cause, tuple[str, ...]]
"""A cause, and the clauses that calls with it keep."""


class Doubt(RuntimeError):
    """In a block a call was answered otherwise than alone."""


def add_blocks(tally: Tally, spec_name: str, form: str, *, seed: int, numbers: range, time_limit: float,
               host: InProcess, known: KnownDivergences, alone: Alone) -> None:
    """Add to a tally what the calls of these numbers come to. Raises Doubt, with the tally spoilt."""
    asking = Asking(host)
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
        self._request = to_request(drawn.spec, drawn.one(0).asking_for(*self._outputs), drawn.spec.opset, time_limit)
        began = time.perf_counter()
        self._outcomes = asking.host.run_inputs(self._request, [{"X": drawn.inputs[place]} for place in places])
        self.seconds = (time.perf_counter() - began) / len(places)
        for outcome in self._outcomes:
            if isinstance(outcome, (Answered, Raised)) and outcome.harm:
                raise Doubt(f"in a block of {drawn.spec.name}, {outcome.harm}")
        self._undeclared = asking.undeclared(self._request)
        self._kept: dict[tuple[Any, ...], tuple[str, ...]] = {}

    @cached_property
    def verdicts(self) -> list[Verdict | None]:
        """On each call; None for what is neither an answer nor a refusal."""
        stack = Stack(self.drawn.spec, self.drawn.together(self._places).asking_for(*self._outputs), len(self._places))
        if all(isinstance(outcome, Answered) for outcome in self._outcomes):
            found = stack.judged([outcome.outputs for outcome in self._outcomes])
            return [self._by_itself(place, outcome) if divergences is None else verdict_on_outputs(tuple(divergences))
                    for place, outcome, divergences in zip(self._places, self._outcomes, found, strict=True)]
        return [judge_inside(stack.reading, replace(outcome, gap=self._undeclared or outcome.gap))
                if isinstance(outcome, Raised) else self._by_itself(place, outcome)
                for place, outcome in zip(self._places, self._outcomes, strict=True)]

    def _by_itself(self, place: int, outcome: Outcome) -> Verdict | None:
        reading = self.drawn.spec.reading(self.drawn.one(place).asking_for(*self._outputs))
        return judge_inside(reading, outcome) if isinstance(outcome, Answered) else None

    def kept(self, place: int, verdict: Verdict) -> tuple[str, ...]:
        """The clauses that are about a call and that its outputs keep. Of its values nothing counts but NaN."""
        spoilt = tuple(entry.output for entry in verdict.divergences if entry.where is None)
        key = bool(self._with_nan[place]), verdict.verdict, verdict.clauses, spoilt
        if key not in self._kept:
            self._kept[key] = tuple(address for address in self._about(key[0]) if address not in verdict.clauses
                                    and was_judged(address, verdict.verdict, self.form, spoilt,
                                                   self.drawn.spec.outputs))
        return self._kept[key]

    @cached_property
    def _with_nan(self) -> np.ndarray:
        x = self.drawn.inputs
        return (x != x).reshape(INPUTS, -1).any(axis=1)

    def _about(self, nan: bool) -> tuple[str, ...]:
        return clauses_about(self.drawn.spec, self.drawn.one(0), (*self._flags, *["nan"] * nan))

    @cached_property
    def _flags(self) -> tuple[str, ...]:
        return tuple(flag for flag in self.drawn.outline(0).flags if flag != "nan")
