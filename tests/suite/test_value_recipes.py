"""Each recipe of values betrays the faults that it is there for, and plain values in the same calls do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from plumbline.cases import Case
from plumbline.cases.generate import value_recipes as values
from plumbline.cases.generate.run_cases import GENERATED
from plumbline.cases.generate.seeded import generated_case
from plumbline.cases.generate.value_recipes import FURTHER, RECIPES, Recipe, title_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.trial.record.judge import ACCUSES
from tests.faults.calls import Item, items_of
from tests.faults.trial import answer_of
from tests.operators.onnx._pooling import Pooling
from tests.suite import pooling_faults as pooling

CALLS = 120
"""Windows that are tried in every type with each recipe."""

LARGE = 4096
"""Elements of X above which the windows of a call are not tried with every recipe."""

CELLS = 16
"""Cells of a window above which a call is not tried: sums of so many plain values are exact in every type."""

TEXTS = {"MaxPool": ["onnx/maxpool@12", "sonnx/maxpool"], "AveragePool": ["onnx/averagepool@22"]}
"""Texts with all the types of their operator; what becomes of NaN in a maximum is said by SONNX alone."""

BETRAYS = [
    (values.distinct, "MaxPool", ["IndexOfTheFirstCell", "IndexByHeight", "SecondLargest", "Minimum"]),
    (values.distinct, "AveragePool", ["LastOfAnOddNumberMissing", "DivisorOneMore", "NotDivided"]),
    (values.ties, "MaxPool", ["LastTieWins", "LeftmostTieWins", "LastOfTheFirstRowWins"]),
    (values.negative, "MaxPool", ["PadsFloatsWithZero", "StartsAtZero"]),
    (values.lowest, "MaxPool", ["StartsAtTheLowestNumber", "PadsWithTheLowestNumber", "IndexNeverSet"]),
    (values.bottom, "MaxPool", ["StartsAtTheLowestNumber", "IndexNeverSet", "StartsAtTheLowestHalf", "SymmetricRange"]),
    (values.extremes, "MaxPool", ["InfinitiesCutOff", "SubnormalsFlushed", "ComparesWithoutSubnormals",
                                  "InfinityIsNoNumber"]),
    (values.nan, "MaxPool", ["LeadingNanStays", "TrailingNanStays", "NanSpreads", "NanEndsTheSearch", "IndexOfTheNan",
                             "NanRestartsTheSearch"]),
    (values.walking, "MaxPool", ["LeadingNanStays", "TrailingNanStays", "NanSpreads", "NanEndsTheSearch",
                                 "InfinitiesCutOff", "SubnormalsFlushed", "InfinityIsNoNumber", "NanRestartsTheSearch",
                                 "ComparesWithSign", "BytesCutOff"]),
    (values.neighbours, "MaxPool", ["ComparesInSingle", "YPassesThroughSingle", "ComparesInHalf", "ComparesWithSign",
                                    "ComparesWithoutSign", "BytesCutOff", "ComparesSixDecimals"]),
    (values.neighbours, "AveragePool", ["AddsDoublesInSingle"]),
    (values.walking, "AveragePool", ["MaskedByMultiplication"]),
    (values.large, "AveragePool", ["AddsInHalf", "SumsCutOffInHalf"]),
    (values.normal, "AveragePool", ["AddsInHalf", "AddsDoublesInSingle"]),
    (values.cancelling, "AveragePool", ["SumOfMagnitudes", "AddsInHalf", "AddsDoublesInSingle"]),
    (values.exact, "AveragePool", ["LastOfAnOddNumberMissing", "DivisorOneMore", "NotDivided"]),
    (values.mixed, "AveragePool", ["SumsInFixedPoint", "MeansFlushed"]),
]


def plain(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """1, 2, 3, ..., the same in every plane: nothing that any recipe is there for."""
    return np.broadcast_to(1 + np.arange(np.prod(shape[2:])).reshape(shape[2:]) % 100, shape).astype(dtype)


@cache
def calls_with(recipe: Recipe, operator: str) -> list[Item]:
    """Generated windows of every mode with the values of one recipe, in every type and form."""
    found: list[Case] = []
    for name in TEXTS[operator]:
        spec = load_spec(name)
        for number in range(CALLS):
            case = generated_case(name, seed=5, number=number)
            if not 0 < case.call.inputs["X"].size <= LARGE or np.prod(case.call.attributes["kernel_shape"]) > CELLS:
                continue
            for dtype in map(np.dtype, types_of(spec)):
                x = recipe(np.random.default_rng([number]), case.call.inputs["X"].shape, dtype)
                found.append(replace(case, call=Call(operator, case.call.attributes, {"X": x})))
    return list(items_of(found))


KINDS = {"MaxPool": "order", "AveragePool": "sum"}
"""Which group of recipes each operator has."""


def types_of(spec: Spec) -> list[str]:
    """The element types that are drawn for a specification."""
    return [name for name, (since, weight) in spec.definition.drawn_types.items() if since <= spec.opset and weight]


def accused(recipe: Recipe, operator: str, kind: type[Pooling]) -> str | None:
    """The first call with the recipe's values that accuses an implementation."""
    return next((item.name for item in calls_with(recipe, operator)
                 if item.verdict(answer_of(kind.run, item.request)).verdict in ACCUSES), None)


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize(("recipe", "operator", "faults"), BETRAYS, ids=lambda value: getattr(value, "__name__", None))
def test_a_recipe_betrays_its_faults(recipe: Recipe, operator: str, faults: list[str]) -> None:
    """Its values alone show every fault, and accuse no implementation without one. Plain values, distinct themselves,
    do not show the faults of any other recipe than that for distinct values."""
    assert accused(recipe, operator, Pooling) is None
    for name in faults:
        kind = getattr(pooling, name)
        assert accused(recipe, operator, kind), f"{recipe.__name__} does not betray {name}"
        plain_shows = recipe not in (values.distinct, values.exact) and accused(plain, operator, kind)
        assert not plain_shows, f"plain values betray {name}"


@pytest.mark.parametrize("operator", TEXTS)
def test_every_recipe_has_a_fault_to_betray_and_is_drawn(operator: str) -> None:
    """By the calls of a default run, of which the last in every period have the further ones in turn."""
    there_for = {recipe for recipe, of, _ in BETRAYS if of == operator}
    assert there_for == {*RECIPES[KINDS[operator]], *FURTHER[KINDS[operator]]}
    titles = {generated_case(TEXTS[operator][0], seed=0, number=number).title.rpartition(",")[0]
              for number in range(GENERATED)}
    assert titles == {title_of(recipe) for recipe in there_for}


def test_a_special_value_walks_through_every_cell() -> None:
    """With as many planes as cells each cell has it once; with many draws every special value is seen."""
    seen = set()
    for seed in range(60):
        x = values.walking(np.random.default_rng(seed), (2, 3, 6), np.dtype(np.float32)).reshape(6, 6)
        special = ~((x < 0) & (x >= -values.LOW) & (x == np.trunc(x)))
        assert np.array_equal(special.sum(axis=0), np.ones(6)) and np.array_equal(special.sum(axis=1), np.ones(6))
        assert len({value.tobytes() for value in x[special]}) == 1
        seen |= {value.tobytes() for value in x[special]}
    assert seen == {value.tobytes() for value in values.specials(np.dtype(np.float32))}
