"""One call judged under one specification: each question about it is answered once, however often it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.answers import Divergence, Open, OutsideDomain, Standing, Violation
from plumbline.oracle.operator import Freedom, Operator, Silence, Wrong
from plumbline.oracle.partial import PartialTensor, Undecided
from plumbline.oracle.response import Response
from plumbline.oracle.slices import Slices, held

if TYPE_CHECKING:
    from plumbline.oracle.specification import Spec

State = tuple[Literal["kept", "broken", "blocked", "undecided"], str]
"""Of a clause: how the call stands to it, and why."""

KEPT: State = ("kept", "")

OF_ANY_FORM = ("home", "_states", "standings", "violations", "decided", "silences", "disputes",
               "opened", "unspecified")
"""Answers that do not depend on which outputs are asked for."""


class JudgedCall:
    """The questions of `Spec`, asked of one call. The call's arrays must not change while it is in use. `origin` says
    where in the output of a larger call its own begins, of which it is a slice."""

    def __init__(self, spec: Spec, call: Call, home: Operator | None = None,
                 origin: tuple[int, ...] | None = None) -> None:
        self.spec, self.call, self.origin = spec, call, origin
        if home is not None:  # another reading of a call that is inside the domain
            self.home = home

    def then(self, call: Call) -> JudgedCall:
        """Another call; if it is this one in another form, what is known of any form of it is kept."""
        other, mine = JudgedCall(self.spec, call), self.call
        if call.inputs is mine.inputs and call.attributes is mine.attributes and call.operator == mine.operator:
            vars(other).update({name: vars(self)[name] for name in OF_ANY_FORM if name in vars(self)})
        return other

    @cached_property
    def home(self) -> Operator:
        """The call as its operator reads it. Raises OutsideDomain if the call is for another operator or has other
        inputs."""
        call, spec = self.call, self.spec
        if call.operator != spec.operator:
            raise OutsideDomain(f"{spec.name} is about {spec.operator}, not {call.operator}")
        arrays = all(isinstance(tensor, (np.ndarray, PartialTensor)) for tensor in call.inputs.values())
        if not spec.takes(tuple(call.inputs)) or not arrays:
            raise OutsideDomain(f"{spec.operator} takes {', '.join(spec.inputs)}, each an array; not "
                                f"{', '.join(call.inputs) or 'nothing'}")
        return spec.home(call, spec.opset)

    # The call

    @cached_property
    def _states(self) -> dict[str, State]:
        """State and reason of each clause on calls that has a predicate, by address."""
        found: dict[str, State] = {}
        all_kept = True  # so far, as it mostly is
        for address, function, needs in self.spec.in_order_of_need:
            found[address] = (None if all_kept else _blocked([found[need] for need in needs])) or self._asked(function)
            all_kept = all_kept and found[address] is KEPT
        return found

    def _asked(self, function: Any) -> State:
        try:
            why = function(self.home)
        except Undecided as unknown:
            return "undecided", str(unknown)
        return KEPT if why is None else ("broken", why)

    @cached_property
    def standings(self) -> list[Standing]:
        """See `Spec.clause_by_clause`."""
        try:
            states = self._states
        except Undecided as unknown:  # the home itself cannot be made of what is known
            states = dict.fromkeys(self.spec.on_call, ("undecided", str(unknown)))
        found = [(address, states.get(clause.restates or address)) for address, clause in self.spec.clauses.items()]
        return [Standing(address, *state) for address, state in found if state is not None]

    @cached_property
    def violations(self) -> list[Violation]:
        """See `Spec.violations`."""
        states = self._states
        if all(state == "kept" for state, _ in states.values()):
            return []
        undecided = next((why for state, why in states.values() if state == "undecided"), None)
        if undecided is not None:
            raise Undecided(undecided)
        broken = {address: why for address, (state, why) in states.items() if state == "broken"}
        return [Violation(address, broken[clause.restates or address])
                for address, clause in self.spec.clauses.items() if (clause.restates or address) in broken]

    @cached_property
    def _inside(self) -> Operator:
        """The home of a call inside the domain. Raises OutsideDomain, and TooLarge."""
        foreign = [name for name in self.call.outputs or () if name not in self.spec.outputs]
        if foreign:
            raise OutsideDomain(f"{self.spec.operator} has no output {', '.join(foreign)}")
        if self.violations:
            raise OutsideDomain("; ".join(f"{entry.clause}: {entry.why}" for entry in self.violations))
        if "decided" not in vars(self):
            self.decided = self._decide()
        return held(self.home, self.asked)

    def _decide(self) -> dict[str, Silence]:
        """The E clauses by which the edition that alone counts reads the call otherwise: from here on the call is read
        so."""
        decided: dict[str, Silence] = {}
        for address, predicate in self.spec.deciding.items():
            silence = predicate.function(self.home)
            if silence is not None:
                decided[address] = silence
                self.home = silence.readings[0]
        return decided

    @cached_property
    def slices(self) -> Slices | None:
        """The call as calls that give slices of its output, where that is large. Raises OutsideDomain."""
        return Slices.of(self) if self._inside else None

    @property
    def at_once(self) -> int:
        """Elements of the largest tensor of what is judged at once, the call or a slice. Raises OutsideDomain."""
        if self.slices:
            return next(part.at_once for _, part in self.slices)
        return max([prod(self._inside.shape_of(name)) for name in self.asked]
                   + [tensor.size for tensor in self.call.inputs.values()])

    @property
    def flags(self) -> dict[str, bool]:
        """See `Operator.flags` and `Operator.value_flags`. Raises OutsideDomain if the call is for another operator or
        has other inputs."""
        found = dict(self.home.flags())
        for home in self._homes() if not self.violations else ():
            for name, holds in home.value_flags().items():
                found[name] = found.get(name, False) or holds
        return found

    def _homes(self) -> Iterator[Operator]:
        """Of a call inside the domain its home, or those of its slices, but for slices of the same memory."""
        seen = set()
        for _, part in self.slices or ():
            memory = tuple(str(x.__array_interface__) for x in part.call.inputs.values())
            if memory not in seen:
                seen.add(memory)
                yield from part._homes()
        if not self.slices:
            yield self.home

    # What is left open

    @cached_property
    def silences(self) -> dict[str, Silence]:
        """The U clauses that apply, with what each leaves open. Raises OutsideDomain."""
        home = self._inside
        asked = {address: predicate.function(home) for address, predicate in self.spec.leaving_open.items()}
        return {address: silence for address, silence in asked.items() if silence is not None}

    @cached_property
    def disputes(self) -> dict[str, Silence]:
        """The E clauses by which published editions read the call otherwise. Raises OutsideDomain."""
        home = self._inside
        asked = {address: predicate.function(home) for address, predicate in self.spec.disputing.items()}
        return {address: silence for address, silence in asked.items() if silence is not None}

    @cached_property
    def silent(self) -> tuple[str, ...]:
        """The U clauses that apply, in the order of their predicates. Raises OutsideDomain."""
        if not self.slices:
            return tuple(self.silences)
        found = {address for _, part in self.slices for address in part.silent}
        return tuple(address for address in self.spec.leaving_open if address in found)

    @property
    def may_refuse(self) -> tuple[str, ...]:
        """See `Spec.may_refuse`."""
        return tuple(address for address in self.silent if self.spec.leaving_open[address].refusal)

    @cached_property
    def opened(self) -> dict[str, tuple[Freedom, ...]]:
        """By output, what silences leave open of it."""
        found: dict[str, tuple[Freedom, ...]] = {}
        for silence in self.silences.values():
            for name, freedom in silence.outputs.items():
                found[name] = (*found.get(name, ()), freedom)
        return found

    @cached_property
    def unspecified(self) -> dict[str, Open]:
        """See `Spec.unspecified`."""
        found: dict[str, Open] = {}
        for address, silence in self.silences.items():
            for name in self.spec.outputs:
                mask = self._touched(silence, name)
                if mask is None:
                    continue
                clauses: tuple[str, ...] = (address,)
                if name in found:
                    before = found[name].mask
                    clauses = found[name].clauses + clauses
                    mask = "whole" if isinstance(mask, str) or isinstance(before, str) else mask | before
                found[name] = Open(clauses, mask)
        return found

    def _touched(self, silence: Silence, name: str) -> np.ndarray | Literal["whole"] | None:
        """The elements of an output that a silence leaves open; None where there are none."""
        freedom = silence.outputs.get(name)
        if freedom is not None and freedom.shape:
            return "whole"
        mask = np.zeros((), bool) if freedom is None or freedom.observed else np.asarray(freedom.where)
        for reading in silence.readings:
            if reading.shape_of(name) != self.home.shape_of(name):
                return "whole"
            mask = mask | ~self.home.conforms(name, reading.canonical[name])
        return np.broadcast_to(mask, self.home.shape_of(name)).copy() if mask.any() else None

    @property
    def decides_nothing(self) -> bool:
        """Whether any value of every element of the outputs asked for conforms."""
        if self.slices:
            return all(part.decides_nothing for _, part in self.slices)
        return all(name in self.opened and any(freedom.shape or freedom.admits is None and bool(np.all(freedom.where))
                                               for freedom in self.opened[name]) for name in self.asked)

    # The outputs

    @property
    def asked(self) -> tuple[str, ...]:
        """The outputs asked for."""
        return self.call.outputs or self.spec.outputs

    @property
    def expected(self) -> dict[str, np.ndarray]:
        """See `Spec.expected`."""
        if self.slices:
            return {self.asked[0]: self.slices.expected}
        canonical = self._inside.canonical
        return {name: canonical[name] for name in self.asked}

    def divergences(self, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """See `Spec.divergences`."""
        given = {name: np.asarray(outputs[name]) for name in self.asked if name in outputs}
        if self._is_canonical(given):
            return []
        if self.slices and self.slices.fits(given):
            return self.slices.divergences(given)
        broken = self._broken(given)
        if not broken or any(self._allowed_by(given, silences) for silences in
                             (self.silences, self.decided, self.disputes)):
            return []
        return [replace(entry, clause=address, where=None if entry.where is None else entry.where + (self.origin or 0))
                for address, clause in self.spec.clauses.items()
                if (entry := broken.get(clause.restates or address))]

    def _allowed_by(self, given: Mapping[str, np.ndarray], silences: Mapping[str, Silence]) -> tuple[str, ...]:
        """Those of which some reading allows the whole answer."""
        return tuple(address for address, silence in silences.items() if any(
            not JudgedCall(self.spec, self.call, reading)._broken(given) for reading in silence.readings))

    def _is_canonical(self, given: Mapping[str, np.ndarray]) -> bool:
        """Whether these are the canonical outputs to the last bit, which always conform: most answers are judged so."""
        if self.slices:
            name = self.slices.name
            return self.slices.fits(given) and all(part._is_canonical({name: given[name][where]})
                                                   for where, part in self.slices)
        for name, wanted in self.expected.items():
            got = given.get(name)
            if got is None or (got.shape, got.dtype) != (wanted.shape, wanted.dtype):
                return False
            if got.tobytes() != wanted.tobytes():
                return False
        return True

    def _broken(self, given: Mapping[str, np.ndarray]) -> dict[str, Divergence]:
        """The clauses with a predicate that outputs break, by address."""
        home, spec = self._inside if "home" not in vars(self) else self.home, self.spec
        response = Response(home, given, self.asked, self.opened, self.origin)
        broken: dict[str, Divergence] = {}
        for address, predicate in spec.on_outputs.items():
            if not any(need in broken for need in predicate.needs):
                wrong: Wrong | None = predicate.function(home, response)
                if wrong is not None:
                    broken[address] = wrong.at(address)
        for name in self.asked:
            left = response.wrong(name) if name in given else None
            if left is None:
                continue
            for address, predicate in spec.on_elements.items():
                if predicate.output == name and left.any():
                    blamed = left & predicate.function(home, given[name])
                    if blamed.any():
                        broken[address] = response.at(name, blamed, predicate.why).at(address)
                        left = left & ~blamed
            if left.any():
                raise AssertionError(f"{spec.name}: no clause is blamed for wrong elements of {name}")
        return broken

    def observes(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Whether outputs that break no clause hold an element that a silence admits as merely observed."""
        if self.slices and self.slices.fits(outputs):
            return any(part.observes({self.asked[0]: outputs[self.asked[0]][where]}) for where, part in self.slices)
        told = {name: tuple(freedom for freedom in freedoms if not freedom.observed)
                for name, freedoms in self.opened.items()}
        if all(len(told[name]) == len(freedoms) for name, freedoms in self.opened.items()):
            return False
        response = Response(self.home, {name: np.asarray(array) for name, array in outputs.items()}, self.asked, told)
        return any(response.wrong(name) is not None for name in self.asked)

    def measures(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """See `Spec.measures`."""
        found: dict[str, float] = {}
        if self.violations:
            return found
        if self.slices and self.slices.fits(outputs):
            return self.slices.measures(outputs)
        for name, wanted in self.home.canonical.items():
            entry = self.unspecified.get(name)
            got = outputs.get(name)
            if got is None or got.shape != wanted.shape or entry is not None and isinstance(entry.mask, str):
                continue
            judged = np.ones(wanted.shape, dtype=bool) if entry is None else ~np.asarray(entry.mask)
            found.update(self.home.measure(name, got, judged))
        return found

    @property
    def tolerance(self) -> dict[str, float]:
        """See `Spec.tolerance`."""
        found = self.slices.tolerance if self.slices else self._inside.tolerance()
        return {**dict.fromkeys(self.spec.outputs, 0.0), **found}

    @property
    def several(self) -> dict[str, np.ndarray]:
        """See `Spec.several`."""
        return self._inside.several()

    @property
    def sides(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """Axis by axis the mode of the call and its symbols; see `Operator.sides`. Raises OutsideDomain."""
        return self._inside.sides()

    def reads(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """See `Spec.reads`."""
        return self._inside.reads(output, where)


def _blocked(needed: list[State]) -> State | None:
    """The state of a clause that rests on others; None when these are kept."""
    if any(state in ("broken", "blocked") for state, _ in needed):
        return "blocked", ""
    return next((state for state in needed if state[0] == "undecided"), None)
