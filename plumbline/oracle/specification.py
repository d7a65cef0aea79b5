"""A specification ready for use: clauses from Markdown, each with its predicate, and the questions asked of them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakSet

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.clause import Clause, SpecError, full_address
from plumbline.oracle.discovery import SPEC_FOLDER, folders, home_of, named_folders, slow_oracle
from plumbline.oracle.answers import Divergence, Open, Standing, Violation
from plumbline.oracle.editions import chosen_edition, counts, decides, in_words
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.markdown import SpecText, read_front
from plumbline.oracle.operator import Kind, Operator, Predicate, predicates


def _texts() -> dict[str, SpecText]:
    """Every text on an operator, by its name without a version."""
    return _texts_below((SPEC_FOLDER, *folders()), False)


def general_texts() -> dict[str, SpecText]:
    """The texts on models and no operator, by name: `oracle.check` alone asks about them."""
    return _texts_below((SPEC_FOLDER, *folders()), True)


@cache
def _texts_below(places: tuple[Path, ...], general: bool) -> dict[str, SpecText]:
    texts: dict[str, SpecText] = {}
    for folder, path in ((place, path) for place in places for path in sorted(place.glob("*/*.md"))):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name in texts:
            raise SpecError(f"{path}:1: there is a text {name} already, {texts[name].path}; name this one otherwise")
        texts[name] = read_front(path)
        if texts[name].front["specification"] != name:
            raise SpecError(f"{path}:1: the file is named {name}, its front matter says "
                            f"{texts[name].front['specification']}")
    return {name: text for name, text in texts.items() if text.is_general is general}


def spec_names() -> list[str]:
    """The names that `load_spec` takes: ``family/operator``, with ``@version`` where a text changes with the opset."""
    return [f"{name}@{version}" if version else name for name, text in _texts().items()
            for version in text.versions or ("",)]


def operators() -> dict[str, list[str]]:
    """The names of the specifications of each operator."""
    found: dict[str, list[str]] = {}
    texts = _texts()
    for name in spec_names():
        found.setdefault(texts[name.partition("@")[0]].front["operator"], []).append(name)
    return found


def homes() -> list[tuple[SpecText, type[Operator]]]:
    """Every text with its home; none is read further for it than to its front matter."""
    return [(text, home_of(name, text.path)) for name, text in _texts().items()]


def specs_named(name: str) -> list[Spec]:
    """The specification of that name; of a text with versions, all of them where the name has none. Raises
    SpecError."""
    return [load_spec(known) for known in spec_names() if known.partition("@")[0] == name] or [load_spec(name)]


def load_spec(name: str, release: str | None = None) -> Spec:
    """The specification of that name, as a release of ONNX reads it, by default the one that PLUMBLINE_EDITION names;
    with "" as any may. Raises SpecError when there is none, or text and predicates do not match."""
    return _loaded(name, named_folders(), chosen_edition() if release is None else release)


@cache
def _loaded(name: str, _: str, release: str) -> Spec:
    if name not in spec_names():
        raise SpecError(f"no specification is called {name!r}; {there_are(name)}")
    unversioned, at, version = name.partition("@")
    text = _texts()[unversioned]
    home = home_of(unversioned, text.path)
    slow_oracle(unversioned, text.path)
    problems = binding_problems(text, home)
    if problems:
        raise SpecError("; ".join(problems))
    return Spec(text.at(int(version)) if at else text, home, release)


def there_are(name: str) -> str:
    """Which specifications there are instead of one that is not there: those of nearly that name, and where all are."""
    near = get_close_matches(name, spec_names(), 3)
    meant = f"did you mean {', '.join(near)}? " if near else ""
    return f"{meant}plumbline list shows all {len(spec_names())}"


def literal_expected(name: str, call: Call) -> dict[str, np.ndarray]:
    """All outputs of a call inside the domain, by the slow oracle of the specification of that name; where the text
    leaves an element open, one choice."""
    unversioned, at, version = name.partition("@")
    slow = slow_oracle(unversioned, _texts()[unversioned].path)
    return slow(call, int(version)) if at else slow(call)


class Spec:
    """One specification. `clauses` maps addresses to clauses in the order of the text; `domain` is the ONNX operator
    set that a model of its calls uses, "" for ONNX's own, None where no ONNX model can hold its calls; `is_newest` says
    that no version of the text is later; `release` is the edition that alone counts, "" where all do."""

    _all: ClassVar[WeakSet[Spec]] = WeakSet()

    def __init__(self, text: SpecText, home: type[Operator], release: str = "") -> None:
        self.name: str = text.front["specification"]
        self.operator: str = text.front["operator"]
        self.opset: int = text.front["opset"]
        self.inputs: tuple[str, ...] = text.inputs
        self.optional_inputs: tuple[str, ...] = tuple(text.front.get("optional_inputs", ()))
        self.variadic_input: str | None = text.front.get("variadic_input")
        self.outputs: tuple[str, ...] = tuple(text.front["outputs"])
        self.optional: tuple[str, ...] = tuple(text.front["optional"])
        self.versions: tuple[int, ...] = text.versions
        self.is_newest: bool = not self.versions or self.opset == max(self.versions)
        self.edition: str = text.front["edition"]
        self.domain: str | None = text.front.get("domain", "")
        self.clauses: dict[str, Clause] = text.clauses
        self.digest: str = hashlib.sha256(text.path.read_bytes()).hexdigest()
        self.path: Path = text.path
        self.home = home
        found = [self._here(predicate) for predicate in predicates(home)]
        self._predicates = [predicate for predicate in found if predicate.clause in self.clauses]
        self.on_call = self._of("call")
        self.in_order_of_need = list(self._in_order_of_need())
        self.on_outputs = self._of("outputs")
        self.on_elements = self._of("elements")
        self.leaving_open = self._of("open")
        disputed = self._of("disputed").items()
        self.release = release
        self.deciding = {address: predicate for address, predicate in disputed
                         if decides(self.clauses[address].editions, release)}
        self.disputing = {address: predicate for address, predicate in disputed
                          if address not in self.deciding and counts(self.clauses[address].editions, release)}
        self._last: JudgedCall | None = None
        self._consequences: dict[str, frozenset[str]] = {}
        self._all.add(self)

    def _here(self, predicate: Predicate) -> Predicate:
        """A predicate with the addresses of this version of the text."""
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
        return f"Spec({self.name!r}, {len(self.clauses)} clauses)"

    @property
    def exact(self) -> bool:
        """Whether outputs are compared for equality; where they are not, `measures` says how far off they are."""
        return self.home.exact

    def takes(self, names: tuple[str, ...]) -> bool:
        """Whether inputs of these names, in this order, are what the operator takes; of a variadic input there are any
        number, called NAME_0, NAME_1, ..."""
        if self.variadic_input is not None:
            return names == tuple(f"{self.variadic_input}_{number}" for number in range(len(names)))
        return names == tuple(name for name in self.inputs if name in names or name not in self.optional_inputs)

    def input_names(self, count: int) -> tuple[str, ...]:
        """What the first `count` inputs of a node are called; those that the operator does not have, by their number.
        Left out or not, an input keeps its place."""
        if self.variadic_input is not None:
            return tuple(f"{self.variadic_input}_{number}" for number in range(count))
        return tuple(self.inputs[number] if number < len(self.inputs) else f"input {number}" for number in range(count))

    def judged(self, call: Call) -> JudgedCall:
        """The call under this specification, for several questions about the same call; its arrays must not change
        between them. The methods below ask one question each, mostly of the call that the one before was about."""
        found = self._last
        if found is None or found.call is not call:
            found = self._last = JudgedCall(self, call) if found is None else found.then(call)
        return found

    @classmethod
    def let_go(cls) -> None:
        """Keep nothing of the calls that specifications were asked about last, which may be large."""
        for spec in cls._all:
            spec._last = None

    @property
    def forms(self) -> tuple[tuple[str, ...], ...]:
        """The outputs that can be asked for: the required ones, then these with one more optional output each."""
        required = tuple(name for name in self.outputs if name not in self.optional)
        return tuple(required + self.optional[:count] for count in range(len(self.optional) + 1))

    def clause(self, address: str) -> Clause:
        """The clause at a full or local address. Raises KeyError."""
        return self.clauses[full_address(self.name, address)]

    def consequences(self, address: str) -> frozenset[str]:
        """The clause and those that are broken whenever it is: what it restates or implies, and what restates it."""
        address = full_address(self.name, address)
        if address not in self._consequences:
            found, pending = set[str](), [address]
            while pending:
                clause = self.clauses[pending.pop()]
                if clause.address not in found:
                    found.add(clause.address)
                    pending += [*clause.implies, *filter(None, [clause.restates])]
                    pending += [name for name, other in self.clauses.items() if other.restates == clause.address]
            self._consequences[address] = frozenset(found)
        return self._consequences[address]

    def violations(self, call: Call) -> list[Violation]:
        """The clauses of the call that it breaks, in the order of the text; [] inside the domain. Raises OutsideDomain
        for what is not a call of the operator at all."""
        return self.judged(call).violations

    def clause_by_clause(self, call: Call) -> list[Standing]:
        """How the call, which may be known in part, stands to each clause on calls, in the order of the text. Raises
        OutsideDomain for what is not a call of the operator at all."""
        return self.judged(call).standings

    def unspecified(self, call: Call) -> dict[str, Open]:
        """What U clauses leave open: {} or, per output, the clauses that apply and the elements they open. Raises
        OutsideDomain."""
        return self.judged(call).unspecified

    def silences(self, call: Call) -> tuple[str, ...]:
        """The U clauses that apply to a call, whether or not they open elements of it. Raises OutsideDomain."""
        return self.judged(call).silent

    def may_refuse(self, call: Call) -> tuple[str, ...]:
        """The U clauses that leave open whether the call is inside the domain: where there are any, an implementation
        that refuses it breaks nothing. Raises OutsideDomain."""
        return self.judged(call).may_refuse

    def expected(self, call: Call) -> dict[str, np.ndarray]:
        """The canonical outputs, of those asked for. Raises OutsideDomain."""
        return self.judged(call).expected

    def divergences(self, call: Call, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """The clauses on outputs that `outputs` break, in the order of the text; [] when they conform.

        Only the outputs asked for are judged, and of these not what a U clause opens. Raises OutsideDomain."""
        return self.judged(call).divergences(outputs)

    def measures(self, call: Call, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Figures about outputs that change no verdict, such as the largest error in ulp; {} where there are none."""
        return self.judged(call).measures(outputs)

    def tolerance(self, call: Call) -> dict[str, float]:
        """By output, a distance from `expected` within which every conforming value lies (wrong ones may too); 0 where
        the comparison is exact. Raises OutsideDomain."""
        return self.judged(call).tolerance

    def several(self, call: Call) -> dict[str, np.ndarray]:
        """By output, where more than one value conforms though no U clause leaves it open: the index of either of two
        equal maxima, where the text does not choose. bool arrays; rounding apart. Raises OutsideDomain."""
        return self.judged(call).several

    def reads(self, call: Call, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """By input, the cells, int (n, rank), that the element of an output at `where` is computed from, padding cells
        (which lie outside the input) included; {} when the home does not say. Raises OutsideDomain."""
        return self.judged(call).reads(output, where)

    def words(self, call: Call) -> dict[str, Any]:
        """The attributes of a call in the specification's own words: ONNX's, unless it has others."""
        return self.judged(call).home.words()

    def evidence(self) -> dict[str, str]:
        """For each E clause that values depend on, the contradiction computed on the spot, or the releases that read
        the text otherwise."""
        return {predicate.clause: predicate.function() if predicate.kind == "evidence"
                else in_words(self.clauses[predicate.clause].editions)
                for predicate in self._predicates if predicate.kind in ("evidence", "disputed")}


def binding_problems(text: SpecText, home: type[Operator]) -> list[str]:
    """Where text and home do not match: a clause without a predicate, a predicate without its clause, or two
    predicates for one clause."""
    name, problems = text.front["specification"], []
    bound: dict[str, Predicate] = {}
    for predicate in predicates(home):
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
            problems.append(f"{clause.address} has no predicate that fits its kind ({clause.kind}, "
                            f"judges {clause.judges or 'nothing'})")
    stated = {clause.local for clause in text.clauses.values()}
    problems += [f"{name}#{local} has a predicate and is not stated in {text.path}"
                 for local in sorted(bound.keys() - stated)]
    return problems
