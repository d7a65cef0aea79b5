"""Bind the clauses of a specification to the predicates of a definition."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from plumbline.oracle.accuracy import Bound, clauses_of
from plumbline.oracle.call import Call, is_of
from plumbline.oracle.clause import Clause, SpecError, full_address
from plumbline.oracle.definition import Choose, Operator
from plumbline.oracle.editions import counts, decides, in_words
from plumbline.oracle.markdown import SpecText
from plumbline.oracle.predicates import Kind, Predicate, predicates


class BoundSpec:
    """One specification, and the definition of its operator.

    clauses:   by address, in the order of the text.
    domain:    the ONNX operator set that a model of its calls uses, "" for ONNX's own; None where no model holds them.
    is_newest: whether no version of the text is later.
    facts:     the addresses of the clauses that state facts of ONNX's schema.
    profile:   the accuracy profile that the operator is judged by, "" for none; `bounds`: its bounds, by address.
    deciding:  the predicates of E clauses by which the chosen edition reads calls; disputing: those of others.
    """

    def __init__(self, text: SpecText, definition: type[Operator], release: str = "",
                 profile: SpecText | None = None) -> None:
        """Bind a specification of one version; `release` is the edition of ONNX that decides, "" for all of them."""
        self.name: str = text.front["specification"]
        self.operator: str = text.front["operator"]
        self.opset: int = text.front["opset"]
        self.inputs: tuple[str, ...] = text.inputs
        self.optional_inputs: tuple[str, ...] = tuple(text.front.get("optional_inputs", ()))
        self.variadic_input: str | None = text.front.get("variadic_input")
        self.outputs: tuple[str, ...] = tuple(text.front["outputs"])
        self.variadic_output: str | None = text.front.get("variadic_output")
        self.optional: tuple[str, ...] = tuple(text.front["optional"])
        self._forms = tuple(tuple(form.split("+")) for form in text.front.get("forms", ()))
        self.versions: tuple[int, ...] = text.versions
        self.is_newest: bool = not self.versions or self.opset == max(self.versions)
        self.edition: str = text.front["edition"]
        self.domain: str | None = text.front.get("domain", "")
        self.profile: str = profile.name if profile else ""
        self.bounds: dict[str, Bound] = {
            full_address(profile.name, address): bound for address, bound in profile.bounds.items()
            if bound.function == self.operator.lower()} if profile else {}
        self.clauses: dict[str, Clause] = text.clauses | clauses_of(self.profile, self.bounds)
        pages = (*text.pages, *([profile.path] if profile else ()))
        self.digest: str = hashlib.sha256(b"".join(page.read_bytes() for page in pages)).hexdigest()
        self.path: Path = text.path
        self.module: str = text.module
        self.definition = definition
        bound = [self._here(predicate) for predicate in bound_predicates(text, definition)]
        self._predicates = [predicate for predicate in bound if predicate.clause in self.clauses]
        self.facts: frozenset[str] = frozenset(full_address(self.name, address) for address in text.facts)
        self.on_call = self._of("call")
        self.in_order_of_need = list(self._in_order_of_need())
        self.on_outputs = self._of("outputs")
        self.on_elements = self._of("elements")
        self.unspecified_predicates = self._of("open")
        disputed = self._of("disputed").items()
        self.deciding = {address: predicate for address, predicate in disputed
                         if decides(self.clauses[address].editions, release)}
        self.disputing = {address: predicate for address, predicate in disputed
                          if address not in self.deciding and counts(self.clauses[address].editions, release)}
        self._consequences: dict[str, frozenset[str]] = {}

    def _here(self, predicate: Predicate) -> Predicate:
        """Return a predicate with the addresses of this version of the specification."""
        return replace(predicate, clause=full_address(self.name, predicate.clause),
                       needs=tuple(full_address(self.name, need) for need in predicate.needs))

    def _of(self, kind: Kind) -> dict[str, Predicate]:
        return {predicate.clause: predicate for predicate in self._predicates if predicate.kind == kind}

    def _in_order_of_need(self) -> Iterator[tuple[str, Callable[..., Any], tuple[str, ...]]]:
        """The predicates on calls, each after those that it rests on, which are named with it."""
        seen: set[str] = set()

        def those_up_to(address: str) -> Iterator[tuple[str, Callable[..., Any], tuple[str, ...]]]:
            if address not in seen:
                seen.add(address)
                needs = tuple(need for need in self.on_call[address].needs if need in self.on_call)
                for need in needs:
                    yield from those_up_to(need)
                yield address, self.on_call[address].function, needs

        for address in self.on_call:
            yield from those_up_to(address)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.clauses)} clauses)"

    @property
    def exact(self) -> bool:
        """True if outputs are compared for equality; otherwise `measures` says how far off they are."""
        return self.definition.exact

    def takes(self, names: tuple[str, ...]) -> bool:
        """Return True if the operator takes inputs of these names, in this order; of a variadic input there are any
        number, called NAME_0, NAME_1, ..."""
        given = set(names)
        return names == tuple(name for name in self.places(names)
                              if name in given or name not in self.optional_inputs)

    def places(self, given: Collection[str]) -> tuple[str, ...]:
        """The names of all inputs of a call in order, those that it leaves out included; of a variadic input as many as
        are given."""
        variadic = self.variadic_input
        if variadic is None:
            return self.inputs
        return self.input_names(len(self.inputs) - 1 + sum(is_of(name, variadic) for name in given))

    def input_names(self, count: int) -> tuple[str, ...]:
        """Return the names of the first `count` inputs of a node; unknown ones have their number as name.
        Left out or not, an input keeps its place. A variadic input is the last."""
        single = self.inputs if self.variadic_input is None else self.inputs[:-1]
        return tuple(single[number] if number < len(single) else f"input {number}" if self.variadic_input is None else
                     f"{self.variadic_input}_{number - len(single)}" for number in range(count))

    def output_names(self, count: int) -> tuple[str, ...]:
        """The names of the first `count` outputs of a node, as far as the operator has them."""
        if self.variadic_output is not None:
            return tuple(f"{self.variadic_output}_{number}" for number in range(count))
        return self.outputs[:count]

    def outputs_of(self, call: Call) -> tuple[str, ...]:
        """Return all outputs of a call; of a variadic output those that it asks for, by default one."""
        if self.variadic_output is None:
            return self.outputs
        return call.outputs if call.outputs and call.outputs != self.outputs else self.output_names(1)

    def asked(self, call: Call) -> tuple[str, ...]:
        """The outputs that a call asks for."""
        return call.outputs if call.outputs and self.variadic_output is None else self.outputs_of(call)

    def form(self, call: Call) -> str:
        """The name of the outputs that a call asks for, among `forms`: ``"Y+Indices"``."""
        return self.variadic_output or "+".join(self.asked(call))

    def make(self, choose: Choose) -> Call | None:
        """Return the call of `Operator.make`. Raises SpecError for anything that is not a call of the operator."""
        call = self.definition.make(choose, self.opset)
        fits = isinstance(call, Call) and call.operator == self.operator and isinstance(call.inputs, Mapping) \
            and isinstance(call.attributes, Mapping)
        if call is not None and not fits:
            raise SpecError(f"{self.name}: `make` of {self.definition.__name__} gives {str(call)[:80]}; it gives a "
                            f"Call of {self.operator}, with mappings of attributes and inputs, or None")
        return call

    @property
    def forms(self) -> tuple[tuple[str, ...], ...]:
        """The outputs that can be asked for: the required ones, then these with one more optional output each.

        Where none is required, each alone, then the first ones together. `forms` of the front matter says others."""
        if self._forms:
            return self._forms
        required = [name for name in self.outputs if name not in self.optional]
        if not required:
            alone = tuple((name,) for name in self.outputs)
            return alone + tuple(self.outputs[:count] for count in range(2, len(self.outputs) + 1))
        chosen = ({*required, *self.optional[:count]} for count in range(len(self.optional) + 1))
        return tuple(tuple(name for name in self.outputs if name in names) for names in chosen)

    def clause(self, address: str) -> Clause:
        """The clause at a full or local address. Raises KeyError."""
        return self.clauses[full_address(self.name, address)]

    def consequences(self, address: str) -> frozenset[str]:
        """The clause and those that are broken whenever it is: what it restates or implies, and what restates it."""
        address = full_address(self.name, address)
        if address not in self._consequences:
            broken, pending = set[str](), [address]
            while pending:
                clause = self.clauses[pending.pop()]
                if clause.address not in broken:
                    broken.add(clause.address)
                    pending += [*clause.implies, *filter(None, [clause.restates])]
                    pending += [name for name, other in self.clauses.items() if other.restates == clause.address]
            self._consequences[address] = frozenset(broken)
        return self._consequences[address]

    def evidence(self) -> dict[str, str]:
        """Return the computed contradiction of each E clause that values depend on.

        Where editions disagree it is the releases that read the specification otherwise."""
        return {predicate.clause: predicate.function() if predicate.kind == "evidence"
                else in_words(self.clauses[predicate.clause].editions)
                for predicate in self._predicates if predicate.kind in ("evidence", "disputed")}


def bound_predicates(text: SpecText, definition: type[Operator]) -> list[Predicate]:
    """Return the predicates of a text's facts and shapes, and those of its definition."""
    return [*(fact.predicate(address) for address, fact in text.facts.items()),
            *(formula.predicate() for formula in text.shapes.values()), *predicates(definition)]


def binding_problems(text: SpecText, definition: type[Operator]) -> list[str]:
    """Where text and definition do not match: a clause without a predicate, a predicate without its clause, or two
    predicates for one clause."""
    name, problems = text.front["specification"], []
    bound: dict[str, Predicate] = {}
    for predicate in bound_predicates(text, definition):
        if predicate.clause in bound:
            problems.append(f"{name}#{predicate.clause} has two predicates")
        bound[predicate.clause] = predicate
    for clause in text.clauses.values():
        judging: tuple[Kind, ...] = ("call",) if clause.judges == "call" else ("outputs", "elements")
        of_erratum: tuple[Kind, ...] = ("disputed",) if clause.editions else ("evidence",)
        kinds = {"U": ("open",), "E": of_erratum}.get(clause.tag[0], judging)
        if clause.restates or clause.editorial:
            if clause.local in bound:
                problems.append(f"{clause.address} restates a clause or is editorial, and has a predicate all the same")
        elif clause.local not in bound or bound[clause.local].kind not in kinds:
            other = f"; the one it has is about {bound[clause.local].kind}, and the text has the outputs " \
                    f"{', '.join(text.front['outputs'])}" if clause.local in bound else ""
            problems.append(f"{clause.address} has no predicate that fits its kind ({clause.kind}, "
                            f"judges {clause.judges or 'nothing'}){other}")
    stated = {clause.local for clause in text.clauses.values()}
    problems += [f"{name}#{local} has a predicate and is not stated in {text.path}"
                 for local in sorted(bound.keys() - stated)]
    return problems
