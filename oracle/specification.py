"""A specification ready for use: clauses from Markdown, each with its predicate, and the questions asked of them."""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from oracle.binding import Bindings, CallPredicate
from oracle.call import Call
from oracle.clause import Clause, SpecError, full_address
from oracle.findings import Divergence, Open, OutsideDomain, Standing, Violation
from oracle.markdown import SpecText, read_spec
from oracle.partial import PartialTensor, Undecided

Predicate = TypeVar("Predicate")

SPEC_FOLDER = Path(__file__).resolve().parent.parent / "spec"


@cache
def _texts() -> dict[str, SpecText]:
    """Every text below `spec/`, by its name without a version."""
    texts = {}
    for path in sorted(SPEC_FOLDER.glob("*/*.md")):
        name = path.relative_to(SPEC_FOLDER).with_suffix("").as_posix()
        texts[name] = read_spec(path)
        if texts[name].front["specification"] != name:
            raise SpecError(f"{path}:1: the file is named {name}, its front matter says "
                            f"{texts[name].front['specification']}")
    return texts


def spec_names() -> list[str]:
    """The names that `load_spec` takes: ``family/operator``, with ``@version`` where a text changes with the opset."""
    return [f"{name}@{version}" if version else name for name, text in _texts().items()
            for version in text.versions or ("",)]


@cache
def load_spec(name: str) -> Spec:
    """The specification of that name. Raises SpecError when there is none, or text and predicates do not match."""
    if name not in spec_names():
        raise SpecError(f"no specification is called {name!r}; there are {', '.join(spec_names())}")
    unversioned, at, version = name.partition("@")
    text = _texts()[unversioned]
    module = importlib.import_module("oracle.clauses." + unversioned.replace(".", "_").replace("/", "."))
    problems = binding_problems(text, module.bindings)
    if problems:
        raise SpecError("; ".join(problems))
    return Spec(text.at(int(version)) if at else text, module.bindings)


class Spec:
    """One specification. `clauses` maps addresses to clauses in the order of the text; `domain` is the ONNX operator
    set that a model of its calls uses, "" for ONNX's own, None where no ONNX model can hold its calls."""

    def __init__(self, text: SpecText, bindings: Bindings) -> None:
        self.name: str = text.front["specification"]
        self.operator: str = text.front["operator"]
        self.opset: int = text.front["opset"]
        self.outputs: tuple[str, ...] = tuple(text.front["outputs"])
        self.optional: tuple[str, ...] = tuple(text.front["optional"])
        self.versions: tuple[int, ...] = text.versions
        self.edition: str = text.front["edition"]
        self.domain: str | None = text.front.get("domain", "")
        self.clauses: dict[str, Clause] = text.clauses
        self.digest: str = hashlib.sha256(text.path.read_bytes()).hexdigest()
        self._bindings = bindings
        self._tables: dict[int, dict[str, Any]] = {}
        self._held = {clause.local for clause in text.clauses.values()}

    @property
    def exact(self) -> bool:
        """Whether outputs are compared for equality; where they are not, `measures` says how far off they are."""
        return self._bindings.measure is None

    def _predicates(self, table: Mapping[str, Predicate]) -> dict[str, Predicate]:
        """Those whose clause this version of the text has."""
        if id(table) not in self._tables:
            self._tables[id(table)] = {local: found for local, found in table.items() if local in self._held}
        return self._tables[id(table)]

    def _read(self, call: Call) -> Any:
        """What the predicates are given. Raises OutsideDomain for what is no call of the operator."""
        if call.operator != self.operator:
            raise OutsideDomain(f"{self.name} is about {self.operator}, not {call.operator}")
        if list(call.inputs) != ["X"] or not isinstance(call.inputs["X"], (np.ndarray, PartialTensor)):
            raise OutsideDomain(f"{self.operator} has one input, X, an array; not {', '.join(call.inputs) or 'none'}")
        return self._bindings.read(call, self.opset)

    def _read_inside(self, call: Call) -> Any:
        """The same of a call inside the domain. Raises OutsideDomain."""
        foreign = [name for name in call.outputs or () if name not in self.outputs]
        if foreign:
            raise OutsideDomain(f"{self.operator} has no output {', '.join(foreign)}")
        subject = self._read(call)
        violations = self._violations(subject)
        if violations:
            raise OutsideDomain("; ".join(f"{entry.clause}: {entry.why}" for entry in violations))
        return subject

    def __repr__(self) -> str:
        return f"Spec({self.name!r}, {len(self.clauses)} clauses)"

    @property
    def forms(self) -> tuple[tuple[str, ...], ...]:
        """The outputs that can be asked for: the required ones, then these with one more optional output each."""
        required = tuple(name for name in self.outputs if name not in self.optional)
        return tuple(required + self.optional[:count] for count in range(len(self.optional) + 1))

    def clause(self, address: str) -> Clause:
        """The clause at a full or local address. Raises KeyError."""
        return self.clauses[full_address(self.name, address)]

    def consequences(self, address: str) -> set[str]:
        """The clause and those that are broken whenever it is: what it restates or implies, and what restates it."""
        found: set[str] = set()
        pending = [full_address(self.name, address)]
        while pending:
            clause = self.clauses[pending.pop()]
            if clause.address in found:
                continue
            found.add(clause.address)
            pending += [*clause.implies, *filter(None, [clause.restates])]
            pending += [other.address for other in self.clauses.values() if other.restates == clause.address]
        return found

    def violations(self, call: Call) -> list[Violation]:
        """The clauses of the call that it breaks, in the order of the text; [] inside the domain. Raises OutsideDomain
        for what is no call of the operator at all."""
        return self._violations(self._read(call))

    def clause_by_clause(self, call: Call) -> list[Standing]:
        """How the call, which may be known in part, stands to each clause on calls, in the order of the text. Raises
        OutsideDomain for what is no call of the operator at all."""
        standings = self._standings(self._read(call))
        found = [(address, standings.get((clause.restates or address).partition("#")[2]))
                 for address, clause in self.clauses.items()]
        return [Standing(address, *standing) for address, standing in found if standing is not None]

    def _violations(self, subject: Any) -> list[Violation]:
        broken = {}
        for local, (state, why) in self._standings(subject).items():
            if state == "undecided":
                raise Undecided(why)
            if state == "broken":
                broken[full_address(self.name, local)] = why
        return [Violation(address, broken[clause.restates or address]) for address, clause in self.clauses.items()
                if (clause.restates or address) in broken]

    def _standings(self, subject: Any) -> dict[str, tuple[str, str]]:
        """State and reason of each clause on calls that has a predicate, by local address."""
        predicates = self._predicates(self._bindings.call_predicates)
        found: dict[str, tuple[str, str]] = {}

        def standing(local: str) -> tuple[str, str]:
            if local not in found:
                needed = [standing(need) for need in self._bindings.needs[local] if need in predicates]
                found[local] = _blocked(needed) or _asked(predicates[local], subject)
            return found[local]

        return {local: standing(local) for local in predicates}

    def unspecified(self, call: Call) -> dict[str, Open]:
        """What U clauses leave open: {} or, per output, the clauses that apply and the elements they open. Raises
        OutsideDomain."""
        return self._open(self._read_inside(call))

    def _open(self, subject: Any) -> dict[str, Open]:
        found: dict[str, Open] = {}
        for local, predicate in self._predicates(self._bindings.open_predicates).items():
            for output, mask in predicate(subject).items():
                if output not in self.outputs:
                    continue
                clauses = (full_address(self.name, local),)
                if output in found:
                    clauses = found[output].clauses + clauses
                    whole = isinstance(mask, str) or isinstance(found[output].mask, str)
                    mask = "whole" if whole else mask | found[output].mask
                found[output] = Open(clauses, mask)
        return found

    def may_refuse(self, call: Call) -> tuple[str, ...]:
        """The U clauses that leave open whether the call is inside the domain: where there are any, an implementation
        that refuses it breaks nothing. Raises OutsideDomain."""
        subject = self._read_inside(call)
        return tuple(full_address(self.name, local)
                     for local, applies in self._predicates(self._bindings.open_predicates).items()
                     if local in self._bindings.refusals and applies(subject))

    def expected(self, call: Call) -> dict[str, np.ndarray]:
        """The canonical outputs, of those asked for. Raises OutsideDomain."""
        outputs = self._bindings.expected(self._read_inside(call))
        return {name: outputs[name] for name in call.outputs or self.outputs}

    def divergences(self, call: Call, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """The clauses on outputs that `outputs` break, in the order of the text; [] when they conform.

        Only the outputs asked for are judged, and of these not what a U clause opens. Raises OutsideDomain."""
        subject = self._read_inside(call)
        asked = call.outputs or self.outputs
        opened = self._open(subject)
        whole = {name for name, entry in opened.items() if isinstance(entry.mask, str)}
        given = {name: np.asarray(outputs[name]) for name in asked if name in outputs and name not in whole}
        answer = self._bindings.answer(subject, given)
        answer.asked = tuple(name for name in asked if name not in whole)
        answer.opened = {name: entry.mask for name, entry in opened.items() if name not in whole}
        broken: dict[str, Divergence] = {}
        for local, predicate in self._predicates(self._bindings.output_predicates).items():
            if not any(need in broken for need in self._bindings.needs[local]) and (wrong := predicate(answer)):
                broken[local] = wrong.at(full_address(self.name, local))
        found = {entry.clause: entry for entry in broken.values()}
        return [Divergence(address, entry.output, entry.why, entry.where, entry.expected, entry.got)
                for address, clause in self.clauses.items() if (entry := found.get(clause.restates or address))]

    def measures(self, call: Call, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Figures about outputs that change no verdict, such as the largest error in ulp; {} where there are none."""
        if self._bindings.measure is None or self.violations(call):
            return {}
        subject = self._read_inside(call)
        opened, judged = self._open(subject), {}
        for name, wanted in self._bindings.expected(subject).items():
            mask = opened[name].mask if name in opened else np.zeros(wanted.shape, dtype=bool)
            if name in outputs and not isinstance(mask, str) and outputs[name].shape == wanted.shape:
                judged[name] = ~mask
        return self._bindings.measure(subject, outputs, judged)

    def reads(self, call: Call, where: tuple[int, ...]) -> np.ndarray | None:
        """The cells of X, int (n, rank), that the element of the outputs at `where` is computed from, padding cells
        (which lie outside X) included; None when the specification does not say. Raises OutsideDomain."""
        subject = self._read_inside(call)
        return self._bindings.reads(subject, where) if self._bindings.reads else None

    def words(self, call: Call) -> dict[str, Any]:
        """The attributes of a call in the specification's own words: ONNX's, unless it has others."""
        return self._bindings.words(call, self.opset)

    def evidence(self) -> dict[str, str]:
        """For each E clause that values depend on, the contradiction computed on the spot."""
        return {full_address(self.name, local): show()
                for local, show in self._predicates(self._bindings.evidences).items()}


def _blocked(needed: list[tuple[str, str]]) -> tuple[str, str] | None:
    """The standing of a clause that rests on others; None when these are kept."""
    if any(state == "broken" for state, _ in needed):
        return "blocked", ""
    return next((standing for standing in needed if standing[0] == "undecided"), None)


def _asked(predicate: CallPredicate, subject: Any) -> tuple[str, str]:
    try:
        why = predicate(subject)
    except Undecided as unknown:
        return "undecided", str(unknown)
    return ("kept", "") if why is None else ("broken", why)


def binding_problems(text: SpecText, bindings: Bindings) -> list[str]:
    """Where text and predicates do not match: a clause without a predicate, or a predicate without its clause."""
    problems = []
    for clause in text.clauses.values():
        table = {"U": bindings.open_predicates, "E": bindings.evidences}.get(
            clause.tag[0], bindings.call_predicates if clause.judges == "call" else bindings.output_predicates)
        if clause.restates or clause.editorial:
            if clause.local in bindings.bound:
                problems.append(f"{clause.address} restates a clause or is editorial, and has a predicate all the same")
        elif clause.local not in table:
            problems.append(f"{clause.address} has no predicate that fits its kind ({clause.kind}, "
                            f"judges {clause.judges or 'nothing'})")
    stated = {clause.local for clause in text.clauses.values()}
    problems += [f"{text.front['specification']}#{local} has a predicate and is not stated in {text.path}"
                 for local in sorted(bindings.bound - stated)]
    if bindings.expected is None or bindings.answer is None:
        problems.append(f"{text.front['specification']} needs `expected` and `answer`")
    return problems
