"""Pairs of boundary classes that no axis within the bound of `cases.classes` has cannot be had with any sizes.

The inequalities are those that the clauses declare, read from the same text. Specifications and modes whose
inequalities are the same ask the same question, which is proved once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import z3

from plumbline.cases.generate import boundary_classes as classes
from plumbline.oracle import Inequality, Spec, load_spec, spec_names
from plumbline.oracle.boundary import read_boundary
from plumbline.oracle.operator import Operator
from tests.theorems.solver import prove
from tests.theorems.terms import Truth, any_of, floor

DEFINITION = load_spec("onnx/convtranspose@22").definition
BOUNDS = tuple((name, low, True) for name, (low, _) in DEFINITION.bounds(22, frozenset({"NOTSET", "floor"})).items())
"""A definition with all symbols, and the smallest number of each."""

Side = tuple[str, str]
"""The text of an inequality, and the sign of one of its classes."""


@dataclass(frozen=True)
class Question:
    """Whether a call has axes, the first with all of the first `boundary_symbols` and so on, that keep every demand.

    demands: texts of inequalities. bounds: of each symbol the smallest number, and whether it has others.
    definition:    gives the symbols that are computed from others."""

    demands: frozenset[str]
    bounds: tuple[tuple[str, int, bool], ...]
    definition: type[Operator]
    sides: tuple[frozenset[Side], ...]


def question(spec: Spec, words: classes.Mode, pair: classes.Pair) -> Question:
    """What is to be proved of a pair in one mode."""
    of = classes.classes_of(spec.name)
    demands = frozenset(one.inequality.text for one in of if one.inequality.applies(words))
    one, other = ((of[place].inequality.text, of[place].sign) for place in (pair.first, pair.second))
    sides = (frozenset([one]), frozenset([other])) if pair.across else (frozenset([one, other]),)
    bounds = tuple((name, low, high > low) for name, (low, high) in spec.definition.bounds(spec.opset, words).items())
    return Question(demands, bounds, spec.definition, sides)


def unsatisfiable(spec: Spec) -> Iterator[classes.Pair]:
    """The other pairs of classes that some mode has both of."""
    of, modes = classes.classes_of(spec.name), classes.modes_of(spec)
    for one, first in enumerate(of):
        for other, second in enumerate(of):
            alike = first.inequality is second.inequality
            pair = classes.Pair(one, other, alike)
            if (one < other or alike and one != other) and pair not in classes.satisfiable(spec.name) and any(
                    first.inequality.applies(mode) and second.inequality.applies(mode) for mode in modes):
                yield pair


def questions(spec: Spec) -> Iterator[Question]:
    """One for each pair that is said to be unsatisfiable, and for each mode that has both of its classes."""
    of = classes.classes_of(spec.name)
    for pair in unsatisfiable(spec):
        for words in classes.modes_of(spec):
            if all(of[place].inequality.applies(words) for place in (pair.first, pair.second)):
                yield question(spec, words, pair)


def inequality(text: str) -> Inequality:
    """The one that a text declares."""
    (found,) = read_boundary(text)
    return found


def symbols(number: int, names: Iterable[str], definition: type[Operator]) -> dict[str, z3.ArithRef]:
    """Variables for an axis of a call."""
    found = {name: z3.Int(f"{name}{number}") for name in names}
    return {**found, **definition.derived(found)}


def is_of(side: Side, axis: dict[str, z3.ArithRef]) -> Truth:
    """That an axis is on a side."""
    text, sign = side
    value = inequality(text).value(axis, floor)
    return {"<": value < 0, "=": value == 0, ">": value > 0}[sign]


@cache
def prove_that_none_has_it(asked: Question) -> None:
    """AssertionError, with an axis that has it, where there is one; and where the demands cannot be kept at all."""
    given, claimed = [], []
    for number, sides in enumerate(asked.sides):
        axis = symbols(number, [name for name, _, _ in asked.bounds], asked.definition)
        given += [axis[name] >= low if free else axis[name] == low for name, low, free in asked.bounds]
        given += [any_of(*(is_of((text, sign), axis) for sign in inequality(text).signs))
                  for text in sorted(asked.demands)]
        claimed += [is_of(side, axis) for side in sorted(sides)]
    prove(z3.Not(z3.And(*claimed)), given)


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize("name", [name for name in spec_names() if classes.classes_of(name)])
def test_what_is_not_had_within_the_bound_is_not_had_with_any_sizes(name: str) -> None:
    """Every pair of every specification, in every mode that has both of its classes."""
    asked = list(questions(load_spec(name)))
    assert asked
    for each in asked:
        prove_that_none_has_it(each)


def test_a_pair_that_only_large_axes_have_is_refuted() -> None:
    """By an axis beyond the bound: one of ten cells or more with a kernel of one, and two unequal axes likewise. A pair
    that none has is proved."""
    demands = frozenset(["in <=> 9", "k >= 1", "in >= k"])
    beyond, least = ("in <=> 9", ">"), ("k >= 1", "=")
    with pytest.raises(AssertionError, match=r"(?s)not for all integers.*'in0': [1-9]\d"):
        prove_that_none_has_it(Question(demands, BOUNDS, DEFINITION, (frozenset([beyond, least]),)))
    with pytest.raises(AssertionError, match=r"(?s)not for all integers.*'in0': [1-9]\d"):
        asked = frozenset([beyond]), frozenset([("in <=> 9", "=")])
        prove_that_none_has_it(Question(demands, BOUNDS, DEFINITION, asked))
    one = frozenset([("in <=> 9", "=")])
    prove_that_none_has_it(Question(demands | {"in >= s", "s >= 10"}, BOUNDS, DEFINITION, (one,)))


@pytest.mark.parametrize("text", sorted({of.inequality.text for name in spec_names()
                                         for of in classes.classes_of(name)}))
def test_what_is_proved_is_what_is_computed(text: str) -> None:
    """For sampled axes, those with negative quotients among them, the solver's sides are those of the numbers."""
    rng = np.random.default_rng(0)
    axis = symbols(0, [name for name, _, _ in BOUNDS], DEFINITION)
    for _ in range(10):
        numbers = {name: int(rng.integers(low, 26)) for name, low, _ in BOUNDS}
        known = {**numbers, **DEFINITION.derived(numbers)}
        given = [(axis[name], z3.IntVal(value)) for name, value in numbers.items()]
        for sign in inequality(text).signs:
            truth = z3.simplify(z3.substitute(is_of((text, sign), axis), *given))
            assert z3.is_true(truth) == inequality(text).holds(sign, known) and not truth.decl().arity()
