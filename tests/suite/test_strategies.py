"""The Hypothesis strategies yield what they say, and what they find is small."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st
from plumbline.cases.strategies import calls_outside, steps_of, valid_calls, wild_calls

from plumbline.cases import Case, Expectation
from plumbline.cases.lint import both_oracles_agree
from plumbline.oracle import Call, OutsideDomain, load_spec, spec_names

NAMES = st.sampled_from(spec_names())
QUICK = settings(max_examples=40, deadline=None, derandomize=True, database=None,
                 suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def case_of(spec_name: str, call: Call) -> Case:
    """A case without an expectation of its own."""
    return Case("drawn", "A call that Hypothesis drew", spec_name, load_spec(spec_name).opset, call,
                Expectation(observe="drawn"), (), "hypothesis")


@QUICK
@given(st.data())
def test_valid_calls_are_inside_the_domain_and_both_oracles_agree_on_them(data: st.DataObject) -> None:
    """Of every specification."""
    name = data.draw(NAMES)
    call = data.draw(valid_calls(name))
    assert load_spec(name).violations(call) == []
    assert list(both_oracles_agree(case_of(name, call))) == []


@pytest.mark.parametrize("name", ["sonnx/maxpool", "onnx/maxpool@22", "onnx/averagepool@1", "ms.nhwc/maxpool@11",
                                  "openvino/maxpool@14", "openvino/avgpool@1"])
def test_a_step_outside_a_clause_breaks_it_and_what_goes_with_it(name: str) -> None:
    """The clause, its consequences, and nothing else."""
    spec = load_spec(name)
    steps = steps_of(name)
    assert len(steps) > 5

    @settings(QUICK, max_examples=20)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        clause = data.draw(st.sampled_from(sorted(steps)))
        broken = {entry.clause for entry in spec.violations(data.draw(calls_outside(name, clause)))}
        assert f"{name}#{clause}" in broken <= spec.consequences(clause)

    check()


@QUICK
@given(st.data())
def test_of_wild_calls_a_specification_says_on_which_side_they_are(data: st.DataObject) -> None:
    """It judges any call: valid, broken (which clauses), or no call of the operator at all."""
    name = data.draw(NAMES)
    call = data.draw(wild_calls(name))
    spec = load_spec(name)
    if not spec.violations(call):
        assert list(both_oracles_agree(case_of(name, call))) == []
        return
    with pytest.raises(OutsideDomain):
        spec.expected(call)


def test_what_is_found_shrinks_to_a_call_that_one_can_read() -> None:
    """A stride above the kernel: one axis of two elements, everything else at its least."""
    found = find(valid_calls("onnx/maxpool@1"), lambda call: max(call.attributes["strides"]) > 1, settings=QUICK)
    assert found.attributes["strides"] == [2] and found.attributes["kernel_shape"] == [1]
    assert found.inputs["X"].size <= 2 and not found.inputs["X"].any()
