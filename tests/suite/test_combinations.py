"""Special values of two inputs or more are combined in every type and version, by no seed."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases import generated_cases
from plumbline.cases.generate.combinations import combination_cases
from plumbline.oracle import load_spec


@pytest.mark.parametrize(("spec", "ids"), [
    ("onnx/add@1", ["float32", "float64", "float16"]), ("onnx/or@7", ["bool"]),
    ("onnx/equal@1", ["int64", "int32", "bool"]),
    ("onnx/abs@13", []), ("onnx/clip@13", []), ("onnx/matmul@13", []), ("onnx/concat@13", []),
    ("onnx/dequantizelinear@21", []),
])
def test_elementwise_operators_of_several_inputs_have_them(spec: str, ids: list[str]) -> None:
    """In each element type; others have none."""
    assert [case.id for case in combination_cases(spec)] == [f"combined-{name}" for name in ids]


def test_each_pair_is_there_and_attributes_are_set() -> None:
    """NaN of either input is at odd places too, and a wrong element of all is found."""
    spec = load_spec("onnx/less@1")
    case = next(case for case in combination_cases(spec.name) if case.id == "combined-float32")
    a, b = case.call.inputs["A"], case.call.inputs["B"]
    pairs = {(x.tobytes(), y.tobytes()) for x, y in zip(a, b, strict=True)}
    assert len(pairs) == len(a) == 13 ** 2 and case.call.attributes == {"broadcast": 1, "axis": 0}
    assert all({0, 1} == {int(place) % 2 for place in np.flatnonzero(x != x)} for x in (a, b))
    wrong = {"C": spec.expected(case.call)["C"] ^ ((a == 0) & (b == np.finfo(np.float32).max))}
    assert [entry.clause for entry in spec.divergences(case.call, wrong)] == ["onnx/less@1#C.F1"]


def test_what_may_be_refused_or_is_outside_is_left_out() -> None:
    """Integers are not divided by zero, nor the lowest by -1."""
    for name in ("onnx/div@14", "sonnx/div"):
        case = next(case for case in combination_cases(name) if case.id == "combined-int32")
        a, b = case.call.inputs["A"], case.call.inputs["B"]
        assert a.size > 60 and (b != 0).all()
        assert name == "sonnx/div" or not ((a == np.iinfo(np.int32).min) & (b == -1)).any()


@pytest.mark.parametrize(("count", "there"), [(0, False), (16, True)])
def test_a_run_has_them_whatever_the_seed(count: int, there: bool) -> None:
    """A run without generated cases has none."""
    made = [{case.id for case in generated_cases("onnx/and@7", [], seed=seed, count=count)} for seed in (0, 1)]
    assert ["combined-bool" in ids for ids in made] == [there, there]
