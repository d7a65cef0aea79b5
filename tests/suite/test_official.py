"""ONNX's node tests are put to faulty implementations as ONNX's runner puts them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from plumbline.backends import Request
from plumbline.cases import load_cases
from plumbline.cases.format.schema import CaseEntry
from plumbline.cases.format.variants import variants
from plumbline.cases.format.writing import as_yaml
from plumbline.oracle import load_spec
from plumbline.oracle.yaml_text import load
from plumbline.trial.editions.official_cases import absent, entries, examples
from tests.operators.discovery import implementations
from tests.suite.official import NodeTest, _request, faults_found, node_tests


def absolute(rtol: float) -> NodeTest:
    """A node test of Abs, whose input has another name than the text has."""
    x = np.array([-1.5, 0, 2], np.float32)
    graph = helper.make_graph([helper.make_node("Abs", ["x"], ["y"])], "test",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    return NodeTest("abs", (_request(model, load_spec("onnx/abs@13"), 13, {"x": x}, [np.abs(x)]),), rtol, 0)


def test_a_fault_fails_and_what_is_right_does_not() -> None:
    """Some faults of Abs are told by three numbers, others are not; a refusal is a failure."""
    test, faults = absolute(0), faults_found("onnx/abs")
    assert not any(test.fails(kind().run) for kind in implementations()["onnx/abs"])
    assert 0 < sum(test.fails(run) for run in faults.values()) < len(faults)
    assert test.fails(lambda request: {}) and test.fails(refuses)


def refuses(request: Request) -> object:
    """An implementation that refuses."""
    raise NotImplementedError


@pytest.mark.parametrize(("rtol", "fails"), [(1e-3, False), (1e-5, True)])
def test_the_tolerance_is_that_of_the_test(rtol: float, fails: bool) -> None:
    """An error of 1e-4 passes within 1e-3."""
    def nearly(request: Request) -> object:
        return {"Y": np.abs(request.inputs["X"]) * np.float32(1.0001)}
    assert absolute(rtol).fails(nearly) is fails


@pytest.mark.gate(one_in=6)
def test_examples_that_differ_in_their_type_alone_are_one_entry() -> None:
    """Its id and source have the place of the type; what is read are the entries of each example by itself."""
    chosen = [test for test in examples() if test.name in ("max_float16", "max_float32", "max_int8", "max_example")]
    together, alone = entries(chosen), [entry for test in chosen for entry in entries([test])]
    assert [entry["dtype"] for entry in together] == ["float32", "int8", ["float16", "float32"]]
    assert together[2]["example"] == "max_{dtype}"
    read = [[case for entry in listed for _, case in variants(CaseEntry.model_validate(entry), entry, {}, {"": True})]
            for listed in (loaded(together), loaded(alone))]
    assert {case.id: case.model_dump() for case in read[0]} == {case.id: case.model_dump() for case in read[1]}
    assert len(read[0]) == len(chosen)


def loaded(listed: list[dict[str, object]]) -> list[dict[str, object]]:
    """Entries as they are read."""
    text: list[dict[str, object]] = load(as_yaml(listed))
    return text


@pytest.mark.gate(one_in=6)
def test_every_example_that_onnx_makes_has_a_case() -> None:
    """A case names it in its source; what calls lie outside the domain has none. Of another list all are missing.

    The examples of an operator, one or many, are node tests that can be put to an implementation."""
    cases = load_cases()
    left_out = {test.name for test in absent(cases)}
    assert entries(test for test in absent(cases)) == [], sorted(left_out)
    others = [case for case in cases if case.call.operator != "Transpose"]
    assert {entry["example"] for entry in entries(absent(others))} == {
        "transpose_default", *(f"transpose_all_permutations_{number}" for number in range(6))}
    assert len(list(node_tests("Abs"))) == 1 and len(list(node_tests("MaxPool"))) > 10
