"""`plumbline model` on what models of packages have: constants, open sizes of -1, operators of other domains."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from plumbline.backends import Answered, Raised
from plumbline.commands.base import run
from plumbline.commands.main import commands
from plumbline.reports.reproduce import contents
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import InputError, drawn_inputs
from plumbline.trial.model.other_runs import compared
from plumbline.trial.record.measurements import error_in_words, figures_of
from plumbline.trial.record.recording import read_record
from tests.suite.test_model import CHAIN, saved, tried

CONSTANTS = """c (float[2,4] X) => (float[a,b] Y) {
    shape = Constant <value_ints = [4, 2]> ()
    by = Constant <value = float[2] {1, -1}> ()
    unused = Constant <value_string = "no number"> ()
    r = Reshape (X, shape)
    Y = Mul (r, by)
}"""


def main(*arguments: str) -> int:
    """The command `plumbline`; its exit status."""
    return run(commands, list(arguments), "plumbline")


def test_constants_are_data(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """They count apart, strings too, and the nodes that read them are judged."""
    trial = tried(saved(tmp_path, CONSTANTS), "Honest")
    assert [step.operator for step in trial.graph.steps] == ["Reshape", "Mul"] and not trial.wrong
    assert {judged.step.operator for judged in trial.judged} == {"Reshape", "Mul"} and trial.graph.data == 3
    assert np.array_equal(trial.graph.value("by"), np.array([1, -1], np.float32))
    options = ["--backend", "tests.suite.model_fakes:Honest", "--report-dir", str(tmp_path)]
    assert main("model", str(tmp_path / "model.onnx"), *options) == 0
    out = capsys.readouterr().out
    assert "judged 2 of 2 nodes (3 Constant apart), decided 2 (16 of 16 elements)\n  inputs" in out
    assert main("model", str(tmp_path / "model.onnx"), *options, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out)["constants"] == 3


def test_a_fault_behind_constants_is_located(tmp_path: Path) -> None:
    """At the node that reads the constant."""
    trial = tried(saved(tmp_path, CONSTANTS), "At_Y")
    assert {(judged.step.node.name, judged.way) for judged in trial.wrong} == {("Y", "in-place")}


def test_types_and_shapes_come_from_the_run(tmp_path: Path) -> None:
    """Where inference does not find them: behind an operator of another domain the clauses on calls are decided."""
    trial = tried(foreign(tmp_path, "com.microsoft", "Gelu"), "Honest")
    assert [finding.standing for subject in trial.subjects for finding in subject.findings] == ["inside", "inside"]
    assert trial.graph.shape("g") is None


def foreign(folder: Path, domain: str, operator: str, imported: bool = True) -> Path:
    """A model with a node of another domain between two of ONNX."""
    nodes = f"a = Abs (X)  g = {domain}.{operator} (a)  Y = Relu (g)"
    path = saved(folder, f"f (float[2,4] X) => (float[2,4] Y) {{ {nodes} }}")
    model = onnx.load(path)
    if imported:
        model.opset_import.add(domain=domain, version=1)
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize("imported", [True, False])
def test_nodes_of_other_domains_are_named_run_and_not_judged(tmp_path: Path, imported: bool,
                                                             capsys: pytest.CaptureFixture) -> None:
    """What lies behind them is judged; ONNX Runtime runs its own domain without an import, too."""
    path = foreign(tmp_path, "com.microsoft", "Gelu", imported)
    assert main("model", str(path), "--report-dir", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert ("judged 2 of 3 nodes, decided 2 (16 of 16 elements); not judged, of other domains than ONNX's: "
            "com.microsoft.Gelu\n  inputs") in out
    assert out.count("note: ") == (0 if imported else 1)


def test_a_domain_that_the_runtime_lacks_is_named(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """What comes before it is judged, and status 1 says that the model does not run."""
    assert main("model", str(foreign(tmp_path, "my.own", "Strange")), "--report-dir", str(tmp_path)) == 1
    out = capsys.readouterr().out
    assert "the whole model did not run: " in out and "not judged  Y (Relu): not reached: nothing gave g\n" in out
    assert ("judged 1 of 3 nodes, decided 1 (8 of 8 elements); nothing decided of Relu; not judged, of other "
            "domains") in out


OPEN = "o (float[A,3,B,7] X, float[N,4] V) => (float[a,b,c,d] Y) { Y = Relu (X)  Z = Abs (V) }"


def with_open(folder: Path) -> Path:
    """A model with sizes of -1 and without symbol."""
    path = saved(folder, OPEN)
    model = onnx.load(path)
    sizes = model.graph.input[0].type.tensor_type.shape.dim
    sizes[0].dim_value = sizes[3].dim_value = -1
    model.graph.input[1].type.tensor_type.shape.dim[1].Clear()
    for size in model.graph.output[0].type.tensor_type.shape.dim:
        size.dim_value = -1
    path.write_bytes(model.SerializeToString())
    return path


def test_sizes_of_minus_one_are_open(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Right inputs are taken, and open sizes without a symbol are given by input and axis; what lacks is chosen."""
    path = with_open(tmp_path)
    options = ["model", str(path), "--backend", "tests.suite.model_fakes:Honest", "--report-dir", str(tmp_path)]
    np.savez(tmp_path / "given.npz", X=np.ones((2, 3, 5, 6), np.float32), V=np.ones((1, 4), np.float32))
    assert main(*options, "--inputs", str(tmp_path / "given.npz")) == 0
    capsys.readouterr()
    assert main(*options) == 0
    assert "first with which it runs: --size B=64 --size X.3=64 --size V.1=16\n" in capsys.readouterr().out
    assert main(*options, "--size", "X.3=5") == 0
    assert "first with which it runs: --size B=64 --size V.1=16\n" in capsys.readouterr().out
    with pytest.raises(InputError, match="--size X.1: the model's inputs have no such size; they have B, N, V.1, X.0"):
        drawn_inputs(Graph(path), 0, {"X.1": 2})


def test_sizes_are_chosen_by_what_runs(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Others are tried where a size does not fit; where none does, all that lack are named."""
    options = ["--report-dir", str(tmp_path)]
    past = saved(tmp_path, """p (float[B,P] X, float[B,L] V, float[B,S] W, float[L] H) => (float[B,257] Y)
        <int64[2] fits = {-1, 257}> {
            Z = Concat <axis = 1> (X, V)  A = Add (Z, W)  Y = Reshape (A, fits)  G = Abs (H)
        }""")
    model = onnx.load(past)
    model.graph.input[2].type.tensor_type.shape.dim[1].dim_param = "P + L"  # as exporters of decoders name it
    past.write_bytes(model.SerializeToString())
    assert main("model", str(past), *options) == 0
    assert "first with which it runs: --size P=256 --size L=1\n" in capsys.readouterr().out
    none = saved(tmp_path, "n (float[B,N] X) => (float[7,3] Y) <int64[2] fits = {7, 3}> { Y = Reshape (X, fits) }")
    assert main("model", str(none), *options) == 2
    assert capsys.readouterr().err.splitlines()[-1] == "sizes of inputs are not known; give --size N=N, or --inputs"
    assert main("model", str(none), *options, "--size", "N=21") == 0


def test_a_question_mark_is_no_symbol(tmp_path: Path) -> None:
    """Sizes that are marked so are open, and need not be equal."""
    path = saved(tmp_path, OPEN)
    model = onnx.load(path)
    for value in (*model.graph.input, model.graph.output[0]):
        for size in value.type.tensor_type.shape.dim[1:]:
            size.dim_param = "?"
    path.write_bytes(model.SerializeToString())
    drawn = drawn_inputs(Graph(path), 0, {"X.1": 2, "X.2": 3, "X.3": 4, "V.1": 5})
    assert drawn["X"].shape == (1, 2, 3, 4) and drawn["V"].shape == (1, 5)


def test_what_probing_meets_touches_the_model(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The last sentence names a known divergence that showed when probed alone."""
    path = saved(tmp_path, "g (float[1,1,5,5] X) => (float[1,1,h,w] Y) "
                 "{ Y = MaxPool <kernel_shape=[2,2], pads=[1,1,1,1], strides=[3,3]> (X) }", 12)
    assert main("model", str(path), "--probe", "--report-dir", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "diverges  Y (MaxPool), probed: " in out and "first wrong node: Y (MaxPool)\n" in out
    assert re.search(r"\n1 of the \d+ known divergences of \S+ \S+ touched this model "
                     r"\(onnx-lowest-finite-without-indices when probed\)", out)


SLICED = """s (float[4,4] X, int64[1] last) => (float[a,4] Y) <int64[1] first = {1}> {
    bounds = Constant <value_ints = [3]> ()
    a = Slice (X, first, bounds)
    Y = Slice (a, first, last)
}"""


def test_alone_a_node_has_the_constants_of_the_model(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Another path is no path of this model; what is an input of it stays one, and is wrong in both ways."""
    path = saved(tmp_path, SLICED)
    np.savez(tmp_path / "given.npz", X=np.ones((4, 4), np.float32), last=np.array([2]))
    options = ["--backend", "tests.suite.model_fakes:OpenBounds", "--report-dir", str(tmp_path)]
    assert main("model", str(path), *options, "--inputs", str(tmp_path / "given.npz")) == 0
    record = read_record(next(tmp_path.glob("*.jsonl")))
    assert {line.id: line.constants for line in record.cases if line.id.endswith("alone")} == {
        "a.alone": ["starts", "ends"], "Y.alone": ["starts"]}
    assert "\nright as far as it is decided: no judged node is wrong\n" in capsys.readouterr().out


def test_a_reproducer_has_the_constants_of_the_model(tmp_path: Path) -> None:
    """As initialisers; a promoted or minimised case keeps them."""
    path = saved(tmp_path, SLICED)
    np.savez(tmp_path / "given.npz", X=np.ones((4, 4), np.float32), last=np.array([2]))
    options = ["--backend", "tests.suite.model_fakes:Of_Slice", "--report-dir", str(tmp_path)]
    assert main("model", str(path), *options, "--inputs", str(tmp_path / "given.npz")) == 1
    record = read_record(next(tmp_path.glob("*.jsonl")))
    line = next(line for line in record.cases if line.id == "a.alone")
    model = onnx.load_model_from_string(contents(record, line)["model.onnx"])
    assert [value.name for value in model.graph.input] == ["data"]
    assert [tensor.name for tensor in model.graph.initializer] == ["starts", "ends"]


def test_what_is_right_in_place_is_no_headline(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """It is said behind it, and is a finding all the same: status 1."""
    options = ["--backend", "tests.suite.model_fakes:Lonely", "--report-dir", str(tmp_path)]
    assert main("model", str(saved(tmp_path, CHAIN)), *options) == 1
    out = capsys.readouterr().out
    said = "no judged node is wrong in the model; right in the model, but wrong by itself: a (MaxPool), d (MaxPool)"
    assert f"\nwrong: {said}\n" in out and "first wrong node" not in out and "diverges  a (MaxPool), alone: " in out
    assert main("model", str(tmp_path / "model.onnx"), *options, "--format", "json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["first_wrong"] is None and told["wrong_alone"] == ["a", "d"]


def test_what_optimisation_does_to_final_outputs_is_said(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """By default, with the largest difference; nobody is accused. A backend without that setting is named."""
    path, options = saved(tmp_path, CHAIN), ["--report-dir", str(tmp_path), "--backend"]
    assert main("model", str(path), *options, "tests.suite.model_fakes:FusesByDefault") == 0
    out = capsys.readouterr().out
    assert re.search(r"^right as far .*\n  optimisation changes final outputs: Z in 32 of 32 elements by at most 1e"
                     r"\+03, [\d.e+]+ of the largest\n", out, re.M)
    assert main("model", str(path), *options, "tests.suite.model_fakes:Honest", "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["unoptimised"]["why"] == "honest 1 has no setting that turns it off"
    assert "not known whether optimisation changes the final outputs: honest 1 has no setting" in told["answer"]
    assert main("model", str(path), "--report-dir", str(tmp_path)) in (0, 1)
    assert "\n  optimisation changes no final output\n" in capsys.readouterr().out


def test_what_the_first_wrong_node_does_to_final_outputs_is_said(tmp_path: Path) -> None:
    """The nodes behind it run on what it gave, and on what it should have given."""
    trial = tried(saved(tmp_path, CHAIN), "At_b")
    assert trial.effect is not None and not trial.effect.why
    effect = trial.effect.outputs["Z"]
    assert effect.count == effect.of and abs(effect.largest - 1000) < 1
    trial = tried(saved(tmp_path, CHAIN), "At_Z")
    assert trial.effect is not None and abs(trial.effect.outputs["Z"].largest - 1000) < 1
    hidden = CHAIN.replace("m = Relu (b)", "u = Sub (b, b) e = Exp (u) m = Relu (e)")
    trial = tried(saved(tmp_path, hidden), "At_b")
    assert trial.effect is not None and not any(each.count for each in trial.effect.outputs.values())
    assert tried(saved(tmp_path, CHAIN), "Honest").effect is None


def test_differences_of_outputs() -> None:
    """Of every kind: shapes, numbers, truth values, what is not finite."""
    def of(first: object, second: object, dtype: str = "float32") -> tuple[int, float, str]:
        run = compared({"Y": np.array(first, dtype)}, Answered({"Y": np.array(second, dtype)}))
        return run.outputs["Y"].count, run.outputs["Y"].largest, run.outputs["Y"].otherwise
    nan, inf = float("nan"), float("inf")
    assert of([0.0, nan, inf, -1], [-0.0, nan, inf, -1]) == (0, 0, "")
    assert of([1, nan, inf], [1.5, 2, inf]) == (2, 0.5, "1 of them not finite in one of both")
    assert of([1, 5], [1, 7], "int64") == (1, 2, "") and of([True, False], [True, True], "bool") == (1, 0, "")
    assert of([1, 5], [[1, 7]])[2] == "float32[2], not float32[1, 2]"
    assert compared({}, Raised("load", "Fail", "no")).why == "it was refused (load): Fail: no"


MIXED = """m (float[1,3,9] X) => (float[a,b,c] Y, float[d,e,f] P) {
    a = Abs (X)
    i = InstanceNormalization (a, one, none)
    h = com.microsoft.Gelu (i)
    Y = Abs (h)
    P = Mul (a, X)
}"""


def test_final_outputs_are_compared_with_a_run_through_the_definitions(tmp_path: Path, capsys: pytest.CaptureFixture
                                                                       ) -> None:
    """A planted fault shows in the outputs behind it alone; a node without a specification is named."""
    path = saved(tmp_path, MIXED.replace("Y, float[d,e,f] P) {", "Y, float[d,e,f] P) "
                                         "<float[3] one = {1, 1, 1}, float[3] none = {0, 0, 0}> {"))
    model = onnx.load(path)
    model.opset_import.add(domain="com.microsoft", version=1)
    path.write_bytes(model.SerializeToString())
    options = ["model", str(path), "--independent", "--report-dir", str(tmp_path), "--backend"]
    for host, status in (("Honest", 0), ("At_i", 1)):
        assert main(*options, f"tests.suite.model_fakes:{host}", "--format", "json") == status
        told = json.loads(capsys.readouterr().out)
        run = told["independent"]
        assert run["relative"] == ["h"] and not run["why"] and run["outputs"]["P"]["count"] == 0
        assert (run["outputs"]["Y"]["largest"] > 1e-3) is (host == "At_i")
        assert "relative to what the runtime gives at h" in told["answer"]


def test_a_model_that_does_not_run_has_no_independent_run(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """And it says so."""
    path = foreign(tmp_path, "my.own", "Strange")
    assert main("model", str(path), "--independent", "--report-dir", str(tmp_path), "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["independent"]["why"] == "the backend does not run the model"


def test_errors_are_measured_against_what_is_allowed(tmp_path: Path) -> None:
    """Of each result whose specification allows errors; units in the last place beyond a number's own are no unit."""
    model = "e (float[2,300] X, float[300,4] W) => (float[2,4] Y, float[2,300] Z) { Y = MatMul (X, W)  Z = Relu (X) }"
    lines = {judged.line.id: judged.line for judged in tried(saved(tmp_path, model), "Honest").judged}
    for way in ("alone", "in-place"):
        figures = lines[f"Y.{way}"].figures
        assert 0 <= figures["largest error"] <= figures["largest error allowed"]
        assert figures_of(lines[f"Z.{way}"]) == {}
    line = lines["Y.alone"].model_copy(update={"figures": {
        "largest error": 2.0, "largest error allowed": 4.0, "largest error in ulp": 1e36}})
    assert error_in_words(line) == "largest error 2, 0.5 of what is allowed"
    line.figures["largest error in ulp"] = 835.5  # of a number that is small against its bound
    assert error_in_words(line) == "largest error 2, 0.5 of what is allowed"
    line.figures["largest error in ulp"] = 3.0
    assert error_in_words(line) == "largest error 2, 0.5 of what is allowed; largest error in ulp 3"
    del line.figures["largest error"]
    assert error_in_words(line) == "largest error in ulp 3"
    small = saved(tmp_path, model.replace("300", "3"))  # a large one would be made smaller first
    wrong = next(judged.line for judged in tried(small, "At_Y").judged if judged.line.accuses)
    assert abs(wrong.figures["largest error"] - 1000) < 1 and "of what is allowed" in error_in_words(wrong)


def test_the_errors_of_functions_are_measured_against_what_roundings_explain(tmp_path: Path) -> None:
    """Not in units of the last place of values near zero, which formulas with a 1 on the way do not have."""
    path = saved(tmp_path, "s (float[4] X) => (float[4] Y) { Y = Sigmoid (X) }")
    np.savez(tmp_path / "x.npz", X=np.array([-9, -10.5, -12, -14], np.float32))
    assert main("model", str(path), "--inputs", str(tmp_path / "x.npz"), "--report-dir", str(tmp_path)) == 0
    line = next(line for line in read_record(next(tmp_path.glob("*.jsonl"))).cases if line.id == "Y.alone")
    assert 0 < line.figures["largest error allowed"] < 1e-6
    assert re.fullmatch("largest error [0-9.e-]+, [0-9.e-]+ of what is allowed(; largest error in ulp [0-9.]{1,5})?",
                        error_in_words(line))


def test_attributes_that_are_tensors_are_read(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A node with one is checked and judged like others."""
    path = saved(tmp_path, """c (int64[2] S) => (int32[a,b] Y) {
        Y = ConstantOfShape <value = int32[1] {7}> (S)
    }""")
    np.savez(tmp_path / "given.npz", S=np.array([2, 3]))
    trial = ["model", str(path), "--inputs", str(tmp_path / "given.npz"), "--report-dir", str(tmp_path), "--backend"]
    assert main("check", str(path)) == 3 and "depends on the elements of input" in capsys.readouterr().out
    assert main(*trial, "tests.suite.model_fakes:Honest") == 0
    assert "judged 1 of 1 nodes, decided 1" in capsys.readouterr().out


FLOAT = "f (float[2,4] X) => (float[2,4] Y) { a = Abs (X)  b = Sqrt (a)  Y = Add (b, X) }"
QUANTISED = """q (float[2,4] X) => (float[2,4] Y) <float s = {0.5}, uint8 z = {0}> {
    a = Abs (X)
    a_quantized = QuantizeLinear (a, s, z)
    a_DequantizeLinear_Output = DequantizeLinear (a_quantized, s, z)
    b = Sqrt (a_DequantizeLinear_Output)
    Y = Add (b, X)
}"""


def test_a_quantised_model_is_compared_with_that_of_floats(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Tensors are matched by name, and the loss is shown where it arises."""
    (tmp_path / "float").mkdir()
    exact, path = saved(tmp_path / "float", FLOAT), saved(tmp_path, QUANTISED)
    np.savez(tmp_path / "given.npz", X=np.array([[0.1, 0.3, 1.2, 2.2], [-1, -0.3, 0.7, 3.3]], np.float32))
    trial = ["model", str(path), "--inputs", str(tmp_path / "given.npz"), "--report-dir", str(tmp_path), "--backend",
             "tests.suite.model_fakes:Honest", "--format", "json", "--against"]
    main(*trial, str(exact))
    told = json.loads(capsys.readouterr().out)["against"]
    losses = {each["tensor"]: each for each in told["losses"]}
    assert list(losses) == ["a", "a_DequantizeLinear_Output", "b", "Y"] and not told["why"]
    assert losses["a"]["loss"] == 0 and losses["a_DequantizeLinear_Output"]["arises"] > 0.02
    assert losses["a_DequantizeLinear_Output"]["operator"] == "DequantizeLinear"
    assert told["outputs"]["Y"]["largest"] > 0.05
    main(*trial[:-3], "--against", str(exact))
    assert "most is lost at a_DequantizeLinear_Output (DequantizeLinear)" in capsys.readouterr().out
    main(*trial, str(saved(tmp_path / "float", FLOAT.replace("X", "V"))))
    assert json.loads(capsys.readouterr().out)["against"]["why"] == "its inputs are V"
