"""Symptoms and flags that narrow entries of OpenVINO's list: what they excuse, and what they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plumbline.cases.format.flags import flags_of
from plumbline.oracle import Call, load_spec
from plumbline.trial.known.symptoms import shows

F32 = np.float32
LATE = {"x": F32([3, 7]), "y_scale": np.array(2, F32), "y_zero_point": np.array(1, np.uint8)}
BELOW = {"x": F32([92]), "y_scale": np.array(-92, F32)}
TIES = {"X": F32([3, 5, 3, 5]), "K": np.array([2])}
BEHIND = {"X": np.array([2**32, 0, 1]), "K": np.array([2])}
DIAGONAL = {"input": F32([[1, 2], [3, 4]]), "k": np.array(2**63 - 1)}
PADDED = {"data": np.int32([2**24 + 1]), "pads": np.array([1, 0]), "constant_value": np.array(-2**24 - 1, np.int32)}
AWAY = {"start": np.array(1), "limit": np.array(5), "delta": np.array(-1)}
TENTHS = {"start": np.array(0.0), "limit": np.array(0.25), "delta": np.array(0.1)}


@pytest.mark.parametrize(("name", "call", "symptom", "got", "other"), [
    ("constant@25", Call("Constant", {"value_ints": [2**40, 5]}, {}), "narrowed", [2**31 - 1, 5], [0, 5]),
    ("constantofshape@25", Call("ConstantOfShape", {"value": np.uint32([2**32 - 1])}, {"input": np.array([1])}),
     "narrowed", np.uint32([2**31 - 1]), np.uint32([0])),
    ("quantizelinear@25", Call("QuantizeLinear", {}, LATE), "tie-the-other-way", np.uint8([2, 5]), np.uint8([2, 7])),
    ("quantizelinear@25", Call("QuantizeLinear", {}, BELOW), "end-by-negative-scale", np.uint8([255]), np.uint8([1])),
    ("pad@25", Call("Pad", {}, PADDED), "constant-in-single", np.int32([-2**24, 2**24 + 1]),
     np.int32([-2**24, 2**24])),
    ("trilu@14", Call("Trilu", {}, DIAGONAL), "diagonal-in-32-bits", F32([[1, 2], [3, 4]]), F32([[2, 2], [3, 4]])),
    ("range@27", Call("Range", {}, AWAY), "size-of-distance", np.array([1, 0, -1, -2]), np.array([1, 0])),
    ("range@27", Call("Range", {}, TENTHS), "numbers-of-float32", F32([0, 0.1, 0.2]).astype(float),
     np.array([0, 0.125, 0.25]))])
def test_what_an_entry_excuses(name: str, call: Call, symptom: str, got: Any, other: Any) -> None:
    """The answer that the list describes shows the symptom, and another wrong one does not."""
    spec = load_spec(f"onnx/{name}")
    output, = spec.expected(call)
    for answer, looks in ((got, True), (other, False)):
        wrong = spec.divergences(call, {output: np.array(answer)})
        assert wrong and all(shows([symptom], spec, call, part) for part in wrong) == looks


@pytest.mark.parametrize(("inputs", "values", "indices", "looks"), [
    (TIES, [5, 5], [3, 1], True), (TIES, [5, 5], [1, 0], False), (BEHIND, [2**32, 1], [1, 2], True),
    (BEHIND, [2**32, 1], [2, 0], False), (TIES, [5, 5], [1, 9], False)])
def test_indices_of_equal_elements(inputs: dict[str, np.ndarray], values: list[int], indices: list[int],
                                   looks: bool) -> None:
    """Those of the right elements in another order; of 64 bits, those that are equal in 32."""
    spec, call = load_spec("onnx/topk@24"), Call("TopK", {}, inputs)
    wrong, = spec.divergences(call, {"Values": np.array(values, inputs["X"].dtype), "Indices": np.array(indices)})
    assert shows(["other-of-ties"], spec, call, wrong) == looks


CONDITION = "s = If (c) <then_branch = t () => (float[1] t0) { t0 = Identity (x) }, " \
            "else_branch = f () => (float[1] f0) <float[1] k = {1}> { f0 = Identity (k) }>"


@pytest.mark.parametrize(("body", "flags"), [
    ("b (float[1] x, float[1] e) => (float[1] y, float[1] s) { y = Add (x, e) s = Identity (x) }", set()),
    ("b (float[1] x, float[1] e) => (float[1] y, float[1] s) <float[1] k = {1}> { y = Add (x, e) s = Identity (k) }",
     {"gives-constants"}),
    ("b (float[1] x, float[1] e) => (float[1] y, float[1] s) <float[1] k = {1}> { y = Neg (k) s = Identity (k) }",
     {"gives-constants", "nothing-but-constants"}),
    (f"b (float[1] x, float[1] e) => (float[1] y, float[1] s) <bool c = {{0}}> {{ y = Add (x, e) {CONDITION} }}",
     {"gives-constants"}),
    (f"b (float[1] x, float[1] e) => (float[1] y, float[1] s) <bool c = {{1}}> {{ y = Add (x, e) {CONDITION} }}",
     set())])
def test_a_constant_that_a_body_gives(body: str, flags: set[str]) -> None:
    """Of a node If with a constant condition the branch that is taken counts."""
    names = ("initial_state_and_scan_inputs_0", "initial_state_and_scan_inputs_1")
    call = Call("Scan", {"body": body, "num_scan_inputs": 1}, dict(zip(names, (F32([5]), F32([[1], [2], [3]])),
                                                                       strict=True)),
                ("final_state_and_scan_outputs_0", "final_state_and_scan_outputs_1"))
    spec = load_spec("onnx/scan@16")
    assert {flag for flag in flags_of(spec, call) if flag.endswith("constants")} == flags
    if flags == {"gives-constants"}:
        right = spec.expected(call)
        for rows, looks in ((1, True), (2, False)):
            answer = {**right, "final_state_and_scan_outputs_1": np.ones((rows, 1), F32)}
            wrong, = spec.divergences(call, answer)
            assert shows(["gathered-once"], spec, call, wrong) == looks
