"""The general restrictions of a profile, judged on models: for each a model that keeps it and one that breaks it."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from plumbline.oracle import spec_names
from plumbline.oracle.check import check
from plumbline.oracle.check.restrictions import PREDICATES
from plumbline.oracle.specification import general_texts
from tests.suite.commands import plumbline as main
from tests.suite.models import model

GENERAL = ["sonnx/general"]
KEPT = "g (float[2] A, float[2] B) => (float[2] Y) <float[2] S> { S = Add (A, B)  Y = Relu (S) }"


def standings(path: Path) -> dict[str, str]:
    """How a model stands to each clause: the local address, and the state."""
    found, = check(path, GENERAL).general
    return {entry.clause.partition("#")[2]: entry.state for entry in found.standings}


def broken(path: Path) -> set[str]:
    """The local addresses of the clauses that a model breaks."""
    return {local for local, state in standings(path).items() if state == "broken"}


def sparse(folder: Path, how: str) -> Path:
    """The model that keeps every clause, with a sparse tensor."""
    path = model(folder, KEPT, 14)
    proto = onnx.load(path)
    tensor = helper.make_sparse_tensor(helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0]),
                                       helper.make_tensor("w_at", TensorProto.INT64, [1], [0]), [2])
    if how == "initialiser":
        proto.graph.sparse_initializer.append(tensor)
    elif how == "constant":
        proto.graph.node.insert(0, helper.make_node("Constant", [], ["C"], sparse_value=tensor))
        proto.graph.value_info.append(helper.make_tensor_value_info("C", TensorProto.FLOAT, [2]))
    else:
        proto.graph.input.append(helper.make_sparse_tensor_value_info("V", TensorProto.FLOAT, [2]))
    path.write_bytes(proto.SerializeToString())
    return path


def test_a_model_that_says_everything_keeps_every_clause(tmp_path: Path) -> None:
    """Each of the four is asked, and kept."""
    assert standings(model(tmp_path, KEPT, 14)) == dict.fromkeys(
        (f"restrictions.R{number}" for number in (1, 2, 3, 4)), "kept")


@pytest.mark.parametrize("how", ["initialiser", "constant", "value"])
def test_a_sparse_tensor_breaks_r1_alone(tmp_path: Path, how: str) -> None:
    """As an initialiser, in an attribute, as the type of a value."""
    assert broken(sparse(tmp_path, how)) == {"restrictions.R1"}


@pytest.mark.parametrize(("graph", "clauses"), [
    ("g (float[2] A, float[2] B) => (float[2] Y) { S = Add (A, B)  Y = Relu (S) }", {"restrictions.R2"}),
    ("g (float[2] A, double[2] B) => (float[2] Y) { Y = Add (A, B) }", {"restrictions.R3"}),
    ("g (float[2] A) => (double[2] Y) { Y = Relu (A) }", {"restrictions.R3"}),
    ("g (string[2] A) => (string[2] Y) { Y = Relu (A) }", {"restrictions.R3"}),
    ("g (float[2] A) => (float[2] Y) { Y = LeakyRelu (A) }", {"restrictions.R4"}),
    ("g (float[2] A) => (float[2] Y) { Y = LeakyRelu <alpha = 0.1> (A) }", set()),
    ("g (float[2] A) => (float[2] Y) { C = Constant <value = float[2] {1.0, 2.0}> ()  Y = Add (A, C) }", set()),
    ("g (float8e4m3fn[2] A) => (float8e4m3fn[2] Y) { Y = Identity (A) }", set()),
    ("g (bool c, float[2] A) => (float[2] Y) { Y = If (c) <then_branch = yes () => (float[2] T) { R = Relu (A) "
     "T = Relu (R) }, else_branch = no () => (float[2] U) { U = Relu (A) }> }", {"restrictions.R2"}),
])
def test_one_model_for_each_way_to_break_a_clause(tmp_path: Path, graph: str, clauses: set[str]) -> None:
    """Alone, in the graph and in a branch; constants and attributes that are set break none."""
    assert broken(model(tmp_path, graph, 19)) == clauses


def test_an_operator_that_onnx_does_not_define_leaves_two_clauses_undecided(tmp_path: Path) -> None:
    """Its types and its defaults are not known; status 3."""
    path = model(tmp_path, "g (float[2] A) => (float[2] Y) { Y = other.Strange (A) }", 14, imports=', "other": 1')
    assert {local for local, state in standings(path).items() if state == "undecided"} == {
        "restrictions.R3", "restrictions.R4"}
    assert check(path, GENERAL).status() == 3


def test_values_in_a_function_need_no_type(tmp_path: Path) -> None:
    """A model has no place to write them."""
    function = '<domain: "local", opset_import: ["": 14]> twice (X) => (Z) { V = Relu (X)  Z = Relu (V) }'
    assert broken(model(tmp_path, "g (float[2] A) => (float[2] Y) { Y = local.twice (A) }", 14, function)) == set()


def test_a_pattern_judges_the_model_where_a_node_is_of_the_family(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As lines, in JSON, and in the status; a model of other operators has nothing to check still."""
    path = model(tmp_path, "g (float[2] A) => (float[2] Y) { S = Relu (A)  Y = Relu (S) }", 14)
    assert main(["check", str(path), "--spec", "sonnx/*"]) == 1
    out = capsys.readouterr().out
    assert "sonnx/general  the model: breaks\n    breaks sonnx/general#restrictions.R2 Explicit types: no type is " \
        "written for S\n" in out
    assert main(["check", str(path), "--spec", "sonnx/*", "--json"]) == 1
    entry, = json.loads(capsys.readouterr().out)["model_clauses"]
    assert entry["broken"] == [{"clause": "sonnx/general#restrictions.R2", "why": "no type is written for S"}]
    assert main(["check", str(path), "--spec", "sonnx/relu"]) == 0 and "general" not in capsys.readouterr().out
    other = model(tmp_path, "g (float[2] A) => (float[2] Y) { Y = Cos (A) }", 14)
    assert main(["check", str(other), "--spec", "sonnx/*"]) == 2


def test_a_clause_on_models_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """As those of operators are."""
    assert main(["explain", "sonnx/general#restrictions.R1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("sonnx/general#restrictions.R1  No sparse tensors (restriction)\n") and "judges: model" in out


def test_a_text_of_no_operator_is_no_specification_of_calls() -> None:
    """It has a predicate for each clause that judges models, and no call is asked about it."""
    text = general_texts()["sonnx/general"]
    assert "sonnx/general" not in spec_names()
    assert {clause.address for clause in text.clauses.values() if clause.judges == "model"} == set(PREDICATES)
