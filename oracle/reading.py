"""One call read under one specification: each question about it is answered once, however often it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from plumbline.oracle.binding import Bindings, CallPredicate
from plumbline.oracle.call import Call
from plumbline.oracle.clause import Clause
from plumbline.oracle.findings import Divergence, Open, OutsideDomain, Standing, Violation
from plumbline.oracle.partial import PartialTensor, Undecided
from plumbline.oracle.windows import Geometry

State = tuple[Literal["kept", "broken", "blocked", "undecided"], str]
"""Of a clause: how the call stands to it, and why."""


@dataclass(frozen=True, eq=False)
class Predicates:
    """What a reading needs of a specification: the predicates of the clauses that its version has, by full address.

    `opset` is the version of the text; `inputs` and `outputs` are those it has; `needs` names the clauses that a clause
    rests on."""

    name: str
    operator: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    clauses: dict[str, Clause]
    calls: dict[str, CallPredicate]
    answers: dict[str, Callable[[Any], Any]]
    silences: dict[str, Callable[[Any], Mapping[str, Any]]]
    refusals: frozenset[str]
    needs: dict[str, tuple[str, ...]]
    bindings: Bindings


class Reading:
    """The questions of `Spec`, asked of one call. The call's arrays must not change while it is in use."""

    def __init__(self, predicates: Predicates, call: Call) -> None:
        self._of = predicates
        self.call = call

    @cached_property
    def subject(self) -> Any:
        """What the predicates are given. Raises OutsideDomain for what is no call of the operator."""
        call, operator = self.call, self._of.operator
        if call.operator != operator:
            raise OutsideDomain(f"{self._of.name} is about {operator}, not {call.operator}")
        arrays = all(isinstance(tensor, (np.ndarray, PartialTensor)) for tensor in call.inputs.values())
        if tuple(call.inputs) != self._of.inputs or not arrays:
            raise OutsideDomain(f"{operator} takes {', '.join(self._of.inputs)}, each an array; not "
                                f"{', '.join(call.inputs) or 'nothing'}")
        return self._of.bindings.read(call, self._of.opset)

    @cached_property
    def standings(self) -> list[Standing]:
        """See `Spec.clause_by_clause`."""
        try:
            standings = self._standings
        except Undecided as unknown:  # no predicate is given anything to read
            standings = dict.fromkeys(self._of.calls, ("undecided", str(unknown)))
        found = [(address, standings.get(clause.restates or address))
                 for address, clause in self._of.clauses.items()]
        return [Standing(address, *standing) for address, standing in found if standing is not None]

    @cached_property
    def violations(self) -> list[Violation]:
        """See `Spec.violations`."""
        states = self._standings
        undecided = next((why for state, why in states.values() if state == "undecided"), None)
        if undecided is not None:
            raise Undecided(undecided)
        broken = {address: why for address, (state, why) in states.items() if state == "broken"}
        return [Violation(address, broken[clause.restates or address]) for address, clause in self._of.clauses.items()
                if (clause.restates or address) in broken] if broken else []

    @cached_property
    def _standings(self) -> dict[str, State]:
        """State and reason of each clause on calls that has a predicate, by address."""
        predicates, subject = self._of.calls, self.subject
        found: dict[str, State] = {}

        def standing(address: str) -> State:
            if address not in found:
                needed = [standing(need) for need in self._of.needs[address] if need in predicates]
                found[address] = _blocked(needed) or _asked(predicates[address], subject)
            return found[address]

        return {address: standing(address) for address in predicates}

    @cached_property
    def _inside(self) -> Any:
        """The subject of a call inside the domain. Raises OutsideDomain."""
        foreign = [name for name in self.call.outputs or () if name not in self._of.outputs]
        if foreign:
            raise OutsideDomain(f"{self._of.operator} has no output {', '.join(foreign)}")
        if self.violations:
            raise OutsideDomain("; ".join(f"{entry.clause}: {entry.why}" for entry in self.violations))
        return self.subject

    @cached_property
    def _applying(self) -> dict[str, Mapping[str, Any]]:
        """The U clauses that apply, with the mask of each output that they open."""
        asked = {address: predicate(self._inside) for address, predicate in self._of.silences.items()}
        return {address: masks for address, masks in asked.items() if masks}

    @cached_property
    def unspecified(self) -> dict[str, Open]:
        """See `Spec.unspecified`."""
        found: dict[str, Open] = {}
        for address, masks in self._applying.items():
            for output, mask in masks.items():
                if output not in self._of.outputs:
                    continue
                clauses: tuple[str, ...] = (address,)
                if output in found:
                    clauses = found[output].clauses + clauses
                    whole = isinstance(mask, str) or isinstance(found[output].mask, str)
                    mask = "whole" if whole else mask | found[output].mask
                found[output] = Open(clauses, mask)
        return found

    @property
    def may_refuse(self) -> tuple[str, ...]:
        """See `Spec.may_refuse`."""
        return tuple(address for address in self._applying if address in self._of.refusals)

    @cached_property
    def _canonical(self) -> dict[str, np.ndarray]:
        assert self._of.bindings.expected is not None  # a specification does not load without
        return self._of.bindings.expected(self._inside)

    @property
    def outputs(self) -> tuple[str, ...]:
        """All outputs of the operator."""
        return self._of.outputs

    @property
    def asked(self) -> tuple[str, ...]:
        """The outputs asked for."""
        return self.call.outputs or self._of.outputs

    @property
    def expected(self) -> dict[str, np.ndarray]:
        """See `Spec.expected`."""
        return {name: self._canonical[name] for name in self.asked}

    def divergences(self, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """See `Spec.divergences`."""
        bindings, subject, opened = self._of.bindings, self._inside, self.unspecified
        whole = {name for name, entry in opened.items() if isinstance(entry.mask, str)}
        given = {name: np.asarray(outputs[name]) for name in self.asked if name in outputs and name not in whole}
        assert bindings.answer is not None  # a specification does not load without
        answer = bindings.answer(subject, given)
        answer.asked = tuple(name for name in self.asked if name not in whole)
        answer.opened = {name: entry.mask for name, entry in opened.items() if name not in whole}
        broken: dict[str, Divergence] = {}
        for address, predicate in self._of.answers.items():
            if not any(need in broken for need in self._of.needs[address]) and (wrong := predicate(answer)):
                broken[address] = wrong.at(address)
        if not broken:
            return []
        return [Divergence(address, entry.output, entry.why, entry.where, entry.expected, entry.got)
                for address, clause in self._of.clauses.items() if (entry := broken.get(clause.restates or address))]

    def measures(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """See `Spec.measures`."""
        if self._of.bindings.measure is None or self.violations:
            return {}
        judged = {}
        for name, wanted in self._canonical.items():
            mask = self.unspecified[name].mask if name in self.unspecified else np.zeros(wanted.shape, dtype=bool)
            if name in outputs and not isinstance(mask, str) and outputs[name].shape == wanted.shape:
                judged[name] = ~mask
        return self._of.bindings.measure(self._inside, outputs, judged)

    @property
    def layout(self) -> tuple[frozenset[str], Geometry]:
        """See `Spec.layout`."""
        return self._inside.mode, self._inside.geometry

    @property
    def tolerance(self) -> dict[str, float]:
        """See `Spec.tolerance`."""
        return {**dict.fromkeys(self.outputs, 0.0), **self._of.bindings.tolerance(self._inside)}

    @property
    def several(self) -> dict[str, np.ndarray]:
        """See `Spec.several`."""
        return self._of.bindings.several(self._inside)

    def stacked(self, count: int) -> dict[str, int] | None:
        """Of `count` calls laid together in this one, see `oracle.stack`."""
        return self._of.bindings.stacked(self._inside, count)

    @property
    def charged_by_all_of_x(self) -> bool:
        """Whether the clause that a wrong element is charged to depends on elements of X anywhere."""
        return self._of.bindings.charged_by_all_of_x(self._inside)

    def reads(self, where: tuple[int, ...]) -> np.ndarray | None:
        """See `Spec.reads`."""
        return self._of.bindings.reads(self._inside, where) if self._of.bindings.reads else None


def _blocked(needed: list[State]) -> State | None:
    """The standing of a clause that rests on others; None when these are kept."""
    if any(state == "broken" for state, _ in needed):
        return "blocked", ""
    return next((standing for standing in needed if standing[0] == "undecided"), None)


def _asked(predicate: CallPredicate, subject: Any) -> State:
    try:
        why = predicate(subject)
    except Undecided as unknown:
        return "undecided", str(unknown)
    return ("kept", "") if why is None else ("broken", why)
