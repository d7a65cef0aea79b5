"""`plumbline model` and `plumbline check` on models that are odd or invalid: one line, the right status."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from plumbline.cases.onnx.models import to_model
from plumbline.commands.base import run
from plumbline.commands.main import commands
from plumbline.oracle import Call

ODD_NAMES = ("a" * 90, "a\tb", "a\nb", "a\u200bb", "a\u202eb", "x\x1b[31m", "é" * 100)


def saved(folder: Path, *nodes: onnx.NodeProto, sparse: bool = False, given: str = "X", output: str = "Y",
          kind: int = TensorProto.FLOAT) -> str:
    """A file with these nodes, which no checker has seen."""
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(given, TensorProto.FLOAT, [1, 1, 4, 4])],
                              [helper.make_tensor_value_info(output, kind, None)])
    if sparse:
        graph.sparse_initializer.append(helper.make_sparse_tensor(
            numpy_helper.from_array(np.array([1, 2], np.float32), "W"),
            numpy_helper.from_array(np.array([0, 3], np.int64), "places"), [4]))
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("my.own", 1)]
    path = folder / "model.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString())
    return str(path)


def main(*arguments: str) -> int:
    """The exit status of the command."""
    return run(commands, list(arguments), "plumbline")


def test_a_name_is_a_key_whatever_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Each is judged in place, and shown on one line without what harms a terminal."""
    names = ["?", *ODD_NAMES, "!"]
    path = saved(tmp_path, *(helper.make_node("Relu", [given], [name]) for given, name in pairwise(names)), given="?",
                 output="!")
    assert main("model", path, "--report-dir", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "judged 8 of 8 nodes, decided 8" in out and all(line.isprintable() for line in out.splitlines())


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("domain", ["my.own", ""], ids=["custom", "unknown"])
def test_what_stands_before_an_operator_that_nobody_has_is_judged(tmp_path: Path, domain: str, sparse: bool,
                                                                  capsys: pytest.CaptureFixture) -> None:
    """The model is not run, what is behind it is not reached: status 1."""
    first = helper.make_node("Add", ["X", "W"], ["a"]) if sparse else helper.make_node("Relu", ["X"], ["a"])
    path = saved(tmp_path, first, helper.make_node("Foo", ["a"], ["b"], domain=domain),
                 helper.make_node("Relu", ["b"], ["Y"]), sparse=sparse)
    assert main("model", path, "--report-dir", str(tmp_path)) == 1
    out = capsys.readouterr().out
    why = "not judged, of other domains than ONNX's: my.own.Foo" if domain else "no specification for Foo"
    assert f"judged 1 of 3 nodes, decided 1 (16 of 16 elements); nothing decided of Relu; {why}" in out
    assert "not judged  Y (Relu): not reached: nothing gave b" in out and "the whole model did not run: refused" in out


@pytest.mark.parametrize("nodes", [
    [helper.make_node("Relu", ["X"], ["Y"]), helper.make_node("Abs", ["X"], ["Y"])],
    [helper.make_node("MaxPool", ["X"], ["Y", "Y"], kernel_shape=[1, 1])],
    [helper.make_node("Relu", ["X"], ["X"]), helper.make_node("Abs", ["X"], ["Y"])]], ids=["nodes", "node", "input"])
def test_a_tensor_that_is_given_twice_is_no_model(tmp_path: Path, nodes: list[onnx.NodeProto],
                                                  capsys: pytest.CaptureFixture) -> None:
    """Said in one line, whatever the command."""
    path = saved(tmp_path, *nodes)
    for command in ("model", "check"):
        assert main(command, path, *(["--spec", "onnx/*"] if command == "check" else [])) == 2
        out, error = capsys.readouterr()
        assert out == "" and error.count("\n") == 1 and "not a valid model: the tensor " in error


def test_a_name_that_is_not_utf_8_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """No request holds it."""
    path = Path(saved(tmp_path, helper.make_node("Relu", ["X"], ["aaaa"]), helper.make_node("Abs", ["aaaa"], ["Y"])))
    path.write_bytes(path.read_bytes().replace(b"aaaa", b"aa\xff\xfe"))
    assert main("model", str(path)) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1 and "the name of a tensor is not UTF-8" in error


def test_an_output_that_the_schema_demands_may_not_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Nobody is accused of what the suite would ask instead; undecided or not, the model is invalid."""
    path = saved(tmp_path, helper.make_node("MaxPool", ["X"], ["", "I"], kernel_shape=[2, 2]), output="I",
                 kind=TensorProto.INT64)
    assert main("check", path, "--spec", "onnx/maxpool") == 1
    assert main("model", path, "--report-dir", str(tmp_path), "--allow-undecided") == 2
    out = capsys.readouterr().out
    assert out.count("invalid by ONNX's schema: the output Y may not be left out") >= 2 and "diverges" not in out


def test_outputs_that_are_left_out_keep_their_place() -> None:
    """As optional inputs do."""
    call = Call("RNN", {"hidden_size": 4}, {name: np.ones((1, 1, 4), np.float32) for name in "XWR"})
    node, = onnx.load_model_from_string(to_model(call, ("Y_h",), 17, places=("Y", "Y_h"))).graph.node
    assert list(node.output) == ["", "Y_h"]
