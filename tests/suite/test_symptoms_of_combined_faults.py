"""Symptoms and flags that tell root causes of OpenVINO, tract and OpenCV apart: what they excuse, and what not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, load_spec
from plumbline.oracle.families.slope_symptoms import SYMPTOMS as SLOPES
from plumbline.trial.known.symptoms import shows

ONES = np.ones((1, 4, 1), np.float32)
CELL = {"X": np.float32([[[1]]]), "W": ONES, "R": 0 * ONES, "initial_c": np.float32([[[3]]]), "P": ONES[:, :3, 0]}
RELU = ["Relu", "Relu", "Relu"]


def _shows(name: str, call: Call, symptom: str, output: str, got: np.ndarray) -> bool:
    """True if each broken clause shows a symptom; at least one is broken."""
    spec = load_spec(name)
    wrong = spec.divergences(call, {**spec.expected(call), output: got})
    assert wrong
    return all(shows([symptom], spec, call, part) for part in wrong)


@pytest.mark.parametrize(("attributes", "got", "looks"), [
    ({"input_forget": 1}, 4, True), ({"input_forget": 1}, 5, False), ({}, 4, False),
    ({"input_forget": 1, "clip": 3.5}, 4, True), ({"input_forget": 1, "clip": 3.5}, 3, False)])
def test_options_of_a_cell_that_are_left_aside_together(attributes: dict[str, Any], got: float, looks: bool) -> None:
    """Two of them or more: one alone has a symptom of its own."""
    call = Call("LSTM", {"hidden_size": 1, "activations": RELU, **attributes}, CELL, ("Y_h",))
    assert _shows("onnx/lstm@22", call, "options-left-aside", "Y_h", np.float32([[[got]]])) == looks


@pytest.mark.parametrize(("got", "looks"), [(1.0, True), (np.nan, True), (0.25, False)])
def test_what_is_left_of_a_product_beyond_float32(got: float, looks: bool) -> None:
    """A layer of float64 whose products float32 does not hold gives no number, or an end of its function's range."""
    x = np.array([[[2e38, -1e38]]])
    call = Call("RNN", {"hidden_size": 1}, {"X": x, "W": np.array([[[-5.0, 5]]]), "R": np.zeros((1, 1, 1))}, ("Y_h",))
    assert _shows("onnx/rnn@22", call, "layer-in-float32", "Y_h", np.array([[[got]]])) == looks


def _slopes(x: Any, slope: Any, dtype: type[np.floating] = np.float32) -> Call:
    return Call("PRelu", {}, {"X": np.array(x, dtype), "slope": np.array(slope, dtype)})


ROWS = _slopes([[-1, -1, -1]] * 4, [[1], [2], [3], [4]])


@pytest.mark.parametrize(("call", "symptom", "got", "looks"), [
    (ROWS, "along-the-second-axis", [[-1, -2, -3]] * 4, True),
    (ROWS, "along-the-second-axis", [[-1, -2, -4]] * 4, False),
    (_slopes([[-1e38, -1]], [[1e-45, 2]]), "along-the-second-axis", [[-0.0, -2]], True),
    (_slopes([-1, 1], [0.1], np.float64), "slope-by-its-bits", [1.5881868392106856e-23, 1], True),
    (_slopes([-1, 1], [0.1], np.float64), "slope-by-its-bits", [1e-23, 1], False),
    (_slopes([-3, -6, 6], [2, 3, 5]), "beyond-by-128-steps", [125, 122, 127], True),
    (_slopes([-3, -6, 6], [2, 3, 5]), "beyond-by-128-steps", [125, 121, 127], False),
    (_slopes([-1, -2], [0.25]), "beyond-by-128-steps", [1, 1], False),
    (_slopes([-1e-39], [2.0**100]), "subnormal-kept", [-1e-39], True),
    (_slopes([-1e-37], [2.0**100]), "subnormal-kept", [-1e-37], False)])
def test_slopes_that_are_placed_or_read_otherwise(call: Call, symptom: str, got: Sequence[Any], looks: bool) -> None:
    """In another place, by other bits, in a layer of integers, or not at all."""
    assert _shows("onnx/prelu@16", call, symptom, "Y", np.array(got, call.inputs["X"].dtype)) == looks


@pytest.mark.parametrize(("picked", "looks"), [((0, 1, 1, 1), True), ((0, 1, 1), False), ((0, 1, 2, 2.5), False)])
def test_elements_of_a_set_that_count_twice(picked: Sequence[float], looks: bool) -> None:
    """As many as the set has, and each of them one of it."""
    call = Call("ReduceLogSumExp", {"keepdims": 0}, {"data": np.float32([[0, 1], [2, 3]]), "axes": np.array([1, 0])})
    got = np.asarray(np.log(np.sum(np.exp(np.float32(picked)))), np.float32)
    assert _shows("onnx/reducelogsumexp@18", call, "elements-repeated", "reduced", got) == looks


@pytest.mark.parametrize(("name", "call", "flagged"), [
    ("squeeze@13", Call("Squeeze", {}, {"data": np.zeros((1, 1)), "axes": np.array([-1, -2])}), True),
    ("squeeze@13", Call("Squeeze", {}, {"data": np.zeros((1, 1)), "axes": np.array([-2, -1])}), False),
    ("reducesum@13", Call("ReduceSum", {}, {"data": np.zeros((1, 1)), "axes": np.array([1, 0])}), True),
    ("reducesum@13", Call("ReduceSum", {}, {"data": np.zeros((1, 1)), "axes": np.array([0, -1])}), False)])
def test_axes_that_do_not_rise_are_flagged(name: str, call: Call, flagged: bool) -> None:
    """Counted from the front."""
    assert ("axes-out-of-order" in flags_of(load_spec(f"onnx/{name}"), call)) == flagged


@pytest.mark.parametrize("cond", [np.array(True), np.array(1)])
def test_flags_of_graphs_hold_outside_the_schema(cond: np.ndarray) -> None:
    """A branch has a bool in int32_data, whatever the type of the condition is."""
    branch = "b () => (bool[1] y) <bool[1] k = {1}> { y = Identity (k) }"
    call = Call("If", {"then_branch": branch, "else_branch": branch}, {"cond": cond}, ("outputs_0",))
    assert "bools-in-fields" in flags_of(load_spec("onnx/if@16"), call)


@pytest.mark.parametrize(("a", "b", "got", "looks"), [
    (np.inf, 1.0, 0, True), (1 + 2.0**-50, np.inf, 1, True), (np.inf, 0.5, -3.4028234663852886e+38, True),
    (np.inf, 1.0, 1, False), (1 + 2.0**-50, np.inf, 2, False)])
def test_remainders_of_float64_in_float32(a: float, b: float, got: float, looks: bool) -> None:
    """Operands and results beyond float32 are an end of its range."""
    call = Call("Mod", {"fmod": 1}, {"A": np.array([a]), "B": np.array([b])})
    assert _shows("onnx/mod@13", call, "in-single", "C", np.array([got], float)) == looks


@pytest.mark.parametrize(("got", "looks"), [
    ([-2147483647, 2147483634], True), ([-2147483646, 2147483635], False)])
def test_a_difference_with_a_negated_constant(got: list[int], looks: bool) -> None:
    """The constant is held at the end of int32 once it is negated."""
    call = Call("Sub", {}, {"A": np.array([1, -14]), "B": np.array([2**53 + 1] * 2)})
    assert _shows("onnx/sub@14", call, "negated-constants-held", "C", np.array(got)) == looks


def test_integers_in_floating_point_beside_axes() -> None:
    """Axes of int64 stay what they are."""
    data = np.uint32([[2**24 + 1, 2**31 + 1], [1, 2]])
    call = Call("ReduceMax", {"keepdims": 0}, {"data": data, "axes": np.array([0])})
    assert _shows("onnx/reducemax@20", call, "in-floating-point", "reduced", np.uint32([2**24, 2]))
    assert not _shows("onnx/reducemax@20", call, "in-floating-point", "reduced", np.uint32([2**24, 3]))


@pytest.mark.parametrize(("shape", "looks"), [((2, 6), True), ((2, 3), False)])
def test_tiles_along_the_last_axis(shape: tuple[int, ...], looks: bool) -> None:
    """Whatever axis version 1 is given."""
    call = Call("Tile", {}, {"input": np.zeros((2, 3), np.float32), "tiles": np.float32([2]), "axis": np.float32([0])})
    assert _shows("onnx/tile@1", call, "last-axis-repeated", "output", np.zeros(shape, np.float32)) == looks


def test_elements_outside_that_are_not_excluded() -> None:
    """Of a cubic average, what the call gives without exclude_outside."""
    spec, x = load_spec("onnx/resize@19"), np.float32([1, 2, 4, 8, 16])
    cubic = {"mode": "cubic", "coordinate_transformation_mode": "half_pixel"}
    call = Call("Resize", {**cubic, "exclude_outside": 1}, {"X": x, "scales": np.float32([2])})
    other = spec.expected(Call("Resize", cubic, dict(call.inputs)))["Y"]
    assert _shows("onnx/resize@19", call, "outside-included", "Y", other)
    assert not _shows("onnx/resize@19", call, "outside-included", "Y", other + 1)


@pytest.mark.parametrize(("got", "looks"), [(np.float64(np.float32(0.1)), True), (0.25, False)])
def test_a_variance_that_overflows_leaves_the_bias(got: float, looks: bool) -> None:
    """Rounded to float32, as the rest is."""
    call = Call("InstanceNormalization", {"epsilon": 0.5}, {
        "input": np.array([[[1e30, 0, 0]]]), "scale": np.array([1.0]), "B": np.array([0.1])})
    given = np.full((1, 1, 3), got)
    assert _shows("onnx/instancenormalization@22", call, "variance-in-float32", "output", given) == looks


CONSTANT = "b (int64 i, bool c, int64[2] x) => (bool e, int64[2] y) { e = Identity (c) y = Constant <value = " \
           "int64[2] {7, 9007199254740993}> () }"
SUM = "b (int64 i, bool c, int64[2] x) => (bool e, int64[2] y) <int64[2] k = {9007199254740993, 1}> {" \
      " e = Less (i, i) y = Add (x, k) }"


def _loop(body: str, most: int | None, x: Sequence[int] = (1, 2)) -> Call:
    given = {} if most is None else {"M": np.array(most)}
    return Call("Loop", {"body": body}, {**given, "cond": np.array(True), "v_initial_0": np.array(x)},
                ("v_final_and_scan_outputs_0",))


@pytest.mark.parametrize(("call", "symptom", "got", "looks"), [
    (_loop(CONSTANT, 0), "of-one-iteration", [7, 2**53 + 1], True),
    (_loop(CONSTANT, 0), "of-one-iteration", [7, 8], False),
    (_loop(CONSTANT, 0), "of-one-iteration", [7, 2**31 - 1], True),
    (_loop(SUM, -1), "of-one-iteration", [2**53 + 2, 3], True), (_loop(SUM, 1), "of-one-iteration", [1, 2], False),
    (_loop(SUM, 1, (-3, 2**53 + 1)), "body-constants-held", [2**31 - 4, 2], True),
    (_loop(SUM, 1, (-3, 2**53 + 1)), "body-constants-held", [-2, 2], False)])
def test_constants_and_iterations_of_a_loop(call: Call, symptom: str, got: list[int], looks: bool) -> None:
    """Constants of a body are carried without an iteration, and held in 32 bits."""
    assert _shows("onnx/loop@21", call, symptom, "v_final_and_scan_outputs_0", np.array(got)) == looks


def _scan(body: str, *tensors: np.ndarray, **attributes: int) -> Call:
    names = (f"initial_state_and_scan_inputs_{number}" for number in range(len(tensors)))
    return Call("Scan", {"body": body, "num_scan_inputs": 1, **attributes}, dict(zip(names, tensors, strict=True)),
                ("final_state_and_scan_outputs_0",))


ADDS = "b (int32 x, float e) => (int32 y) <int32 k = {5}> { y = Add (x, k) }"
HALVES = "b (float e) => (uint32[2] y) <uint32[2] k = {3, 4}> { y = Identity (k) }"
SEVEN = "b (float[1] x, float e) => (float[1] y) { y = Constant <value = float[1] {7}> () }"
STATE = _scan(SEVEN, np.zeros((1, 1), np.float32), np.ones((1, 2), np.float32))


@pytest.mark.parametrize(("version", "call", "symptom", "got", "looks"), [
    (21, _scan(ADDS, np.array(1, np.int32), np.zeros(0, np.float32)), "of-one-iteration", np.int32(6), True),
    (21, _scan(ADDS, np.array(1, np.int32), np.zeros(0, np.float32)), "of-one-iteration", np.int32(7), False),
    (21, _scan(ADDS, np.array(1, np.int32), np.zeros(3, np.float32)), "of-one-iteration", np.int32(6), True),
    (21, _scan(ADDS, np.array(1, np.int32), np.zeros(3, np.float32)), "of-one-iteration", np.int32(11), False),
    (21, _scan(HALVES, np.zeros(2, np.float32)), "in-halves", np.uint32([[3, 0], [3, 0]]), True),
    (21, _scan(HALVES, np.zeros(2, np.float32)), "in-halves", np.uint32([[3, 0], [5, 0]]), False),
    (8, STATE, "batch-axis-lost", np.float32([7]), True), (8, STATE, "batch-axis-lost", np.float32([[[7]]]), False)])
def test_constants_and_iterations_of_a_scan(version: int, call: Call, symptom: str, got: np.ndarray, looks: bool
                                            ) -> None:
    """One runs over nothing; constants of uint32 come in halves, and lose the batch of version 8."""
    assert _shows(f"onnx/scan@{version}", call, symptom, "final_state_and_scan_outputs_0", np.asarray(got)) == looks


def test_constants_in_an_inner_graph_are_held_too() -> None:
    """As those of the body itself."""
    body = "b (int64 i, bool c, int64 x) => (bool e, int64 y) { e = Identity (c) y = If (c) <then_branch = t () => " \
           "(int64 u) <int64 k = {9007199254740993}> { u = Add (x, k) }, else_branch = f () => (int64 w) " \
           "{ w = Identity (x) }> }"
    call = Call("Loop", {"body": body}, {"M": np.array(1), "cond": np.array(True), "v_initial_0": np.array(-3)},
                ("v_final_and_scan_outputs_0",))
    assert _shows("onnx/loop@21", call, "body-constants-held", "v_final_and_scan_outputs_0", np.array(2**31 - 4))


@pytest.mark.parametrize(("got", "looks"), [(0.0, True), (2.0**-125, False)])
def test_a_result_that_rounds_to_the_smallest_normal_number(got: float, looks: bool) -> None:
    """As zero it counts as subnormal: it is, before it is rounded."""
    bfloat16 = np.dtype("bfloat16")
    call = Call("HardSwish", {}, {"X": np.array([2.0**-125 - 2.0**-133], np.float64).astype(bfloat16)})
    assert _shows("onnx/hardswish@22", call, "subnormal-as-zero", "Y", np.array([got]).astype(bfloat16)) == looks


def test_slopes_of_integers_have_no_subnormal_numbers() -> None:
    """The symptoms of PRelu are asked of them too."""
    spec = load_spec("onnx/prelu@16")
    call = Call("PRelu", {}, {"X": np.int32([-2]), "slope": np.int32([3])})
    wrong, = spec.divergences(call, {"Y": np.int32([6])})
    assert not any(shows([name], spec, call, wrong) for name in SLOPES)


@pytest.mark.parametrize(("x", "columns", "looks"), [
    (np.array([1e-310, 1]), 1, True), (np.array([2**32, 1]), 1, True), (np.array([2, 1]), 1, False),
    (np.array([1e-310, 1, 2]), 1, False)])
def test_elements_that_are_zero_in_32_bits(x: np.ndarray, columns: int, looks: bool) -> None:
    """NonZero has no column for them."""
    given = np.zeros((1, columns), np.int64)
    assert _shows("onnx/nonzero@13", Call("NonZero", {}, {"X": x}), "in-32-bits", "Y", given) == looks


@pytest.mark.parametrize(("x", "looks"), [([3e38, 3e38], True), ([1e38, 1e38], False)])
def test_a_logarithm_of_a_sum_beyond_float32(x: list[float], looks: bool) -> None:
    """It is the largest number of float32."""
    call = Call("ReduceLogSum", {"keepdims": 0}, {"data": np.array(x), "axes": np.array([0])})
    got = np.array(float(np.finfo(np.float32).max))
    assert _shows("onnx/reducelogsum@18", call, "sum-beyond-float32", "reduced", got) == looks


@pytest.mark.parametrize(("x", "got", "looks"), [
    ([[-3, 4], [-3, 5]], [-2**31, 5], True), ([[29], [31], [8]], [8], True), ([[29], [31], [8]], [9], False),
    ([[4], [5]], [-2**31], False)])
def test_exponentials_that_are_of_int32(x: list[list[int]], got: list[int], looks: bool) -> None:
    """Those below 1 are 0, and two that are beyond cancel each other out."""
    call = Call("ReduceLogSumExp", {"keepdims": 0, "axes": [0]}, {"data": np.array(x)})
    assert _shows("onnx/reducelogsumexp@13", call, "exponentials-in-int32", "reduced", np.array(got)) == looks
