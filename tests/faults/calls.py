"""The calls that faults are tried on, by operator: those of the default run, and further ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest

import numpy as np

from plumbline.backends import Answered, Raised, Request
from plumbline.cases import Case, generate_cases
from plumbline.cases.format.loader import read_cases
from plumbline.cases.generate.choices import maker, makes_calls
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.onnx.contexts import contexts, in_contexts
from plumbline.oracle import JudgedCall, OutsideDomain, Spec, load_spec, spec_names
from plumbline.oracle.choosing import every
from plumbline.trial.record.judge import Verdict, judge_inside

DRAWN, SMALL = 2_000, 500
"""Drawn calls of an operator, with all its versions, and exhaustive small ones; versions share them evenly."""

BUDGET = 8
"""Bits that the choices of an exhaustive small call may cost together; see `oracle.choosing.every`."""

SEED = 1
"""Of the drawn calls: not the seed of the default run."""

Outputs = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Item:
    """A call inside the domain with all outputs asked for, and how the oracle reads it."""

    spec: Spec
    case: Case
    judged: JudgedCall

    @property
    def name(self) -> str:
        """``onnx/maxpool@12 same-upper-odd``."""
        return f"{self.spec.name} {self.case.id}"

    @property
    def is_drawn(self) -> bool:
        """Whether a seed drew the call."""
        return self.case.id.startswith("generated-")

    @property
    def is_combined(self) -> bool:
        """True for a call with combinations of special values."""
        return self.case.id.startswith("combined-")

    @property
    def has_every_value(self) -> bool:
        """True for a call on every value of a small type."""
        return self.case.id.startswith("every-")

    @property
    def size(self) -> int:
        """The elements of inputs and outputs, by which calls are put in order."""
        return sum(np.size(array) for arrays in (self.judged.call.inputs, self.case.expectation.outputs or {})
                   for array in arrays.values())

    @cached_property
    def request(self) -> Request:
        """The call as an implementation is given it, in ONNX's words; without a model, which none here reads."""
        call, spec = self.judged.call, self.spec
        return Request(b"", call.operator, call.attributes, self.case.opset, call.inputs, spec.asked(call),
                       specification=spec.name, label=self.case.context or "")

    def verdict(self, answer: Outputs | Exception) -> Verdict:
        """What the suite says of outputs, or of an error."""
        outcome: Answered | Raised
        if isinstance(answer, Exception):
            outcome = Raised("run", type(answer).__name__, _said(answer))
        else:
            outcome = Answered({name: np.asarray(answer[name]) for name in self.request.outputs if name in answer})
        return judge_inside(self.judged, outcome)


def operators() -> dict[str, list[str]]:
    """The specifications that share a definition and a reference oracle: the versions of each, by name without."""
    found: dict[str, list[str]] = {}
    for name in spec_names():
        found.setdefault(name.partition("@")[0], []).append(name)
    return found


def default_items(names: list[str]) -> list[Item]:
    """The calls of a default run of some specifications, hand-written and generated, smallest first; those that its
    seed draws come last, so that what only they find can be told."""
    written, errors = read_cases(None, names)
    assert not errors, errors
    cases = [*written, *(case for name in names for case in generated_cases(name, written, seed=0))]
    return sorted(items_of(cases), key=lambda item: (item.is_drawn, item.size))


def further_items(names: list[str]) -> Iterator[Item]:
    """The exhaustive small calls of each version, and drawn ones of all versions in turn."""
    for name in names:
        spec = load_spec(name)
        small = islice(every(maker(spec), BUDGET), -(-SMALL // len(names))) if makes_calls(spec) else ()
        yield from items_of(made_case(spec, f"small-{number}", "", call, "") for number, call in small
                            if not spec.violations(call))
    drawn = [generate_cases(name, seed=SEED, count=-(-DRAWN // len(names))) for name in names]
    for turn in zip_longest(*drawn):
        yield from items_of(case for case in turn if case is not None)


class Kept:
    """Items that are made once, when they are first asked for, and gone through several times."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._made, self._rest = list[Item](), items

    def __iter__(self) -> Iterator[Item]:
        yield from self._made
        for item in self._rest:
            self._made.append(item)
            yield item


def items_of(cases: Iterable[Case]) -> Iterator[Item]:
    """The cases inside the domain."""
    for case in cases:
        spec = load_spec(case.spec)
        try:
            judged = JudgedCall(spec, case.call.asking_for(*spec.forms[-1]))
            if not judged.violations:
                yield Item(spec, case, judged)
        except OutsideDomain:
            continue


def placed_items(items: Iterable[Item]) -> list[Item]:
    """The calls that are put in all contexts, in each: no fault is to be found by the context that a call happens to
    have. How inputs lie in memory beyond gaps reaches libraries of functions alone."""
    everywhere = [item.case for item in items if item.case.in_all]
    return list(items_of(in_contexts(everywhere, [name for name in contexts() if name != "channels-last"])))


def _said(error: Exception) -> str:
    """Return the message of an error; "" if it holds an integer of more digits than Python writes."""
    try:
        return str(error)
    except ValueError:
        return ""
