"""`plumbline model` follows the iterations of loops, and judges the nodes of each."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from plumbline.backends import InProcess
from plumbline.oracle.check.selection import texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model import control_flow
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.iterations import Iterations
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


def on(folder: Path, text: str, host: str = "Honest", opset: int = 17, known: KnownDivergences | None = None,
       **inputs: np.ndarray) -> ModelTrial:
    """The model of a loop, tried."""
    path = saved(folder, text)
    model = onnx.load(path)
    model.opset_import[0].version = opset
    for node in model.graph.node:
        node.input.extend([""] * (node.op_type == "Loop" and len(node.input) == 1))  # the parser takes no empty name
    onnx.save(model, path)
    trial = ModelTrial(Graph(path), InProcess(getattr(model_fakes, host)()), known or KnownDivergences(),
                       texts(["onnx/*"]), inputs)
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


def test_nodes_with_names_have_their_own_in_each_iteration(tmp_path: Path) -> None:
    """ONNX Runtime refuses a graph in which two nodes have one name."""
    named = re.sub(r"^( {8})(\w+ = (\w+))", r"\1[\3] \2", LOOP, flags=re.M)
    trial = on(tmp_path, named, **inputs(3))
    names = [node.name for node in trial.graph.plain.graph.node if node.name]
    assert not trial.refused and len(set(names)) == len(names)
    assert [name for name in names if "Mul" in name] == ["Mul", "Mul#2", "Mul#3"]


def test_a_condition_with_an_axis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop that remains between two iterations takes it as these give it, whatever its body states."""
    monkeypatch.setattr(control_flow, "UNROLLED", 10)
    text = LOOP.replace("<keepdims = 0>", "").replace("float limit = {50}", "float[1] limit = {50}")
    trial = on(tmp_path, text, **inputs(9))
    assert "of which 3 remain a loop; the final outputs stay the same bit by bit" in trial.graph.notes[0]
    assert not trial.refused and not trial.inner


def test_a_model_that_runs_only_with_its_loop(tmp_path: Path) -> None:
    """It is not said to be refused, and its nodes are judged one by one."""
    trial = on(tmp_path, LOOP, "OneProduct", **inputs(3))
    lines = said(trial)
    assert trial.refused and not trial.wrong and not any("does not run" in line for line in lines)
    assert any("running branches and iterations node by node changes the final outputs: it was refused" in line
               for line in lines)
    assert trial.status() == 2


def test_the_condition_of_a_remaining_loop_has_a_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime refuses one whose shape it cannot infer, as of a Reshape to as many sizes as are counted: none."""
    monkeypatch.setattr(control_flow, "UNROLLED", 10)
    text = LOOP.replace("{50}>", "{50}, float low = {-1e30}, int64[1] axis = {0}>").replace(
        "o = Less (m, limit)",
        "l = Less (m, limit)  b = Less (x, low)  z = NonZero (b)  e = Squeeze (z, axis)  o = Reshape (l, e)")
    trial = on(tmp_path, text, **inputs(9))
    assert "remain a loop; the final outputs stay the same bit by bit" in trial.graph.notes[0] and not trial.refused


def test_a_remaining_loop_without_a_specification_of_its_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node and its operator are named, and the trial goes on."""
    monkeypatch.setattr(control_flow, "UNROLLED", 10)
    trial = on(tmp_path, LOOP.replace("s = Neg (y)", "s = Asinh (y)"), **inputs(9))
    loop, = (subject for subject in trial.subjects if subject.step.operator == "Loop")
    assert loop.why_not == "Asinh has no specification at opset 17" and trial.judged
    assert any("not judged  " in line and "Asinh has no specification" in line for line in said(trial))


def test_a_remaining_loop_has_the_operators_of_its_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mish is two versions younger than the Loop of that model."""
    monkeypatch.setattr(control_flow, "UNROLLED", 10)
    trial = on(tmp_path, LOOP.replace("s = Neg (y)", "s = Mish (y)"), opset=18, **inputs(9))
    loop, = (subject for subject in trial.subjects if subject.step.operator == "Loop")
    assert loop.findings[0].spec.name == "onnx/loop@16" and not loop.why_not and not trial.wrong


def test_a_probe_into_a_branch_without_a_specification(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out; values that stay in the other branch are tried."""
    monkeypatch.setattr(control_flow, "UNROLLED", 4)
    branches = """y = If (o) <then_branch = t () => (float[2] u) { u = Add (x, x) },
                    else_branch = e () => (float[2] v) { v = Asinh (x) }>"""
    text = f"""l (float[2] X, int64 n, bool go) => (float[2] Y) {{
        Y = Loop (n, go, X) <body = b (int64 i, bool c, float[2] x) => (bool o, float[2] y) <float limit = {{1e9}}> {{
            m = ReduceMax <keepdims = 0> (x)
            o = Less (m, limit)
            {branches}
        }}>
    }}"""
    trial = ModelTrial(Graph(saved(tmp_path, text)), InProcess(model_fakes.Honest()), KnownDivergences(),
                       texts(["onnx/*"]), inputs(9), probing=True)
    trial.run()
    probes = [judged.line.verdict for judged in trial.judged if judged.way.startswith("probe")]
    assert probes and set(probes) <= {"conforms", "observed"}


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


def test_a_loop_that_ends_too_early_is_judged_as_a_whole(tmp_path: Path) -> None:
    """It gives what its iterations give, and fewer of them ran: without a condition, ONNX Runtime ends with the body's.

    A known divergence accounts for that."""
    text = """l (int64 n) => (int64[k] S) {
        S = Loop (n) <body = b (int64 i, bool c) => (bool o, int64 s) <bool no = {0}> {
            o = Identity (no)
            s = Add (i, i)
        }>
    }"""
    trial = on(tmp_path, text, n=np.array(3, np.int64))
    assert trial.wrong_loops == ["S (Loop) ran 1 iteration, though no condition is given and its trip count is 3"]
    assert {(judged.step.operator, judged.way) for judged in trial.wrong} == {("Loop", "alone"), ("Loop", "in-place")}
    known = KnownDivergences.load("onnxruntime", onnxruntime.__version__)
    trial = on(tmp_path, text, known=known, n=np.array(3, np.int64))
    assert {judged.line.known and judged.line.known.id for judged in trial.wrong} == {
        "loop-without-condition-ended-by-body"}
    assert not trial.wrong_loops and trial.status() == 0


def test_conditions_and_trip_counts_decide() -> None:
    """A wrong number of iterations is seen from values alone."""
    values = {"most": np.array(3), "yes": np.array([True]), "no": np.array(False)}
    ran = Iterations("l", 2, "most", {0: "yes", 1: "no", 2: "no"}).wrong(values)
    assert ran == "l (Loop) ran 2 iterations, though the condition is false before iteration 2"
    short = Iterations("l", 1, "most", {0: "yes", 1: "yes"}).wrong(values)
    assert short == "l (Loop) ran 1 iteration, though the condition is true after them and the trip count 3"
    assert not Iterations("l", 1, "", {0: "yes", 1: "no"}).wrong(values)
    assert not Iterations("l", 3, "most", {0: "yes", 1: "yes", 3: "yes"}).wrong(values)
    none = Iterations("l", 1, "most").wrong(values)
    assert none == "l (Loop) ran 1 iteration, though no condition is given and its trip count is 3"
    assert not Iterations("l", 3, "most").wrong(values)


SCAN = """s (float[2] X, float[3,5] A, float[5,3] B) => (float[2] Y, float[3,k] S, float[k,2] T) {
    Y, S, T = Scan (X, A, B) <num_scan_inputs = 2, scan_input_axes = [1, 0], scan_input_directions = [0, 1],
        scan_output_axes = [1, 0], scan_output_directions = [1, 0],
        body = b (float[2] x, float[3] a, float[3] b) => (float[2] y, float[3] s, float[2] t)
        <int64[2] first = {0, 1}> {
        s = Mul (a, b)
        part = Gather (s, first)
        y = Add (x, part)
        t = Neg (y)
    }>
}"""
STEPS = ["Gather", "Gather", "Mul", "Gather", "Add", "Neg", "Unsqueeze",
         "Unsqueeze"]


def scanned(x: float = 1.0) -> dict[str, np.ndarray]:
    """Inputs of SCAN."""
    a = np.arange(15, dtype=np.float32).reshape(3, 5)
    return {"X": np.array([x, 2], np.float32), "A": a, "B": a.T.copy()}


@pytest.mark.parametrize("opset", [9, 11, 17])
def test_each_element_of_a_scan_is_judged_node_by_node(tmp_path: Path, opset: int) -> None:
    """Along any axis, in both directions."""
    trial = on(tmp_path, SCAN, opset=opset, **scanned())
    assert [step.operator for step in trial.graph.steps] == [*STEPS * 5, "Concat", "Concat"] and not trial.inner
    assert {id(judged.subject) for judged in trial.judged} == set(map(id, trial.subjects)) and not trial.wrong
    note, = trial.graph.notes
    assert note == ("1 Scan node replaced by the 5 iterations that these inputs take; the final outputs stay the same "
                    "bit by bit")
    a = scanned()["A"]
    assert trial.final["S"].tolist() == (a * a[:, ::-1])[:, ::-1].tolist() and trial.status() == 0
    onnx.checker.check_model(trial.graph.plain)


@pytest.mark.parametrize("opset", [9, 17])
def test_of_many_elements_the_first_and_the_last_are_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opset: int
                                                            ) -> None:
    """The others remain a scan, on the elements between."""
    monkeypatch.setattr(control_flow, "UNROLLED", 8)
    trial = on(tmp_path, SCAN, opset=opset, **scanned())
    assert sum(step.operator == "Mul" for step in trial.graph.steps) == 2 and not trial.inner
    assert [step.node.name for step in trial.graph.steps if step.operator == "Scan"] == ["Y iterations 2 to 4"]
    assert "of which 3 remain a loop; the final outputs stay the same bit by bit" in trial.graph.notes[0]
    assert trial.status() == 0


def test_an_iteration_in_which_the_state_changes_its_class_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch
                                                                     ) -> None:
    """Infinite from the element on that is."""
    monkeypatch.setattr(control_flow, "UNROLLED", 15)
    given = scanned()
    given["A"][1, 2] = np.inf
    trial = on(tmp_path, SCAN, **given)
    assert [step.node.name for step in trial.graph.steps if step.operator == "Scan"] == [
        "Y iterations 2 to 2", "Y iterations 4 to 4"]
    assert "of which 2 remain a loop; the final outputs stay the same bit by bit" in trial.graph.notes[0]


def test_a_loop_whose_state_changes_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The iteration is judged, with its number; those around it remain loops."""
    monkeypatch.setattr(control_flow, "UNROLLED", 20)
    text = LOOP.replace("o = Less (m, limit)", "o = Identity (c)").replace("y = Mul (x, two)", "y = Mul (x, x)")
    given = inputs(20) | {"X": np.array([4, 0.5], np.float32)}  # 4**(2**6) is beyond float32
    trial = on(tmp_path, text, **given)
    names = [step.node.name for step in trial.graph.steps if step.operator == "Loop"]
    assert names == ["Y iterations 2 to 5", "Y iterations 7 to 19"]
    assert "same bit by bit" in trial.graph.notes[0] and not trial.wrong_loops


def test_an_empty_scan_stays(tmp_path: Path) -> None:
    """The shapes of what it gathers are not known; its body does not run."""
    given = scanned() | {"A": np.ones((0, 3), np.float32), "B": np.ones((0, 3), np.float32)}
    text = SCAN.replace("float[3,5] A, float[5,3] B", "float[n,3] A, float[n,3] B")
    text = text.replace("_axes = [1, 0]", "_axes = [0, 0]")
    trial = on(tmp_path, text, **given)
    assert [step.operator for step in trial.graph.steps] == ["Scan"] and not trial.wrong_loops


def test_a_scan_that_runs_too_rarely_is_wrong() -> None:
    """For the number of elements."""
    assert Iterations("s", 3, elements=4).wrong({}) == "s (Scan) ran 3 iterations, for 4 elements"
    assert not Iterations("s", 4, elements=4).wrong({})


def test_a_scan_that_gives_other_outputs_than_its_iterations_is_judged_whole(tmp_path: Path) -> None:
    """ONNX Runtime gives leftovers for a tensor that the body gives twice; every node of its body is right."""
    text = SCAN.replace("float[2] t)", "float[2] y)").replace("        t = Neg (y)\n", "")
    trial = on(tmp_path, text, **scanned())
    subject, = trial.replaced
    assert subject.step.operator == "Scan" and {judged.way for judged in trial.judged if judged.subject is subject} == {
        "alone", "in-place"}
    lines = said(trial)
    assert "undecided  Y (Scan): it does not give what its iterations give node by node" in lines
    assert trial.followed is None or "node by node changes final outputs: Y in" in lines[1]  # by what memory held
    assert lines[1].startswith("undecided: ") and trial.status() == 2


def test_a_fault_in_an_element_is_located(tmp_path: Path) -> None:
    """At its node, in the iteration."""
    trial = on(tmp_path, SCAN, "At_s#2", **scanned())
    assert {list(judged.step.proto.output)[0] for judged in trial.wrong} == {"s#2"}
