"""Every special value decides an output from each further input, where a specification says what becomes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from plumbline.cases import generated_cases
from plumbline.cases.generate.deciding_values import deciding_cases
from plumbline.oracle import Spec, load_spec


def readings(x: np.ndarray) -> dict[str, np.ndarray]:
    """Return an input as code reads it that loses some value."""
    with np.errstate(all="ignore"):
        most, narrow = np.finfo(x.dtype).max, x.astype(np.float16).astype(x.dtype)
        return {"NaN": np.where(x != x, 0, x), "infinities": np.clip(x, -most, most),
                "signs": np.where(np.isinf(x), np.inf, x),
                "subnormals": np.where(np.abs(x) < np.finfo(x.dtype).smallest_normal, 0, x), "range": narrow}


def shown(spec: Spec, name: str, cases: list) -> set[str]:
    """Return the readings of an input that break a clause of some case."""
    found = set()
    for case in cases:
        x = case.call.inputs.get(name)
        for what, read in readings(x).items() if x is not None and x.dtype == np.float32 else ():
            wrong = replace(case.call, inputs={**case.call.inputs, name: np.asarray(read, x.dtype)})
            if spec.divergences(case.call, spec.expected(wrong)):
                found.add(what)
    return found


@pytest.mark.parametrize(("spec", "name"), [
    ("onnx/gemm@13", "B"), ("onnx/gemm@13", "C"), ("onnx/conv@22", "B"), ("onnx/pad@25", "constant_value"),
    ("sonnx/concat", "inputs_2")])
def test_each_reading_of_a_further_input_is_told(spec: str, name: str) -> None:
    """Of NaN, infinities and their signs, subnormal numbers and those that a narrower type does not have."""
    assert shown(load_spec(spec), name, list(deciding_cases(spec))) == set(readings(np.ones(1, np.float32)))


def test_nan_is_at_several_places() -> None:
    """At the first, the last, and behind the first eight; the element after the first is not NaN."""
    cases = {case.id: case.call.inputs["C"].reshape(-1) for case in deciding_cases("onnx/gemm@13")
             if "float32-nan" in case.id and case.id.endswith("-in-C")}
    places = {name: np.flatnonzero(x != x).tolist() for name, x in cases.items()}
    last = cases["planted-float32-nan-at-the-end-in-C"].size - 1
    assert places == {"planted-float32-nan-in-C": [0], "planted-float32-nan-behind-eight-in-C": [9],
                      "planted-float32-nan-at-the-end-in-C": [last]} and last > 0


@pytest.mark.parametrize(("spec", "ids"), [
    ("onnx/add@14", 0), ("onnx/gemm@11", 0), ("onnx/globalmaxpool@22", 0), ("onnx/range@27", 5)])
def test_others_have_none(spec: str, ids: int) -> None:
    """One input, older versions, inputs whose values are combined; outputs too large to judge are passed over."""
    assert len(list(deciding_cases(spec))) == ids


@pytest.mark.parametrize(("count", "there"), [(0, False), (16, True)])
def test_a_run_has_them_whatever_the_seed(count: int, there: bool) -> None:
    """A run without generated cases has none."""
    made = [{case.id for case in generated_cases("onnx/matmul@13", [], seed=seed, count=count)} for seed in (0, 1)]
    assert ["planted-float32-subnormal-in-B" in ids for ids in made] == [there, there]
