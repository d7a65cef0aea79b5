"""`plumbline model` follows the iterations of loops, and judges the nodes of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.backends import InProcess
from plumbline.oracle.check.selection import texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model import control_flow
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.trial import ModelTrial
from tests.suite import model_fakes
from tests.suite.test_model import said, saved

BODY = ["Mul", "Neg", "ReduceMax", "Less", "Unsqueeze"]
LOOP = """l (float[2] X, int64 n, bool go) => (float[2] Y, float[k,2] S) {
    Y, S = Loop (n, go, X) <body = b (int64 i, bool c, float[2] x) => (bool o, float[2] y, float[2] s)
        <float limit = {50}> {
        two = Constant <value = float {2}> ()
        y = Mul (x, two)
        s = Neg (y)
        m = ReduceMax <keepdims = 0> (y)
        o = Less (m, limit)
    }>
}"""
COUNTED = """l (int64 n) => (int64[k] S) {
    S = Loop (n) <body = b (int64 i, bool c) => (bool c, int64 s) {
        a = If (c) <then_branch = t () => (int64 u) { u = Mul (i, i) }, else_branch = e () => (int64 v) { v = Neg (i) }>
        j = Add (i, i)
        s = Add (a, j)
    }>
}"""
"""Without a condition, and with a branch and the number of the iteration in the body."""


def on(folder: Path, text: str, host: str = "Honest", opset: int = 17, **inputs: np.ndarray) -> ModelTrial:
    """The model of a loop, tried."""
    path = saved(folder, text)
    model = onnx.load(path)
    model.opset_import[0].version = opset
    for node in model.graph.node:
        node.input.extend([""] * (node.op_type == "Loop" and len(node.input) == 1))  # the parser takes no empty name
    onnx.save(model, path)
    trial = ModelTrial(Graph(path), InProcess(getattr(model_fakes, host)()), KnownDivergences(), texts(["onnx/*"]),
                       inputs)
    trial.run()
    return trial


def inputs(count: int, go: bool = True) -> dict[str, np.ndarray]:
    """Those of LOOP, whose condition ends it after five iterations."""
    return {"X": np.array([1, 2], np.float32), "n": np.array(count, np.int64), "go": np.array(go)}


@pytest.mark.parametrize(("count", "ran"), [(1, 1), (3, 3), (100, 5)])
@pytest.mark.parametrize("opset", [12, 17])
def test_each_iteration_is_judged_node_by_node(tmp_path: Path, count: int, ran: int, opset: int) -> None:
    """As many as the trip count or the condition allow; the final outputs stay the same."""
    trial = on(tmp_path, LOOP, opset=opset, **inputs(count))
    assert [step.operator for step in trial.graph.steps] == [*BODY * ran, "Concat"] and not trial.inner
    assert {id(judged.subject) for judged in trial.judged} == set(map(id, trial.subjects)) and not trial.wrong
    note, = trial.graph.notes
    assert note == (f"1 Loop node replaced by the {ran} iteration{'s' * (ran > 1)} that these inputs take; the final "
                    "outputs stay the same bit by bit")
    assert trial.status() == 0 and not trial.wrong_loops
    onnx.checker.check_model(trial.graph.plain)


def test_one_that_does_not_run_stays(tmp_path: Path) -> None:
    """The shapes of what it gathers are not known; no node of its body is called not judged."""
    trial = on(tmp_path, LOOP, **inputs(7, go=False))
    assert [step.operator for step in trial.graph.steps] == ["Loop"] and not trial.inner and not trial.wrong_loops
    assert "by the 0 iterations" in trial.graph.notes[0] and "same bit by bit" in trial.graph.notes[0]


def test_one_that_gives_what_it_was_given(tmp_path: Path) -> None:
    """It does not run, and gathers nothing."""
    text = LOOP.replace(", float[k,2] S)", ")").replace("Y, S = Loop", "Y = Loop").replace(", float[2] s)\n", ")\n")
    trial = on(tmp_path, text, **inputs(0))
    assert [step.operator for step in trial.graph.steps] == ["Identity"] and "bit by bit" in trial.graph.notes[0]


def test_branches_within_loops(tmp_path: Path) -> None:
    """Each iteration has its own branch, and its own number."""
    trial = on(tmp_path, COUNTED, n=np.array(3, np.int64))
    assert sum(step.operator == "Mul" for step in trial.graph.steps) == 3 and not trial.inner
    assert "3 If nodes replaced" in trial.graph.notes[0] and "bit by bit" in trial.graph.notes[0]
    assert trial.final["S"].tolist() == [0, 3, 8] and not trial.wrong_loops


def test_of_many_iterations_the_first_and_the_last_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others remain a loop, with their numbers."""
    monkeypatch.setattr(control_flow, "UNROLLED", 20)
    trial = on(tmp_path, COUNTED, n=np.array(50, np.int64))
    assert [step.operator for step in trial.graph.steps if step.operator in ("Mul", "Loop")] == ["Mul", "Loop", "Mul"]
    assert "of which 48 remain a loop; the final outputs stay the same bit by bit" in trial.graph.notes[0]
    assert not trial.inner and not trial.wrong_loops and len(trial.final["S"]) == 50


def test_a_fault_in_an_iteration_is_located(tmp_path: Path) -> None:
    """At its node, in the iteration."""
    trial = on(tmp_path, LOOP, "At_y#2", **inputs(4))
    assert {list(judged.step.proto.output)[0] for judged in trial.wrong} == {"y#2"}
    assert any("first wrong node: y#2 (Mul)" in line for line in said(trial))


@pytest.mark.parametrize(("count", "why"), [
    (3, "Y (Loop) ran 4 iterations, more than its trip count 3"),
    (9, "Y (Loop) ran 10 iterations, more than its trip count 9")])
def test_a_loop_that_runs_too_often_is_wrong(tmp_path: Path, count: int, why: str) -> None:
    """Every node is right, and the final outputs are those of the iterations that ran."""
    trial = on(tmp_path, LOOP, "OnceMore", **inputs(count))
    assert trial.wrong_loops == [why] and trial.status() == 1
    assert any(line.startswith(f"wrong: {why}") for line in said(trial))


def test_conditions_and_trip_counts_decide() -> None:
    """A wrong number of iterations is seen from values alone."""
    from plumbline.trial.model.loops import Iterations
    values = {"most": np.array(3), "yes": np.array([True]), "no": np.array(False)}
    ran = Iterations("l", 2, "most", {0: "yes", 1: "no", 2: "no"}).wrong(values)
    assert ran == "l (Loop) ran 2 iterations, though the condition is false before iteration 2"
    short = Iterations("l", 1, "most", {0: "yes", 1: "yes"}).wrong(values)
    assert short == "l (Loop) ran 1 iteration, though the condition is true after them and the trip count 3"
    assert not Iterations("l", 1, "", {0: "", 1: "no"}).wrong(values)
    assert not Iterations("l", 3, "most", {0: "", 1: "yes", 3: "yes"}).wrong(values)
