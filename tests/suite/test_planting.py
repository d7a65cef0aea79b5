"""Values that code loses stand in every input of the calls that a run makes."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases.generate.planting import PERIOD, plant_floats, planted
from plumbline.cases.generate.run_cases import generated_cases
from plumbline.cases.generate.seeded import generate_cases
from plumbline.cases.generate.special_cases import special_values
from plumbline.oracle import load_spec


@pytest.mark.parametrize(("spec", "name", "seed"), [
    ("onnx/add@14", "B", 0), ("onnx/div@14", "A", 1), ("onnx/max@13", "data_2", 2), ("onnx/concat@13", "inputs_2", 3)])
def test_every_input_has_integers_that_other_types_lose(spec: str, name: str, seed: int) -> None:
    """With any seed, in every type that has such numbers."""
    cases = generated_cases(spec, [], seed=seed)
    for dtype in map(np.dtype, ("int32", "int64", "uint32", "uint64")):
        wanted = {value for value in planted(dtype) if value.startswith("beyond")}
        have = {value for case in cases if name in case.call.inputs and case.call.inputs[name].dtype == dtype
                for value in special_values(case.call.inputs[name])}
        assert wanted <= have, (dtype, have)


def test_each_special_value_comes_to_each_of_three_tensors() -> None:
    """NaN first, last and at an odd place; no two tensors of a call have the same one, and a turn has none."""
    seen = set()
    for turn in range(16):
        tensors = [np.ones((3, 5), np.float32) for _ in range(3)]
        for number, x in enumerate(tensors):
            plant_floats(x, number, turn)
        changed = [(int(np.flatnonzero(x != 1)[0]), str(x[x != 1][0])) for x in tensors if np.any(x != 1)]
        assert len({*changed}) == len(changed) == 3 * (turn % PERIOD == 1)
        seen |= {(number, value, place if value == "nan" else None) for number, (place, value) in enumerate(changed)}
    assert len(seen) == 3 * 8 and {(number, "nan", place) for number in range(3) for place in (0, 13, 14)} <= seen


def test_a_draw_plants_into_what_it_draws() -> None:
    """Into tensors of at least four elements; drawn calls stay inside the domain."""
    cases = list(generate_cases("onnx/prelu@16", seed=1, count=32))
    assert sum(any(np.sum(x != x) == 1 for x in case.call.inputs.values()) for case in cases) >= 4
    assert not any(load_spec(case.spec).violations(case.call) for case in cases)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint32"])
def test_quotients_show_what_floats_lose_of_divisors(dtype: str) -> None:
    """A large divisor that is rounded to a float is noticed only where it divides a number about as large."""
    def rounded(b: np.ndarray) -> np.ndarray:
        return b.astype(f"f{b.dtype.itemsize}").astype(dtype)
    calls = [case.call.inputs for case in generated_cases("onnx/div@14", [], seed=0)
             if case.call.inputs["B"].dtype == dtype]
    with np.errstate(all="ignore"):
        assert any((call["A"] // call["B"] != call["A"] // rounded(call["B"])).any() for call in calls)
