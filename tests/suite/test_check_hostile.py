"""`oracle check` of models made to harm: one clear line and status 2, soon, and nothing that moves a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from onnx import ModelProto, helper

from tests.suite.commands import plumbline as main
from tests.suite.models import one_node


def function(name: str, *called: str) -> onnx.FunctionProto:
    """A function of one input and output that calls these, one after the other."""
    values = ["A", *(f"t{number}" for number in range(len(called) - 1)), "B"]
    nodes = [helper.make_node(operator, [value], [after], domain="" if operator == "Relu" else "local")
             for operator, value, after in zip(called, values[:-1], values[1:], strict=True)]
    imports = [helper.make_opsetid("", 12), helper.make_opsetid("local", 1)]
    return helper.make_function("local", name, ["A"], ["B"], nodes, imports)


def calling(*functions: onnx.FunctionProto) -> Callable[[ModelProto], None]:
    """The model with these functions, the first of which it calls."""
    def change(proto: ModelProto) -> None:
        proto.functions.extend(functions)
        proto.opset_import.append(helper.make_opsetid("local", 1))
        proto.graph.node.append(helper.make_node(functions[0].name, ["X"], ["Z"], domain="local"))
    return change


def opset(version: int) -> Callable[[ModelProto], None]:
    """The model for another version."""
    def change(proto: ModelProto) -> None:
        proto.opset_import[0].version = version
    return change


def two_versions(proto: ModelProto) -> None:
    """Of one operator set, which has two names."""
    proto.opset_import.append(helper.make_opsetid("ai.onnx", 13))


def twice(proto: ModelProto) -> None:
    """An attribute given twice."""
    proto.graph.node[0].attribute.append(helper.make_attribute("kernel_shape", [3, 3]))


KNOWN = onnx.defs.onnx_opset_version()
HOSTILE = {
    "recursive": (calling(function("f", "f")), "the function local.f calls itself"),
    "in a circle": (calling(function("f", "g"), function("g", "Relu", "f")), " calls itself"),
    "twice": (calling(function("f", "Relu"), function("f", "Relu", "Relu")), "has the function local.f twice"),
    "doubling": (calling(*(function(f"f{n}", f"f{n + 1}", f"f{n + 1}") for n in range(30)), function("f30", "Relu")),
                 "has 1,073,741,825 nodes with its functions inlined; at most 1,000,000 are read"),
    "deep": (calling(*(function(f"f{n}", f"f{n + 1}") for n in range(5000)), function("f5000", "Relu")),
             "functions call each other 5,001 times in a row; at most 100 are read"),
    "opset 0": (opset(0), "imports version 0 of ONNX's operators; versions begin with 1"),
    "opset -1": (opset(-1), "imports version -1 of ONNX's operators; versions begin with 1"),
    "opset 2^40": (opset(2**40), f"imports version {2**40} of ONNX's operators; the last that is known is {KNOWN}"),
    "two opsets": (two_versions, "imports versions 12 and 13 of ONNX's operators"),
    "attribute twice": (twice, "the node Y (graph) has the attribute kernel_shape twice"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_one_line_and_status_2(name: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Before anything is inlined or inferred."""
    change, says = HOSTILE[name]
    path = one_node(tmp_path, "kernel_shape = [2, 2]")
    proto = onnx.load(path)
    change(proto)
    path.write_bytes(proto.SerializeToString())
    assert main(["check", str(path), "--spec", "sonnx/*"]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.startswith(f"{path}: ") and error.endswith(f"{says}\n") and error.count("\n") == 1


def test_names_cannot_move_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Control characters in names of nodes, attributes, symbols and of an unknown function are shown as escapes."""
    path = one_node(tmp_path, "kernel_shape = [2, 2]", "float[N,3,8,8]")
    proto = onnx.load(path)
    evil = "\x1b[2Ja\nb\u202e"
    proto.graph.node[0].name = evil
    proto.graph.node[0].attribute.append(helper.make_attribute(evil, 1))
    proto.graph.input[0].type.tensor_type.shape.dim[3].dim_param = evil
    path.write_bytes(proto.SerializeToString())
    assert main(["check", str(path), "--spec", "onnx/*", "--spec", "sonnx/maxpool"]) == 1
    out = capsys.readouterr().out
    assert "\\x1b[2Ja b\\u202e  (graph; X float32 [N, 3, 8, \\x1b[2Ja b\\u202e])" in out
    assert not {"\x1b", "\u202e"} & set(out)
    assert sum("Ja" in line and "Ja b" not in line for line in out.splitlines()) == 0


def test_a_hostile_name_in_an_error_is_shown_as_escapes(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """In the one line too."""
    path = one_node(tmp_path, "kernel_shape = [2, 2]")
    proto = onnx.load(path)
    calling(function("f\x1b[2J", "f\x1b[2J"))(proto)
    path.write_bytes(proto.SerializeToString())
    assert main(["check", str(path), "--spec", "sonnx/*"]) == 2
    assert capsys.readouterr().err == f"{path}: the function local.f\\x1b[2J calls itself\n"


@pytest.mark.parametrize(("text", "why", "clause"), [
    ("(float[6] x) => (float[a] p, float[b] q, float[c] r) { p, q, r = Split <num_outputs = 2> (x) }",
     "it ended its process (signal 6)", "num_outputs.C3"),
    ('(float[6] x) => (float[a] y) { y = Einsum <equation = "i."> (x) }', "it takes more than 1 seconds",
     "equation.C3")])
def test_a_model_that_shape_inference_cannot_take_is_checked_all_the_same(
        tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, text: str, why: str,
        clause: str) -> None:
    """That of the onnx package ends its process over one, and never returns from the other."""
    monkeypatch.setattr("plumbline.oracle.check.shape_inference.SECONDS", 1.0)
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 18]> g {text}')
    onnx.save(model, tmp_path / "model.onnx")
    assert main(["check", str(tmp_path / "model.onnx")]) == 1
    said = capsys.readouterr().out
    assert f"note: shapes could not be inferred: {why}" in said and clause in said
