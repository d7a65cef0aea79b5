"""Graphs that are attributes: texts in calls, messages in models."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from plumbline.backends.wire import encode_attributes
from plumbline.cases.onnx.models import model_of, to_call
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.check.graph import LARGEST, Values, node_of
from plumbline.oracle.families.bodies import bound, reads
from plumbline.oracle.graphs import ENCODED, encoded, graph_of, graph_text, is_graph
from plumbline.trial.known.symptoms import shows

THEN = "then () => (int64[2] a) <int64[2] x = {3, 9007199254740993}> { a = Identity (x) }"
ELSE = "else () => (int64[1] b) <int64[1] x = {4}> { b = Identity (x) }"


def giving(array: np.ndarray) -> onnx.GraphProto:
    """A graph that gives a constant."""
    tensor = numpy_helper.from_array(array, "x")
    value = helper.make_tensor_value_info("y", tensor.data_type, array.shape)
    return helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [], [value], [tensor])


@pytest.mark.parametrize(("array", "readable"), [
    (np.array([0.1, -0.0, 1e-45, np.inf], np.float32), True), (np.array(1 / 3), True),
    (np.array([[True], [False]]), True), (np.zeros((0, 2), np.int32), True), (np.array([2**64 - 1], np.uint64), True),
    (np.array([0.1], np.float16), False), (np.array([3], ml_dtypes.bfloat16), False),
    (np.array([1, -2, 3], ml_dtypes.int4), False), (np.array([1 + 2j], np.complex64), False),
    (np.frombuffer(b"\x01\x00\xc0\xff", np.float32), False), (np.arange(9000), False)])
def test_a_text_holds_a_graph_bit_by_bit(array: np.ndarray, readable: bool) -> None:
    """In ONNX's text form, or encoded: halves, narrow types, a NaN of other bits, and what is large."""
    text = graph_text(giving(array))
    held = numpy_helper.to_array(graph_of(text).initializer[0])
    assert (held.dtype, held.shape, held.tobytes()) == (array.dtype, array.shape, array.tobytes())
    assert text.startswith(ENCODED) is not readable and is_graph(text)
    assert graph_of(encoded(giving(array))) == giving(array)


@pytest.mark.parametrize("value", ["", "then () =>", f"{ENCODED}!", f"{ENCODED}AAAA", 1, None, ["a"]])
def test_what_is_no_graph(value: object) -> None:
    """A clause of the schema is broken, and no model holds the call."""
    assert not is_graph(value)
    call = Call("If", {"then_branch": value, "else_branch": ELSE}, {"cond": np.array(True)}, ("outputs_0",))
    assert [entry.clause for entry in load_spec("onnx/if@16").violations(call)] == ["onnx/if@16#then_branch.C1"]
    if isinstance(value, str):
        with pytest.raises(ValueError, match="not a graph"):
            model_of(load_spec("onnx/if@16"), call, 16)


def call_of(then: str = THEN, condition: bool = True) -> Call:
    """A call of If."""
    return Call("If", {"then_branch": then, "else_branch": ELSE}, {"cond": np.array(condition)}, ("outputs_0",))


def spec() -> Spec:
    """Its specification."""
    return load_spec("onnx/if@16")


def test_a_model_holds_the_graphs_of_a_call() -> None:
    """And gives the call back; over a pipe they are texts."""
    model = model_of(spec(), call_of(), 17)
    node = onnx.load_model_from_string(model).graph.node[0]
    assert {attribute.name: attribute.type for attribute in node.attribute} == dict.fromkeys(
        ("then_branch", "else_branch"), onnx.AttributeProto.GRAPH)
    call, opset = to_call(model, {"cond": np.array(True)})
    assert opset == 17 and spec().expected(call)["outputs_0"].tolist() == [3, 9007199254740993]
    assert encode_attributes(call.attributes, 2) == dict(call.attributes)


def test_a_graph_in_a_model_is_an_attribute_of_its_node() -> None:
    """One that is too large is not known."""
    large = giving(np.zeros(LARGEST, np.int8))
    node = helper.make_node("If", ["c"], ["y"], then_branch=graph_of(THEN), else_branch=large)
    found = node_of(node, "graph", {"": 16}, Values())
    assert graph_of(found.attributes["then_branch"]) == graph_of(THEN) and found.unknown == ("else_branch",)


def test_what_a_branch_reads_from_around_it() -> None:
    """A call does not have it; bound to a value it is an initialiser."""
    text = """t () => (int64[2] a) { s = Add (x, x) a = If (c) <
        then_branch = p () => (int64[2] u) { u = Add (s, w) }, else_branch = q () => (int64[2] v) { v = Neg (s) }> }"""
    assert reads(graph_of(text)) == {"x", "c", "w"}
    with pytest.raises(OutsideDomain, match="reads c from around it"):
        spec().expected(call_of(text))
    assert not spec().violations(call_of(text)) and spec().expected(call_of(text, False))["outputs_0"] == [4]
    values = {"x": np.array([1, 2]), "c": np.array(True), "w": np.array([10, 20])}
    whole = graph_text(bound(graph_of(text), values))
    assert spec().expected(call_of(whole))["outputs_0"].tolist() == [12, 24]


@pytest.mark.parametrize(("nodes", "why"), [
    ("a = Unheard (x)", "has no specification"), ("a = Asinh (x)", "has no specification"),
    ("s = SequenceEmpty () a = Identity (x)", "has no specification")])
def test_a_branch_that_is_not_tried(nodes: str, why: str) -> None:
    """An operator without a specification; the other branch is tried all the same."""
    text = f"t () => (int64[2] a) <int64[2] x = {{1, 2}}> {{ {nodes} }}"
    with pytest.raises(OutsideDomain, match=why):
        spec().expected(call_of(text))
    assert spec().expected(call_of(text, False))["outputs_0"] == [4]


def test_outputs_are_judged_by_the_nodes_that_give_them() -> None:
    """A rounded number within its bound conforms, one beyond it does not; behind it any number does."""
    exp = "t () => (float[1] a) <float[1] x = {1}> { a = Exp (x) }"
    behind = "t () => (float[1] a) <float[1] x = {1}> { e = Exp (x) a = Exp (e) }"
    right = np.float32(np.e)
    for value, wrong in ((right, 0), (np.nextafter(right, np.float32(3)), 0), (np.float32(2.5), 1)):
        call = Call("If", {"then_branch": exp, "else_branch": exp}, {"cond": np.array([True])}, ("outputs_0",))
        assert len(spec().divergences(call, {"outputs_0": np.array([value])})) == wrong
    call = Call("If", {"then_branch": behind, "else_branch": exp}, {"cond": np.array([True])}, ("outputs_0",))
    assert spec().unspecified_clauses(call) == ("onnx/if@16#outputs.U1",)
    assert not spec().divergences(call, {"outputs_0": np.array([1e9], np.float32)})
    assert spec().divergences(call, {"outputs_0": np.array([1], np.int32)})


def test_a_node_of_a_branch_outside_its_domain() -> None:
    """Any answer of the same rank conforms, and none is demanded; nothing behind the node is computed."""
    call = call_of("t () => (int64[2] b) <int64[2] x = {1, 2}> { a = Not (x)  b = Add (a, x) }")
    assert spec().may_refuse(call) == ("onnx/if@16#outputs.U2",)
    for answer in (np.array([1, 2]), np.array([7], np.float32)):
        assert not spec().divergences(call, {"outputs_0": answer})


@pytest.mark.parametrize(("name", "array", "wrong", "looks"), [
    ("narrowed", np.array([2**40, 5]), np.array([2**31 - 1, 5]), True),
    ("narrowed", np.array([2**40, 5]), np.array([0, 5]), False),
    ("narrowed", np.array([1e300, 1 + 2**-52]), np.array([np.finfo(np.float32).max, 1], np.float64), True),
    ("narrowed", np.array([7], np.int32), np.array([8], np.int32), False),
    ("in-halves", np.array([2, 0, 1], np.uint32), np.array([2, 0, 0], np.uint32), True),
    ("in-halves", np.array([2**32 - 1, 2, 3], np.uint32), np.array([2**31 - 1, 0, 2], np.uint32), True),
    ("in-halves", np.array([2, 0, 1], np.uint32), np.array([2, 0, 3], np.uint32), False),
    ("other-zero", np.array([0.0, 1]), np.array([-0.0, 1]), True),
    ("other-zero", np.array([0.0, 1]), np.array([1.0, 1]), False)])
def test_what_wrong_constants_look_like(name: str, array: np.ndarray, wrong: np.ndarray, looks: bool) -> None:
    """Of runtimes that narrow them, or take zeros for equal."""
    text = graph_text(giving(array))
    call = Call("If", {"then_branch": text, "else_branch": text}, {"cond": np.array(True)}, ("outputs_0",))
    found, = spec().divergences(call, {"outputs_0": wrong})
    assert shows([name], spec(), call, found) is looks
