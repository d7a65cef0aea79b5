"""Symptoms of wrong normalisations: how they were computed."""

from __future__ import annotations

import numpy as np
import pytest

from plumbline.backends import Answered
from plumbline.cases.format.case import Case, Expectation
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import symptoms_of
from plumbline.trial.record.judge import judge

X = np.array([[[0.5488135, 0.71518937, 0.60276338]]])
ONE, NONE = np.ones(1), np.zeros(1)
DISTANCE = X - X.mean()
IN_FLOAT32 = float(np.mean(DISTANCE.astype(np.float32) ** 2))
HALVES = np.array([1, 2, 4], np.float16)


def batch(version: int, **attributes: object) -> Call:
    """A call of BatchNormalization on 1 and 3, with a mean of 0 and a variance of 1."""
    names = ("mean", "var") if version < 14 else ("input_mean", "input_var")
    return Call("BatchNormalization", {"epsilon": 0.0, **attributes}, {
        "X": np.array([[1.0], [3.0]]), "scale": ONE, "B": NONE, names[0]: NONE, names[1]: ONE})


@pytest.mark.parametrize(("spec", "call", "output", "got", "symptom"), [
    ("instancenormalization@22", Call("InstanceNormalization", {}, {"input": X, "scale": ONE, "B": NONE}), "output",
     DISTANCE / np.sqrt(IN_FLOAT32 + float(np.float32(1e-5))), "variance-in-float32"),
    ("batchnormalization@15", batch(15, training_mode=1), "Y", np.array([[1.0], [3.0]]), "statistics-given"),
    ("batchnormalization@9", batch(9), "Y", np.array([[0.8], [2.8]]) + 0.2 - 2 * (1 - float(np.float32(0.9))),
     "running-statistics")])
def test_what_was_computed_in_place_is_told(spec: str, call: Call, output: str, got: np.ndarray, symptom: str) -> None:
    """And an answer that is one more shows nothing of it."""
    text = load_spec(f"onnx/{spec}")
    case = Case("one", "", text.name, int(spec.partition("@")[2]), call, Expectation(), (), "generator", ())
    shown = [symptoms_of(text, call, judge(text, case, call, Answered({output: answer})).divergences)
             for answer in (got, got + 1)]
    assert symptom in shown[0] and symptom not in shown[1]


def test_moments_in_the_type_of_x_are_told() -> None:
    """By their values: the mean of halves is a half, where float32 is asked for."""
    text = load_spec("onnx/layernormalization@17")
    call = Call("LayerNormalization", {}, {"X": HALVES, "Scale": np.ones(3, np.float16)}).asking_for("Y", "Mean")
    case = Case("one", "", text.name, 17, call, Expectation(), (), "generator", ())
    right = text.expected(call)
    for mean, told in (([2.333984375], True), ([3.0], False)):
        verdict = judge(text, case, call, Answered({**right, "Mean": np.array(mean, np.float32)}))
        assert ("in-type-of-x" in symptoms_of(text, call, verdict.divergences)) == told


def test_a_symptom_of_means_reads_no_channel_that_an_input_of_conv_lacks() -> None:
    """Conv has windows too, and may have more channels in its output than in X."""
    text, x = load_spec("onnx/conv@22"), np.ones((1, 1, 3), np.float32)
    call = Call("Conv", {"pads": [1, 1]}, {"X": x, "W": np.ones((2, 1, 3), np.float32)})
    case = Case("one", "", text.name, 22, call, Expectation(), (), "generator", ())
    verdict = judge(text, case, call, Answered({"Y": np.array([[[2 / 3, 1, 2 / 3]] * 2], np.float32)}))
    assert "padding-counted" not in symptoms_of(text, call, verdict.divergences)
