"""`plumbline model`: the first wrong node of a model is found, whatever is wrong with it; nothing right is accused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from plumbline.backends import Host, InProcess, find_backend
from plumbline.commands.base import run
from plumbline.commands.main import commands
from plumbline.oracle import Operator, load_spec, spec_names
from plumbline.oracle.check.selection import texts
from plumbline.trial.known.register import KnownDivergences
from plumbline.trial.model import graph as model_graph
from plumbline.trial.model import node_judging as model_judging
from plumbline.trial.model.graph import Graph
from plumbline.trial.model.inputs import InputError, drawn_inputs, read_inputs
from plumbline.trial.model.model_record import record_of
from plumbline.trial.model.spans import search_span
from plumbline.trial.model.text_output import as_text
from plumbline.trial.model.trial import ModelTrial
from plumbline.trial.record.recording import read_record
from tests.suite import model_fakes

WEIGHTS = ",".join(str((7 * number) % 5 - 2) for number in range(144))
RESIDUAL = f"""r (float[N,4,8,8] X) => (float[N,3] Z)
<float[4,4,3,3] W = {{{WEIGHTS}}}, float[4] B = {{1,0,-1,0.5}}, float[3,4] G = {{1,2,3,4,5,6,7,8,9,10,11,12}}> {{
    c = Conv <pads = [1,1,1,1]> (X, W, B)
    a = Relu (c)
    d = Conv <pads = [1,1,1,1]> (a, W)
    s = Add (d, X)
    b = Relu (s)
    p = GlobalAveragePool (b)
    f = Flatten (p)
    Z = Gemm <transB = 1> (f, G)
}}"""
CHAIN = """c (float[1,2,12,12] X) => (float[1,2,h,w] Z) {
    a = MaxPool <kernel_shape = [2,2]> (X)
    b = AveragePool <kernel_shape = [3,3], pads = [1,1,1,1]> (a)
    m = Relu (b)
    d = MaxPool <kernel_shape = [3,3], strides = [2,2]> (m)
    Z = AveragePool <kernel_shape = [2,2]> (d)
}"""


def saved(folder: Path, graph: str, opset: int = 17) -> Path:
    """A file with a model."""
    path = folder / "model.onnx"
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": {opset}]> {graph}')
    path.write_bytes(proto.SerializeToString())
    return path


def tried(path: Path, host: Host | str, known: KnownDivergences | None = None, probing: bool = False) -> ModelTrial:
    """A model tried on a backend of `model_fakes`, or on a host."""
    graph = Graph(path)
    host = InProcess(getattr(model_fakes, host)()) if isinstance(host, str) else host
    trial = ModelTrial(graph, host, known or KnownDivergences(), texts(["onnx/*"]), drawn_inputs(graph, 1, {}),
                       probing=probing)
    trial.run()
    return trial


def main(arguments: list[str]) -> int:
    """The command `plumbline`; its exit status."""
    return run(commands, arguments, "plumbline")


def said(trial: ModelTrial) -> list[str]:
    """What a user reads, with the lines of the answer as one."""
    lines = as_text(record_of(trial, Path("x.jsonl"), "plumbline model", {}, "x"))
    return "\n".join(lines).replace("\n  ", "; ").split("\n")


def names(trial: ModelTrial) -> set[tuple[str, str]]:
    """The wrong nodes with the ways in which they are."""
    return {(judged.step.node.name, judged.way) for judged in trial.wrong}


OPERATORS = {load_spec(name).operator for name in spec_names() if name.startswith("onnx/")}


def test_large_weights_are_held_once(tmp_path: Path) -> None:
    """Each copy of a model would hold them again; parts of it and the whole are sent with them all the same."""
    path = saved(tmp_path, "g (float[1,64] X) => (float[1,64] Z) { a = MatMul (X, W)\n Z = Relu (a) }")
    model, weights = onnx.load(path), np.arange(4096, dtype=np.float32).reshape(64, 64)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights, "W"))
    onnx.save(model, path)
    graph, x = Graph(path), np.ones((1, 64), np.float32)
    graph.bind({"X": x})
    before = graph.plain.SerializeToString()
    assert graph.full.ByteSize() < weights.nbytes < len(before)
    assert graph.shape("a") == [1, 64]
    whole, part = graph.giving(["a"]), graph.part({"X": x}, ["X"], ["a"])
    assert graph.plain.SerializeToString() == before
    for sent, outputs in ((whole, ["Z", "a"]), (part, ["a"])):
        read = onnx.load_model_from_string(sent)
        assert [value.name for value in read.graph.output] == outputs
        assert np.array_equal(onnx.numpy_helper.to_array(read.graph.initializer[0]), weights)


@pytest.mark.parametrize("graph", [RESIDUAL, CHAIN], ids=["residual", "chain"])
def test_nothing_is_wrong_with_a_right_backend(tmp_path: Path, graph: str) -> None:
    """Each node whose operator has a specification is judged in both ways, the others are counted."""
    trial = tried(saved(tmp_path, graph), "Honest")
    having = [step.node.name for step in trial.graph.steps if step.node.operator in OPERATORS]
    assert {judged.line.verdict for judged in trial.judged} == {"conforms"} and trial.status() == 0
    assert sorted((judged.step.node.name, judged.way) for judged in trial.judged) == sorted(
        (name, way) for name in having for way in ("alone", "in-place"))
    lines = said(trial)
    assert f"judged {len(having)} of {len(trial.graph.steps)} nodes, decided {len(having)}" in lines[1]
    assert lines[1].startswith(("right as far as it is decided: no judged node is wrong; ", "undecided: "))
    left = {step.node.operator for step in trial.graph.steps} - OPERATORS
    assert all(name in lines[1] for name in left) and (bool(left) == ("no specification for" in lines[1]))


def every_node() -> list[tuple[str, str]]:
    """Each node of both models that can be judged."""
    found = []
    for graph in (RESIDUAL, CHAIN):
        proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["": 17]> {graph}')
        found += [(graph, node.output[0]) for node in proto.graph.node if node.op_type in OPERATORS]
    return found


@pytest.mark.parametrize(("graph", "name"), every_node(), ids=lambda value: value[:8].strip())
def test_a_fault_planted_at_one_node_is_located_there(tmp_path: Path, graph: str, name: str) -> None:
    """And nowhere else, although every node behind it gets other inputs than it should."""
    trial = tried(saved(tmp_path, graph), f"At_{name}")
    assert names(trial) == {(name, "in-place")}
    assert trial.status() == 1 and any(f": first wrong node: {name} (" in line for line in said(trial))


def test_a_fault_of_an_operator_is_found_in_both_ways(tmp_path: Path) -> None:
    """With the clause, and what a user has to know."""
    trial = tried(saved(tmp_path, CHAIN), "Of_AveragePool")
    assert names(trial) == {(name, way) for name in "bZ" for way in ("alone", "in-place")}
    line = next(line for line in said(trial) if line.startswith("diverges  b"))
    assert line.startswith("diverges  b (AveragePool), alone and in place: Y.F1 of onnx/averagepool@11; largest error ")
    assert line.endswith("[new]")


def test_a_refused_model_is_tried_node_by_node(tmp_path: Path) -> None:
    """Which node it is, what comes before it is judged, and what comes after it is not reached."""
    trial = tried(saved(tmp_path, CHAIN), "Refuses")
    assert trial.refused.endswith("no odd means here") and trial.status() == 1
    assert names(trial) == {("b", "alone")} and trial.wrong[0].line.verdict == "rejects-valid"
    assert [subject.why_not for subject in trial.subjects] == [
        "", "", "not reached: nothing gave b", "not reached: nothing gave m", "not reached: nothing gave d"]


def test_a_backend_that_takes_single_nodes_alone_is_tried_on_each(tmp_path: Path) -> None:
    """What a node gave by itself is given to the next, and one line says how it was tried."""
    trial = tried(saved(tmp_path, CHAIN), "SingleNodes")
    assert [judged.way for judged in trial.judged] == ["alone"] * 5 and not trial.wrong and trial.status() == 1
    assert any("did not run: refused (run): KeyError: 'operator'" in line for line in said(trial))


def test_a_model_that_ends_the_process_is_tried_node_by_node(tmp_path: Path) -> None:
    """The process of the backend, not the suite's."""
    host = find_backend("tests.suite.model_fakes:Dies").start()
    trial = tried(saved(tmp_path, CHAIN), host)
    host.close()
    assert "exit status 3" in trial.refused and trial.wrong[0].line.verdict == "crashes"
    assert names(trial) == {("b", "alone")}


def test_tensors_that_cannot_be_fetched_together_are_fetched_by_halves(tmp_path: Path) -> None:
    """Some runtimes limit what they give."""
    trial = tried(saved(tmp_path, CHAIN), "FewOutputs")
    assert {judged.way for judged in trial.judged} == {"alone", "in-place"} and not trial.wrong
    assert len(trial.judged) == 2 * sum(step.node.operator in OPERATORS for step in trial.graph.steps)


def test_portions_bound_what_is_held_and_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the smallest portion, one node is fetched at a time."""
    path, given = saved(tmp_path, CHAIN), []
    whole = names(tried(path, "At_d"))
    monkeypatch.setattr(model_graph, "PORTION", 1)
    giving = Graph.giving
    monkeypatch.setattr(Graph, "giving", lambda self, wanted: given.append(list(wanted)) or giving(self, given[-1]))
    assert names(tried(path, "At_d")) == whole
    assert max(map(len, given)) == 2 and len(given) > 5


def test_a_large_node_that_cannot_be_judged_in_slices_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those around it are judged, large or not. One whose slices are large is named as well."""
    monkeypatch.setattr(model_judging, "LARGEST", 1500)
    monkeypatch.setattr(load_spec("onnx/averagepool@11").definition, "slices", Operator.slices)
    trial = tried(saved(tmp_path, CHAIN), "Honest")
    assert {judged.step.node.name for judged in trial.judged} == {"a", "m", "d", "Z"}
    assert trial.subjects[1].why_not == "its tensors have 1,936 bytes, and at most 1,500 are judged"
    monkeypatch.setattr(model_judging, "AT_ONCE", 100)
    trial = tried(saved(tmp_path, CHAIN), "Honest")
    assert trial.subjects[0].why_not == "288 elements would be judged at once, and at most 100 are"


def test_what_wavers_is_unstable(tmp_path: Path) -> None:
    """A node accused in place is fetched a second time."""
    trial = tried(saved(tmp_path, CHAIN), "Wavers")
    line, = [judged.line for judged in trial.wrong]
    assert (line.id, line.verdict) == ("b.in-place", "unstable") and "in a second run of the whole model" in line.did
    assert sum(each.line.id == "b.in-place" for each in trial.judged) == 1


def test_what_is_wrong_behind_random_numbers_is_no_less_so(tmp_path: Path) -> None:
    """Its inputs differ in each run, and so does what it gives."""
    path = saved(tmp_path, """d (float[64] X) => (float[64] Z) <float r = {0.5}, bool t = {1}> {
        a = Dropout (X, r, t)
        b = Abs (a)
        Z = Neg (b)
    }""")
    assert [(judged.line.id, judged.line.verdict) for judged in tried(path, "At_b").wrong if judged.way == "in-place"] \
        == [("b.in-place", "diverges")]
    assert [judged.line.verdict for judged in tried(path, "Wavers").wrong] == ["diverges"]


def test_the_smallest_span_that_optimisation_changes_is_found(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Two nodes that are right where what is between them is fetched, and wrong where it is not."""
    path = saved(tmp_path, CHAIN)
    options = ["--backend", "tests.suite.model_fakes:Fuses", "--report-dir", str(tmp_path), "--spans"]
    assert main(["model", str(path), *options, "--write-models", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "no judged node is wrong\n" in out and "differ together from one by one: m breaks " in out
    assert "optimised: the 2 nodes from b (AveragePool) to m (Relu) " in out
    assert "optimised: 1 short span gives other bits together than one by one, most at b (AveragePool) to m " in out
    proto = onnx.load(tmp_path / "b-to-m.onnx")
    assert [node.op_type for node in proto.graph.node] == ["AveragePool", "Relu"]
    assert dict(np.load(tmp_path / "b-to-m.npz"))["a"].shape == (1, 2, 11, 11)


@pytest.mark.parametrize("graph", [RESIDUAL, CHAIN], ids=["residual", "chain"])
def test_no_span_is_found_where_optimisation_changes_nothing(tmp_path: Path, graph: str) -> None:
    """ONNX Runtime fuses convolutions with what follows them, and rightly so."""
    trial = tried(saved(tmp_path, graph), "Honest")
    search_span(trial)
    assert trial.spans_searched and trial.span is None
    assert said(trial)[2] == "optimised: the whole model gives the results of its nodes one by one"
    fused = [[step.operator for step in change.steps] for change in trial.changes]
    assert all(2 <= len(steps) <= 3 and "Conv" in steps for steps in fused)
    assert all(change.share < 1e-5 for change in trial.changes)


FAR = """f (float[1,1,12,12] X) => (float[1,1,a,b] Z) {
    a = Abs (X)
    b = AveragePool <kernel_shape=[3,3]> (a)
    m = Relu (b)
    c = Neg (m)
    d = Abs (c)
    e = AveragePool <kernel_shape=[2,2]> (d)
    Z = Relu (e)
}"""


def test_each_short_span_that_optimisation_changes_is_named(tmp_path: Path) -> None:
    """Two of them, one across the middle of the nodes that are halved; the larger difference comes first."""
    trial = tried(saved(tmp_path, FAR), "Fuses")
    search_span(trial)
    assert sorted([step.node.name for step in change.steps] for change in trial.changes) == [["b", "m"], ["e", "Z"]]
    assert trial.changes[0].share > trial.changes[1].share > 1


def test_probing_finds_what_the_inputs_do_not_show(tmp_path: Path) -> None:
    """-inf, which no drawn input has, in each node of the operator; the others stay right."""
    path = saved(tmp_path, CHAIN)
    assert not tried(path, "TakesLowest").wrong
    trial = tried(path, "TakesLowest", probing=True)
    assert {judged.step.node.name for judged in trial.wrong} == {"a", "d"} and trial.status() == 1
    assert {judged.way.partition("-")[0] for judged in trial.wrong} == {"probe"}
    probed = {judged.step.node.name for judged in trial.judged if judged.way.startswith("probe")}
    assert probed == {step.node.name for step in trial.graph.steps if step.node.operator in OPERATORS}


# On ONNX Runtime itself, with what is known of it

LAST = "g (float[1,1,2,2] X) => (float[1,1,h,w] Y) { Y = MaxPool <kernel_shape=[1,1], strides=[3,3], ceil_mode=1> (X) }"


def test_a_known_divergence_is_named_before_and_after(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A window that ONNX Runtime drops whatever the values are."""
    path = saved(tmp_path, LAST, 11)
    assert main(["model", str(path), "--report-dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "can meet  Y (MaxPool): onnx-last-window-dropped-early, whatever the values\n" in out
    assert "diverges  Y (MaxPool), alone and in place: Y.C2 of onnx/maxpool@11  [known: onnx-last-w" in out
    assert "\nwrong: first wrong node: Y (MaxPool)" in out and "\n  judged 1 of 1 nodes, decided 1 " in out


def test_strict_counts_known_divergences(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A model whose outputs a known divergence changes can fail a pipeline."""
    path = saved(tmp_path, LAST, 11)
    assert main(["model", str(path), "--report-dir", str(tmp_path), "--strict"]) == 1
    assert "[known: onnx-last-window-dropped-early]" in capsys.readouterr().out


def test_unspecified_accuracy_is_named(tmp_path: Path) -> None:
    """The clause by its title: the outputs are judged, their accuracy alone is not."""
    lines = said(tried(saved(tmp_path, "g (float[8,8] X) => (float[8,8] Y) { Y = Gelu (X) }", 20), "Honest"))
    assert any(line.startswith("observed  Y (Gelu): unspecified by onnx/gelu@20: Accuracy (Y.U1); largest error")
               for line in lines)


def test_a_divergence_that_depends_on_values_is_found_with_them(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """-inf alone in a padded window: said beforehand where it can be met, and judged on the inputs that show it."""
    path = saved(tmp_path, "g (float[1,1,5,5] X) => (float[1,1,h,w] Y) "
                 "{ Y = MaxPool <kernel_shape=[2,2], pads=[1,1,1,1], strides=[3,3]> (X) }", 12)
    np.savez(tmp_path / "inputs.npz", X=np.full((1, 1, 5, 5), -np.inf, np.float32))
    given = ["--inputs", str(tmp_path / "inputs.npz"), "--report-dir", str(tmp_path), "--format", "json"]
    assert main(["model", str(path), *given]) == 0
    node, = json.loads(capsys.readouterr().out)["nodes"]
    met, = [each for each in node["can_meet"] if each["id"] == "onnx-lowest-finite-without-indices"]
    assert met["when"].startswith("only where X holds -inf")
    assert {(each["way"], each["verdict"], each["known"]) for each in node["results"]} == {
        (way, "diverges", "onnx-lowest-finite-without-indices") for way in ("alone", "in-place")}


def test_the_record_is_one_like_every_other(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Whole, with a page, and each line can be promoted to a case; wrong nodes are written as models that run."""
    path = saved(tmp_path, CHAIN)
    options = ["--backend", "tests.suite.model_fakes:Of_AveragePool", "--report-dir", str(tmp_path / "out")]
    assert main(["model", str(path), *options, "--write-models", str(tmp_path / "wrong")]) == 1
    out = capsys.readouterr().out
    record = read_record(next((tmp_path / "out").glob("*.jsonl")))
    assert record.whole and record.chosen == len(record.cases) and record.cases[0].source == "model.onnx"
    assert "b.in-place" in record.path.with_suffix(".html").read_text(encoding="utf-8")
    assert main(["promote", str(record.path), "b.alone"]) == 0
    for written in ("b", "Z"):
        model = tmp_path / "wrong" / f"{written}.onnx"
        assert f"model   {model}" in out
        request = type("Request", (), {"model": model.read_bytes(), "outputs": ("Y",),
                                       "inputs": dict(np.load(model.with_suffix(".npz")))})
        assert model_fakes.Honest().run(request)["Y"].ndim == 4


def test_a_finding_on_large_tensors_is_promoted_smaller(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A record keeps a part of large inputs; a case holds them whole."""
    path = saved(tmp_path, "g (float[1,2,40,40] X) => (float[1,2,h,w] Z) { Z = AveragePool <kernel_shape=[2,2]> (X) }")
    options = ["--backend", "tests.suite.model_fakes:Of_AveragePool", "--report-dir", str(tmp_path)]
    assert main(["model", str(path), *options]) == 1
    record = next(tmp_path.glob("*.jsonl"))
    assert f"shows it of Z (AveragePool): plumbline promote {record} Z.smaller\n" in capsys.readouterr().out
    assert main(["promote", str(record), "Z.alone"]) == 2
    assert main(["promote", str(record), "Z.smaller"]) == 0
    assert "id: found-Z.smaller" in capsys.readouterr().out


def test_what_is_wrong_in_place_alone_is_promoted_in_part(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """A window, since the backend answers rightly when it is put the node by itself."""
    path = saved(tmp_path, "g (float[1,2,40,40] X) => (float[1,2,h,w] Z) { Z = AveragePool <kernel_shape=[2,2]> (X) }")
    options = ["--backend", "tests.suite.model_fakes:At_Z", "--report-dir", str(tmp_path)]
    assert main(["model", str(path), *options]) == 1
    record = next(tmp_path.glob("*.jsonl"))
    capsys.readouterr()
    assert main(["promote", str(record), "Z.smaller"]) == 0
    assert "kernel_shape: [2, 2]" in (out := capsys.readouterr().out) and len(out.splitlines()) < 20


def test_a_trial_reads_the_definitions_of_its_operators_alone(tmp_path: Path) -> None:
    """Those of all others take a tenth of its start: neither the backend nor the known divergences need them."""
    (tmp_path / "one.py").write_text(f"""
import sys
from plumbline.commands.base import run
from plumbline.commands.main import commands
assert run(commands, ["model", {str(saved(tmp_path, CHAIN))!r}, "--report-dir", {str(tmp_path)!r}], "plumbline") == 0
print(sorted(name for name in sys.modules if name.startswith("plumbline.oracle.operators.onnx.")), file=sys.stderr)
""")
    done = subprocess.run([sys.executable, str(tmp_path / "one.py")], capture_output=True, text=True, timeout=120,
                          check=True, cwd=Path(__file__).resolve().parents[2])
    assert "onnx.relu" in done.stderr and "onnx.lstm" not in done.stderr and "onnx.resize" not in done.stderr


def test_the_answer_does_not_wait_for_the_page(tmp_path: Path, capsys: pytest.CaptureFixture,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    """It is printed, and the record written, before the page is made."""
    def nothing(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("plumbline.commands.model.write_html", nothing)
    assert main(["model", str(saved(tmp_path, CHAIN)), "--report-dir", str(tmp_path)]) == 2
    out = capsys.readouterr().out
    assert "right as far as it is decided: no judged node is wrong" in out and "report" not in out
    assert all(read_record(path).whole for path in tmp_path.glob("*.jsonl"))


def test_an_interrupted_trial_keeps_what_it_has_judged(tmp_path: Path, capsys: pytest.CaptureFixture,
                                                       monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, status 2, a record and a page, which says so; the record of an earlier trial stands."""
    options = ["model", str(saved(tmp_path, CHAIN)), "--report-dir", str(tmp_path)]
    assert main(options) == 0
    (whole,) = tmp_path.glob("*.jsonl")
    capsys.readouterr()
    judge, reached = model_judging.Judging.judge, []

    def interrupted(self: model_judging.Judging, *arguments: object) -> bool:
        reached.append(arguments)
        if len(reached) == 3:
            raise KeyboardInterrupt
        return judge(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(model_judging.Judging, "judge", interrupted)
    assert main(options) == 2
    out, err = capsys.readouterr()
    page = whole.with_suffix(".unfinished.html")
    assert (out, err) == ("", f"interrupted when 2 of 5 nodes were judged; what was judged is in {page}\n")
    record = read_record(whole.with_suffix(".unfinished.jsonl"))
    assert {line.id for line in record.cases} == {f"{name}.{way}" for name in "ab" for way in ("alone", "in-place")}
    assert "interrupted when 2 of 5" in record.incomplete and read_record(whole).whole
    shown = page.read_text(encoding="utf-8")
    assert "Not finished: interrupted when 2 of 5 nodes were judged; no judged node is wrong" in shown
    assert shown.count("not reached: the trial was interrupted") == 3


def test_a_trial_that_is_killed_keeps_what_it_has_judged(tmp_path: Path) -> None:
    """As an unfinished record, which a trial that ends takes away."""
    code = """
import os
from plumbline.commands import main, model
from plumbline.trial.model.node_judging import Judging
model.KEEP_EVERY, judge, reached = 0, Judging.judge, []
def killing(*given):
    reached.append(given)
    if KILL and len(reached) == 4:
        os.kill(os.getpid(), 9)
    return judge(*given)
Judging.judge = killing
main.main()
"""
    command = [sys.executable, "-c", "", "model", str(saved(tmp_path, CHAIN)), "--report-dir", str(tmp_path)]
    command[2] = f"KILL = True{code}"
    assert subprocess.run(command, check=False, capture_output=True).returncode != 0
    (killed,) = tmp_path.glob("*.jsonl")
    assert killed.name.endswith(".unfinished.jsonl")
    record = read_record(killed)
    assert {line.id for line in record.cases} == {f"{name}.{way}" for name in "abm" for way in ("alone", "in-place")}
    assert "interrupted when 3 of 5" in record.incomplete
    command[2] = f"KILL = False{code}"
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    (whole,) = tmp_path.glob("*.jsonl")
    assert read_record(whole).whole


SCAN = """s (float[1,1,6,6] X) => (float[1,1,h,w] Y) {
    R = Relu (X)
    Z = Scan <num_scan_inputs = 1, body = b (float[1,6,6] v) => (float[1,6,6] w) {
        q = Unsqueeze (v, first)
        p = AveragePool <kernel_shape = [3,3], strides = [0,1], pads = [1,1,1,1]> (q)
        w = Squeeze (p, first)
    }> (R)
    Y = MaxPool <kernel_shape = [2,2]> (Z)
}""".replace("(float[1,1,h,w] Y) {", "(float[1,1,h,w] Y) <int64[1] first = {0}> {")


def test_nodes_in_the_body_of_a_scan_are_judged_in_each_iteration(tmp_path: Path) -> None:
    """One that breaks a clause on calls is refused; then what it breaks is said."""
    lines = said(tried(saved(tmp_path, SCAN.replace("strides = [0,1]", "strides = [1,1]")), "Honest"))
    assert "judged 8 of 8 nodes, decided 8 (277 of 277 elements); inputs" in lines[1]
    assert any(line.startswith("outside  p (AveragePool): onnx/averagepool@11#strides.C1") for line in
               said(tried(saved(tmp_path, SCAN), "Honest")))


def test_nodes_in_the_body_of_a_scan_that_remains(tmp_path: Path) -> None:
    """They are judged by what the scan gives where its specification decides that; else they are undecided."""
    model = SCAN.replace("strides = [0,1]", "strides = [1,1]")
    trial = tried(saved(tmp_path, model), "PlainScans")  # so that its iterations cannot be fetched
    lines = said(trial)
    assert ("judged 3 of 6 nodes, decided 2 (61 of 97 elements); nothing decided of Scan, Unsqueeze, AveragePool, "
            "Squeeze; 3") in lines[1]
    assert any(line.startswith("observed  Z (Scan): ") for line in lines)  # means may be rounded
    assert [line for line in lines if line.startswith("not judged")] == [
        f"not judged  {node}: it is in Scan Z > body, whose tensors cannot be fetched"
        for node in ("q (Unsqueeze)", "p (AveragePool)", "w (Squeeze)")]
    assert trial.status() == 2
    exact = model.replace("AveragePool <kernel_shape = [3,3], strides = [1,1], pads = [1,1,1,1]>", "Identity")
    trial = tried(saved(tmp_path, exact), "PlainScans")
    lines = said(trial)
    assert ("judged 6 of 6 nodes, decided 6 (97 of 97 elements); 3 in graphs of other nodes, judged by what these "
            "give; inputs") in lines[1]
    assert not any(line.startswith("not judged") for line in lines) and trial.status() == 0


def test_what_probing_finds_on_large_tensors_is_promoted_smaller(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """The page still says that nothing was wrong with the inputs that the node had."""
    path = saved(tmp_path, "g (float[1,2,40,40] X) => (float[1,2,h,w] Z) { Z = MaxPool <kernel_shape=[2,2]> (X) }")
    options = ["--backend", "tests.suite.model_fakes:TakesLowest", "--report-dir", str(tmp_path), "--probe"]
    assert main(["model", str(path), *options]) == 1
    out, record = capsys.readouterr().out, next(tmp_path.glob("*.jsonl"))
    assert "diverges  Z (MaxPool), probed: " in out and "first wrong node: Z (MaxPool)" in out
    assert main(["promote", str(record), "Z.smaller"]) == 0
    assert "id: found-Z.smaller" in capsys.readouterr().out


def test_inputs_are_read_from_a_folder_and_drawn_with_special_values(tmp_path: Path, capsys: pytest.CaptureFixture
                                                                     ) -> None:
    """As ONNX's own test data hold them; a NaN that is drawn brings out a fault that ordinary numbers do not."""
    path, folder = saved(tmp_path, CHAIN), tmp_path / "inputs"
    folder.mkdir()
    options = ["--backend", "tests.suite.model_fakes:TakesLowest", "--report-dir", str(tmp_path), "--format", "json"]
    lowest = onnx.numpy_helper.from_array(np.full((1, 2, 12, 12), -np.inf, np.float32))
    (folder / "input_0.pb").write_bytes(lowest.SerializeToString())
    assert main(["model", str(path), *options, "--inputs", str(folder)]) == 1
    assert json.loads(capsys.readouterr().out)["wrong_alone"][0] == "a"
    assert main(["model", str(path), *options, "--range", "-2..-1"]) == 0
    assert main(["model", str(path), *options, "--range", "2..1"]) == 2
    assert main(["model", str(path), *options, "--inputs", str(tmp_path)]) == 2
    out, error = capsys.readouterr()
    assert error.splitlines()[-2:] == [
        "--range 2..1: write A..B or NAME=LO:HI, two numbers, the smaller one first",
        f"{tmp_path / 'input_0.pb'}: cannot be read: No such file or directory; it is for the input X"]
    drawn = drawn_inputs(Graph(path), 1, {}, (0.0, 1.0), [np.nan, -np.inf])["X"]
    assert np.isnan(drawn).any() and np.isneginf(drawn).any() and np.nanmax(drawn) < 1


@pytest.mark.parametrize(("arrays", "options", "says"), [
    ({"V": np.zeros(1)}, [], "lacks the input 'X'; it has V"),
    ({"X": np.zeros((1, 4, 8, 8), np.float32), "V": np.zeros(1)}, [], "the model has no input 'V'; its inputs are X"),
    ({"X": np.zeros((1, 4, 8, 8))}, [], "X is float64, and the model takes float32"),
    ({"X": np.zeros((1, 4, 8, 9), np.float32)}, [], "X has shape [1, 4, 8, 9], and the model takes [N, 4, 8, 8]"),
    (None, ["--size", "M=3"], "--size M: the model's inputs have no such size; they have N"),
    (None, ["--size", "N=x"], "--size N=x: write SYMBOL=N"),
    (b"", [], "not a .npz file of arrays"),
])
def test_inputs_that_do_not_fit_give_one_line(tmp_path: Path, arrays: dict | bytes | None, options: list[str],
                                              says: str, capsys: pytest.CaptureFixture) -> None:
    """Status 2, before the backend is started."""
    path, given = saved(tmp_path, RESIDUAL), tmp_path / "given.npz"
    if isinstance(arrays, dict):
        np.savez(given, **arrays)
    elif arrays is not None:
        given.write_bytes(arrays)
    assert main(["model", str(path), *options, *(["--inputs", str(given)] if arrays is not None else [])]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1 and error.endswith(f"{says}\n")


def test_a_name_of_an_array_is_part_of_one_line(tmp_path: Path) -> None:
    """Whatever characters it has."""
    np.savez(tmp_path / "given.npz", **{"V\n\x1b": np.zeros(1)})
    with pytest.raises(InputError, match=r"lacks the input 'X'; it has V \\x1b$"):
        read_inputs(tmp_path / "given.npz", Graph(saved(tmp_path, RESIDUAL)).inputs)


@pytest.mark.parametrize(("name", "put", "says"), [
    ("given.npz", os.mkfifo, "given.npz: cannot be read: not a regular file"),
    ("folder/input_0.pb", os.mkfifo, "input_0.pb: cannot be read: not a regular file; it is for the input X"),
    ("folder/input_0.pb", os.mkdir, "input_0.pb: cannot be read: Is a directory; it is for the input X"),
    ("folder/input_1.pb", Path.touch, "input_1.pb: the model has no such input; its inputs are X"),
])
def test_inputs_that_are_no_files_give_one_line(tmp_path: Path, name: str, put: Callable[[Path], None], says: str,
                                                capsys: pytest.CaptureFixture) -> None:
    """A pipe that nobody writes to is not waited for."""
    path, folder = saved(tmp_path, RESIDUAL), tmp_path / "folder"
    folder.mkdir()
    whole = onnx.numpy_helper.from_array(np.zeros((1, 4, 8, 8), np.float32))
    (folder / "input_0.pb").write_bytes(whole.SerializeToString())
    (tmp_path / name).unlink(missing_ok=True)
    put(tmp_path / name)
    assert main(["model", str(path), "--inputs", str((tmp_path / name) if name.endswith("npz") else folder)]) == 2
    out, error = capsys.readouterr()
    assert out == "" and error.count("\n") == 1 and error.endswith(f"{says}\n")


def test_a_model_without_a_judged_node_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """An answer that tried nothing is not `nothing is wrong`."""
    path = saved(tmp_path, "g (float[2] X) => (float[2] Y) { Y = Identity (X)  }")
    assert main(["model", str(path), "--spec", "onnx/maxpool"]) == 2
    assert "nothing was judged" in capsys.readouterr().out
