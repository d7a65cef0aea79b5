"""Symptoms of sums that are quantised, and of functions whose attributes or zeros are read otherwise."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import shows

INF, NAN = float("inf"), float("nan")
LARGEST = float(np.finfo(np.float32).max)


def _conv(x: Any, w: Any, scales: tuple[float, float, float], point: int = 0, b: Any = None, **attributes: Any) -> Call:
    left, right, of_y = np.float32(scales)
    inputs = {"X": np.uint8(x), "x_scale": left, "x_zero_point": np.uint8(0), "W": np.uint8(w), "w_scale": right,
              "w_zero_point": np.uint8(0), "y_scale": of_y, "y_zero_point": np.uint8(point)}
    inputs = {name: np.asarray(value) for name, value in inputs.items()}
    return Call("QLinearConv", attributes, inputs if b is None else {**inputs, "B": np.int32(b)})


def _product(a: Any, b: Any, scales: tuple[Any, Any, Any], dtype: type = np.float32, point: int = 0) -> Call:
    left, right, of_y = (np.asarray(scale, dtype) for scale in scales)
    return Call("QLinearMatMul", {}, {
        "A": np.int8(a), "a_scale": left, "a_zero_point": np.asarray(np.int8(0)), "B": np.int8(b), "b_scale": right,
        "b_zero_point": np.asarray(np.int8(0)), "y_scale": of_y, "y_zero_point": np.asarray(np.int8(point))})


BIASED = _conv([[[10, 10]]], [[[2]]], (3, 2, 0.5), b=[1])
SAME = _conv([[[1, 2, 3]]], [[[1, 10, 100, 50]]], (1, 2, 4), b=[8], auto_pad="SAME_LOWER", strides=[2])
ONE = _conv([[[10]]], [[[1]]], (1, 1, 4))
MANY = _conv([[[255] * 8]], [[[255] * 8]], (1, 1, 16384))
UNSCALED = _conv([[[10, 20]]], [[[3]]], (1, 0, 2), 7)
NINE = Call("Conv", {}, {"X": np.ones((1, 2, 9), np.float32), "W": np.ones((1, 2, 9), np.float32)})
SQUARE = Call("Conv", {}, {"X": np.ones((1, 2, 3, 3), np.float32), "W": np.ones((1, 2, 3, 3), np.float32)})
ROUNDED = _product([[95] * 4 + [-76] * 5], [[1]] * 9, (0.75, 1, 0.25), ml_dtypes.bfloat16)
LINES = Call("LayerNormalization", {}, {"X": np.float32([[99, -99]] * 2), "Scale": np.float32([[1, 2], [3, 4]])},
             ("Y",))
SLOPES = Call("PRelu", {}, {"X": -np.ones((2, 2, 3), np.float32), "slope": np.float32([[[1], [2]], [[3], [4]]])})
OTHER = Call("Trilu", {"upper": 2}, {"input": np.float64([[1e308, 2, 3]]), "k": np.array(3)})
KEPT = Call("Trilu", {"upper": 1}, {"input": np.float64([[1e308, 2, 3]]), "k": np.array(-3)})
INFINITE = Call("Selu", {"alpha": 1.0, "gamma": INF}, {"X": np.float64([-1])})
BFLOAT = Call("Selu", {"gamma": 0.0}, {"X": np.asarray([49, 3.3895e38], ml_dtypes.bfloat16)})
UNSET = Call("Selu", {}, {"X": np.float32([-INF, 1])})
OFFSET = Call("QuantizeLinear", {"output_dtype": 5}, {
    "x": np.float32([0.1499, 0.25]), "y_scale": np.asarray(np.float32(0.1))})
HALVES = Call("Div", {}, {"A": np.float16([-12]), "B": np.float16([-0.001723])})
DOUBLES = Call("Div", {}, {"A": np.float64([5]), "B": np.float64([3])})
CLAMPED = Call("Swish", {"alpha": -0.25}, {"X": np.float32([-INF])})
NORMS = Call("LpPool", {"kernel_shape": [2], "auto_pad": "SAME_UPPER", "dilations": [2], "p": 1},
             {"X": np.float32([[[1, NAN, 4, 8]]])})


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("onnx/qlinearconv@10", BIASED, "bias-by-the-scale-of-x", np.uint8([[[246, 246]]]), np.uint8([[[245, 246]]])),
    ("onnx/qlinearconv@10", SAME, "bias-by-the-scale-of-x", np.uint8([[[182, 18]]]), np.uint8([[[182, 20]]])),
    ("onnx/qlinearconv@10", ONE, "times-the-scale", np.uint8([[[40]]]), np.uint8([[[41]]])),
    ("onnx/qlinearconv@10", MANY, "times-the-scale", np.uint8([[[0]]]), np.uint8([[[1]]])),
    ("onnx/qlinearconv@10", UNSCALED, "zero-scale-as-one", np.uint8([[[37, 67]]]), np.uint8([[[37, 66]]])),
    ("onnx/qlinearmatmul@21", ROUNDED, "scaled-before-the-product", np.int8([[-4]]), np.int8([[4]])),
    ("onnx/layernormalization@17", LINES, "scale-of-the-first-line", np.float32([[1, -2], [1, -2]]),
     np.float32([[1, -2], [2, -2]])),
    ("onnx/prelu@16", SLOPES, "slope-read-on", -np.float32([[[1, 2, 3], [4, 9, 7]]] * 2),
     -np.float32([[[1, 2, 3], [5, 9, 7]]] * 2)),
    ("onnx/trilu@14", OTHER, "other-upper-narrowed", np.float64([[LARGEST, 2, 3]]), np.float64([[LARGEST, 2, 4]])),
    ("onnx/selu@22", INFINITE, "infinite-numbers-as-finite", np.float64([-2.1509945654165798e38]), np.float64([-2e38])),
    ("onnx/selu@22", BFLOAT, "zero-numbers-as-default", np.asarray([51.5, INF], ml_dtypes.bfloat16),
     np.asarray([53, INF], ml_dtypes.bfloat16)),
    ("onnx/selu@22", UNSET, "defaults-of-five-places", np.float32([-1.7580942, 1.0507]),
     np.float32([-1.7580942, 1.05])),
    ("onnx/quantizelinear@21", OFFSET, "offset-in-float32", np.int16([2, 2]), np.int16([3, 2])),
    ("sonnx/div", HALVES, "by-a-rounded-reciprocal", np.float16([6968]), np.float16([6972])),
    ("sonnx/div", DOUBLES, "by-a-rounded-reciprocal", np.float64([1.6666667461395264]), np.float64([1.6666667])),
    ("onnx/swish@24", CLAMPED, "near-zero-for-minus-infinity", np.float32([-6.482e-6]), np.float32([-6.482e-5])),
    ("onnx/lppool@22", NORMS, "same-without-dilation-nor-nan", np.float32([[[5, 16, 8, 0]]]),
     np.float32([[[5, 17, 8, 0]]])),
])
def test_what_is_computed_otherwise_and_what_is_anything(name: str, call: Call, symptom: str, got: np.ndarray,
                                                         other: np.ndarray) -> None:
    """The answer that a list describes shows the symptom, and another wrong one does not."""
    spec = load_spec(name)
    output = (call.outputs or tuple(spec.expected(call)))[0]
    for answer, looks in ((got, True), (other, False)):
        wrong = [part for part in spec.divergences(call, {output: answer}) if part.output == output]
        assert wrong and all(shows([symptom], spec, call, part) for part in wrong) == looks


@pytest.mark.parametrize(("name", "call", "symptom", "got"), [
    ("onnx/conv@22", SQUARE, "nine-cells-in-a-line", np.float32([[[[6]]]])),
    ("onnx/qlinearconv@10", ONE, "bias-by-the-scale-of-x", np.uint8([[[40]]])),
    ("onnx/qlinearconv@10", ONE, "zero-scale-as-one", np.uint8([[[10]]])),
    ("onnx/trilu@14", KEPT, "other-upper-narrowed", np.float64([[LARGEST, 2, 3]])),
    ("onnx/selu@22", BFLOAT, "infinite-numbers-as-finite", np.asarray([51.5, INF], ml_dtypes.bfloat16)),
    ("onnx/swish@24", CLAMPED, "number-not-multiplied", np.float32([7])),
])
def test_a_call_without_the_condition_shows_no_symptom(name: str, call: Call, symptom: str, got: np.ndarray) -> None:
    """Neither a wrong answer nor the one that the list describes shows it there."""
    spec = load_spec(name)
    output, = spec.expected(call)
    wrong = spec.divergences(call, {output: got})
    assert wrong and not any(shows([symptom], spec, call, part) for part in wrong)


@pytest.mark.parametrize(("call", "looks"), [(NINE, True), (SQUARE, False)])
def test_nine_cells_in_a_line_are_told_from_a_square(call: Call, looks: bool) -> None:
    """The same number of cells in a square is no line."""
    spec = load_spec("onnx/conv@22")
    wrong = spec.divergences(call, {"Y": np.full_like(spec.expected(call)["Y"], 6)})
    assert wrong and all(shows(["nine-cells-in-a-line"], spec, call, part) for part in wrong) == looks
