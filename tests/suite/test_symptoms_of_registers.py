"""Symptoms and flags that narrow entries of the suite's lists: what they excuse, and what they do not."""

from __future__ import annotations

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import shows, symptoms_of


@pytest.mark.parametrize(("x", "got", "looks"), [
    ([[0, 3], [1, 2]], [[1, 3], [1, 3]], True), ([[0, 3], [1, 2]], [[1, 3], [1, 0]], False),
    ([[0, 3], [1, 2], [5, 4]], [[1, 3, 4], [1, 3, 5]], True), ([[0, 3], [1, 2], [5, 4]], [[1, 3, 4, 1, 3, 5]], False)])
def test_indices_that_are_counted_row_by_row_and_transposed(x: list[list[int]], got: list[list[int]],
                                                            looks: bool) -> None:
    """Windows of two cells in a row, the last of which reaches behind X."""
    call = Call("MaxPool", {"kernel_shape": [1, 2], "pads": [0, 0, 0, 1], "storage_order": 1},
                {"X": np.array([[x]], np.float64)})
    spec = load_spec("onnx/maxpool@22")
    wrong = spec.divergences(call, {"Y": spec.expected(call)["Y"], "Indices": np.array([[got]])})
    assert wrong and all(shows(["column-major-transposed"], spec, call, part) for part in wrong) == looks


@pytest.mark.parametrize(("output", "got", "looks"), [
    ("Y", [5, 5, 3, 2], True), ("Y", [5, 5, 3, 1], False), ("Y", [0, 0, 0, 0], False),
    ("Indices", [0, 0, 1, 2], True), ("Indices", [3, 0, 1, 2], False)])
def test_windows_over_x_without_its_padding(output: str, got: list[int], looks: bool) -> None:
    """As the reference evaluator has them; Indices lack the padding before X."""
    spec, call = load_spec("onnx/maxpool@22"), Call("MaxPool", {"kernel_shape": [2], "pads": [1, 0], "ceil_mode": 1},
                                                    {"X": np.float32([[[1, 5, 3, 2]]])})
    right = spec.expected(call)
    wrong = spec.divergences(call, {**right, output: np.array([[got]], right[output].dtype)})
    names = ["windows-unpadded" if output == "Y" else "unfolded-by-output"]
    assert wrong and all(shows(names, spec, call, part) for part in wrong) == looks


@pytest.mark.parametrize(("mode", "x", "got", "looks"), [
    ("up", 2.0**-127, 2.0**-126, True), ("up", 2.0**-127, 2.0**-125, False), ("up", np.inf, np.nan, True),
    ("nearest", 1.1 * 2.0**-127, 2.0**-126, True), ("down", 3, 4, False),
])
def test_float8e8m0_by_the_digits_of_float32(mode: str, x: float, got: float, looks: bool) -> None:
    """Subnormal numbers as if a 1 stood before them."""
    target = np.dtype(ml_dtypes.float8_e8m0fnu)
    call = Call("Cast", {"to": 24, "round_mode": mode}, {"input": np.float32([x])})
    spec = load_spec("onnx/cast@25")
    wrong, = spec.divergences(call, {"output": np.array([got]).astype(target)})
    assert shows(["by-digits-of-float32"], spec, call, wrong) == looks


@pytest.mark.parametrize(("dtype", "alpha", "is_above"), [
    ("float16", 1e5, True), ("float16", 65504.0, False), ("float16", np.inf, False), ("float32", 1e5, False)])
def test_an_alpha_above_the_type_of_x(dtype: str, alpha: float, is_above: bool) -> None:
    """A number that becomes infinite; an infinity has a flag of its own."""
    call = Call("LeakyRelu", {"alpha": np.float32(alpha)}, {"X": np.zeros(1, dtype)})
    assert ("alpha-above-type" in flags_of(load_spec("onnx/leakyrelu@16"), call)) == is_above


@pytest.mark.parametrize(("name", "call", "is_other"), [
    ("quantizelinear@21", Call("QuantizeLinear", {"output_dtype": 4}, {
        "x": np.float32([1]), "y_scale": np.array(1, np.float32)}), True),
    ("quantizelinear@21", Call("QuantizeLinear", {"output_dtype": 2}, {
        "x": np.float32([1]), "y_scale": np.array(1, np.float32)}), False),
    ("quantizelinear@21", Call("QuantizeLinear", {"output_dtype": 4}, {
        "x": np.float32([1]), "y_scale": np.array(1, np.float32), "y_zero_point": np.array(0, np.uint16)}), False),
    ("dequantizelinear@23", Call("DequantizeLinear", {"output_dtype": 10}, {
        "x": np.int8([1]), "x_scale": np.array(1, np.float32)}), True),
    ("dequantizelinear@23", Call("DequantizeLinear", {"output_dtype": 1}, {
        "x": np.int8([1]), "x_scale": np.array(1, np.float32)}), False)])
def test_another_type_of_y_than_without_the_attribute(name: str, call: Call, is_other: bool) -> None:
    """As output_dtype gives it, where no zero point does."""
    assert ("other-output-type" in flags_of(load_spec(f"onnx/{name}"), call)) == is_other


def test_symptoms_of_numbers_are_asked_of_integers_too() -> None:
    """No element of int64 is NaN, and none is an infinity."""
    call = Call("ArgMax", {"axis": 0, "keepdims": 0, "select_last_index": 0}, {"data": np.int64([1, 2**33, 3])})
    spec = load_spec("sonnx/argmax")
    wrong = spec.divergences(call, {"reduced": np.asarray(np.int64(2))})
    assert wrong and "nan-left-aside" not in symptoms_of(spec, call, wrong)


SEARCH = Call("ArgMax", {"axis": 0, "keepdims": 0, "select_last_index": 0}, {"data": np.float32([np.nan, -1, 2])})
PLANE = Call("GlobalMaxPool", {}, {"X": np.float32([[[0, np.nan, 1]]])})
POWER = Call("Pow", {}, {"A": np.float32([-1]), "B": np.int32([2**24 + 1])})
LONG_POWER = Call("Pow", {}, {"A": np.float32([-1]), "B": np.int64([2**53 + 1])})
CUT_POWER = Call("Pow", {}, {"A": np.float32([2]), "B": np.int64([2**53 + 1])})
TAIL = Call("Gelu", {}, {"X": np.float64([-6])})
LONG = Call("Gemm", {}, {"A": np.int64([[2**53 + 1]]), "B": np.int64([[1]])})
POINTS = Call("MatMulInteger", {}, {"A": np.int8([[1, 2], [3, 4]]), "B": np.int8([[1, 0], [0, 1]]),
                                    "a_zero_point": np.int8([1, 10])})
MAPS = Call("ConvInteger", {}, {"X": np.uint8([[[3, 5]]]), "W": np.uint8([[[1, 1]], [[1, 1]]]),
                                "x_zero_point": np.array(1, np.uint8), "w_zero_point": np.uint8([0, 1])})
TWO_ROWS = Call("Softmax", {}, {"X": np.zeros((1, 2, 2), np.float32)})
SCALED = Call("Gemm", {"beta": 2.0}, {"A": np.zeros((1, 0), np.float32), "B": np.zeros((0, 1), np.float32),
                                      "C": np.float32([[3]])})
BELOW_ZERO = Call("Pow", {}, {"A": np.int32([5]), "B": np.int32([-2])})
CUT = Call("Conv", {"auto_pad": "SAME_LOWER", "strides": [8]},
           {"X": np.float32([[range(8)]]), "W": np.float32([[[1]]])})
CUT_UPPER = Call("Conv", {"auto_pad": "SAME_UPPER", "strides": [8]},
                 {"X": np.float32([[range(5)]]), "W": np.float32([[[1]]])})
ADDED = Call("ConvTranspose", {}, {"X": np.float32([[[2]]]), "W": np.float32([[[3]]]), "B": np.float32([7])})
CHANNELS = Call("MaxPool", {"kernel_shape": [1]}, {"X": np.int8([[[1, 2], [3, 4]]])}, ("Y",))
COLUMNS = Call("MaxPool", {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER", "storage_order": 1},
               {"X": np.float32([[[[1, 2], [3, 4]]]])}, ("Indices",))
OF_INFINITY = Call("Gelu", {}, {"X": np.float32([np.inf])})


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("onnx/gemm@13", SCALED, "beta-left-aside", np.float32([[3]]), np.float32([[5]])),
    ("onnx/pow@15", BELOW_ZERO, "unsigned-exponents", np.int32([-1030792151]), np.int32([7])),
    ("onnx/conv@22", CUT, "same-made-even", np.float32([[[2]]]), np.float32([[[1]]])),
    ("onnx/conv@22", CUT_UPPER, "same-made-even", np.float32([[[1]]]), np.float32([[[4]]])),
    ("onnx/convtranspose@22", ADDED, "nothing-added", np.float32([[[7]]]), np.float32([[[0]]])),
    ("onnx/maxpool@22", CHANNELS, "channels-last", np.int8([[[1, 3], [2, 4]]]), np.int8([[[1, 2], [4, 4]]])),
    ("onnx/maxpool@22", COLUMNS, "column-major-nothing-before", np.array([[[[3, 3], [3, 3]]]]),
     np.array([[[[3, 3], [3, 0]]]])),
    ("onnx/gelu@20", OF_INFINITY, "nan-for-infinity", np.float32([np.nan]), np.float32([7])),
    ("sonnx/argmax", SEARCH, "nan-left-aside", np.int64(2), np.int64(1)),
    ("onnx/globalmaxpool@22", PLANE, "search-begun", np.float32([[[-3.4028235e38]]]), np.float32([[[0.5]]])),
    ("onnx/pow@15", POWER, "exponent-in-single", np.float32([1]), np.float32([2])),
    ("onnx/pow@15", LONG_POWER, "exponent-in-double", np.float32([1]), np.float32([2])),
    ("onnx/pow@15", CUT_POWER, "exponent-in-32-bits", np.float32([2]), np.float32([1])),
    ("onnx/gelu@20", TAIL, "of-single-precision", np.float64([0]), np.float64([1e-6])),
    ("onnx/gemm@13", LONG, "scaled-in-float64", np.int64([[2**53]]), np.int64([[0]])),
    ("onnx/matmulinteger@10", POINTS, "points-of-columns", np.int32([[0, -8], [2, -6]]), np.int32([[1, 1], [1, 1]])),
    ("onnx/softmax@11", TWO_ROWS, "along-the-default-alone", np.float32([[[0.5, 0.5], [0.5, 0.5]]]),
     np.float32([[[0.5, 0.5], [0.125, 0.5]]])),
    ("onnx/convinteger@10", MAPS, "points-of-columns", np.int32([[[2], [2]]]), np.int32([[[6], [3]]])),
])
def test_what_is_computed_otherwise_and_what_is_anything(name: str, call: Call, symptom: str, got: np.ndarray,
                                                         other: np.ndarray) -> None:
    """The answer that a list describes shows the symptom, and another wrong one does not."""
    spec = load_spec(name)
    output = (call.outputs or tuple(spec.expected(call)))[0]
    for answer, looks in ((got, True), (other, False)):
        wrong = spec.divergences(call, {output: np.asarray(answer)})
        assert wrong and all(shows([symptom], spec, call, part) for part in wrong) == looks


def test_integers_for_powers_of_floats_show_no_symptom_of_integers() -> None:
    """The powers of floats by integers have no remainder."""
    call, spec = Call("Pow", {}, {"A": np.float32([2.5]), "B": np.int32([-2])}), load_spec("onnx/pow@15")
    wrong = spec.divergences(call, {"C": np.int32([7])})
    assert wrong and "unsigned-exponents" not in symptoms_of(spec, call, wrong)
    elements = [replace(part, where=np.array([[0]]), expected=np.float32([0.16]), got=np.int32([7])) for part in wrong]
    assert not any(shows(["unsigned-exponents"], spec, call, part) for part in elements)


def a_plane(*sizes: int) -> np.ndarray:
    """X with one batch and channel, of distinct elements."""
    return np.arange(1, 1 + int(np.prod(sizes)), dtype=np.float32).reshape(1, 1, *sizes)


def backward(end: int) -> Call:
    """Slice of six elements from the last one backward."""
    bounds = {"starts": [5], "ends": [end], "axes": [0], "steps": [-1]}
    return Call("Slice", {}, {"data": np.arange(6, dtype=np.float32), **{
        name: np.array(value) for name, value in bounds.items()}})


def zeros(*sizes: int) -> np.ndarray:
    """Zeros of float32."""
    return np.zeros(sizes, np.float32)


FIVE, OF_ONE = a_plane(5), {"kernel_shape": [1], "strides": [2]}
MEAN_OF_VALID = Call("AveragePool", {"kernel_shape": [2], "auto_pad": "VALID", "dilations": [2]}, {"X": FIVE})
BEHIND_X = {"kernel_shape": [1], "strides": [3], "pads": [0, 3], "ceil_mode": 1}
DILATED = {"kernel_shape": [2], "dilations": [2], "auto_pad": "SAME_UPPER"}
OF_A_REGION = {"X": a_plane(4), "roi": np.float32([0, 0, 0, 1, 1, 0.5]), "scales": np.float32([1, 1, 2])}
TRANSFORM = {"input": np.float32([[[[1], [2]], [[3], [4]]]])}
POINTWISE = Call("Conv", {"strides": [2], "pads": [1, 0]}, {"X": a_plane(4), "W": np.float32([[[2]]])})


@pytest.mark.parametrize(("name", "call", "symptom", "shape"), [
    ("onnx/maxpool@12", Call("MaxPool", {"kernel_shape": [2], "strides": [2], "auto_pad": "VALID", "ceil_mode": 1},
                             {"X": FIVE}, ("Y",)), "valid-rounded-up", (1, 1, 3)),
    ("onnx/lppool@18", Call("LpPool", {"kernel_shape": [1], "strides": [5], "auto_pad": "VALID", "ceil_mode": 1},
                            {"X": a_plane(7)}), "valid-rounded-up-within", None),
    ("onnx/maxpool@22", Call("MaxPool", BEHIND_X, {"X": FIVE}, ("Y",)), "last-window-kept", (1, 1, 4)),
    ("onnx/maxpool@11", Call("MaxPool", BEHIND_X, {"X": FIVE}, ("Y",)), "last-window-dropped", (1, 1, 3)),
    ("onnx/maxpool@12", Call("MaxPool", DILATED, {"X": FIVE}, ("Y",)), "shape-of-same-undilated", (1, 1, 4)),
    ("onnx/maxpool@12", Call("MaxPool", {**OF_ONE, "auto_pad": "SAME_LOWER"}, {"X": FIVE}, ("Y",)),
     "same-lower-rounded-down", (1, 1, 2)),
    ("onnx/maxpool@12", Call("MaxPool", {**OF_ONE, "auto_pad": "SAME_UPPER", "ceil_mode": 1}, {"X": a_plane(2)},
                             ("Y",)), "same-rounded-up-again", (1, 1, 2)),
    ("onnx/averagepool@22", MEAN_OF_VALID, "dilations-lost", (1, 1, 4)),
    ("onnx/globalmaxpool@22", Call("GlobalMaxPool", {}, {"X": a_plane(3)}), "maximum-of-two-axes", (1, 1)),
    ("onnx/matmul@13", Call("MatMul", {}, {"A": zeros(1, 5, 0), "B": zeros(2, 0, 3)}), "stack-of-a", (1, 5, 3)),
    ("onnx/argmax@13", Call("ArgMax", {"axis": -1}, {"data": zeros(0, 65)}), "negative-axes-left-aside", (0, 65)),
    ("onnx/reducesum@13", Call("ReduceSum", {"keepdims": 0}, {"data": zeros(0, 4), "axes": np.array([0, -1])}),
     "negative-axes-left-aside", (4,)),
    ("onnx/squeeze@13", Call("Squeeze", {}, {"data": zeros(1, 2, 1), "axes": np.zeros(0, np.int64)}), "ones-removed",
     (2,)),
    ("onnx/unsqueeze@11", Call("Unsqueeze", {"axes": [1, 0]}, {"data": zeros(4)}), "one-by-one", (1, 4, 1)),
    ("onnx/prelu@6", Call("PRelu", {}, {"X": zeros(1, 2, 1), "slope": zeros(2)}), "broadcast-by-numpy", (1, 2, 2)),
    ("onnx/flatten@13", Call("Flatten", {"axis": 2}, {"input": zeros(2, 0, 3)}), "zeros-copied", (2, 0)),
    ("onnx/slice@13", backward(2**63 - 1), "largest-end-backward", (6,)),
    ("onnx/slice@13", backward(-2**63), "bounds-in-32-bits", (5,)),
    ("onnx/resize@19", Call("Resize", {"coordinate_transformation_mode": "tf_crop_and_resize"}, OF_A_REGION),
     "scaled-whole", (1, 1, 8)),
    ("onnx/resize@19", Call("Resize", {}, {"X": zeros(2, 3, 4), "sizes": np.array([4, 6, 8])}), "first-two-axes-kept",
     (2, 3, 8)),
    ("onnx/dft@20", Call("DFT", {"onesided": 1}, TRANSFORM), "parts-apart", (1, 2, 2, 1, 2)),
    ("onnx/shape@15", Call("Shape", {}, {"data": zeros(0)}), "as-of-1-by-0", (2,)),
    ("onnx/hardmax@13", Call("Hardmax", {"axis": 0}, {"X": zeros(0, 2)}), "one-for-none", (1, 2)),
    ("onnx/conv@22", POINTWISE, "strides-before-padding", None),
])
def test_a_shape_by_another_formula(name: str, call: Call, symptom: str, shape: tuple[int, ...] | None) -> None:
    """The shape that a list describes shows the symptom, and the same with an axis more does not."""
    spec = load_spec(name)
    (output, right), = ((output, right) for output, right in spec.expected(call).items() if output != "Indices")
    for other, looks in ((shape, True), ((*right.shape, 1, 1), False)):
        if other is not None:
            wrong = spec.divergences(call, {output: np.zeros(other, right.dtype)})
            assert wrong and all(shows([symptom], spec, call, part) for part in wrong) == looks


SIGNED = Call("ReduceMean", {}, {"data": np.uint32([2147483649, 7, 5])})
OVER = Call("LpPool", {"kernel_shape": [3], "strides": [2], "ceil_mode": 1}, {"X": np.float32([[[3, 4, 5, 12]]])})
OLD_MEAN = Call("AveragePool", {"kernel_shape": [2], "pads": [1, 0]}, {"X": np.float32([[[2, 4]]])})
CUT_SIGNAL = Call("DFT", {"onesided": 1}, {"input": np.float32([[[1], [2], [3], [4], [6]]]), "dft_length": np.array(4)})
PARTLY_ABOVE = Call("RoiAlign", {"sampling_ratio": 2}, {
    "X": np.arange(1, 10, dtype=np.float32).reshape(1, 1, 3, 3), "rois": np.float32([[0, 0, 1.25, 1.25]]),
    "batch_indices": np.array([0])})
LOWEST_COLUMNS = Call("Hardmax", {"axis": 0}, {"X": np.float32([[np.finfo(np.float32).min] * 2, [-np.inf] * 2])})


def one_hot(index: int, depth: int, values: np.ndarray) -> Call:
    """A call of OneHot of one index."""
    return Call("OneHot", {}, {"indices": np.int64([index]), "depth": np.array(depth), "values": values})


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("onnx/onehot@11", one_hot(2**32 + 1, 3, np.int32([0, 1])), "of-the-lower-bits", np.int32([[0, 1, 0]]),
     np.int32([[1, 0, 0]])),
    ("onnx/onehot@11", one_hot(4, 3, np.int32([0, 1])), "modulo-depth", np.int32([[0, 1, 0]]), np.int32([[1, 0, 0]])),
    ("onnx/onehot@11", one_hot(0, 2, np.float32([1e8, 1])), "by-arithmetic", np.float32([[0, 1e8]]),
     np.float32([[2, 1e8]])),
    ("onnx/onehot@11", one_hot(0, 2, np.int64([0, 257])), "in-a-byte", np.int64([[1, 0]]), np.int64([[2, 0]])),
    ("onnx/reducemean@18", SIGNED, "mean-of-signed", np.uint32([3579139418]), np.uint32([1431655774])),
    ("onnx/lppool@18", OVER, "over-cells-within", np.float32([[[7.0710678, 15.921683]]]),
     np.float32([[[7.0710678, 20]]])),
    ("onnx/averagepool@1", OLD_MEAN, "padding-counted", np.float32([[[1, 3]]]), np.float32([[[1.5, 3]]])),
    ("onnx/conv@22", POINTWISE, "strides-before-padding", np.float32([[[0, 2, 6]]]), np.float32([[[0, 5, 8]]])),
    ("onnx/tanh@13", Call("Tanh", {}, {"X": np.float32([50])}), "nan-for-one", np.float32([np.nan]),
     np.float32([2])),
    ("sonnx/tanh", Call("Tanh", {}, {"X": np.float32([np.nan])}), "near-one", np.float32([-0.9999994]),
     np.float32([0])),
    ("onnx/hardmax@13", Call("Hardmax", {}, {"X": np.float32([[1, 1], [2, 1]])}), "another-maximum",
     np.float32([[0, 1], [1, 0]]), np.float32([[0, 0], [1, 0]])),
    ("onnx/hardmax@13", LOWEST_COLUMNS, "of-minus-infinity", np.float32([[1, 0], [0, 0]]), zeros(2, 2)),
    ("onnx/hardmax@13", LOWEST_COLUMNS, "of-minus-infinity", np.float32([[1, 0], [0, 0]]),
     np.float32([[1, 2], [0, 0]])),
    ("onnx/roialign@10", PARTLY_ABOVE, "shifted", np.float32([[[[1.875]]]]), np.float32([[[[5]]]])),
])
def test_elements_by_another_count(name: str, call: Call, symptom: str, got: np.ndarray, other: np.ndarray) -> None:
    """The answer that a list describes shows the symptom, and another wrong one does not."""
    test_what_is_computed_otherwise_and_what_is_anything(name, call, symptom, got, other)


def test_a_shorter_transform_that_is_not_shortened() -> None:
    """Of five numbers with a length of 4 the three bins are those of all five."""
    spec = load_spec("onnx/dft@17")
    five = np.fft.rfft([1, 2, 3, 4, 6])
    for got, looks in ((five, True), (five * 2, False)):
        wrong = spec.divergences(CUT_SIGNAL, {"output": np.stack([got.real, got.imag], -1)[None].astype(np.float32)})
        assert wrong and all(shows(["length-left-aside"], spec, CUT_SIGNAL, part) for part in wrong) == looks


def test_what_memory_held_has_the_right_shape() -> None:
    """Any elements, but no other shape; and no result is described by it."""
    spec, call = load_spec("onnx/relu@14"), Call("Relu", {}, {"X": np.float32([1, 2])})
    for got, looks in ((np.float32([7, 8]), True), (zeros(3), False)):
        wrong = spec.divergences(call, {"Y": got})
        assert wrong and all(shows(["any-number"], spec, call, part) for part in wrong) == looks
        assert "any-number" not in symptoms_of(spec, call, wrong)


ROWS_OF_BLOCKS = Call("QuantizeLinear", {"axis": 0, "block_size": 2}, {
    "x": np.float32([[0, 4], [8, 12], [16, 20], [24, 28]]), "y_scale": np.float32([[1, 2], [4, 8]])})


@pytest.mark.parametrize(("got", "looks"), [
    ([[0, 4], [0, 0], [4, 5], [0, 0]], True), ([[0, 4], [43, 152], [4, 5], [9, 1]], True),
    ([[0, 4], [8, 6], [4, 3], [6, 4]], False), ([[0, 2], [4, 3], [4, 2], [6, 4]], True),
    ([[1, 2], [8, 6], [4, 2], [6, 4]], False)])
def test_blocks_whose_first_row_alone_is_computed(got: list[list[int]], looks: bool) -> None:
    """With the first scale of the block, whatever the other rows hold."""
    spec = load_spec("onnx/quantizelinear@28")
    wrong = spec.divergences(ROWS_OF_BLOCKS, {"y": np.uint8(got)})
    assert wrong and all(shows(["first-of-block"], spec, ROWS_OF_BLOCKS, part) for part in wrong) == looks


@pytest.mark.parametrize(("last", "looks"), [(1, True), (2, False), (2**53 + 1, True)])
def test_places_without_the_mode_and_with_32_bits_of_integers(last: int, looks: bool) -> None:
    """As mode DCR has them, some of them cut to 32 bits."""
    x = np.int64([[[[1, 2], [3, 4]], [[5, 6], [7, 2**53 + 1]]]])
    call = Call("SpaceToDepth", {"blocksize": 2, "mode": "CRD"}, {"input": x})
    spec = load_spec("onnx/spacetodepth@28")
    got = np.int64([1, 5, 2, 6, 3, 7, 4, last]).reshape(1, 8, 1, 1)
    wrong = spec.divergences(call, {"output": got})
    assert wrong and all(shows(["mode-left-aside"], spec, call, part) for part in wrong) == looks


def test_elements_of_another_type_are_no_copies() -> None:
    """Nor is it an error to ask: their octets are more, or fewer."""
    spec, call = load_spec("onnx/reducesum@13"), Call("ReduceSum", {"noop_with_empty_axes": 0},
                                                      {"data": np.float32([[1, 2]]), "axes": np.int64([0])})
    wrong = spec.divergences(call, {"reduced": np.float64([[1, 2]])})
    assert wrong and "as-given" not in symptoms_of(spec, call, wrong)
