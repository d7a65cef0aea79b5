"""ONNX's node tests are put to mutants as ONNX's runner puts them."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from plumbline.backends import Request
from plumbline.oracle import load_spec
from tests.operators.discovery import faults, honest, modules
from tests.power.official import NodeTest, _request, mutants


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
    test, module = absolute(0), modules()["onnx/abs"]
    assert not any(test.fails(found().run) for found in honest(module))
    failing = [found.__name__ for found in faults(module) if test.fails(found().run)]
    assert 0 < len(failing) < len(faults(module))
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


def test_every_operator_of_onnx_with_mutants_is_there() -> None:
    """Pooling, whose mutants stand elsewhere, among them."""
    found = mutants()
    assert {"Conv", "Gemm", "MaxPool", "AveragePool"} <= set(found) and len(found) > 30
    assert all(len(of) >= 10 for _, of in found.values())
