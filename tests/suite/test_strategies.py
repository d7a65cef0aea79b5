"""The Hypothesis strategies yield what they say, and what they find is small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, from_dtype

from plumbline.cases.format.lint import disagreements
from plumbline.cases.generate.choices import makes_calls
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec, spec_names
from tests.suite.strategies import strategy

NAMES = st.sampled_from([name for name in spec_names() if makes_calls(load_spec(name))])
QUICK = settings(max_examples=40, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
TYPES = ("float32", "float16", "float64", "int8", "uint8", "int32", "bool")


@st.composite
def wild_calls(draw: st.DrawFn, spec: Spec) -> Call:
    """Calls with any attributes of any values, lists of any length, and inputs of any type and rank."""
    small = st.integers(-1, 4)
    value = st.one_of(small, st.lists(small, max_size=5), st.sampled_from(["NOTSET", "SAME_UPPER", ""]),
                      st.floats(allow_nan=False))
    known = sorted({clause.section for clause in spec.clauses.values()} | {"else"})
    attributes: dict[str, Any] = draw(st.dictionaries(st.sampled_from(known), value, max_size=5))
    inputs = {}
    for name in spec.input_names(2 if spec.variadic_input else len(spec.inputs)):
        dtype, shape = np.dtype(draw(st.sampled_from(TYPES))), tuple(draw(st.lists(st.integers(0, 3), max_size=5)))
        inputs[name] = draw(arrays(dtype, shape, elements=from_dtype(dtype)))
    return Call(spec.operator, attributes, inputs)


@QUICK
@given(st.data())
def test_calls_are_inside_the_domain_and_both_oracles_agree_on_them(data: st.DataObject) -> None:
    """Of every specification."""
    name = data.draw(NAMES)
    call = data.draw(strategy(load_spec(name)))
    assert load_spec(name).violations(call) == []
    assert list(disagreements(name, call)) == []


@QUICK
@given(st.data())
def test_of_wild_calls_a_specification_says_on_which_side_they_are(data: st.DataObject) -> None:
    """It judges any call: valid, or broken (which clauses); its flags are asked all the same."""
    spec = load_spec(data.draw(NAMES))
    call = data.draw(wild_calls(spec))
    assert isinstance(spec.judged(call).own_flags, dict)
    if not spec.violations(call):
        assert list(disagreements(spec.name, call)) == []
        return
    with pytest.raises(OutsideDomain):
        spec.expected(call)


def test_what_is_found_shrinks_to_a_call_that_one_can_read() -> None:
    """A stride above the kernel: one axis of two elements, everything else at its least."""
    found = find(strategy(load_spec("onnx/maxpool@1")), lambda call: max(call.attributes.get("strides", [1])) > 1,
                 settings=QUICK)
    assert found.attributes["strides"] == [2] and found.attributes["kernel_shape"] == [1]
    assert found.inputs["X"].size <= 2 and not found.inputs["X"].any()


def test_a_ratio_of_another_type_has_no_flag() -> None:
    """An attribute that is no number has no value."""
    spec = load_spec("onnx/dropout@7")
    for ratio in ("NOTSET", []):
        call = Call("Dropout", {"ratio": ratio}, {"data": np.float32([1])})
        assert spec.violations(call) and not spec.judged(call).definition.flags()["ratio-zero"]
