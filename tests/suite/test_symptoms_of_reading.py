"""Symptoms of types that are not asked for, of inputs read otherwise and of indices: what they excuse, and what not."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import shows

BF16 = np.dtype(ml_dtypes.bfloat16)
INF, NAN = np.float32(np.inf), np.float32(np.nan)
HALF = np.float16


def call_of(operator: str, attributes: dict[str, Any] | None = None, **inputs: Any) -> Call:
    """A call of arrays."""
    return Call(operator, attributes or {}, {name: np.asarray(x) for name, x in inputs.items()})


ADD = call_of("Add", A=HALF([65504, 1]), B=HALF([65504, 1]))
INNER = call_of("Add", {"broadcast": 1, "axis": 0}, A=np.float32([[8, 4], [2, 1]]), B=np.float32([1, 2]))
LONGER = call_of("Add", {"broadcast": 1, "axis": 1}, A=np.zeros((2, 3, 4, 5), "f4"), B=np.zeros((3, 4), "f4"))
BITS = call_of("Less", A=np.array([-1, 1], BF16), B=np.array([1, -1], BF16))
LEAK = call_of("LeakyRelu", {"alpha": 1e-40}, X=np.float32([-4e7, 1]))
LEFT = call_of("LeakyRelu", {"alpha": 1e5}, X=HALF([0, 1]))
KEPT = call_of("LeakyRelu", {"alpha": 3e38}, X=np.float32([-1e-40]))
RELU = call_of("Relu", X=np.float32([-np.inf, -1]))
BIAS = call_of("Conv", X=np.float32([[[1, 2]]]), W=np.float32([[[2]]]), B=np.float32([100]))
PADDED = call_of("Conv", {"auto_pad": "NOTSET", "dilations": [1, 1], "group": 1, "kernel_shape": [1, 2],
                          "pads": [0, 1, 0, 0], "strides": [1, 1]},
                 X=np.float32([[[[1, 2]]]]), W=np.float32([[[[np.nan, 1]]]]), B=np.float32([0]))
SPECIAL = Call("Relu", {}, {"X": np.float32([NAN, -0.0, 2])})
STEEP = Call("Exp", {}, {"X": np.float32([88.5, 0])})
EMPTY = Call("Conv", {"pads": [1] * 6}, {"X": np.zeros((1, 1, 0, 2, 3), "f4"), "W": np.ones((1, 1, 1, 1, 1), "f4")})
CLIP = call_of("Clip", input=np.float32([np.nan, 0]), min=np.float32(-3), max=np.float32(1))
MIN = call_of("Min", data_0=np.float32([8, 3]), data_1=np.float32([2, 1]))
ROOT = call_of("Pow", A=np.float64([1e-310]), B=np.float64([0.5]))
LOG = call_of("Log", X=np.float32([1e-40]))
MAPS = call_of("ConvInteger", X=np.uint8([[[[[1]]], [[[2]]]]]), W=np.uint8([[[[[3]]], [[[4]]]]] * 2),
               w_zero_point=np.uint8([1, 4]))
WORDS = call_of("Equal", A=np.array(["a"], object), B=np.array(["a\0"], object))
LARGE = call_of("Pow", A=np.float32([-1]), B=np.float32([2.0**40]))
TINY = call_of("Pow", A=np.float32([-4]), B=np.float32([1e-17]))
MOST = call_of("ReduceMax", data=np.int32([2**31 - 1, 40]))
ROWS = call_of("Sqrt", X=np.float32([4, 16]))
SUM = Call("Einsum", {"equation": "i->"}, {"Inputs_0": np.float32([1, 2])})
DOTS = Call("Einsum", {"equation": "...i,i->...i"}, {"Inputs_0": np.float32([1, 2]), "Inputs_1": np.float32([1, 2])})
ROWS_OF_TWO = call_of("Trilu", input=np.float32([[1, 2], [3, 4]]), k=np.int64(2**63 - 1))
FILLED = Call("Pad", {"mode": "edge"}, {"data": np.float32([1, 2]), "pads": np.int64([1, 1]),
                                        "constant_value": np.array(9, np.float32)})
HALVES = call_of("Range", start=HALF(2046), limit=HALF(2052), delta=HALF(1))
REST = call_of("Mod", A=np.int32(7), B=np.int32([-4, 3]))
WIDENED = Call("ConvTranspose", {"auto_pad": "SAME_UPPER", "strides": [2], "output_padding": [1]},
               {"X": np.float32([[[1, 10]]]), "W": np.float32([[[1, 2, 3]]])})

DROPPED = Call("Dropout", {}, {"data": np.float32([1, 2]), "ratio": np.array(0.5, "f4"),
                               "training_mode": np.array(True)}, ("output",))
DOUBLES = Call("Constant", {"value_ints": [2**62, 3]}, {})
TANH = call_of("Gelu", {"approximate": "tanh"}, X=np.float32([1, 0]))
TABLE = call_of("ReduceL1", {"axes": [0]}, data=np.float32([[1, 2], [3, 4]]))
EMPTY_ROWS = call_of("Concat", {"axis": 0}, inputs_0=np.zeros((2, 0), "f4"), inputs_1=np.zeros((2, 0), "f4"))
UNREDUCED = call_of("ReduceLogSum", {"noop_with_empty_axes": 1}, data=np.float32([5, 2]))
PRODUCT = call_of("ReduceProd", data=np.int64([2**33 + 2**30, 16]))
SCALED = call_of("QuantizeLinear", x=np.float32([[1], [3]]), y_scale=np.float32(0.5))
SPACED = Call("ConvTranspose", {"auto_pad": "SAME_UPPER", "strides": [2]},
              {"X": np.float32([[[1, 10]]]), "W": np.float32([[[1, 2, 3]]])})
GIVEN = Call("ConvTranspose", {"output_shape": [4], "strides": [2]},
             {"X": np.float32([[[1, 10]]]), "W": np.float32([[[1, 2, 3]]])})
FRACTIONS = Call("Mod", {"fmod": 0}, {"A": np.float32([7.5, 9, -1e-20]), "B": np.float32([2.5, 4, 3])})
PAIRS = Call("Pad", {"paddings": [0, 0, 2, 0]}, {"data": np.zeros((3, 2), "f4")})
UNSIGNED = Call("Cast", {"to": 12}, {"input": np.int16([-3, 2])})
WRAPPED = Call("Cast", {"to": 3}, {"input": np.int16([200, -129])})
TO_BITS = Call("Cast", {"to": 16}, {"input": np.float32([1, -2])})
LAYER = Call("GRU", {"hidden_size": 1}, {"X": np.ones((2, 1, 1), "f4"), "W": np.ones((1, 3, 1), "f4"),
                                         "R": np.ones((1, 3, 1), "f4")}, ("Y",))
GROUPS = Call("ConvTranspose", {"group": 2}, {"X": np.float32([[[NAN], [-7]]]), "W": np.float32([[[3]], [[-7]]])})


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("onnx/mod@28", FRACTIONS, "of-whole-parts", np.float32([1, 1, 0]), np.float32([1, 2, 0])),
    ("onnx/pad@1", PAIRS, "paddings-in-pairs", np.zeros((3, 4), "f4"), np.zeros((4, 3), "f4")),
    ("onnx/cast@23", WRAPPED, "saturated-integers", np.int8([127, -128]), np.int8([127, -127])),
    ("onnx/cast@23", TO_BITS, "bits-read", np.uint16([16256, 49151]), np.uint16([16256, 1])),
    ("onnx/gru@22", LAYER, "last-state-alone", np.zeros((1, 1, 1), "f4"), np.zeros((2, 1, 1), "f4")),
    ("onnx/dropout@22", DROPPED, "data-kept", np.float32([1, 2]), np.float32([1, 3])),
    ("onnx/constant@25", DOUBLES, "narrowed", np.int64([2**31 - 1, 3]), np.int64([2**30, 3])),
    ("onnx/gelu@20", TANH, "approximation-left-aside", np.float32([0.84134471, 0]), np.float32([0.8413, 0])),
    ("onnx/reduceprod@18", PRODUCT, "lower-32-bits", np.int64([2**34]), np.int64([2**34 + 1])),
    ("onnx/quantizelinear@13", SCALED, "multiplied", np.uint8([[0], [2]]), np.uint8([[0], [3]])),
    ("onnx/convtranspose@22", SPACED, "same-between-cells", np.zeros((1, 1, 3), "f4"), np.zeros((1, 1, 5), "f4")),
    ("onnx/convtranspose@22", GIVEN, "given-size-left-aside", np.zeros((1, 1, 6), "f4"), np.zeros((1, 1, 5), "f4")),
    ("onnx/convtranspose@22", GROUPS, "nan-of-other-groups", np.float32([[[NAN], [NAN]]]), np.float32([[[NAN], [7]]])),
    ("onnx/einsum@12", SUM, "as-implicit", np.float32([1, 2]), np.float32([3])),
    ("onnx/einsum@12", DOTS, "ellipsis-of-one-axis", np.float32([[1, 4]]), np.float32([5])),
    ("onnx/trilu@14", ROWS_OF_TWO, "diagonal-wraps", np.float32([[0, 0], [3, 4]]), np.float32([[1, 0], [3, 4]])),
    ("onnx/pad@13", FILLED, "constant-in-other-modes", np.float32([9, 1, 2, 9]), np.float32([9, 1, 2, 0])),
    ("onnx/range@27", HALVES, "sums-rounded", HALF([2046, 2047, 2048, 2048, 2048, 2048]),
     HALF([2046, 2047, 2048, 2048, 2048, 2000])),
    ("onnx/mod@13", REST, "operands-exchanged", np.int32([-4, 3]), np.int32([5, 5])),
    ("onnx/convtranspose@11", WIDENED, "output-padding-cut", np.float32([[[2, 13, 20]]]), np.zeros((1, 1, 5), "f4")),
    ("onnx/add@14", ADD, "float16-as-float32", np.float32([131008, 2]), np.float32([7, 7])),
    ("onnx/add@14", ADD, "of-float32", np.float32([65504, 2]), np.float64([65504, 2])),
    ("onnx/add@6", INNER, "by-the-newest-text", np.float32([[9, 6], [3, 3]]), np.float32([[1, 1], [1, 1]])),
    ("onnx/add@6", LONGER, "sizes-of-b", np.zeros((2, 3, 3, 4), "f4"), np.zeros((2, 3, 4), "f4")),
    ("onnx/less@13", BITS, "bits-read", np.array([False, True]), None),
    ("onnx/leakyrelu@16", LEAK, "subnormal-inputs-as-zero", np.float32([-0.0, 1]), np.float32([5, 1])),
    ("onnx/leakyrelu@16", LEFT, "alpha-times-zero", HALF([np.nan, np.nan]), HALF([1, 2])),
    ("onnx/leakyrelu@16", KEPT, "subnormal-kept", np.float32([-1e-40]), np.float32([-2e-40])),
    ("onnx/relu@14", RELU, "minus-infinity-as-nan", np.float32([np.nan, 0]), np.float32([0, np.nan])),
    ("onnx/relu@14", RELU, "minus-infinity-kept", np.float32([-np.inf, 0]), np.float32([0, -np.inf])),
    ("onnx/conv@22", BIAS, "without-bias", np.float32([[[2, 4]]]), np.float32([[[2, 5]]])),
    ("sonnx/conv2", PADDED, "padding-left-out", np.float32([[[[1, np.nan]]]]), np.float32([[[[2, np.nan]]]])),
    ("sonnx/conv2", PADDED, "infinity-for-nan", np.float32([[[[INF, NAN]]]]), np.float32([[[[-INF, NAN]]]])),
    ("sonnx/relu", SPECIAL, "positive-zero", np.float32([0, 0, 2]), np.float32([0, 0, 0])),
    ("onnx/exp@13", STEEP, "infinite-below-the-end", np.float32([INF, 1]), np.float32([INF, INF])),
    ("sonnx/exp", Call("Exp", {}, {"X": np.float32([NAN])}), "infinity-for-nan", np.float32([INF]), np.float32([0])),
    ("onnx/conv@22", EMPTY, "empty-axis-as-the-next", np.zeros((1, 1, 4, 4, 5), "f4"), np.zeros((1, 1, 3, 4, 5), "f4")),
    ("sonnx/clip", CLIP, "minimum-for-nan", np.float32([-3, 0]), np.float32([1, 0])),
    ("onnx/min@13", MIN, "sum-of-operands", np.float32([10, 4]), np.float32([8, 3])),
    ("onnx/pow@15", ROOT, "one-subnormal-base", np.float64([1.5717277847e-162]), np.float64([1e-160])),
    ("onnx/pow@15", LARGE, "nan-for-a-large-exponent", np.float32([np.nan]), np.float32([-1])),
    ("onnx/pow@15", TINY, "exponent-near-an-integer", np.float32([1]), np.float32([-4])),
    ("onnx/log@13", LOG, "of-one-subnormal", np.float32([-103.972077]), np.float32([-90])),
    ("onnx/convinteger@10", MAPS, "points-of-channels", np.int32(2).repeat(2).reshape(1, 2, 1, 1, 1),
     np.int32(3).repeat(2).reshape(1, 2, 1, 1, 1)),
    ("onnx/equal@19", WORDS, "without-nul-at-the-end", np.array([True]), None),
    ("onnx/reducemax@20", MOST, "largest-as-lowest", np.int32([40]), np.int32([41])),
    ("onnx/reducel1@13", TABLE, "all-axes-reduced", np.float32([[10]]), np.float32([4, 6])),
    ("onnx/concat@13", EMPTY_ROWS, "axes-of-none-lost", np.zeros(4, "f4"), np.zeros(2, "f4")),
    ("onnx/concat@13", EMPTY_ROWS, "empty-axes-as-one", np.zeros((4, 1), "f4"), np.zeros((4, 2), "f4")),
    ("onnx/reducelogsum@28", UNREDUCED, "as-given", np.float32([5, 2]), np.float32([5, 3])),
    ("onnx/sqrt@13", ROWS, "times-one-factor", np.float32([8, 16]), np.float32([8, 5])),
])
def test_what_is_read_otherwise_and_what_is_anything(name: str, call: Call, symptom: str, got: np.ndarray,
                                                     other: np.ndarray | None) -> None:
    """The answer that a list describes shows the symptom, and another wrong one does not."""
    spec = load_spec(name)
    output = next(iter(spec.expected(call)))
    for answer, looks in ((got, True), (other, False)):
        if answer is not None:
            wrong = spec.divergences(call, {output: answer})
            assert wrong and all(shows([symptom], spec, call, part) for part in wrong) == looks


STRIDED = {"kernel_shape": [2, 1]}
X = np.float32([[[[1, 4], [3, 2], [5, 0]]]])
BATCHES = np.float32([[[[1, 2]]], [[[3, 1]]]])
SAME = {"kernel_shape": [1, 3], "auto_pad": "SAME_UPPER"}


@pytest.mark.parametrize(("attributes", "x", "symptom", "values", "got", "other"), [
    (STRIDED, X, "unfolded-by-output", None, [1, 1, 3, 3], [1, 1, 3, 5]),
    ({"kernel_shape": [1, 2]}, BATCHES, "index-in-batch", None, [1, 0], [1, 1]),
    (SAME, BATCHES, "same-nothing-before-in-batch", [2, 2, 3, 1], [1, 1, 0, 1], [1, 1, 0, 0]),
    ({"kernel_shape": [1, 2]}, np.float32([[[[3, -np.inf, -np.inf]]]]), "never-set", [3, 0], [0, 0], [0, 5]),
])
def test_indices_that_are_counted_otherwise(attributes: dict[str, Any], x: np.ndarray, symptom: str,
                                            values: list[float] | None, got: list[int],
                                            other: list[int]) -> None:
    """By the sizes of the output, within a batch, of windows that begin at the first cell, or never set."""
    spec = load_spec("onnx/maxpool@22")
    call = Call("MaxPool", attributes, {"X": x})
    right = spec.expected(call)
    y = right["Y"] if values is None else np.float32(values).reshape(right["Y"].shape)
    for answer, looks in ((got, True), (other, False)):
        wrong = spec.divergences(call, {"Y": y, "Indices": np.array(answer).reshape(y.shape)})
        of_indices = [part for part in wrong if part.output == "Indices"]
        assert of_indices and all(shows([symptom], spec, call, part) for part in of_indices) == looks


def test_last_elements_without_a_window_are_zero() -> None:
    """With SAME and a dilation that the padding leaves out; a zero before them is another fault."""
    spec = load_spec("onnx/averagepool@22")
    call = Call("AveragePool", {"kernel_shape": [2], "dilations": [2], "auto_pad": "SAME_UPPER"},
                {"X": np.float32([[[9, 1, 2, 5, 4]]])})
    for answer, looks in (([5.5, 3, 3, 5, 0], True), ([5.5, 3, 0, 5, 0], False)):
        wrong, = spec.divergences(call, {"Y": np.float32([[answer]])})
        assert shows(["same-without-dilation"], spec, call, wrong) == looks


def test_one_input_has_no_sizes_of_another() -> None:
    """A maximum of one tensor that comes back with another shape."""
    spec = load_spec("onnx/max@13")
    call = Call("Max", {}, {"data_0": np.zeros(2, "f4")})
    wrong, = spec.divergences(call, {"max": np.zeros((2, 1), "f4")})
    assert not shows(["sizes-of-b"], spec, call, wrong)


def test_bits_that_the_operator_does_not_take_are_not_read() -> None:
    """LeakyRelu is not defined for integers: that it gives NaN is not by its bits."""
    spec = load_spec("onnx/leakyrelu@16")
    call = Call("LeakyRelu", {"alpha": float("inf")}, {"X": np.array([0, 1], BF16)})
    for part in spec.divergences(call, {"Y": np.array([np.nan, 1], BF16)}):
        assert not shows(["bits-read"], spec, call, part) and shows(["alpha-times-zero"], spec, call, part)


def test_integers_have_no_nan_that_is_left_aside() -> None:
    """The symptom of a search that leaves NaN aside is asked of integers, too."""
    spec = load_spec("sonnx/argmax")
    call = Call("ArgMax", {"axis": 0, "keepdims": 0, "select_last_index": 0}, {"data": np.int64([1, 2**40])})
    wrong, = spec.divergences(call, {"reduced": np.int64(0)})
    assert not shows(["nan-left-aside"], spec, call, wrong)


@pytest.mark.parametrize(("axes", "is_flagged"), [([0, -1], True), ([1], False), ([], False), ([0, 2], False)])
def test_axes_that_are_all_are_flagged(axes: list[int], is_flagged: bool) -> None:
    """Not those that stand for all because there are none, nor those that X does not have."""
    call = call_of("ReduceSum", data=np.zeros((2, 3), "f4"), axes=np.int64(axes))
    assert ("all-axes" in flags_of(load_spec("onnx/reducesum@13"), call)) == is_flagged


def test_integers_that_are_held_may_come_as_floats() -> None:
    """Cast to uint32 gives float32: beside its type the elements show what they are."""
    spec = load_spec("onnx/cast@23")
    for got, looks in ([-3, 2], True), ([-4, 2], False), ([-3.5, 2], False):
        wrong = spec.divergences(UNSIGNED, {"output": np.float32(got)})
        assert len(wrong) == 2
        assert all(shows(["saturated-integers", "of-float32"], spec, UNSIGNED, part) for part in wrong) == looks
