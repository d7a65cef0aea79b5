"""Function bodies of ONNX's schemas as a third oracle."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.cases.corpus.function_bodies import Finding, calls_of, findings
from plumbline.cases.corpus.function_values import computed
from plumbline.oracle import Call, load_spec, spec_names
from plumbline.oracle.families.functions import bodies_of, body_for_fewer_calls, enclosed_by_body, has_body
from plumbline.oracle.operators.onnx.leaks import LeakyRelu
from tests.sampling import sampled
from tests.suite.commands import plumbline

CALLS = 60

WITH_BODY = [name for name in spec_names() if has_body(load_spec(name))]


def test_bodies_are_those_of_the_version() -> None:
    """LeakyRelu has one from version 16 on; one that depends on the call counts."""
    assert {"onnx/leakyrelu@16", "onnx/clip@13", "onnx/softmax@13", "onnx/layernormalization@17"} <= set(WITH_BODY)
    assert not {"onnx/leakyrelu@6", "onnx/clip@12", "sonnx/leakyrelu"} & set(WITH_BODY)


@pytest.mark.gate
@pytest.mark.parametrize("name", sampled(WITH_BODY, 16))
def test_what_a_body_says_is_stated(name: str) -> None:
    """Where a body decides more than a specification, or says otherwise, a clause names it as a source."""
    spec = load_spec(name)
    count, found = findings(spec, calls_of(spec, CALLS))
    assert count > CALLS / 10
    assert not [(finding, call) for finding, call in found.items() if not finding.is_stated(spec)]


def test_a_result_that_the_body_does_not_give_is_contradicted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A definition that doubles what is below zero is told from the body."""
    right = LeakyRelu.with_slope
    monkeypatch.setattr(LeakyRelu, "with_slope", lambda self, slope: np.where(self.below, 2, 1) * right(self, slope))
    spec = load_spec("onnx/leakyrelu@16")
    _, found = findings(spec, [Call("LeakyRelu", {}, {"X": np.array([-1, 2], np.float32)})])
    assert found.keys() == {Finding("contradicted", "onnx/leakyrelu@16#Y.F2")}


def test_a_value_that_the_body_decides_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the clause on zeros, -0 for +0 conforms, and the body does not give it."""
    monkeypatch.setattr(LeakyRelu, "kept_zero", np.zeros((), bool))
    spec = load_spec("onnx/leakyrelu@16")
    _, found = findings(spec, [Call("LeakyRelu", {}, {"X": np.array([0], np.float32)})])
    assert found.keys() == {Finding("decided", "Y: -0")}
    assert not any(finding.is_stated(spec) for finding in found)


def test_nan_is_not_decided_by_leakyrelu() -> None:
    """Less and Mul say nothing of NaN, so that the body gives any value."""
    spec = load_spec("onnx/leakyrelu@16")
    body, = bodies_of(spec, Call("LeakyRelu", {}, {"X": np.array([np.nan, -0.0, 1], np.float32)}))
    y = computed(body)["Y"]
    zero, one = y.row.places(np.array([-0.0, 1], np.float32)).tolist()
    assert y.elements == ((), ((zero, zero),), ((one, one),))


def test_what_a_body_gives_is_enclosed() -> None:
    """Roundings of each node: the logarithm of e + 1, from a sum that is off, and from an exponential that is."""
    spec = load_spec("onnx/softplus@22")
    body, = bodies_of(spec, Call("Softplus", {}, {"X": np.array([1], np.float16)}))
    y = computed(body)["Y"]
    (low, high), = y.elements[0]
    first, last = y.row.values(np.array([low, high], np.uint64))
    assert 1.3 < first < np.log1p(np.e) < last < 1.33


@pytest.mark.parametrize("mean", [0, 1000])
def test_a_body_that_computes_shapes_is_enclosed(mean: float) -> None:
    """LayerNormalization takes its shapes from integers, and the variance from squares, which costs digits where the
    mean is large: what the specification decides lies between the ends, and these are near."""
    x = np.array([[1, -2, 3, 4], [0.5, 0.25, -1, 8]], np.float32) + np.float32(mean)
    call = Call("LayerNormalization", {}, {"X": x, "Scale": np.array([1, 2, -1, 0.5], np.float32)})
    expected = load_spec("onnx/layernormalization@17").expected(call)
    for output, (canonical, ends) in enclosed_by_body("onnx/layernormalization@17", call, call, call).items():
        assert np.allclose(canonical, expected[output], rtol=0.5 if mean else 1e-5)
        assert ((ends.low <= expected[output]) & (expected[output] <= ends.high)).all()
        assert (ends.high - ends.low < (2.0 if mean else 1e-4)).all(), output


def test_the_command_says_where_a_body_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """Its status is 0: an erratum of Clip names the body."""
    assert plumbline(["specs", "bodies", "onnx/clip@13", "--calls", "1"]) == 0
    assert "invalid: onnx/where@9#X.C1: Clip() of input = bfloat16" in capsys.readouterr().out
    assert plumbline(["specs", "bodies", "onnx/abs@13"]) == 2


@pytest.mark.parametrize(("scale", "broken"), [(np.ones((2, 3)), True), (np.ones(3), False), (np.ones(2), False)])
def test_evidence_that_a_body_is_for_fewer_calls_can_fail(scale: np.ndarray, broken: bool) -> None:
    """A scale of all rows is valid, and not for the body; that of a row is for both, and one of another size neither.
    """
    call = Call("LayerNormalization", {}, {"X": np.eye(2, 3), "Scale": scale})
    predicate = body_for_fewer_calls("Y.E1", "onnx/layernormalization@17", lambda: call)
    if broken:
        assert "breaks onnx/mul@14#B.C4" in predicate.function()
    else:
        with pytest.raises(AssertionError):
            predicate.function()


def test_a_definition_is_derived_from_a_body() -> None:
    """Mish: what the operators of its body allow together, of NaN and -inf anything."""
    spec = load_spec("onnx/mish@22")
    call = Call("Mish", {}, {"X": np.array([1, -2, 100, np.inf, -np.inf, np.nan], np.float32)})
    y = spec.expected(call)["Y"]
    assert np.allclose(y[:4], [0.86509836, -0.25250146, 100, np.inf]) and np.isnan(y[4:]).all()
    assert spec.divergences(call, {"Y": np.where(np.isnan(y), np.float32(7), y)}) == []
    wrong, = spec.divergences(call, {"Y": y * np.float32(1.00001)})
    assert wrong.clause == "onnx/mish@22#Y.F2" and wrong.where is not None and wrong.where.tolist() == [[0], [1], [2]]


def test_what_an_attribute_beside_it_leaves_open_is_not_accused() -> None:
    """A gamma beyond float16 is an infinity there, and a zero beside it where alpha is the next lower number."""
    call = Call("Selu", {"alpha": 1e-6, "gamma": 1e5}, {"X": np.float16([-0.314, 2])})
    spec = load_spec("onnx/selu@22")
    given = np.float16([0.1 * np.expm1(-0.314), np.inf])
    assert not spec.divergences(call, {"Y": given})
    assert spec.divergences(call, {"Y": np.float16([given[0], 1])})
