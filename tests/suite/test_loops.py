"""Calls of Loop: optional inputs beside a variadic one, iterations, and what is open behind values that are not
fixed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

from plumbline.cases import read_cases
from plumbline.cases.format.flags import flags_of
from plumbline.cases.onnx.models import model_of, to_call
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.families.bodies import bound
from plumbline.oracle.families.iterations import LONGEST
from plumbline.oracle.graphs import graph_of, graph_text
from plumbline.oracle.partial import PartialTensor
from plumbline.oracle.specification import reference_expected
from plumbline.trial.known.symptoms import shows, symptoms_of
from plumbline.trial.tools.shrinking import smaller

COUNT = "b (int64 i, bool c, int64 x) => (bool o, int64 y, int64 s) <int64 limit = {4}> {" \
        " y = Add (x, i)  s = Identity (y)  o = Less (i, limit) }"
OUTPUTS = ("v_final_and_scan_outputs_0", "v_final_and_scan_outputs_1")


def spec() -> Spec:
    """The specification."""
    return load_spec("onnx/loop@16")


def call_of(most: int | None, condition: bool | None, body: str = COUNT, *carried: np.ndarray) -> Call:
    """A call that carries one number, and gives two tensors."""
    scalars = {name: np.array(value) for name, value in (("M", most), ("cond", condition)) if value is not None}
    given = {f"v_initial_{number}": array for number, array in enumerate(carried or (np.array(10),))}
    return Call("Loop", {"body": body}, {**scalars, **given}, OUTPUTS)


@pytest.mark.parametrize(("given", "places"), [
    (("M", "cond", "v_initial_0", "v_initial_1"), ("M", "cond", "v_initial_0", "v_initial_1")),
    (("v_initial_0",), ("M", "cond", "v_initial_0")), (("M",), ("M", "cond")), ((), ("M", "cond"))])
def test_inputs_before_a_variadic_one_keep_their_places(given: tuple[str, ...], places: tuple[str, ...]) -> None:
    """Whether they are given or left out."""
    assert spec().takes(given) and spec().places(given) == places == spec().input_names(len(places))


@pytest.mark.parametrize("given", [("cond", "M"), ("v_initial_0", "M"), ("v_initial_1",), ("v_initial",), ("M", "X"),
                                   ("M", "v_initial_0", "v_initial_2")])
def test_inputs_in_another_order_or_of_other_names_make_no_call(given: tuple[str, ...]) -> None:
    """Nor do numbers that are not those of the variadic input."""
    assert not spec().takes(given)


def test_inputs_of_a_variadic_operator_are_numbered() -> None:
    """Of one that has no other inputs."""
    concat = load_spec("onnx/concat@13")
    assert concat.input_names(2) == concat.places(("inputs_0", "inputs_1")) == ("inputs_0", "inputs_1")
    assert concat.takes(("inputs_0",)) and not concat.takes(("inputs_1",))
    assert load_spec("onnx/clip@13").input_names(4) == ("input", "min", "max", "input 3")


@pytest.mark.parametrize(("most", "condition", "names"), [
    (3, True, ["M", "cond", "v_initial_0"]), (3, None, ["M", "", "v_initial_0"]),
    (None, True, ["", "cond", "v_initial_0"])])
def test_a_model_names_what_is_left_out(most: int | None, condition: bool | None, names: list[str]) -> None:
    """And gives the call back; where nothing is carried both places remain, as ONNX's checker demands."""
    call = call_of(most, condition)
    model = onnx.load_model_from_string(model_of(spec(), call, 17))
    assert list(model.graph.node[0].input) == names
    onnx.checker.check_model(model)
    again, _ = to_call(model.SerializeToString(), dict(call.inputs))
    assert graph_of(again.attributes["body"]) == graph_of(call.attributes["body"])
    alone = Call("Loop", {"body": "b (int64 i, bool c) => (bool c, int64 i) { }"}, {"M": np.array(2)}, OUTPUTS[:1])
    model = onnx.load_model_from_string(model_of(spec(), alone, 17))
    assert list(model.graph.node[0].input) == ["M", ""]
    onnx.checker.check_model(model)


def test_a_case_whose_inputs_are_not_those_of_the_operator_is_refused(tmp_path: Path) -> None:
    """The message names all of them."""
    path = tmp_path / "loop.yaml"
    path.write_text("spec: onnx/loop\ndefaults: {dtype: int64}\ncases:\n- id: a\n  title: Two inputs\n"
                    "  clauses: [M.C2]\n  source: curated\n  attributes: {body: 'b () => () { }'}\n"
                    "  inputs: {M: 1, v_initial: 2}\n"
                    "  expect: {outside: [M.C2]}\n", encoding="utf-8")
    _, problems = read_cases([path])
    assert "Loop takes v_initial_0, v_initial_1, ..., and may take M, cond; give them so" in str(problems[0])


@pytest.mark.parametrize(("most", "condition", "numbers"), [
    (3, True, [10, 11, 13]), (9, True, [10, 11, 13, 16, 20]), (6, None, [10, 11, 13, 16, 20, 25]),
    (None, True, [10, 11, 13, 16, 20]), (3, False, []), (0, True, []), (-2, None, [])])
def test_trip_count_and_condition(most: int | None, condition: bool | None, numbers: list[int]) -> None:
    """Given and left out: a condition that is left out ends nothing. By both oracles."""
    call = call_of(most, condition)
    expected = spec().expected(call)
    assert [array.tolist() for array in expected.values()] == [numbers[-1] if numbers else 10, numbers]
    assert {name: array.tolist() for name, array in reference_expected("onnx/loop@16", call).items()} == {
        name: array.tolist() for name, array in expected.items()}
    assert not spec().divergences(call, expected)


@pytest.mark.parametrize("most", [None, LONGEST + 1])
def test_loops_that_are_too_long_are_not_judged(most: int | None) -> None:
    """Nor computed without end: those without trip count and condition among them."""
    with pytest.raises(OutsideDomain, match="more than 1,000 iterations"):
        spec().expected(call_of(most, None))
    assert spec().expected(call_of(LONGEST, None))[OUTPUTS[0]] == 10 + LONGEST * (LONGEST - 1) // 2


def test_what_a_body_reads_from_around_it() -> None:
    """A call does not have it, nor is it known in a node of which inputs are unknown; bound to it is a constant."""
    body = "b (int64 i, bool c, int64 x) => (bool c, int64 y, int64 i) { y = Add (x, k) }"
    call = call_of(2, True, body)
    with pytest.raises(OutsideDomain, match="the body reads k from around it"):
        spec().expected(call)
    partly = Call("Loop", call.attributes, {**call.inputs, "v_initial_0": PartialTensor(
        np.dtype("int64"), (), "x")}, OUTPUTS)
    undecided = [entry.clause for entry in spec().clause_by_clause(partly) if entry.state == "undecided"]
    assert undecided == ["onnx/loop@16#body.C13"]
    whole = graph_text(bound(graph_of(body), {"k": np.array(5)}))
    assert spec().expected(call_of(2, True, whole))[OUTPUTS[0]] == 20


def test_what_is_gathered_without_iterations() -> None:
    """Sizes that the body states hold, others are open, but for the first axis; without a rank nothing is judged."""
    body = "b (int64 i, bool c, int64 x) => (bool c, int64 x, int64{} s) <int64[1, 2] s = {{1, 2}}> {{ }}"
    stated, unknown = call_of(0, True, body.format("[1, 2]")), call_of(0, True, body.format("[n, m]"))
    assert spec().expected(stated)[OUTPUTS[1]].shape == (0, 1, 2) and not spec().unspecified_clauses(stated)
    for call, shape, broken in ((stated, (0, 3, 2), True), (unknown, (0, 3, 2), False), (unknown, (1, 3, 2), True)):
        answer = {OUTPUTS[0]: np.array(10), OUTPUTS[1]: np.zeros(shape, np.int64)}
        assert [entry.clause.partition("#")[2] for entry in spec().divergences(call, answer)] == [
            "v_final_and_scan_outputs.C2"] * broken
    model = parser.parse_graph(body.format("[1, 2]"))
    model.output[2].type.tensor_type.ClearField("shape")
    with pytest.raises(OutsideDomain, match="whose element type or rank the body does not state"):
        spec().expected(call_of(0, True, graph_text(model)))


@pytest.mark.parametrize(("body", "clauses"), [
    ("y = Exp (x)  s = Exp (x)  o = Identity (c)", ["U1"]),
    ("y = Exp (x)  s = Identity (x)  o = Less (y, x)", ["U1"]),
    ("y = Identity (x)  s = Cast <to = 1> (c)  o = Identity (c)", []),
    ("y = Not (x)  s = Exp (x)  o = Not (c)", ["U2"]),
    ("y = Identity (x)  s = Exp (x)  o = Cast <to = 6> (c)", ["U2", "U5"])])
def test_what_is_open(body: str, clauses: list[str]) -> None:
    """Values behind rounded ones, and nodes outside their domains; the first of two iterations is judged."""
    call = call_of(2, True, f"b (int64 i, bool c, float x) => (bool o, float y, float s) {{ {body} }}",
                   np.array(1, np.float32))
    names = [address.rpartition(".")[2] for address in spec().unspecified_clauses(call)]
    assert names == clauses
    answer = dict(spec().expected(call))
    if names == ["U1"] and "Less" not in body:
        answer[OUTPUTS[1]] = np.array([2.718282, 7], np.float32)
        assert not spec().divergences(call, answer)
        answer[OUTPUTS[1]] = np.array([2.5, 7], np.float32)
        found, = spec().divergences(call, answer)
        assert found.where is not None and found.where.tolist() == [[0]]


@pytest.mark.parametrize(("name", "most", "condition", "numbers", "looks"), [
    ("ended-by-body", 9, None, [10, 11, 13, 16, 20], True), ("ended-by-body", 9, None, [10], False),
    ("along-first-axis", 2, True, [[10], [11]], True), ("along-first-axis", 2, True, [[10, 11]], False),
    ("scalars-in-rows-of-one", 2, True, [[[10]], [[11]]], True),
    ("scalars-in-rows-of-one", 2, True, [[10], [11]], False),
    ("not-run", 2, True, [], True), ("last-number", 2, True, [2, 2], False), ("last-number", 2, True, [1, 1], False)])
def test_what_wrong_loops_look_like(name: str, most: int, condition: bool | None, numbers: list[Any],
                                   looks: bool) -> None:
    """A wrong shape shows symptoms as wrong elements do."""
    call = call_of(most, condition)
    answer = {**spec().expected(call), OUTPUTS[1]: np.array(numbers, np.int64)}
    found, = spec().divergences(call, answer)
    assert shows([name], spec(), call, found) is looks


@pytest.mark.parametrize(("numbers", "looks"), [([2, 2], True), ([1, 1], False)])
def test_the_number_of_iterations_is_seen_where_their_numbers_should_be(numbers: list[int], looks: bool) -> None:
    """For each of them."""
    body = "{ y = Identity (x)  s = Identity (i)  o = Identity (c) }"
    call = call_of(2, True, f"b (int64 i, bool c, int64 x) => (bool o, int64 y, int64 s) {body}")
    found, = spec().divergences(call, {**spec().expected(call), OUTPUTS[1]: np.array(numbers)})
    assert shows(["last-number"], spec(), call, found) is looks


def test_an_optional_input_and_the_last_of_a_variadic_one_can_go() -> None:
    """In smaller calls, that are calls of the operator still; flags name the input without its number."""
    body = "b (int64 i, bool c, int64 x, int64 z) => (bool c, int64 x, int64 z) { }"
    call = call_of(2, True, body, np.array(1), np.zeros(0, np.int64))
    names = {tuple(candidate.inputs) for candidate in smaller(spec(), call)}
    assert {("M", "cond", "v_initial_0"), ("cond", "v_initial_0", "v_initial_1")} <= names
    assert ("M", "cond", "v_initial_1") not in names and all(map(spec().takes, names))
    assert "empty-in-v_initial" in flags_of(spec(), call)


@pytest.mark.parametrize(("kind", "node", "is_flagged"), [
    ("bool", "Identity (e)", True), ("int32", "Identity (e)", False),
    ("bool", "If (e) <then_branch = t () => (bool[1] u) <bool[1] v = {1}> { u = Identity (v) }, "
             "else_branch = f () => (bool[1] w) { w = Identity (c) }>", True)])
def test_initializers_of_bool_in_fields_are_flagged(kind: str, node: str, is_flagged: bool) -> None:
    """Of the body and of graphs in it; not those of other types."""
    body = f"b (int64 i, bool c, int64 x) => (bool o, int64 y, {kind}[1] s) <{kind}[1] e = {{1}}> {{" \
           f" o = Identity (c)  y = Identity (x)  s = {node} }}"
    assert ("bools-in-fields" in flags_of(spec(), call_of(2, True, body))) == is_flagged


def test_a_wrong_shape_without_elements_is_described() -> None:
    """As another shape is; the symptom raised an error where iterations give no elements."""
    body = "b (int64 i, bool c, int64 x) => (bool o, int64 y, int64[1, 0] s) <int64[1, 0] e = {}> {" \
           " o = Identity (c)  y = Identity (x)  s = Identity (e) }"
    call = call_of(2, True, body)
    for shape, looks in ((2, 0), True), ((3, 0), False):
        found, = spec().divergences(call, {**spec().expected(call), OUTPUTS[1]: np.zeros(shape, np.int64)})
        assert shows(["along-first-axis"], spec(), call, found) is looks


@pytest.mark.parametrize("answer", [np.array([10, 11]), np.zeros((2, 2), np.int64)])
def test_what_a_loop_too_long_would_give_is_no_symptom(answer: np.ndarray) -> None:
    """Of a loop whose condition is false at first; the symptom raised an error for wrong elements and shapes."""
    call = call_of(10**6, False, "b (int64 i, bool c, int64 x) => (bool c, int64 y, int64 s) {"
                                 " y = Identity (x)  s = Identity (i) }")
    found, = spec().divergences(call, {**spec().expected(call), OUTPUTS[1]: answer})
    assert symptoms_of(spec(), call, [found]) == ()
