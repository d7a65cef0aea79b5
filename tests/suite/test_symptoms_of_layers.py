"""Symptoms of recurrent layers and of Upsample, and the inputs that an adapter gives OpenVINO."""

from __future__ import annotations

import runpy
import sys
from typing import Any
from unittest.mock import MagicMock

import ml_dtypes
import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import symptoms_of
from tests.suite.runs import ROOT

ONE, TWO = np.ones((1, 1, 1), np.float32), np.ones((2, 1, 1), np.float32)
FORWARD = np.tanh(2 + np.tanh(1))


@pytest.mark.parametrize(("attributes", "weights", "got", "symptom", "looks"), [
    ({"direction": "reverse"}, ONE, [FORWARD], "forward", True),
    ({"direction": "reverse", "activations": ["Relu"], "clip": 0.5}, ONE, [FORWARD], "forward", True),
    ({"direction": "reverse"}, ONE, [0.5], "forward", False),
    ({"activations": ["Relu"]}, ONE, [FORWARD], "forward", False),
    ({"direction": "bidirectional", "activations": ["Relu", "Tanh"]}, TWO, [3, 3], "functions-twice", True),
    ({"direction": "bidirectional", "activations": ["Relu", "Tanh"]}, TWO, [3, 2], "functions-twice", False),
    ({"activations": ["Relu"]}, ONE, [FORWARD], "functions-twice", False)])
def test_what_another_layer_gives(attributes: dict[str, Any], weights: np.ndarray, got: list[float], symptom: str,
                                  looks: bool) -> None:
    """Of one neuron, whose weights are 1, and a sequence of 1 and 2."""
    spec = load_spec("onnx/rnn@22")
    call = Call("RNN", {"hidden_size": 1, **attributes}, {"X": np.float32([[[1]], [[2]]]), "W": weights, "R": weights},
                ("Y_h",))
    divergences = spec.divergences(call, {"Y_h": np.float32(got).reshape(-1, 1, 1)})
    assert divergences and (symptom in symptoms_of(spec, call, divergences)) == looks


def test_symptoms_of_resize_are_asked_of_the_call_of_resize() -> None:
    """Also of scalars, and of each type."""
    spec = load_spec("onnx/upsample@9")
    for x in (np.float16(-1.5), np.float32([1, 2]), np.complex64([1 + 2j])):
        call = Call("Upsample", {}, {"X": np.asarray(x), "scales": np.ones(np.ndim(x), np.float32)})
        divergences = spec.divergences(call, {"Y": np.asarray(x + 1, np.asarray(x).dtype)})
        assert divergences and "real-part" not in symptoms_of(spec, call, divergences)


def test_a_nan_leaves_the_coordinates_of_the_others_open() -> None:
    """Elements within those of X that are numbers are only observed; one beyond them is wrong."""
    spec, x = load_spec("onnx/upsample@9"), np.float32([0, 1, 2, 3, 4, 5, 6, np.nan])
    call = Call("Upsample", {"mode": "linear"}, {"X": x, "scales": np.float32([1.1])})
    assert not spec.divergences(call, {"Y": x})
    assert spec.divergences(call, {"Y": np.where(x == 3, np.float32(9), x)})


@pytest.mark.parametrize(("array", "kind", "octets"), [
    (np.array([[1.5, -2]], ml_dtypes.bfloat16), "bf16", "c03f00c0"),
    (np.array(1.5, ml_dtypes.bfloat16), "bf16", "c03f"),
    (np.array([1.5, -2], ml_dtypes.float8_e4m3fn), "f8e4m3", "3cc0"),
    (np.array([1, -2, 3], ml_dtypes.int4), "i4", "e103"), (np.zeros((0, 2), ml_dtypes.uint4), "u4", "")])
def test_openvino_is_given_the_bits_of_types_that_numpy_lacks(array: np.ndarray, kind: str, octets: str,
                                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """From an array it would take the numbers, convert them to float16, and read their bits."""
    openvino = MagicMock()
    monkeypatch.setitem(sys.modules, "openvino", openvino)
    given = runpy.run_path(str(ROOT / "plumbline/backends/adapters/openvino.py"))["_tensor"]
    assert given(np.ones(1)).tolist() == [1] and not openvino.Tensor.called
    given(array)
    bits, _, element = openvino.Tensor.call_args.args
    assert bits.tobytes().hex() == octets and element is getattr(openvino.Type, kind)
    openvino.Shape.assert_called_with(array.shape)
