"""Symptoms of recurrent layers, DFT and Upsample, and the inputs that an adapter gives OpenVINO."""

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


@pytest.mark.parametrize(("left_out", "symptom"), [("input_forget", "gates-not-coupled"),
                                                  ("P", "peepholes-left-aside")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_a_cell_leaves_aside_is_seen(left_out: str, symptom: str, dtype: type[np.floating]) -> None:
    """Of float64 also where float32 gives it."""
    spec, ones = load_spec("onnx/lstm@22"), np.ones((1, 4, 1), dtype)
    attributes, inputs = {"hidden_size": 1, "input_forget": 1}, {
        "X": np.array([[[1]], [[2]]], dtype), "W": ones, "R": ones, "P": ones[:, :3, 0]}
    plain = Call("LSTM", {name: value for name, value in attributes.items() if name != left_out},
                 {name: value for name, value in inputs.items() if name != left_out}, ("Y_c",))
    call, given = Call("LSTM", attributes, inputs, ("Y_c",)), spec.expected(plain)["Y_c"].astype(np.float32)
    for got, looks in (given.astype(dtype), True), (np.zeros((1, 1, 1), dtype), False):
        divergences = spec.divergences(call, {"Y_c": got})
        assert divergences and (symptom in symptoms_of(spec, call, divergences)) == looks


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_layer_in_float32_is_one_of_float64(dtype: type[np.floating]) -> None:
    """NaN where float32 has the result, or numbers whose products it has, shows no other precision."""
    spec, ones = load_spec("onnx/rnn@22"), np.ones((1, 1, 1), dtype)
    call = Call("RNN", {"hidden_size": 1}, {"X": np.array([[[1]], [[1e20]]], dtype), "W": ones, "R": ones}, ("Y_h",))
    symptoms = symptoms_of(spec, call, spec.divergences(call, {"Y_h": np.full((1, 1, 1), np.nan, dtype)}))
    assert "nan" in symptoms and ("layer-in-float32" in symptoms) == (dtype is np.float64)


def test_a_layout_that_is_left_aside_is_seen() -> None:
    """By the shape that it gives."""
    spec = load_spec("onnx/rnn@22")
    call = Call("RNN", {"hidden_size": 1, "layout": 1}, {"X": np.float32([[[1], [2]]]), "W": ONE, "R": ONE}, ("Y_h",))
    for shape, looks in ((1, 2, 1), True), ((2, 1, 1), False):
        divergences = spec.divergences(call, {"Y_h": np.zeros(shape, np.float32)})
        assert ("layout-left-aside" in symptoms_of(spec, call, divergences)) == looks


@pytest.mark.parametrize(("version", "axis", "symptom"), [(20, 2, "along-the-second-axis"),
                                                          (17, -2, "along-the-axis-before")])
def test_a_transform_along_another_axis_is_seen(version: int, axis: int, symptom: str) -> None:
    """Of [[1, 2], [3, 4]] along the rows, where the columns are asked for."""
    spec, x = load_spec(f"onnx/dft@{version}"), np.float32([[1, 2], [3, 4]]).reshape(1, 2, 2, 1)
    call = Call("DFT", {"axis": axis} if version < 20 else {},
                {"input": x, **({"axis": np.array(axis)} if version >= 20 else {})})
    for sums, looks in ([4, 6, -2, -2], True), ([4, 6, -2, -3], False):
        got = np.stack([np.float32(sums), np.zeros(4, np.float32)], axis=-1).reshape(1, 2, 2, 2)
        divergences = spec.divergences(call, {"output": got})
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
