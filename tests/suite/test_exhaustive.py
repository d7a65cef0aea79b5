"""Every value of a small type is tried, of the operators that compute each element from one, and of no other."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases import generated_cases
from plumbline.cases.generate.exhaustive import PART, TYPES, every_value, every_value_cases, part_case, parts
from plumbline.oracle import load_spec
from plumbline.trial.campaign.shards import Job, run_shard, shards
from tests.suite.written import cases_of


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


def test_a_value_outside_the_domain_is_left_out_and_no_other() -> None:
    """The profile does not define the absolute value of the lowest int8."""
    case = next(case for case in every_value_cases("sonnx/abs") if case.id == "every-int8")
    assert sorted(case.call.inputs["X"].tolist()) == list(range(-127, 128))


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
def test_they_come_with_the_generated_cases(count: int, found: bool) -> None:
    """A run that wants none of these has none."""
    made = generated_cases("sonnx/relu", cases_of("sonnx/relu"), seed=0, count=count)
    assert ("every-int8" in [case.id for case in made]) == found


def test_parts_hold_every_value_once() -> None:
    """Those of a type of 16 bits are one part; a part of float32 begins where the one before ends, and is a case."""
    assert (parts("onnx/relu@14", "float16"), parts("onnx/relu@14", "float32")) == (1, 1 << 16)
    found = [part_case("onnx/relu@14", "float32", number).call.inputs["X"] for number in (0x3f7f, 0x3f80)]
    assert found[0].view(np.uint32)[-1] + 1 == found[1].view(np.uint32)[0] == 0x3f80 * PART
    assert found[1][0] == 1 and len(found[1]) == PART
    assert np.isnan(part_case("onnx/relu@14", "float32", 0x7fc0).call.inputs["X"]).all()


@pytest.mark.parametrize(("spec", "dtype"), [("onnx/add@14", "float32"), ("onnx/softmax@13", "float32"),
                                             ("onnx/relu@14", "int8"), ("onnx/relu@14", "float64"),
                                             ("onnx/relu@13", "int32")])
def test_what_has_no_parts_is_refused(spec: str, dtype: str) -> None:
    """Several tensors, elements computed from others, types too small or too large, or that the text does not have."""
    with pytest.raises(ValueError):
        parts(spec, dtype)


def test_a_campaign_on_every_value_is_the_same_however_it_is_cut() -> None:
    """Its calls are parts; together they are judged as one by one."""
    whole = Job("onnx/relu@14", "onnxruntime", "Y", 0, 0x3f7f, 0x3f81, host="in-process", every="float32")
    together = run_shard(whole)
    pieces = [run_shard(job) for job in shards(whole, 1)]
    assert together.verdicts == {"conforms": 2} and len(pieces) == 2
    assert together.causes == sum(pieces[1:], pieces[0]).causes
