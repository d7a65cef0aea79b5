"""Symptoms of functions by their body are told from other wrong answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import shows

ELU = Call("Elu", {"alpha": -2.0}, {"X": np.float32([0, -0.0, 3])})
WIDE_ELU = Call("Elu", {"alpha": float("nan")}, {"X": np.float64([5e-324, 3])})
SWISH = Call("Swish", {"alpha": 2.0}, {"X": np.float32([-3, 1])})
WIDE_SWISH = Call("Swish", {"alpha": 2.0}, {"X": np.float64([-3, 1])})
SELU = Call("Selu", {"alpha": 0.0}, {"X": np.float32([-1, 1])})
FIRST_SELU = Call("Selu", {}, {"X": np.float32([-1, 1])})
CELU = Call("Celu", {"alpha": 2.0}, {"X": np.float32([-3, 1])})
NEGATIVE = Call("Celu", {"alpha": -0.25}, {"X": np.float32([-4, 100])})


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("onnx/elu@22", ELU, "zeros-computed", [-0.0, 0, 3], [0, -0.0, 4]),
    ("onnx/elu@22", WIDE_ELU, "zeros-computed", [np.nan, 3], [1, 3]),
    ("onnx/swish@24", SWISH, "numbers-as-one", [-0.14227762, 0.73105858], [-0.1422, 0.73105858]),
    ("onnx/swish@24", WIDE_SWISH, "numbers-as-one", [-0.14227762, 0.7310586], [-0.1422, 0.7310586]),
    ("onnx/selu@22", SELU, "zero-numbers-as-default", [-1.1113307, 1.050701], [-1.11, 1.050701]),
    ("onnx/selu@1", FIRST_SELU, "zero-numbers-as-default", [-1.1113307, 1.050701], [-1.1112, 1.050701]),
    ("onnx/celu@28", CELU, "number-not-multiplied", [-0.7768698, 1], [-0.7768, 1]),
    ("onnx/celu@28", NEGATIVE, "number-not-multiplied", [0, 99], [-1, 99])], ids=str)
def test_a_symptom_is_told_from_another_answer(name: str, call: Call, symptom: str, got: list[float],
                                               other: list[float]) -> None:
    """The answer of the runtime shows it, and one near it does not."""
    spec = load_spec(name)
    dtype = call.inputs["X"].dtype

    def looks(answer: list[Any]) -> bool:
        divergences = spec.divergences(call, {"Y": np.array(answer, dtype)})
        assert divergences
        return all(shows([symptom], spec, call, each) for each in divergences)
    assert looks(got) and not looks(other)


@pytest.mark.parametrize(("name", "call", "symptom"), [
    ("onnx/swish@24", Call("Swish", {}, {"X": np.float32([1])}), "numbers-as-one"),
    ("onnx/selu@22", FIRST_SELU, "zero-numbers-as-default"),
    ("onnx/softsign@22", Call("Softsign", {}, {"input": np.float32([-1])}), "number-not-multiplied")], ids=str)
def test_without_such_an_attribute_there_is_no_symptom(name: str, call: Call, symptom: str) -> None:
    """An attribute that is read as it is explains nothing."""
    spec = load_spec(name)
    right = spec.expected(call)
    output, = right
    for each in spec.divergences(call, {output: right[output] * np.float32(1.1)}):
        assert not shows([symptom], spec, call, each)
