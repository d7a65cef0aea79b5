"""`plumbline census`: operators of models, those with a specification, and those that would add most."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from onnx import TensorProto, helper, save

from plumbline.oracle.check.census import Used, census
from tests.suite.commands import plumbline

CONSTANT = helper.make_node("Constant", [], ["c"], value_float=1.0)


def saved(path: Path, nodes: list, functions: list = [], opset: int = 17) -> Path:  # noqa: B006
    """A model of some nodes from x to y."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("mine", 1)]
    graph = helper.make_graph(nodes, "graph", [x], [y])
    save(helper.make_model(graph, opset_imports=opsets, functions=functions, ir_version=8), path)
    return path


@pytest.fixture
def models(tmp_path: Path) -> list[Path]:
    """One all of known operators, by a function; one with a subgraph, a constant, and operators without a text."""
    twice = helper.make_function("mine", "Twice", ["a"], ["b"], [helper.make_node("Add", ["a", "a"], ["b"])],
                                 [helper.make_opsetid("", 17)])
    branch = helper.make_graph([helper.make_node("Relu", ["x"], ["z"])], "then", [],
                               [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2])])
    return [
        saved(tmp_path / "known.onnx", [helper.make_node("Twice", ["x"], ["t"], domain="mine"),
                                        helper.make_node("Exp", ["t"], ["y"])], [twice]),
        saved(tmp_path / "unknown.onnx", [
            CONSTANT, helper.make_node("Foo", ["x"], ["f"], domain="mine"), helper.make_node("Det", ["f"], ["d"]),
            helper.make_node("Det", ["d"], ["e"]),
            helper.make_node("If", ["e"], ["y"], then_branch=branch, else_branch=branch)])]


def test_nodes_are_counted_where_they_stand(models: list[Path]) -> None:
    """Of a function its body, of a subgraph each node; a constant is data; versions are those in force."""
    counted = census(models)
    assert counted.models[str(models[0])] == {Used("", "Add", 14): 1, Used("", "Exp", 13): 1}
    assert counted.models[str(models[1])] == {Used("mine", "Foo", 0): 1, Used("", "Det", 11): 2, Used("", "If", 16): 1,
                                              Used("", "Relu", 14): 2}
    assert counted.data == 1
    assert counted.covered(counted.specified) == (5, 1)
    assert list(counted.next_operators())[0] == ("Det", 2)


def test_the_command_says_what_would_add_most(models: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    """As lines and as JSON."""
    words = ["census", *map(str, models)]
    assert plumbline(words) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["2 models, 8 nodes, 1 Constant node (data)",
                         "with a specification: 5 of 8 nodes (62.5 %); every node of 1 of 2 models"]
    assert "        2       1  Relu-14  onnx/relu@14" in lines
    assert "        2       1  Det-11  no specification" in lines
    assert lines[-2:] == ["        2  Det: 7 nodes (87.5 %), 1 model",
                          "        1  mine.Foo: 8 nodes (100.0 %), 2 models"]
    assert plumbline([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["would add most"][0]["nodes after"] == 7


def test_a_folder_stands_for_its_models(models: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As they would be named one by one; one without models is told by its name."""
    assert plumbline(["census", *map(str, sorted(models))]) == 0
    named = capsys.readouterr().out
    assert plumbline(["census", str(tmp_path)]) == 0 and capsys.readouterr().out == named
    (tmp_path / "empty").mkdir()
    assert plumbline(["census", str(tmp_path / "empty")]) == 2
    assert capsys.readouterr().err == f"{tmp_path / 'empty'}: cannot be read: Is a directory\n"


def test_a_file_that_is_no_model_loses_nothing_else(models: list[Path], tmp_path: Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    """One line and status 2; the others are counted."""
    (tmp_path / "broken.onnx").write_bytes(b"\xff" * 99)
    assert plumbline(["census", str(tmp_path / "broken.onnx"), str(models[0])]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("1 model, 2 nodes") and err == f"{tmp_path / 'broken.onnx'}: not an ONNX model\n"
