"""What wrong elements look like, told from what was expected and what came."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plumbline.oracle import Call, Divergence, load_spec
from plumbline.trial.known.symptoms import GENERIC, OF_ELEMENTS, shows, symptoms_of

INF, TINY = np.inf, float(np.finfo(np.float32).smallest_normal)
SINGLE = float(np.finfo(np.float32).max)


@pytest.mark.parametrize(("name", "dtype", "expected", "got", "looks"), [
    ("lowest-finite", "float32", [-INF], [np.finfo(np.float32).min], True),
    ("lowest-finite", "float32", [-1], [np.finfo(np.float32).min], False),
    ("infinite-as-finite", "float16", [INF, -INF], [65504, -65504], True),
    ("infinite-as-finite", "float16", [INF, 1], [65504, 65504], False),
    ("infinite-as-finite", "float64", [INF, -INF], [SINGLE, -SINGLE], True),
    ("infinite-as-finite", "float64", [INF, -INF], [SINGLE, SINGLE], False),
    ("subnormal-as-zero", "float32", [TINY / 2, 1], [0, 1], True),
    ("subnormal-as-zero", "float32", [TINY * 2], [0], False),
    ("last-place", "float32", [3, -2, 1], [3 + 2**-22, -2 - 2**-22, 1 + 2**-23], True),
    ("last-place", "float32", [3], [3 + 2**-20], False),
    ("last-place", "float32", [INF], [np.finfo(np.float32).max], False),
    ("last-place", "float64", [0], [1e-300], False),
    ("last-places", "float32", [3, -2, 1], [3 + 2**-21, -2 - 2**-22, 1 + 2**-23], True),
    ("last-places", "float32", [3, 1], [3 + 2**-19, 1 + 2**-23], False),
    ("other-zero", "float32", [0.0, -0.0], [-0.0, 0.0], True),
    ("other-zero", "float32", [0.0, TINY / 2], [-0.0, 0], False),
    ("zero", "float16", [np.nan, 1], [0, -0.0], True),
    ("zero", "float16", [np.nan, 1], [0, 2], False),
    ("nan", "float32", [INF, 1], [np.nan, np.nan], True),
    ("nan", "float32", [INF, 1], [np.nan, 0], False),
    ("nan-for-one", "float32", [1, 1], [np.nan, np.nan], True),
    ("nan-for-one", "float32", [1, 0], [np.nan, np.nan], False),
    ("nan-for-zero", "float32", [-0.0, 0], [np.nan, np.nan], True),
    ("nan-for-zero", "float32", [0, 1], [np.nan, np.nan], False),
    ("nan-for-infinity", "float16", [INF, -INF], [np.nan, np.nan], True),
    ("nan-for-infinity", "float16", [INF, 1], [np.nan, np.nan], False),
    ("float64-digits", "int64", [2**53 + 1, -2**60], [2**53, 256 - 2**60], True),
    ("float64-digits", "int64", [2**53 + 1, 2**60], [2**53 + 3, 2**60 + 1], False),
    ("float64-digits", "int64", [2**60], [2**59], False),
    ("another-subnormal", "float32", [TINY / 2, 0], [TINY / 4, -TINY / 4], True),
    ("another-subnormal", "float32", [TINY / 2, 0], [TINY / 4, 0], False),
    ("near", "float32", [1, -100], [1.009, -99.1], True),
    ("near", "float32", [1, 0], [1, 1e-9], False),
    ("near", "float32", [INF], [1], False),
    ("tiny", "float32", [TINY, 0], [TINY * 3, -TINY], True),
    ("tiny", "float32", [TINY], [TINY * 8], False),
    ("infinite", "float32", [1, -2], [INF, -INF], True),
    ("infinite", "float32", [1, np.nan], [INF, INF], False),
    ("not-nan", "float32", [np.nan, np.nan], [INF, 0], True),
    ("not-nan", "float32", [np.nan, 1], [0, 0], False),
    ("integer-zero", "int8", [-5, -7], [0, 0], True),
    ("integer-zero", "uint8", [5, 7], [0, 7], False),
    ("minus-one", "int64", [0, 7], [-1, -1], True),
    ("minus-one", "int64", [0, 7], [-1, 0], False),
    ("other-end", "int8", [-128, 127], [127, -128], True),
    ("other-end", "int8", [-128, 1], [127, -128], False),
    ("no-int32", "int64", [7**12, 1], [-2**31, -2**31], True),
    ("no-int32", "uint32", [7, 1], [2**31, 0], False),
    ("off-by-a-millionth", "float32", [2e-6, 0.01], [1.5e-6, 0.0100005], True),
    ("off-by-a-millionth", "float32", [2e-6, 0.01], [0, 0.01], False),
    ("largest-finite", "float16", [INF, np.nan], [65504, -65504], True),
    ("largest-finite", "float16", [INF, np.nan], [65504, INF], False),
    ("largest-for-nan", "float16", [np.nan, INF], [-65504, np.nan], True),
    ("largest-for-nan", "float16", [np.nan, 7], [65504, 65504], False),
    ("narrower", "float32", [1 + 2**-20, 3e5], [1, INF], True),
    ("narrower", "float32", [1 + 2**-20, 3], [1, 3 + 2**-20], False),
    ("empty-string", "object", ["a", "b"], ["", ""], True),
    ("empty-string", "object", ["a", "b"], ["", None], False),
    ("no-string", "object", ["a", ""], [0, None], True),
    ("no-string", "object", ["a", ""], ["0", None], False),
    ("cut-string", "object", ["a\0b", "\0"], ["a", ""], True),
    ("cut-string", "object", ["a\0b\0"], ["a\0b"], True),
    ("cut-string", "object", ["a\0b\0", "ab"], ["a\0b", "a"], False),
])
def test_what_wrong_elements_look_like(name: str, dtype: str, expected: list[Any], got: list[Any],
                                       looks: bool) -> None:
    """All of them, or it is not that."""
    wrong = Divergence("onnx/add@14#C.F1", "C", "", np.zeros((len(got), 1), int), np.array(expected, dtype),
                       np.array(got, dtype))
    assert shows([name], load_spec("onnx/add@14"), Call("Add"), wrong) == looks


def test_every_symptom_of_any_operator_is_asked_about_above() -> None:
    """One that shows, and one that does not."""
    cases = test_what_wrong_elements_look_like.pytestmark[0].args[1]
    assert {(case[0], case[4]) for case in cases} == {(name, looks) for name in GENERIC for looks in (True, False)}


@pytest.mark.parametrize(("name", "spec", "inputs", "wrong", "looks"), [
    ("single-precision", "onnx/add@14", [np.array([1 + 2**-40]), np.array([1.0])], [2], True),
    ("single-precision", "onnx/add@14", [np.array([1 + 2**-40]), np.array([1.0])], [3], False),
    ("single-precision", "onnx/add@14", [np.array([1 + 2**-40]), np.array([1.0])], [2 + 2**-30], False),
    ("single-precision", "onnx/add@14", [np.float32([1]), np.float32([1])], [3], False),
    ("single-precision", "onnx/exp@13", [np.array([100.0])], [INF], True),
    ("single-precision", "onnx/exp@13", [np.array([80.0])], [INF], False),
    ("lower-32-bits", "onnx/add@14", [np.array([2**33, 2**31]), np.array([76, 0])], [76, -2**31], True),
    ("lower-32-bits", "onnx/add@14", [np.array([2**33]), np.array([76])], [77], False),
    ("lower-32-bits", "onnx/max@13", [np.array([2**33]), np.array([5])], [5], True),
    ("lower-32-bits", "onnx/max@13", [np.array([2**33]), np.array([5])], [0], False),
    ("lower-32-bits", "onnx/max@13", [np.uint64([2**31]), np.uint64([5])], [5], True),
    ("lower-32-bits", "onnx/reshape@14", [np.array([2**63 - 2]), np.array([-1])], [-2], True),
    ("lower-32-bits", "onnx/slice@13", [np.array([1, 2, 3]), np.array([0]), np.array([2**32 + 2])], [7, 2], False),
    ("lower-32-bits", "onnx/max@13", [np.int32([5]), np.int32([4])], [4], False),
    ("lower-32-bits", "onnx/less@13", [np.uint64([2**32]), np.uint64([2**64 - 1])], [False], True),
    ("lower-32-bits", "onnx/less@13", [np.array([2**32]), np.array([5])], [True], True),
    ("constants-held", "onnx/add@14", [np.array([2**33 + 1]), np.array([2**40])], [-2**31], True),
    ("constants-held", "onnx/add@14", [np.array([2**33 + 1]), np.array([2**40])], [1], False),
    ("constants-held", "onnx/div@14", [np.uint32([2**31 + 1]), np.uint32([2**31 + 2])], [2**32 - 1], True),
    ("quotients-of-lower-bits", "onnx/div@14", [np.array([5, 9]), np.array([2**33, 2**32 + 2])], [-2**31, 4], True),
    ("quotients-of-lower-bits", "onnx/div@14", [np.array([5]), np.array([2**33])], [2], False),
    ("in-floating-point", "onnx/div@14", [np.uint32([2**31 + 1]), np.uint32([6])], [3937053344], True),
    ("in-floating-point", "onnx/div@14", [np.uint32([2**31 + 1]), np.uint32([6])], [3937053343], False),
    ("in-single", "onnx/mod@13", [np.int32([2**31 - 1, 2**24 + 1]), np.int32([10, 2])], [0, 0], True),
    ("in-single", "onnx/mod@13", [np.uint32([2**32 - 1]), np.uint32([10])], [9], True),
    ("in-single", "onnx/mod@13", [np.uint32([2**32 - 1]), np.uint32([10])], [8], False),
    ("along-the-second-axis", "onnx/prelu@16", [-np.ones((1, 2, 2), "f"), np.float32([0.5, 2])],
     [[[-0.5, -0.5], [-2, -2]]], True),
    ("along-the-second-axis", "onnx/prelu@16", [-np.ones((1, 2, 2), "f"), np.float32([0.5, 2])],
     [[[-0.5, -0.7], [-0.5, -2]]], False),
    ("slope-of-the-first-batch", "onnx/prelu@16", [-np.ones((2, 1), "f"), np.float32([[2], [3]])], [[-2], [-2]], True),
    ("slope-of-the-first-batch", "onnx/prelu@16", [-np.ones((2, 1), "f"), np.float32([[2], [3]])], [[-2], [-4]], False),
    ("rows-beyond-columns-kept", "onnx/trilu@14", [np.float32([[7], [2]]), np.array(0)], [[7], [2]], True),
    ("rows-beyond-columns-kept", "onnx/trilu@14", [np.float32([[7], [2]]), np.array(0)], [[7], [3]], False),
    ("diagonal-in-32-bits", "onnx/trilu@14", [np.array([[2**32 + 7, 2], [3, 4]]), np.array(2**32)], [[7, 2], [0, 4]],
     True),
    ("unsigned-as-signed", "onnx/max@13", [np.uint32([2**32 - 1]), np.uint32([0])], [0], True),
    ("unsigned-as-signed", "onnx/max@13", [np.uint32([2**32 - 1]), np.uint32([0])], [1], False),
    ("unsigned-as-signed", "onnx/less@13", [np.uint8([255]), np.uint8([0])], [True], True),
    ("unsigned-as-signed", "onnx/max@13", [np.int32([-1]), np.int32([0])], [1], False),
    ("unsigned-as-signed", "onnx/div@14", [np.uint8([128]), np.uint8([255])], [127], True),
    ("unsigned-as-signed", "onnx/div@14", [np.uint8([128]), np.uint8([255])], [1], False),
    ("held-at-the-ends", "sonnx/sub", [np.uint8([0, 1]), np.uint8([1, 1])], [0, 0], True),
    ("held-at-the-ends", "sonnx/mul", [np.uint8([147]), np.uint8([235])], [0], True),
    ("held-at-the-ends", "sonnx/sub", [np.uint8([0]), np.uint8([1])], [1], False),
    ("negation-held", "onnx/sub@14", [np.int8([-18, 5]), np.int8([-128, 1])], [109, 4], True),
    ("negation-held", "sonnx/sub", [np.int8([100, -18]), np.int8([-100, -128])], [127, 109], True),
    ("negation-held", "onnx/sub@14", [np.int8([-18]), np.int8([-128])], [111], False),
    ("in-floating-point", "onnx/relu@14", [np.int32([2**24 + 1])], [2**24], True),
    ("in-floating-point", "onnx/relu@14", [np.int32([2**24 + 1])], [2**24 + 8], False),
    ("in-floating-point", "onnx/matmul@13", [np.int32([[2**30]]), np.int32([[2]])], [[2**31 - 1]], True),
    ("in-floating-point", "onnx/matmul@13", [np.int32([[2**30]]), np.int32([[2]])], [[0]], False),
    ("in-floating-point", "onnx/less@13", [np.int32([2**24]), np.int32([2**24 + 1])], [False], True),
    ("by-the-newest-text", "onnx/softmax@11", [np.float32([[[0, 0]]])], [[[0.25, 0.75]]], False),
    ("subnormal-inputs-as-zero", "onnx/div@14", [np.float32([1, 0]), np.float32([-1e-40, 1e-40])], [-INF, 1], False),
    ("subnormal-inputs-as-zero", "onnx/div@14", [np.float32([1]), np.float32([2])], [0], False),
    ("subnormal-inputs-as-zero", "onnx/argmax@13", [np.float32([[0], [1e-40]])], [[0]], True),
    ("subnormal-inputs-as-zero", "onnx/argmax@13", [np.float32([[0], [1e-40], [1]])], [[1]], False),
    ("first-of-ties", "sonnx/max", [np.float32([-0., 2]), np.float32([0, np.nan])], [-0., 2], True),
    ("last-of-ties", "sonnx/max", [np.float32([-0., 2]), np.float32([0, np.nan])], [-0., 2], False),
    ("last-of-ties", "sonnx/max", [np.float32([0, np.nan]), np.float32([-0., 3])], [-0., 3], True),
    ("first-of-ties", "sonnx/max", [np.float32([0, np.nan]), np.float32([-0., 3])], [-0., 3], False),
    ("numbers-alone", "sonnx/max", [np.float32([np.nan, 2]), np.float32([1, np.nan])], [1, 2], True),
    ("numbers-alone", "sonnx/max", [np.float32([np.nan, 2]), np.float32([1, np.nan])], [1, 0], False),
    ("near-an-end", "onnx/sigmoid@13", [np.float32([-INF, INF])], [4e-7, 0.9999995], True),
    ("near-an-end", "onnx/sigmoid@13", [np.float32([-INF, INF])], [4e-7, 0.5], False),
    ("of-the-first-two", "sonnx/max", [np.float32([1, 2]), np.float32([3, 0]), np.float32([4, 4])], [3, 2], True),
    ("of-the-first-two", "sonnx/max", [np.float32([1, 2]), np.float32([3, 0]), np.float32([4, 4])], [3, 0], False),
    ("exponential-held", "sonnx/pow", [np.float32([-2, 0]), np.float32([2, 3])], [2.4061436e38] * 2, True),
    ("exponential-held", "sonnx/pow", [np.float32([-2, 0]), np.float32([2, 3])], [2.4061436e38, 1], False),
    ("argument-clamped", "onnx/exp@13", [np.float32([INF, 88.7, np.nan])], [2.4061436e38] * 3, True),
    ("argument-clamped", "onnx/exp@13", [np.float32([INF, 88.7])], [2.4061436e38, 2.4e38], False),
    ("argument-clamped", "onnx/exp@13", [np.float32([INF, 88])], [2.4061436e38] * 2, False),
    ("of-smallest-normal", "onnx/log@13", [np.float32([1e-45, np.nan])], [-87.33655, -87.33655], True),
    ("of-smallest-normal", "onnx/log@13", [np.float32([1e-45, 1e-40])], [-87.33655, -87.3], False),
    ("of-bits", "onnx/log@13", [np.float32([0, -2, np.nan, 1e-45])], [-88.02969, 0.6931472, 89.1283, -88.02969], True),
    ("of-bits", "onnx/log@13", [np.float32([0, -2])], [-88.02969, 0], False),
    ("beyond-one", "onnx/tanh@13", [np.float32([8.5, -8.5])], [1.0000005, -1.0000005], True),
    ("beyond-one", "onnx/tanh@13", [np.float32([8.5, -8.5])], [1.0000005, -1.1], False),
    ("default-in-double", "onnx/leakyrelu@16", [np.array([-1.0])], [-0.01], True),
    ("default-in-double", "onnx/leakyrelu@16", [np.array([-1.0])], [-0.02], False),
])
def test_what_another_computation_gives(name: str, spec: str, inputs: list[np.ndarray], wrong: list[float],
                                    looks: bool) -> None:
    """All wrong elements are what it gives of the same inputs, or it is not that."""
    text = load_spec(spec)
    call = Call(text.operator, {}, dict(zip(text.input_names(len(inputs)), inputs, strict=True)))
    right, = text.expected(call).values()
    found = text.divergences(call, {text.outputs[0]: np.array(wrong).astype(right.dtype)})
    assert found and (name in symptoms_of(text, call, found)) == looks


@pytest.mark.parametrize(("spec", "attributes", "inputs", "got", "looks"), [
    ("onnx/softmax@11", {"axis": 0}, [np.float32([[0, 0], [0, 0]])], [[0.5, 0.5], [0.5, 0.5]], True),
    ("onnx/softmax@11", {"axis": 0}, [np.float32([[0, 0], [0, 0]])], [[1, 1], [1, 1]], False),
    ("onnx/add@6", {"broadcast": 1, "axis": 0}, [np.float32([[1, 2], [3, 4]]), np.float32([10, 20])],
     [[11, 22], [13, 24]], True),
])
def test_what_another_text_gives(spec: str, attributes: dict[str, float], inputs: list[np.ndarray],
                                                 got: list[float], looks: bool) -> None:
    """The newest version of it."""
    text = load_spec(spec)
    call = Call(text.operator, attributes, dict(zip(text.input_names(len(inputs)), inputs, strict=True)))
    found = text.divergences(call, {text.outputs[0]: np.float32(got)})
    assert found and ("by-the-newest-text" in symptoms_of(text, call, found)) == looks


@pytest.mark.parametrize(("name", "spec", "attributes", "x", "got", "looks"), [
    ("default-for-zero", "onnx/hardsigmoid@22", {"beta": 0.0, "alpha": 0.5}, [0, 1], [0.5, 1], True),
    ("default-for-zero", "onnx/hardsigmoid@22", {"beta": 0.0, "alpha": 0.5}, [0, 1], [0.5, 0.75], False),
    ("default-for-zero", "onnx/hardsigmoid@22", {"beta": 0.25, "alpha": 0.5}, [0, 1], [0.5, 1], False),
    ("off-by-little", "onnx/softplus@22", {}, [-18, -15], [-1.9e-6, 0], True),
    ("off-by-little", "onnx/softplus@22", {}, [-18, 0], [-1.9e-6, 0.6932], False),
    ("mode-left-aside", "onnx/spacetodepth@28", {"blocksize": 2, "mode": "CRD"},
     [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]], np.reshape([0, 4, 1, 5, 2, 6, 3, 7], (1, 8, 1, 1)), True),
    ("mode-left-aside", "onnx/spacetodepth@28", {"blocksize": 2, "mode": "CRD"},
     [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]], np.reshape([0, 4, 2, 6, 1, 5, 3, 7], (1, 8, 1, 1)), False),
])
def test_what_other_attributes_give(name: str, spec: str, attributes: dict[str, Any], x: list[float], got: list[float],
                                    looks: bool) -> None:
    """Of the same input; of Softplus what few digits give."""
    text = load_spec(spec)
    call = Call(text.operator, attributes, {text.inputs[0]: np.float32(x)})
    found = text.divergences(call, {text.outputs[0]: np.float32(got)})
    assert found and (name in symptoms_of(text, call, found)) == looks


@pytest.mark.parametrize(("name", "spec", "attributes", "inputs", "got", "looks"), [
    ("powers-to-nearest", "onnx/cast@25", {"to": 24, "round_mode": "up"}, [np.float32([2.5, 6])], [2, 8], True),
    ("powers-to-nearest", "onnx/cast@25", {"to": 24, "round_mode": "up"}, [np.float32([2.5, 6])], [1, 8], False),
    ("unsaturated", "onnx/cast@25", {"to": 17}, [np.float32([1000, 1])], [INF, 1], True),
    ("unsaturated", "onnx/cast@25", {"to": 17}, [np.float32([1000, 1])], [INF, 2], False),
    ("upper-half-as-false", "onnx/cast@25", {"to": 9}, [np.uint32([2**31, 1])], [False, True], True),
    ("upper-half-as-false", "onnx/cast@25", {"to": 9}, [np.uint32([2**31, 1])], [True, False], False),
    ("upper-half-as-false", "onnx/cast@25", {"to": 9}, [np.int64([2**32, 1])], [False, True], True),
    ("upper-half-as-false", "onnx/cast@25", {"to": 9}, [np.int64([2**32, 1])], [True, False], False),
    ("powers-to-nearest", "onnx/cast@25", {"to": 24, "round_mode": "up"}, [np.float32([1.25 * 2.0**-127, 6])],
     [2.0**-127, 8], True),
    ("nan-or-tiny-as-false", "onnx/cast@25", {"to": 9}, [np.float64([1e-60, 1])], [False, True], True),
    ("nan-or-tiny-as-false", "onnx/cast@25", {"to": 9}, [np.float64([1e-60, 1])], [False, False], False),
    ("beyond-int32", "onnx/cast@25", {"to": 7}, [np.float32([3e9, 1])], [2**31 - 1, 1], True),
    ("beyond-int32", "onnx/cast@25", {"to": 7}, [np.float32([3e9, 1])], [2**31 - 1, 2], False),
    ("by-negative-index", "onnx/gathernd@13", {}, [np.float32([5, 6, 7]), np.int64([[-1], [0]])], [9, 5], True),
    ("by-negative-index", "onnx/gathernd@13", {}, [np.float32([5, 6, 7]), np.int64([[-1], [0]])], [9, 8], False),
    ("memory-of-another-type", "onnx/quantizelinear@25", {"output_dtype": 4},
     [np.float32([1, 2, 100, 50]), np.array(1, "f")], [513, 50 * 256 + 100, 7, 9], True),
    ("memory-of-another-type", "onnx/quantizelinear@25", {"output_dtype": 4},
     [np.float32([1, 2, 100, 50]), np.array(1, "f")], [512, 50 * 256 + 100, 7, 9], False),
])
def test_what_other_types_give(name: str, spec: str, attributes: dict[str, Any], inputs: list[np.ndarray],
                               got: list[float], looks: bool) -> None:
    """Of an output in the type that the call asks for."""
    text = load_spec(spec)
    call = Call(text.operator, attributes, dict(zip(text.input_names(len(inputs)), inputs, strict=True)))
    right, = text.expected(call).values()
    found = text.divergences(call, {text.outputs[0]: np.array(got).astype(right.dtype)})
    assert found and (name in symptoms_of(text, call, found)) == looks


@pytest.mark.parametrize(("attributes", "x", "name", "got"), [
    ({"kernel_shape": [2], "pads": [1, 0]}, [2, 4], "another-count", [1, 3]),
    ({"kernel_shape": [2], "strides": [2], "ceil_mode": 1}, [1, 2, 3], "another-count", [1.5, 1.5]),
    ({"kernel_shape": [3], "strides": [3], "ceil_mode": 1}, [3, 6, 9, 12, 15], "room-before", [4.5, 12]),
    ({"kernel_shape": [2], "dilations": [2], "auto_pad": "SAME_UPPER"}, [2, 4, 6], "same-without-dilation", [4, 4, 6]),
    ({"kernel_shape": [3], "auto_pad": "SAME_LOWER", "strides": [2]}, [2, 4, 6, 8], "same-nothing-before", [4, 7]),
])
def test_what_other_windows_give(attributes: dict[str, Any], x: list[float], name: str, got: list[float]) -> None:
    """Means of windows that begin elsewhere, or over another number of cells; half as much and one is neither."""
    spec = load_spec("onnx/averagepool@22")
    call = Call("AveragePool", attributes, {"X": np.float32([[x]])})
    found = spec.divergences(call, {"Y": np.float32([[got]])})
    assert found and name in symptoms_of(spec, call, found)
    other = spec.divergences(call, {"Y": np.float32([[got]]) / 2 + 1})
    assert other and name not in symptoms_of(spec, call, other)


@pytest.mark.parametrize(("got", "looks"), [([2, 1], True), ([2, 0], True), ([1, 2], False), ([9, 1], False)])
def test_an_index_that_counts_in_the_padded_plane(got: list[int], looks: bool) -> None:
    """X of the second plane is 5, 9, 7 behind one cell of padding: 1 is its 5, 2 its 9, and 0 is padding."""
    spec = load_spec("onnx/maxpool@12")
    call = Call("MaxPool", {"kernel_shape": [2], "pads": [1, 0], "strides": [1]},
                {"X": np.float32([[[1, 2, 3]], [[5, 9, 7]]])})
    right = {name: array.copy() for name, array in spec.expected(call).items()}
    assert right["Indices"][1].tolist() == [[3, 4, 4]]
    right["Indices"][1, 0, :2] = got[::-1]
    found = [entry for entry in spec.divergences(call, right) if entry.output == "Indices"]
    assert found and ("index-in-padded-plane" in symptoms_of(spec, call, found)) == looks


@pytest.mark.parametrize(("given", "looks"), [
    (np.float32([[[0, 2]]]), True), (np.float16([[[0, 2]]]), False), (np.float16([[[2]]]), False)])
def test_another_type_is_a_symptom_of_the_whole_output(given: np.ndarray, looks: bool) -> None:
    """Of its type and its elements, which a wrong shape is not."""
    spec = load_spec("onnx/maxpool@12")
    call = Call("MaxPool", {"kernel_shape": [1]}, {"X": np.float16([[[1, 2]]])}, ("Y",))
    found = spec.divergences(call, {"Y": given})
    assert found and ("other-type" in symptoms_of(spec, call, found)) == looks


@pytest.mark.parametrize(("stride", "dilation", "x", "got", "looks"), [
    (1, 2, [1, 9, 3], [3, 9, 3], True), (1, 2, [1, 9, 3], [1, 1, 1], False),
    (4, 3, [9, 1, 2, 3], [1], True), (4, 3, [9, 1, 2, 3], [2], False),
])
def test_padding_without_dilation(stride: int, dilation: int, x: list[int], got: list[int], looks: bool) -> None:
    """Of a kernel of 2, dilated by 2, one cell is padded where it should be two: here none before X, not one. With a
    stride of 4 the padding is -2: one cell of X is left out."""
    spec = load_spec("onnx/maxpool@12")
    attributes = {"kernel_shape": [2], "strides": [stride], "dilations": [dilation], "auto_pad": "SAME_UPPER"}
    call = Call("MaxPool", attributes, {"X": np.float32([[x]])}, ("Y",))
    found = spec.divergences(call, {"Y": np.float32([[got]])})
    assert found and ("same-without-dilation" in symptoms_of(spec, call, found)) == looks


@pytest.mark.parametrize(("got", "looks"), [([9, 9, 3], True), ([1, 9, 3], False)])
def test_an_odd_padding_at_the_end(got: list[int], looks: bool) -> None:
    """Of a kernel of 2 the one cell of padding is before X for SAME_LOWER, and behind it for SAME_UPPER."""
    spec = load_spec("onnx/maxpool@12")
    call = Call("MaxPool", {"kernel_shape": [2], "auto_pad": "SAME_LOWER"}, {"X": np.float32([[[1, 9, 3]]])}, ("Y",))
    assert spec.expected(call)["Y"].tolist() == [[[1, 9, 9]]]
    divergences = spec.divergences(call, {"Y": np.float32([[got if looks else got[::-1]]])})
    assert divergences and ("same-lower-as-upper" in symptoms_of(spec, call, divergences)) == looks


@pytest.mark.parametrize(("got", "looks"), [([8, 2], True), ([8, 0], False)])
def test_a_zero_point_that_is_left_out(got: list[int], looks: bool) -> None:
    """4 and 1 with a scale of 2 and a zero point of 3 give 2 and -4."""
    spec = load_spec("onnx/dequantizelinear@21")
    call = Call("DequantizeLinear", {}, {"x": np.int8([4, 1]), "x_scale": np.array(2, np.float32),
                                         "x_zero_point": np.array(3, np.int8)})
    divergences = spec.divergences(call, {"y": np.float32(got)})
    assert divergences and ("without-zero-point" in symptoms_of(spec, call, divergences)) == looks


@pytest.mark.parametrize(("got", "looks"), [(0, True), (INF, False)])
def test_infinite_inputs_at_the_ends_of_the_finite_range(got: float, looks: bool) -> None:
    """inf - max is then 0, where it is inf."""
    spec, largest = load_spec("onnx/sub@14"), np.finfo(np.float32).max
    call = Call("Sub", {}, {"A": np.float32([INF, 1]), "B": np.float32([largest, 1])})
    divergences = spec.divergences(call, {"C": np.float32([got, 0 if looks else 5])})
    assert divergences and ("infinite-inputs-as-finite" in symptoms_of(spec, call, divergences)) == looks


@pytest.mark.parametrize("spec_name", ["sonnx/where", "onnx/where@16", "onnx/where@9"])
def test_the_newest_text_is_none_that_gives_the_same(spec_name: str) -> None:
    """+0 for -0 is what no version of Where gives."""
    spec = load_spec(spec_name)
    call = Call("Where", {}, dict(zip(spec.inputs, [np.array([True]), np.float32([-0.0]), np.float32([1])],
                                      strict=True)))
    divergences = spec.divergences(call, {spec.outputs[0]: np.float32([0])})
    assert divergences and "by-the-newest-text" not in symptoms_of(spec, call, divergences)


@pytest.mark.parametrize("count", [1, 1000])
def test_each_wrong_element_may_look_like_another_symptom(count: int) -> None:
    """Zero for a subnormal number beside NaN for an infinity are neither one alone, also where many lie together."""
    spec, call = load_spec("onnx/add@14"), Call("Add")
    wrong = Divergence("onnx/add@14#C.F1", "C", "", np.arange(2 * count)[:, None],
                       np.float32([1e-40, INF]).repeat(count), np.float32([0, np.nan]).repeat(count))
    assert shows(["subnormal-as-zero", "nan"], spec, call, wrong)
    assert not any(shows([name], spec, call, wrong) for name in ("subnormal-as-zero", "nan"))
    assert not shows(["lowest-finite", "nan"], spec, call, wrong)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "uint64", "float16", "float64", "complex64"])
@pytest.mark.parametrize("output", ["Y", "Indices"])
def test_outputs_of_a_foreign_type_look_like_something_or_nothing(output: str, dtype: str) -> None:
    """No symptom fails on them, on planes larger than the type counts: the first element of a plane is that in any type
    that has whole numbers."""
    spec = load_spec("onnx/maxpool@12")
    call = Call("MaxPool", {"kernel_shape": [1, 1]}, {"X": np.array([[[[2.0, np.nan] * 200] * 400]], np.float32)})
    place = (0, 0, 0, 398)
    wrong = Divergence(f"onnx/maxpool@12#{output}.F1", output, "", np.array([place]),
                       spec.expected(call)[output][place].reshape(1), np.zeros(1, dtype))
    names = {**GENERIC, **OF_ELEMENTS, **spec.definition.symptoms}
    looks = {name for name in names if shows([name], spec, call, wrong)}
    assert ("index-first-of-plane" in looks) == (output == "Indices" and np.dtype(dtype).kind in "iub")


@pytest.mark.parametrize(("strides", "got", "looks"), [
    (1, [5, 5, 3], True), (1, [5], False), (2, [5, 3], True), (2, [5, 9], False), (2, [-2**24, 9], False)])
def test_dilations_that_are_lost(strides: int, got: list[int], looks: bool) -> None:
    """A kernel of 2 on 1, 5, 2, 3 then gives another shape, or with padding at the end other values."""
    spec = load_spec("onnx/maxpool@12")
    attributes = {"kernel_shape": [2], "dilations": [2], "strides": [strides], "pads": [0, strides - 1]}
    call = Call("MaxPool", attributes, {"X": np.float32([[[1, 5, 2, 3]]])}, ("Y",))
    found = spec.divergences(call, {"Y": np.float32([[got]])})
    assert found and all(shows(["dilations-lost"], spec, call, each) for each in found) == looks


@pytest.mark.parametrize(("got", "looks"), [(-2**24, True), (0, False)])
def test_a_search_for_a_maximum_that_begins_too_high(got: float, looks: bool) -> None:
    """Its window is -inf alone."""
    spec = load_spec("onnx/maxpool@12")
    call = Call("MaxPool", {"kernel_shape": [1]}, {"X": np.float32([[[-INF]]])}, ("Y",))
    found = spec.divergences(call, {"Y": np.float32([[[got]]])})
    assert found and ("search-from-below" in symptoms_of(spec, call, found)) == looks


EIGHT = [1.6458115e-38 / 1e-20] * 8


@pytest.mark.parametrize(("line", "got", "name"), [
    ([461.5, 286.1], [0.5, 0.5], "largest-not-subtracted"), ([461.5, 286.1], [0, 1], ""),
    ([INF, 0], [1, 1.6458115e-38], "largest-not-subtracted"),
    ([INF, *[0] * 8], [*EIGHT, 0], "clamped-by-eights"), ([INF, *[0] * 8], [0] * 9, ""),
    ([np.nan, *[90, 89] * 4], [3e-39, *[0.18276465, 0.06723536] * 4], "clamped-by-eights"),
    ([np.nan, *[0] * 8], [1] * 9, ""),
    ([INF, *[0] * 6], EIGHT[:7], "")])
def test_exponentials_that_are_held(line: list[float], got: list[float], name: str) -> None:
    """At 87 in magnitude, without the largest of the line or with it; no other numbers look so."""
    spec = load_spec("sonnx/softmax")
    call = Call("Softmax", {"axis": 0}, {"X": np.float32(line)})
    found = spec.divergences(call, {"Y": np.float32(got)})
    shown = [each for each in ("largest-not-subtracted", "clamped-by-eights") if each in symptoms_of(spec, call, found)]
    assert found and shown == [name] * bool(name)


@pytest.mark.parametrize(("got", "looks"), [([[7], [2]], True), ([[7], [3]], False)])
def test_symptoms_of_an_operator_are_seen_in_float32_too(got: list[list[int]], looks: bool) -> None:
    """A runtime without float16 gives float32, and may do something else wrong besides."""
    spec = load_spec("onnx/trilu@14")
    call = Call("Trilu", {}, {"input": np.float16([[7], [2]])})
    part, = (part for part in spec.divergences(call, {"output": np.float32(got)}) if part.where is not None)
    assert shows(["rows-beyond-columns-kept"], spec, call, part) == looks
