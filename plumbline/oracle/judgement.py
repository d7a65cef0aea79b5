"""Judge a call and its outputs under a specification, with cached answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any, Literal, Self, TypeVar, overload

import numpy as np

from plumbline.oracle.accuracy import Comparison, compare
from plumbline.oracle.answers import Divergence, OutsideDomain, Standing, UnspecifiedOutput, Violation, Wrong
from plumbline.oracle.binding import BoundSpec
from plumbline.oracle.call import Call, is_of
from plumbline.oracle.clause import SpecError
from plumbline.oracle.definition import Operator
from plumbline.oracle.limits import checked_size
from plumbline.oracle.partial import PartialTensor, Undecided
from plumbline.oracle.response import Response, is_float
from plumbline.oracle.rounding import Wide
from plumbline.oracle.slices import PartAnswers, Slices, joined
from plumbline.oracle.type_names import as_objects, bytes_of, no_string
from plumbline.oracle.unspecified import Allowance, Unspecified

State = tuple[Literal["kept", "broken", "blocked", "undecided"], str]
"""Of a clause: how the call stands to it, and why."""

ROOM = 0.1
"""A relative error that is wrong wherever the room of an answer is narrow."""

KEPT: State = ("kept", "")
BLOCKED: State = ("blocked", "")

Answer = TypeVar("Answer")


class SharedProperty(cached_property[Answer]):
    """A cached answer that does not depend on which outputs are asked for: all output selections of a call share it."""

    @overload
    def __get__(self, judged: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, judged: object, owner: type[Any] | None = None) -> Answer: ...

    def __get__(self, judged: Any, owner: type[Any] | None = None) -> Any:
        if judged is None:
            return self
        shared = judged.shared
        if self.attrname not in shared:
            shared[self.attrname] = self.func(judged)
        return shared[self.attrname]


class JudgedCall:
    """The questions of `Spec`, asked of one call. The call's arrays must not change while it is in use.

    origin: where in the output of a larger call its own begins, of which it is a slice.
    whole:  that call if it is a strip."""

    def __init__(self, spec: BoundSpec, call: Call, definition: Operator | None = None,
                 origin: tuple[int, ...] | None = None, whole: Operator | None = None) -> None:
        self.spec, self.call, self.origin, self._whole = spec, call, origin, whole
        self.shared: dict[str | None, Any] = {}
        self._conforming: dict[str, np.ndarray] | None = None
        if definition is not None:  # another reading of a call that is inside the domain
            self.definition = definition

    def selecting(self, call: Call) -> JudgedCall:
        """Return the same call with another selection of outputs."""
        other = JudgedCall(self.spec, call)
        other.shared = self.shared
        return other

    @SharedProperty
    def definition(self) -> Operator:
        """The call as its operator reads it. Raises OutsideDomain if the call is for another operator or has other
        inputs."""
        call, spec = self.call, self.spec
        if call.operator != spec.operator:
            raise OutsideDomain(f"{spec.name} is about {spec.operator}, not {call.operator}")
        arrays = all(isinstance(tensor, (np.ndarray, PartialTensor)) for tensor in call.inputs.values())
        if not spec.takes(tuple(call.inputs)) or not arrays:
            raise OutsideDomain(f"{spec.operator} takes {', '.join(spec.inputs)}, each an array; not "
                                f"{', '.join(call.inputs) or 'nothing'}")
        for name, tensor in call.inputs.items():
            if isinstance(tensor, np.ndarray) and tensor.dtype.hasobject and (why := no_string(tensor)):
                raise OutsideDomain(f"{name} holds {why}")
        definition = spec.definition(call, spec.opset)
        definition.strip_of = self._whole
        return definition

    # The call

    @SharedProperty
    def _states(self) -> dict[str, State]:
        """State and reason of each clause on calls that has a predicate, by address.

        Where a fact of the schema is broken, only facts are asked: definitions may rely on them."""
        facts, fact_is_broken = self.spec.facts, False
        found: dict[str, State] = {}
        all_kept = True  # so far, as it mostly is
        for address, function, needs in self.spec.in_order_of_need:
            found[address] = (None if all_kept else _blocked([found[need] for need in needs])) or (
                BLOCKED if fact_is_broken and address not in facts else self._asked(function))
            all_kept = all_kept and found[address] is KEPT
            fact_is_broken = fact_is_broken or address in facts and found[address][0] == "broken"
        return found

    def _asked(self, function: Any) -> State:
        try:
            why = function(self.definition)
        except Undecided as unknown:
            return "undecided", str(unknown)
        if why is not None and not isinstance(why, str):
            raise SpecError(f"{self.spec.name}: {function.__qualname__} gives a {type(why).__name__}; a predicate on "
                            "calls gives why the call breaks the clause, as a text, or None")
        return KEPT if why is None else ("broken", why)

    @SharedProperty
    def standings(self) -> list[Standing]:
        """The state of each clause on calls, in the order of the specification."""
        try:
            states = self._states
        except Undecided as unknown:  # the definition itself cannot be made of what is known
            states = dict.fromkeys(self.spec.on_call, ("undecided", str(unknown)))
        found = [(address, states.get(clause.restates or address)) for address, clause in self.spec.clauses.items()]
        return [Standing(address, *state) for address, state in found if state is not None]

    @SharedProperty
    def violations(self) -> list[Violation]:
        """The clauses that the call breaks, in the order of the specification. Raises OutsideDomain."""
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
        """The definition of a call inside the domain. Raises OutsideDomain, and TooLarge."""
        known = self.spec.output_names(len(self.asked)) if self.spec.variadic_output else self.spec.outputs
        foreign = [name for name in self.asked if name not in known]
        if foreign:
            raise OutsideDomain(f"{self.spec.operator} has no output {', '.join(foreign)}")
        if self.violations:
            raise OutsideDomain("; ".join(f"{entry.clause}: {entry.why}" for entry in self.violations))
        if not self.definition.takes_strings and any(
                isinstance(tensor, np.ndarray) and tensor.dtype.hasobject for tensor in self.call.inputs.values()):
            raise OutsideDomain(f"{self.spec.name} is not tried with tensors of strings")
        if "decided" not in self.shared:
            self.shared["decided"] = self._decide()
        return checked_size(self.definition, self.asked)

    def _decide(self) -> dict[str, Unspecified]:
        """Read the call as the chosen edition does from here on; return the E clauses that say so."""
        decided: dict[str, Unspecified] = {}
        for address, predicate in self.spec.deciding.items():
            effect = predicate.function(self.definition)
            if effect is not None:
                decided[address] = effect
                self.shared["definition"] = effect.readings[0]
        return decided

    @property
    def decided(self) -> dict[str, Unspecified]:
        """The E clauses by which the chosen edition reads the call otherwise. Raises OutsideDomain."""
        decided: dict[str, Unspecified] = self.shared["decided"] if self._inside else {}
        return decided

    @cached_property
    def slices(self) -> Slices[JudgedCall] | None:
        """The call as calls that give slices of its output, where that is large. Raises OutsideDomain."""
        slices = Slices.of(self._inside, self.asked, self.origin,
                           lambda call, origin, whole: JudgedCall(self.spec, call, origin=origin, whole=whole))
        if slices is None:
            return None
        _, first = next(iter(slices))  # a whole answer that some clause admits is not admitted slice by slice
        whole = first.disputes or any(effect.readings for effect in first.unspecified_by_clause.values())
        return None if whole else slices

    @property
    def at_once(self) -> int:
        """Elements of the largest tensor of what is judged at once, the call or a slice. Raises OutsideDomain."""
        if self.slices:
            return next(part.at_once for _, part in self.slices)
        return max([prod(self._inside.shape_of(name)) for name in self.asked]
                   + [tensor.size for tensor in self.call.inputs.values()])

    @property
    def own_flags(self) -> dict[str, bool]:
        """See `Operator.flags`, and `attribute_flags` of a call that breaks a fact of the schema.

        Raises OutsideDomain if the call is for another operator or has other inputs."""
        if any(state == "broken" and address in self.spec.facts for address, (state, _) in self._states.items()):
            return self.definition.attribute_flags()
        return dict(self.definition.flags())

    @property
    def flags(self) -> dict[str, bool]:
        """The flags above, and those of values (`Operator.value_flags`). Raises OutsideDomain."""
        flags = self.own_flags
        for definition in self._definitions() if not self.violations else ():
            for name, holds in definition.value_flags().items():
                flags[name] = flags.get(name, False) or holds
        return flags

    def _definitions(self) -> Iterator[Operator]:
        """The definition of a valid call, or those of its slices, except slices of the same memory."""
        seen = set()
        for _, part in self.slices or ():
            memory = tuple(str(x.__array_interface__) for x in part.call.inputs.values())
            if memory not in seen:
                seen.add(memory)
                yield from part._definitions()
        if not self.slices:
            yield self.definition

    @property
    def is_random(self) -> bool:
        """True if each run of a valid call may draw its answer anew. Raises OutsideDomain."""
        return not self.violations and self.definition.is_random

    # What is left open

    @SharedProperty
    def unspecified_by_clause(self) -> dict[str, Unspecified]:
        """The U clauses that apply, with what each leaves open. Raises OutsideDomain."""
        definition = self._inside
        effects = {address: predicate.function(definition)
                   for address, predicate in self.spec.unspecified_predicates.items()}
        return {address: effect for address, effect in effects.items() if effect is not None}

    def leaves_open(self, address: str) -> bool:
        """True if a U clause applies to the call, slices aside. Raises OutsideDomain."""
        return self.spec.unspecified_predicates[address].function(self._inside) is not None

    @SharedProperty
    def disputes(self) -> dict[str, Unspecified]:
        """The E clauses by which published editions read the call otherwise. Raises OutsideDomain."""
        definition = self._inside
        asked = {address: predicate.function(definition) for address, predicate in self.spec.disputing.items()}
        return {address: effect for address, effect in asked.items() if effect is not None}

    @cached_property
    def unspecified_clauses(self) -> tuple[str, ...]:
        """The U clauses that apply, in the order of their predicates. Raises OutsideDomain."""
        if not self.slices:
            return tuple(self.unspecified_by_clause)
        found = {address for part in self.slices.each for address in part.unspecified_clauses}
        return tuple(address for address in self.spec.unspecified_predicates if address in found)

    @property
    def may_refuse(self) -> tuple[str, ...]:
        """The U clauses by which an implementation may refuse the call, those on other outputs than it asks for apart.
        Raises OutsideDomain."""
        effects = {} if self.slices else self.unspecified_by_clause
        other = {address for address, effect in effects.items() if effect.outputs and not effect.outputs.keys() & {
            *self.asked}}
        return tuple(address for address in self.unspecified_clauses
                     if self.spec.unspecified_predicates[address].refusal and address not in other)

    @SharedProperty
    def allowances(self) -> dict[str, tuple[Allowance, ...]]:
        """The unspecified parts of outputs, by name."""
        found: dict[str, tuple[Allowance, ...]] = {}
        for unspecified in self.unspecified_by_clause.values():
            for name, allowance in unspecified.outputs.items():
                found[name] = (*found.get(name, ()), allowance)
        return found

    @SharedProperty
    def unspecified(self) -> dict[str, UnspecifiedOutput]:
        """The unspecified elements of outputs with the clauses that apply; {} if there are none."""
        found: dict[str, UnspecifiedOutput] = {}
        for address, unspecified in self.unspecified_by_clause.items():
            for name in self.spec.outputs_of(self.call):
                mask = self._touched(unspecified, name)
                if mask is None:
                    continue
                clauses: tuple[str, ...] = (address,)
                if name in found:
                    before = found[name].mask
                    clauses = found[name].clauses + clauses
                    mask = "whole" if isinstance(mask, str) or isinstance(before, str) else mask | before
                found[name] = UnspecifiedOutput(clauses, mask)
        return found

    def _touched(self, unspecified: Unspecified, name: str) -> np.ndarray | Literal["whole"] | None:
        """The elements of an output that an unspecified clause leaves open; None where there are none."""
        allowance = unspecified.outputs.get(name)
        if allowance is not None and allowance.shape:
            return "whole"
        mask = np.zeros((), bool) if allowance is None or allowance.observed else np.asarray(allowance.where)
        for reading in unspecified.readings:
            if reading.shape_of(name) != self.definition.shape_of(name):
                return "whole"
            mask = mask | ~self.definition.conforms(name, reading.canonical[name])
        return np.broadcast_to(mask, self.definition.shape_of(name)).copy() if mask.any() else None

    @property
    def decides_nothing(self) -> bool:
        """True if any value of every element of the outputs asked for conforms."""
        if self.slices:
            return all(part.decides_nothing for part in self.slices.each)
        return all(any(allowance.shape or allowance.admits is None and bool(np.all(allowance.where))
                       for allowance in self.allowances.get(name, ())) for name in self.asked)

    # The outputs

    @property
    def asked(self) -> tuple[str, ...]:
        """The outputs asked for."""
        return self.spec.asked(self.call)

    @property
    def expected(self) -> dict[str, np.ndarray]:
        """The canonical outputs, of those asked for. Raises OutsideDomain."""
        if self.slices:
            return {self.asked[0]: self.slices.expected}
        canonical = self._inside.canonical
        return {name: canonical[name] for name in self.asked}

    def divergences(self, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """Return the clauses on outputs that `outputs` break, [] if they conform. Raises OutsideDomain.

        Where other readings of the whole answer are open or disputed, it is held against one by which it breaks some of
        the clauses alone that it breaks canonically, if there is one."""
        given = {name: as_objects(np.asarray(outputs[name])) for name in self.asked if name in outputs}
        if self.slices and self.slices.fits(given):
            of_slices = {entry.clause: entry for entry in self.slices.divergences(given)}
            return [of_slices[address] for address in self.spec.clauses if address in of_slices]
        if self._is_canonical(given):
            return []
        broken = self._broken(given)
        if not broken:
            return []
        for effect in chain(self.unspecified_by_clause.values(), self.decided.values(), self.disputes.values()):
            for reading in effect.readings:
                by_reading = JudgedCall(self.spec, self.call, reading)._broken(given)
                if not by_reading:
                    return []
                broken = by_reading if by_reading.keys() < broken.keys() else broken
        return [replace(entry, clause=address, where=None if entry.where is None else entry.where + (self.origin or 0))
                for address, clause in self.spec.clauses.items()
                if (entry := broken.get(clause.restates or address))]

    def _allowed_by(self, given: Mapping[str, np.ndarray], effects: Mapping[str, Unspecified]) -> tuple[str, ...]:
        """The clauses with a reading that allows the whole answer."""
        return tuple(address for address, effect in effects.items() if any(
            not JudgedCall(self.spec, self.call, reading)._broken(given) for reading in effect.readings))

    def disputed(self, outputs: Mapping[str, np.ndarray]) -> tuple[str, ...]:
        """The E clauses by whose readings alone outputs conform, then the clauses that they otherwise break."""
        given = {name: as_objects(np.asarray(outputs[name])) for name in self.asked if name in outputs}
        if not self.disputes or self._is_canonical(given):
            return ()
        broken = self._broken(given)
        if not broken or self._allowed_by(given, self.unspecified_by_clause):
            return ()
        allowing = self._allowed_by(given, self.disputes)
        return (*allowing, *broken) if allowing else ()

    def _is_canonical(self, given: Mapping[str, np.ndarray]) -> bool:
        """Return True for the canonical outputs to the last bit, which always conform."""
        for name, wanted in self.expected.items():
            got = given.get(name)
            if got is None or (got.shape, got.dtype) != (wanted.shape, wanted.dtype):
                return False
            if bytes_of(got) != bytes_of(wanted):
                return False
        return True

    def _broken(self, given: Mapping[str, np.ndarray]) -> dict[str, Divergence]:
        """Return the divergences of outputs (by name) by address of the clause, those with a predicate only."""
        definition, spec = self._inside if "definition" not in vars(self) else self.definition, self.spec
        response = Response(definition, given, self.asked, self.allowances, self.origin, self._conforms)
        broken: dict[str, Divergence] = {}
        for address, predicate in spec.on_outputs.items():
            if not any(need in broken for need in predicate.needs):
                wrong: Wrong | None = predicate.function(definition, response)
                if wrong is not None:
                    broken[address] = wrong.at(address)
        for name in self.asked:
            left = response.wrong(name) if name in given else None
            if left is None:
                continue
            for address, predicate in spec.on_elements.items():
                if is_of(name, predicate.output) and left.any():
                    blamed = left & predicate.function(definition, given[name])
                    if blamed.any():
                        broken[address] = response.at(name, blamed, predicate.why).at(address)
                        left = left & ~blamed
            for address, effect in self.unspecified_by_clause.items():  # what no clause on elements is about
                open_ = left & effect.outputs[name].where if name in effect.outputs else np.zeros((), bool)
                if open_.any():
                    broken[address] = response.at(name, open_, "none of what the clause leaves open").at(address)
                    left = left & ~open_
            if left.any():
                raise AssertionError(f"{spec.name}: no clause is blamed for wrong elements of {name}")
        return broken

    def observes(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Return True if conforming outputs hold an element that a U clause admits as merely observed."""
        if self.slices and self.slices.fits(outputs):
            return any(part.observes for part in self.slices.answers(outputs))
        told = {name: tuple(allowance for allowance in allowances if not allowance.observed)
                for name, allowances in self.allowances.items()}
        if all(len(told[name]) == len(allowances) for name, allowances in self.allowances.items()):
            return False
        given = {name: as_objects(np.asarray(array)) for name, array in outputs.items()}
        response = Response(self.definition, given, self.asked, told, conforms=self._conforms)
        return any(response.wrong(name) is not None for name in self.asked)

    def answers(self, outputs: Mapping[str, np.ndarray]) -> PartAnswers:
        """Return all answers about outputs. They are compared once."""
        self._conforming = {}
        found = PartAnswers(self.divergences(outputs), self.observes(outputs), self.decided_elements(outputs),
                            self.measures(outputs), self.errors(outputs), self.tolerance, self.unspecified_clauses,
                            self.decides_nothing)
        self._conforming = None
        return found

    def _conforms(self, name: str, got: np.ndarray) -> np.ndarray:
        """Return `Operator.conforms`, cached while all answers about outputs are asked for."""
        if self._conforming is None:
            return self.definition.conforms(name, got)
        if name not in self._conforming:
            self._conforming[name] = self.definition.conforms(name, got)
        return self._conforming[name]

    def decides(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Return True if outputs that break no clause have an element that is decided, or no element.

        One that is left open is not decided, nor is one that is merely observed, unless its room is narrow."""
        if self.slices and self.slices.fits(outputs):
            return self.decided_elements(outputs)[0] > 0
        masks = [self._left_open(name, np.asarray(outputs[name])) for name in self.asked]
        return any(open_ is not None and not (open_.size and open_.all()) for open_ in masks)

    def decided_elements(self, outputs: Mapping[str, np.ndarray]) -> tuple[int, int]:
        """Return how many elements of outputs are decided, right or wrong, and how many there are."""
        if self.slices and self.slices.fits(outputs):
            counts = [part.decided_elements for part in self.slices.answers(outputs)]
            return sum(decided for decided, _ in counts), sum(of for _, of in counts)
        decided = of = 0
        for name in self.asked:
            got = np.asarray(outputs[name])
            of += got.size
            if got.shape != self.definition.shape_of(name):  # wrong as a whole, unless another shape is allowed
                decided += got.size * (not any(allowance.shape for allowance in self.allowances.get(name, ())))
            elif (open_ := self._left_open(name, got)) is not None:
                decided += got.size - int(open_.sum())
        return decided, of

    def _left_open(self, name: str, got: np.ndarray) -> np.ndarray | None:
        """Return the mask of elements that are not decided, None where another shape is given or allowed."""
        allowances, open_ = self.allowances.get(name, ()), np.zeros(self.definition.shape_of(name), bool)
        if any(allowance.shape for allowance in allowances) or got.shape != open_.shape:
            return None  # another shape is allowed by another reading of the call alone
        for allowance in allowances:
            if allowance.admits is None:
                open_ |= allowance.where
            elif allowance.observed:
                unsure = allowance.where & ~self._conforms(name, got)
                open_ |= unsure & ~self._is_bounded(name, got, allowance) if unsure.any() else unsure
        return open_

    def _is_bounded(self, name: str, got: np.ndarray, allowance: Allowance) -> np.ndarray:
        """Return the mask of elements whose room is narrow, though their last digits are left open.

        They are less than `ROOM` from the canonical ones, and one as far off as that would be wrong."""
        right = self.definition.canonical[name]
        if not is_float(right.dtype) or allowance.admits is None:
            return np.zeros(right.shape, bool)
        with np.errstate(all="ignore"):
            other = (right * right.dtype.type(1 + ROOM)).astype(right.dtype)
            near = np.abs(got.astype(Wide) - right.astype(Wide)) < ROOM * np.abs(right.astype(Wide))
            return np.asarray(near & ~allowance.admits(other) & ~self.definition.conforms(name, other))

    def measures(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Return figures about outputs that change no verdict, such as the largest error in ulp."""
        found: dict[str, float] = {}
        if self.violations or type(self.definition).measure is Operator.measure:
            return found
        if self.slices and self.slices.fits(outputs):
            return self.slices.measures(outputs)
        for name, wanted in self.definition.canonical.items():
            entry = self.unspecified.get(name)
            got = outputs.get(name)
            if got is None or got.shape != wanted.shape or entry is not None and isinstance(entry.mask, str):
                continue
            judged = np.ones(wanted.shape, dtype=bool) if entry is None else ~np.asarray(entry.mask)
            found.update(self.definition.measure(name, got, judged))
        return found

    def errors(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Return by floating-point output the largest finite distance from the canonical values."""
        if self.slices and self.slices.fits(outputs):
            return self.slices.errors(outputs)
        found: dict[str, float] = {}
        for name, right in self.expected.items():
            got = outputs.get(name)
            if got is not None and got.shape == right.shape and is_float(right.dtype) and is_float(got.dtype):
                with np.errstate(over="ignore", invalid="ignore"):
                    distances = np.abs(got.astype(np.float64) - right.astype(np.float64))
                found[name] = float(distances.max(initial=0.0, where=np.isfinite(distances)))
        return found

    def comparisons(self, outputs: Mapping[str, np.ndarray]) -> list[Comparison]:
        """Compare outputs that break no clause with the accuracy profile. Raises OutsideDomain."""
        name = self.asked[0]
        if not self.spec.bounds or name not in outputs:
            return []
        if self.slices and self.slices.fits(outputs):
            merged: dict[str, Comparison] = {}
            for where, part in self.slices:
                for entry in part.comparisons({name: outputs[name][where]}):
                    before = merged.get(entry.clause)
                    merged[entry.clause] = entry if before is None else Comparison(
                        entry.clause, max(before.share, entry.share),
                        joined(before.divergence, entry.divergence) if entry.divergence else before.divergence)
            return list(merged.values())
        real, canonical = self._inside.real_values(), self.expected[name]
        got = np.asarray(outputs[name])
        if real is None or (got.shape, got.dtype) != (canonical.shape, canonical.dtype):
            return []
        return list(compare(self.spec.bounds, name, real, got, canonical, self.origin or (0,) * got.ndim))

    @property
    def tolerance(self) -> dict[str, float]:
        """By output, the distance from the canonical values within which others conform; 0 if exact."""
        found = self.slices.tolerance if self.slices else self._inside.tolerance()
        return {**dict.fromkeys(self.spec.outputs_of(self.call), 0.0), **found}

    @property
    def alternatives(self) -> dict[str, np.ndarray]:
        """By output, the mask of elements where several values conform without a U clause."""
        return self._inside.alternatives()

    @property
    def boundary_symbols(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """Axis by axis the mode of the call and its symbols; see `Operator.boundary_symbols`. Raises OutsideDomain."""
        return self._inside.boundary_symbols()

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return by input the cells, int (n, rank), that an output element at an index is computed from."""
        return self._inside.receptive_field(output, where)


def _blocked(needed: list[State]) -> State | None:
    """The state of a clause that rests on others; None when these are kept."""
    if any(state in ("broken", "blocked") for state, _ in needed):
        return BLOCKED
    return next((state for state in needed if state[0] == "undecided"), None)
