"""`plumbline model` follows the branches that the given inputs take, and judges their nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from plumbline.backends import InProcess
from plumbline.oracle.check.graph import Values, node_of
from plumbline.oracle.check.selection import texts
from plumbline.oracle.graphs import graph_of
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model.branchings import Branching
from plumbline.trial.model.graph import Graph, Step
from plumbline.trial.model.trial import ModelTrial
from tests.suite import model_fakes
from tests.suite.test_model import said, saved

BRANCHES = """b (float[2,4] X, bool c, bool d) => (float[e,f] Y, float[g,h] Z) {
    r = Relu (X)
    Y, Z = If (c) <
        then_branch = t () => (float[2,4] y, float[2,4] z) <float[1] k = {2}> {
            y = Mul (r, k)
            n = Neg (y)
            z = If (d) <
                then_branch = tt () => (float[2,4] a) { n2 = Abs (n)  a = Add (n2, k) },
                else_branch = te () => (float[2,4] a) { a = Sub (n, r) }
            >
        },
        else_branch = e () => (float[2,4] y, float[2,1] k) <float[2,1] k = {2, 3}> { y = Neg (r)  n = Abs (y) }
    >
}"""


def on(folder: Path, first: bool, second: bool, host: str = "Honest") -> ModelTrial:
    """The model of branches, tried."""
    graph = Graph(saved(folder, BRANCHES))
    inputs = {"X": np.linspace(-3, 4, 8, dtype=np.float32).reshape(2, 4), "c": np.array(first), "d": np.array(second)}
    trial = ModelTrial(graph, InProcess(getattr(model_fakes, host)()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.run()
    return trial


@pytest.mark.parametrize(("first", "second", "operators", "left"), [
    (True, True, ["Relu", "Mul", "Neg", "Abs", "Add"], 3), (True, False, ["Relu", "Mul", "Neg", "Sub"], 4),
    (False, True, ["Relu", "Neg", "Abs", "Identity"], 6)])
def test_the_branch_taken_is_judged_node_by_node(tmp_path: Path, first: bool, second: bool, operators: list[str],
                                                 left: int) -> None:
    """In both ways, branches within branches too; what is left out is counted, and the final outputs stay the same."""
    trial = on(tmp_path, first, second)
    assert [step.operator for step in trial.graph.steps] == operators and not trial.inner and not trial.wrong
    judged = {(judged.step.operator, judged.way) for judged in trial.judged}
    assert judged == {(operator, way) for operator in [*operators, "If"] for way in ("alone", "in-place")}
    assert len(trial.replaced) == 1 + first and not any(subject.why_not for subject in trial.replaced)
    assert trial.status() == 0
    note, = trial.graph.notes
    assert note == (f"{1 + first} If node{'s' * first} replaced by the branch that these inputs take, and {left} nodes "
                    "of other branches left out; the final outputs stay the same bit by bit")


def test_a_fault_in_a_branch_is_located(tmp_path: Path) -> None:
    """At its node, with the branch in place."""
    trial = on(tmp_path, True, True, "At_n2")
    assert {(judged.step.operator, judged.way) for judged in trial.wrong} == {("Abs", "in-place")}
    assert any(": first wrong node: n2 (Abs); its error changes final outputs: Z in 8 of 8" in line
               for line in said(trial))


def test_the_wrong_branch_is_a_fault_of_the_node(tmp_path: Path) -> None:
    """The node runs with constants in place of its branches; in place it is not judged, as it gives other bits than the
    nodes of the branch."""
    trial = on(tmp_path, True, False, "OtherBranch")
    assert {(judged.step.operator, judged.way) for judged in trial.wrong} >= {("If", "alone")}
    ways = [judged.way for judged in trial.judged if judged.subject in trial.replaced]
    assert "in-place" not in ways and trial.status() == 1
    assert {clause for judged in trial.wrong for clause in judged.line.clauses} == {"onnx/if@16#outputs.F2"}


@pytest.mark.parametrize(("value", "other"), [([0, 0], [1, 1]), ([0, 3], [0, 0]), ([], [])])
def test_the_branch_that_is_not_taken_holds_other_values(value: list[int], other: list[int], tmp_path: Path) -> None:
    """Of the same type and shape, as version 1 demands."""
    proto = onnx.parser.parse_node("y = If (c) <then_branch = t () => (int8[N] a) { a = Neg (X) }, "
                                   "else_branch = e () => (int8[N] b) { b = Abs (X) }>")
    step = Step(proto, node_of(proto, "graph", {"": 16}, Values()))
    given = {"y": np.array(value, np.int8)}
    branching = Branching(step, np.array([False]), given, given)
    changed = branching.alone()
    held = {attribute.name: [onnx.numpy_helper.to_array(tensor).tolist() for tensor in attribute.g.initializer]
            for attribute in changed.proto.attribute}
    assert held == {"then_branch": [other], "else_branch": [value]} and branching.is_same and not branching.why_not
    assert graph_of(changed.node.attributes["else_branch"]).output[0].name == "else_branch_0"
    assert not Branching(step, np.array([False]), given, {"y": np.array([7], np.int8)}).is_same
    assert Branching(step, np.array([False]), {}, {}).why_not == "its outputs cannot be fetched"


def test_names_of_branches_stay_apart(tmp_path: Path) -> None:
    """Two nodes with branches whose tensors have the same names, one behind the other."""
    path = saved(tmp_path, """b (float[4] X, bool c) => (float[e] Z) {
        Y = If (c) <then_branch = t () => (float[4] o) { i = Abs (X)  o = Neg (i) },
                    else_branch = e () => (float[4] o) { o = Neg (X) }>
        Z = If (c) <then_branch = t () => (float[4] o) { i = Neg (Y)  o = Neg (i) },
                    else_branch = e () => (float[4] o) { o = Abs (Y) }>
    }""")
    digest, graph = Graph(path).digest, Graph(path)
    inputs = {"X": np.array([-1, 2, -3, 4], np.float32), "c": np.array(True)}
    trial = ModelTrial(graph, InProcess(model_fakes.Honest()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.run()
    assert [list(step.proto.output) for step in graph.steps] == [["i"], ["Y"], ["i#2"], ["Z"]]
    assert "stay the same bit by bit" in graph.notes[0] and not trial.wrong and graph.digest == digest
    onnx.checker.check_model(graph.plain)


def test_a_branch_of_constants_alone_is_judged(tmp_path: Path) -> None:
    """As exporters write it where a detector finds nothing; its value is data of the graph that replaces the node."""
    graph = Graph(saved(tmp_path, """b (float[1] X, bool c) => (float[e] Z) {
        Y = If (c) <then_branch = t () => (float[1] o) { o = Constant <value = float[1] {3}> () },
                    else_branch = e () => (float[1] o) { o = Neg (X) }>
        Z = Add (X, Y)
    }"""))
    inputs = {"X": np.array([1], np.float32), "c": np.array(True)}
    trial = ModelTrial(graph, InProcess(model_fakes.Honest()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.run()
    branching, = trial.replaced
    assert branching.why_not == "" and trial.status() == 0
    assert {judged.way for judged in trial.judged if judged.subject is branching} == {"alone", "in-place"}


def test_a_branch_behind_what_is_refused_stays(tmp_path: Path) -> None:
    """Nothing tells which one is taken."""
    graph = Graph(saved(tmp_path, """b (float[1,1,4] X) => (float[e,f,g] Y) {
        r = AveragePool <kernel_shape = [1]> (X)
        m = ReduceMax <keepdims = 0> (r)
        c = Cast <to = 9> (m)
        Y = If (c) <then_branch = t () => (float[1,1,4] o) { o = Neg (r) },
                    else_branch = e () => (float[1,1,4] o) { o = Abs (X) }>
    }"""))
    inputs = {"X": np.ones((1, 1, 4), np.float32)}
    trial = ModelTrial(graph, InProcess(model_fakes.Refuses()), KnownDivergences(), texts(["onnx/*"]), inputs)
    assert [step.operator for step in trial.graph.steps] == ["AveragePool", "ReduceMax", "Cast", "If"]
    assert len(trial.inner) == 2


def test_a_branch_of_a_model_that_is_refused_is_judged(tmp_path: Path) -> None:
    """Where the nodes before it tell which one is taken, what it reads from around it included."""
    path = saved(tmp_path, """b (float[4] X) => (float[f,g,e] Z) <int64[2] two = {0, 1}> {
        k = Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> ()
        r = Relu (X)
        m = ReduceMax <keepdims = 0> (r)
        c = Cast <to = 9> (m)
        Y = If (c) <then_branch = t () => (float[4] o) { o = Mul (r, k) },
                    else_branch = e () => (float[4] o) { o = Abs (X) }>
        w = Unsqueeze (Y, two)
        Z = AveragePool <kernel_shape = [1]> (w)
    }""")
    inputs = {"X": np.array([-1, 2, -3, 4], np.float32)}
    trial = ModelTrial(Graph(path), InProcess(model_fakes.Refuses()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.run()
    note, = trial.graph.notes
    assert note == "1 If node replaced by the branch that these inputs take, and 1 node of other branches left out"
    assert {judged.step.node.name for judged in trial.judged} == {"r", "m", "c", "Y", "w", "Z"}
    assert {judged.step.node.name for judged in trial.wrong} == {"Z"} and not trial.notes


def test_a_loop_runs_by_itself_with_what_it_reads_from_around(tmp_path: Path) -> None:
    """Where the model is refused behind it, it is run on the tensors that its body needs, constants included.

    It is judged with them as constants of its body."""
    path = saved(tmp_path, """b (float[4] X) => (float[f,g,e] Z) <int64[2] two = {0, 1}, int64 times = {2}> {
        k = Constant <value_floats = [1.0, 2.0, 3.0, 4.0]> ()
        r = Relu (X)
        Y = Loop (times, , r) <body = l (int64 i, bool go, float[4] v) => (bool on, float[4] w) {
            on = Identity (go)
            s = Add (v, k)
            w = Sub (s, r)
        }>
        u = Unsqueeze (Y, two)
        Z = AveragePool <kernel_shape = [1]> (u)
    }""")
    inputs = {"X": np.array([-1, 2, -3, 4], np.float32)}
    trial = ModelTrial(Graph(path), InProcess(model_fakes.Refuses()), KnownDivergences(), texts(["onnx/*"]), inputs)
    trial.run()
    assert trial.graph.steps[1].reads == ["times", "r", "k"]
    assert {judged.step.node.name for judged in trial.judged} == {"r", "Y", "u", "Z"} and not trial.notes
    assert {judged.step.node.name for judged in trial.wrong} == {"Z"}
