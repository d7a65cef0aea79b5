"""Calls of Scan: axes and directions, batches of version 8, and what is open."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from plumbline.cases.onnx.models import model_of
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.partial import PartialTensor
from plumbline.oracle.specification import reference_expected

SUMS = "b (int64[2] x, int64[2] e) => (int64[2] y, int64[2] s) { y = Add (x, e)  s = Identity (y) }"
INPUTS = ("initial_state_and_scan_inputs_0", "initial_state_and_scan_inputs_1")
OUTPUTS = ("final_state_and_scan_outputs_0", "final_state_and_scan_outputs_1")
ROWS = np.array([[1, 2], [3, 4], [5, 6]])


def spec(version: int = 16) -> Spec:
    """The specification."""
    return load_spec(f"onnx/scan@{version}")


def call_of(body: str = SUMS, state: np.ndarray | None = None, rows: np.ndarray = ROWS, **attributes: Any) -> Call:
    """A call with one tensor of state, one to scan, and one gathered."""
    given = np.array([10, 20]) if state is None else state
    inputs = dict(zip(INPUTS, (given, rows), strict=True))
    return Call("Scan", {"body": body, "num_scan_inputs": 1, **attributes}, inputs, OUTPUTS)


@pytest.mark.parametrize(("attributes", "rows", "gathered"), [
    ({}, ROWS, [[11, 22], [14, 26], [19, 32]]), ({"scan_input_directions": [1]}, ROWS, [[15, 26], [18, 30], [19, 32]]),
    ({"scan_output_directions": [1]}, ROWS, [[19, 32], [14, 26], [11, 22]]),
    ({"scan_input_axes": [1]}, ROWS.T, [[11, 22], [14, 26], [19, 32]]),
    ({"scan_input_axes": [-1], "scan_input_directions": [1]}, ROWS.T, [[15, 26], [18, 30], [19, 32]]),
    ({"scan_output_axes": [1]}, ROWS, [[11, 14, 19], [22, 26, 32]]),
    ({"scan_output_axes": [-1], "scan_output_directions": [1]}, ROWS, [[19, 14, 11], [32, 26, 22]])])
def test_axes_and_directions(attributes: dict[str, Any], rows: np.ndarray, gathered: list[list[int]]) -> None:
    """Of what is scanned and gathered, counted from the back as well. By both oracles."""
    call = call_of(rows=rows, **attributes)
    expected = spec().expected(call)
    assert [array.tolist() for array in expected.values()] == [[19, 32], gathered]
    assert {name: array.tolist() for name, array in reference_expected("onnx/scan@16", call).items()} == {
        name: array.tolist() for name, array in expected.items()}
    wrong = {**expected, OUTPUTS[1]: expected[OUTPUTS[1]][::-1]}
    assert [entry.clause for entry in spec().divergences(call, wrong)] == [
        "onnx/scan@16#final_state_and_scan_outputs.F2"]


def batch(lengths: list[int] | None) -> Call:
    """A batch of two sequences of three elements, in version 8."""
    call = call_of(state=np.array([[10, 20], [0, 0]]), rows=np.stack([ROWS, -ROWS]))
    given = {} if lengths is None else {"sequence_lens": np.array(lengths)}
    return Call("Scan", call.attributes, {**given, **call.inputs}, OUTPUTS)


def test_a_batch_has_the_optional_input_before_its_tensors() -> None:
    """In version 8 alone; a model names it, given or not."""
    for lengths, first in (([3, 1], "sequence_lens"), (None, "")):
        model = onnx.load_model_from_string(model_of(spec(8), batch(lengths), 8))
        assert list(model.graph.node[0].input) == [first, *INPUTS]
    with pytest.raises(OutsideDomain, match="each an array; not sequence_lens"):
        spec(9).violations(batch([3, 1]))


def test_what_stands_behind_a_shorter_sequence_is_open() -> None:
    """What stands before is not, nor the state."""
    call = batch([3, 1])
    expected = spec(8).expected(call)
    assert expected[OUTPUTS[0]].tolist() == [[19, 32], [-1, -2]]
    assert expected[OUTPUTS[1]][:, 0].tolist() == [[11, 22], [-1, -2]]
    assert spec(8).unspecified_clauses(call) == ("onnx/scan@8#final_state_and_scan_outputs.U3",)
    other = {name: array.copy() for name, array in expected.items()}
    other[OUTPUTS[1]][1, 1:] = 77
    assert not spec(8).divergences(call, other)
    other[OUTPUTS[1]][0, 1] = 77
    found, = spec(8).divergences(call, other)
    assert found.where is not None and found.where.tolist() == [[0, 1, 0], [0, 1, 1]]


@pytest.mark.parametrize(("body", "clauses"), [
    ("y = Exp (x)  s = Exp (e)", ["U1"]), ("y = Identity (e)  s = Exp (x)", []), ("y = Not (x)  s = Exp (e)", ["U2"]),
    ("y = Concat <axis = 0> (x, e)  s = Exp (e)", ["U4"])])
def test_what_is_open(body: str, clauses: list[str]) -> None:
    """Values behind rounded ones, nodes outside their domains, and shapes that are not as stated."""
    call = call_of(f"b (float[2] x, float[2] e) => (float[2] y, float[2] s) {{ {body} }}",
                   np.array([1, 0], np.float32), ROWS[:2 - (clauses == ["U4"])].astype(np.float32))
    assert [address.rpartition(".")[2] for address in spec().unspecified_clauses(call)] == clauses


def test_what_is_not_known_of_a_node_is_undecided() -> None:
    """What iterations give depends on values."""
    call = call_of()
    unknown = PartialTensor(np.dtype("int64"), (2,), "x")
    partly = Call("Scan", call.attributes, {**call.inputs, INPUTS[0]: unknown}, OUTPUTS)
    states = {entry.clause.partition("#")[2]: entry.state for entry in spec().clause_by_clause(partly)}
    assert states.pop("body.C12") == "undecided" and set(states.values()) == {"kept"}
