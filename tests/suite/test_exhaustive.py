"""Every value of a small type is tried, of the operators that compute each element from one, and of no other."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases import Case, made_cases
from plumbline.cases.exhaustive import TYPES, every_value, every_value_cases
from plumbline.oracle import load_spec


@pytest.mark.parametrize("name", TYPES)
def test_every_value_is_there(name: str) -> None:
    """Each pattern of bits once, those of NaN aside."""
    values = every_value(name)
    numbers = values[values == values]
    patterns = numbers.view(f"u{values.itemsize}")
    nans = {"float16": 2 * 1023, "bfloat16": 2 * 127}.get(name, 0)
    assert values.size == 1 << 8 * values.itemsize and len(numbers) == values.size - nans
    assert len(np.unique(patterns)) == len(numbers)


@pytest.mark.parametrize(("spec", "ids"), [
    ("onnx/abs@13", ["every-float16", "every-bfloat16", "every-int8", "every-uint8"]),
    ("sonnx/relu", ["every-float16", "every-int8"]), ("sonnx/tanh", ["every-float16"]),
    ("onnx/softmax@13", []), ("onnx/flatten@13", []), ("onnx/shape@13", []), ("onnx/add@14", []),
    ("onnx/maxpool@22", []), ("onnx/unsqueeze@1", []), ("onnx/concat@13", []),
])
def test_which_texts_have_such_cases(spec: str, ids: list[str]) -> None:
    """Of the types that the text admits; none where an element is moved, or computed from several."""
    assert [case.id for case in every_value_cases(spec)] == ids


def test_one_wrong_value_of_all_is_found() -> None:
    """Whichever it is."""
    spec = load_spec("sonnx/sqrt")
    case, = every_value_cases(spec.name)
    right = spec.expected(case.call)["Y"]
    assert spec.divergences(case.call, {"Y": right}) == []
    for place in (1, 15361, 31743):
        wrong = right.copy()
        wrong[place] *= np.float16(1.25)
        entry, = spec.divergences(case.call, {"Y": wrong})
        assert entry.where is not None and entry.where.tolist() == [[place]]


@pytest.mark.parametrize(("count", "found"), [(0, False), (64, True)])
def test_they_come_with_the_generated_cases(cases: list[Case], count: int, found: bool) -> None:
    """A run that wants none of these has none."""
    made = made_cases("sonnx/relu", cases, seed=0, count=count)
    assert ("every-int8" in [case.id for case in made]) == found
