"""Reproducers decide: their exit status is 1 where the fault shows and 0 where it does not; a finding as files."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from plumbline.backends import find_backend
from plumbline.backends.identity import Identity
from plumbline.backends.onnx_backend import OnnxBackend
from plumbline.backends.scripts import of_conversation, of_program
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call
from plumbline.reports.reproduce import archive, script
from plumbline.trial.known.root_causes import groups
from plumbline.trial.record.recording import Record, read_records
from tests import reproducers
from tests.suite import small_records as small
from tests.suite.commands import report as main
from tests.suite.fakes import FAKES

Y = "np.array([[[[{}]]]], np.float32)"
CALL = {"operator": "MaxPool", "attributes": {"kernel_shape": [2, 2]}, "inputs": {"X": small.X}}


def record_of(tmp_path: Path, run: str, *lines: small.Json, domain: str | None = "", as_set: str = "") -> Record:
    """A record of a runtime that `run` puts calls to, and `as_set` those in settings."""
    head = small.header("toy", "1")
    head["backend"] |= {"reproduce": run, "reproduce_as_set": as_set}
    head["specifications"][small.SPEC] = head["specifications"][small.SPEC] | {"domain": domain}
    record, = read_records([small.write(tmp_path / "record.jsonl", head, lines)])
    return record


def diverging(right: Any, seen: Any, **others: Any) -> small.Json:
    """One wrong element."""
    wrong = {"clause": f"{small.SPEC}#Y.F1", "output": "Y", "why": "wrong", "count": 1, "where": [[0, 0, 0, 0]],
             "expected": [right], "got": [seen]}
    return small.line("wrong", "diverges", clauses=["Y.F1"], call=CALL, expected={"Y": small.tensor([[[[right]]]])},
                      got={"Y": small.tensor([[[[seen]]]])}, divergences=[wrong], **others) | {"opset": 12}


def status_of(record: Record, tmp_path: Path) -> int:
    """How the script of its first line ends."""
    path = tmp_path / "reproduce.py"
    text = script(record, record.cases[0]).replace("timeout=30", "timeout=8")  # for those that hang
    path.write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", str(path)], capture_output=True, text=True, check=False)
    assert "SyntaxError" not in done.stderr
    return done.returncode


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("right", "seen", "gives", "status"), [
    (4.0, 2.0, "2", 1), (4.0, 2.0, "4", 0), (4.0, 2.0, "3", 1), (4.0, 2.0, "4.25", 0),
    (4.0, 3.75, "3.75", 1), ("nan", 2.0, "np.nan", 0), ("-inf", 2.0, "-np.inf", 0), (4.0, 2.0, "np.nan", 1),
    (0.0, -0.0, "-0.0", 1), (0.0, -0.0, "0.0", 0)])
def test_a_wrong_element_decides_the_status(right: Any, seen: Any, gives: str, status: int, tmp_path: Path) -> None:
    """1 for what was seen and for what is as far from the truth; 0 for the truth, up to the rounding allowed."""
    record = record_of(tmp_path, f"got = [{Y.format(gives)}]", diverging(right, seen, bounds={"Y": 0.5}))
    assert status_of(record, tmp_path) == status


OPERATORS = "[node.op_type for node in model.graph.node]"


@pytest.mark.parametrize(("context", "holds"), [
    ("transposed", f"{OPERATORS} == ['Transpose', 'MaxPool', 'Transpose', 'Transpose']"),
    ("open-sizes", "model.graph.input[0].type.tensor_type.shape.dim[3].dim_param"),
    ("constants", f"{OPERATORS} == ['MaxPool'] and not inputs and len(model.graph.initializer) == 1"),
    ("strided", "not inputs['X'].flags.c_contiguous and str(inputs['X'].tolist()) == '[[[[1.0, -inf], [nan, 4.0]]]]'"),
    ("channels-last", "str(inputs['X'].tolist()) == '[[[[1.0, -inf], [nan, 4.0]]]]'"),
    ("threads", "settings == {'threads': 4}"), ("unoptimized", "settings['optimization'] == 'none'"),
    ("again", "str(settings['before']['X'].ravel().tolist()) == str(inputs['X'].ravel().tolist()[::-1])"),
    ("again-open-sizes", "settings['before']['X'].shape[0] == 2 * inputs['X'].shape[0]")])
def test_a_script_puts_the_call_in_its_context(context: str, holds: str, tmp_path: Path) -> None:
    """The model that was put, inputs as they lay, and settings, which the lines for them are given."""
    run = f"if not ({holds}):\n    raise SystemExit(7)\ngot = [{Y.format(2)}]"
    line = diverging(4.0, 2.0) | {"id": f"wrong/{context}", "context": context}
    held = record_of(tmp_path, "raise SystemExit(7)" if "settings" in holds else run, line, as_set=run)
    text = held.path.read_text(encoding="utf-8")
    held.path.write_text(text.replace(small.SPEC, "onnx/maxpool@12"), encoding="utf-8")
    record, = read_records([held.path])
    assert status_of(record, tmp_path) == 1


def test_a_script_in_a_context_needs_lines_for_its_settings(tmp_path: Path) -> None:
    """Without them there is none: in another context the fault may not show."""
    line = diverging(4.0, 2.0) | {"id": "wrong/threads", "context": "threads"}
    record = record_of(tmp_path, "got = []", line)
    assert script(record, record.cases[0]) == ""


@pytest.mark.parametrize(("run", "status"), [
    (f"got = [{Y.format(4)}]", 0), ("got = [np.zeros((1, 1), np.float32)]", 1),
    ("got = [np.full((1, 1, 1, 1), 4.0)]", 1), ("got = []", 1), ("raise ValueError", 1)])
def test_another_shape_or_type_decides_the_status(run: str, status: int, tmp_path: Path) -> None:
    """A whole output that is wrong or missing, and a refusal."""
    wrong = {"clause": f"{small.SPEC}#Y.F1", "output": "Y", "why": "wrong", "expected": "[1, 1, 1, 1]", "got": "[1, 1]"}
    line = small.line("wrong", "diverges", clauses=["Y.F1"], call=CALL, expected={"Y": small.tensor([[[[4.0]]]])},
                      got={"Y": small.tensor([[4.0]])}, divergences=[wrong])
    assert status_of(record_of(tmp_path, run, line), tmp_path) == status


@pytest.mark.gate(one_in=8)
@pytest.mark.parametrize(("verdict", "inside", "run", "status"), [
    ("rejects-valid", True, "raise ValueError", 1), ("rejects-valid", True, f"got = [{Y.format(4)}]", 0),
    ("crashes", True, "import os; os.abort()", 1), ("crashes", True, f"got = [{Y.format(4)}]", 0),
    ("crashes", True, "raise ValueError", 1), ("crashes", False, "raise ValueError", 0),
    ("crashes", False, "import os; os._exit(3)", 1),
    ("unstable", True, f"got = [{Y.format('id(object()) % 7 + len(answers)')}]", 1),
    ("unstable", True, "x += 1; got = [np.zeros(3)]", 1), ("unstable", True, f"got = [{Y.format(4)}]", 0)])
def test_a_fault_without_a_wrong_element_decides_the_status(verdict: str, inside: bool, run: str, status: int,
                                                            tmp_path: Path) -> None:
    """Refusals, the end of the process (never a signal, which would end `git bisect run`), answers that change."""
    expected = {"expected": {"Y": small.tensor([[[[4.0]]]])}} if inside else {}
    line = small.line("wrong", verdict, call=CALL, did="ended", **expected)
    assert status_of(record_of(tmp_path, run, line), tmp_path) == status


@pytest.mark.parametrize(("verdict", "run", "shows"), [
    ("diverges", f"got = [{Y.format(2)}]", True), ("diverges", "got = [is not]", False),
    ("diverges", "got = no_such_name", False), ("rejects-valid", "raise ValueError('refused')", True),
    ("rejects-valid", "got = [is not]", False)])
def test_an_error_of_a_script_reproduces_nothing(verdict: str, run: str, shows: bool, tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends a script with the same status as a fault that shows."""
    line = diverging(4.0, 2.0) if verdict == "diverges" else small.line(
        "wrong", verdict, call=CALL, did="refused", expected={"Y": small.tensor([[[[4.0]]]])})
    record = record_of(tmp_path, run, line)
    monkeypatch.setattr(reproducers, "surroundings", lambda record: (Path(sys.executable), tmp_path))
    group, = groups(record)
    assert reproducers.reproduced(record, group, tmp_path)[0] == shows


@pytest.mark.parametrize("name", ["onnxruntime-node", "onnxruntime-web", "onnxruntime-web-webgpu"])
def test_lines_for_a_script_are_kept_whole(name: str, tmp_path: Path) -> None:
    """However long: a script that is cut does not run."""
    lines = find_backend(name).program["reproduce"]
    record = record_of(tmp_path, lines, diverging(4.0, 2.0))
    compile(script(record, record.cases[0]), "reproduce.py", "exec")
    assert lines in script(record, record.cases[0])


STATEFUL = """
import builtins
got = [np.array(builtins.__dict__.setdefault("first_answer", inputs["X"].sum()), np.float32).reshape(1, 1, 1, 1)]"""


@pytest.mark.parametrize(("run", "status"), [(STATEFUL, 1), (f"got = [{Y.format(4)}]", 0)])
def test_the_call_before_an_unstable_one_is_replayed(run: str, status: int, tmp_path: Path) -> None:
    """A runtime that gives what it gave at first: alone the call is answered rightly, each time."""
    model = to_model(Call("MaxPool", {"kernel_shape": [2, 2]}, {"X": np.zeros((1, 1, 2, 2), np.float32)}), ("Y",), 12)
    before = {"model": base64.b64encode(model).decode(), "specification": small.SPEC, "outputs": ["Y"],
              "inputs": {"X": small.tensor([[[[1.0, 2.0], [3.0, 9.0]]]])}}
    call = {"operator": "MaxPool", "attributes": {"kernel_shape": [2, 2]},
            "inputs": {"X": small.tensor([[[[1.0, 1.0], [1.0, 1.0]]]])}}
    line = small.line("wrong", "unstable", call=call, did="put to another process Y was 4.0 and then 15.0",
                      expected={"Y": small.tensor([[[[4.0]]]])}, after=f"{small.SPEC} first [Y]", before=before)
    assert status_of(record_of(tmp_path, run, line), tmp_path) == status
    assert status_of(record_of(tmp_path, run, {**line, "before": None}), tmp_path) == 0


PROGRAM = """
import sys, numpy as np, onnx
model, inputs, outputs = sys.argv[1:]
x = onnx.numpy_helper.to_array(onnx.load_tensor(inputs + "/input_0.pb"))
assert onnx.load(model).graph.node[0].op_type == "MaxPool" and np.isnan(x[0, 0, 1, 0])
{}
open(outputs + "/output_0.pb", "wb").write(onnx.numpy_helper.from_array({}).SerializeToString())
"""
SPOKEN = """
import base64, json, sys, numpy as np, onnx
json.loads(sys.stdin.readline())
print('{{"plumbline": 1, "name": "toy", "version": "1", "model": true}}', flush=True)
for line in sys.stdin:
    call = json.loads(line)
    if call["do"] == "stop":
        break
    assert call["specification"] == "toy/maxpool@2" and call["attributes"] == {{"kernel_shape": [2, 2]}}
    assert onnx.load_model_from_string(base64.b64decode(call["model"])).graph.node[0].op_type == "MaxPool"
    {}
    y = {}
    print(json.dumps({{"number": call["number"], "outputs": {{"Y": {{"dtype": y.dtype.name, "shape": y.shape,
                      "data": base64.b64encode(y.tobytes()).decode()}}}}}}), flush=True)
"""


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize("form", ["exec", "stdio"])
@pytest.mark.parametrize(("verdict", "does", "gives", "status"), [
    ("diverges", "pass", Y.format(2), 1), ("diverges", "pass", Y.format(4), 0), ("diverges", "sys.exit(3)", "0", 1),
    ("rejects-valid", "sys.exit(3)", "0", 1), ("rejects-valid", "pass", Y.format(4), 0),
    ("crashes", "import os; os.abort()", "0", 1), ("crashes", "pass", Y.format(4), 0),
    ("hangs", "import time; time.sleep(600)", "0", 1), ("hangs", "pass", Y.format(4), 0),
    ("unstable", "pass", "np.array([id(object()) % 1009 + sys.stdin.fileno() + __import__('time').time()])", 1),
    ("unstable", "pass", Y.format(4), 0)])
def test_a_program_is_run_again(form: str, verdict: str, does: str, gives: str, status: int, tmp_path: Path) -> None:
    """One that is started for each call, and one that speaks the protocol; by what their hosts say of them."""
    path = tmp_path / "program.py"
    path.write_text((PROGRAM if form == "exec" else SPOKEN).format(does, gives), encoding="utf-8")
    command = f"{sys.executable} {path}"
    lines = of_program(f"{command} {{model}} {{inputs}} {{outputs}}") if form == "exec" else \
        of_conversation(command, wants_model=True, version=2)
    line = diverging(4.0, 2.0) if verdict == "diverges" else small.line(
        "wrong", verdict, call=CALL, did="ended", expected={"Y": small.tensor([[[[4.0]]]])}) | {"opset": 12}
    assert status_of(record_of(tmp_path, lines, line), tmp_path) == status


ONE_THIRD = "np.array([[[[1 / 3]]]], np.float32)"


@pytest.mark.parametrize(("gives", "status"), [(ONE_THIRD, 0), (f"np.nextafter({ONE_THIRD}, np.float32(1))", 1)])
def test_the_short_digits_of_a_record_are_the_value_of_the_type(gives: str, status: int, tmp_path: Path) -> None:
    """0.33333334 of float32 is not 0.33333334 of float64, which no answer could be."""
    record = record_of(tmp_path, f"got = [{gives}]", diverging(0.33333334, 0.33333337))
    assert status_of(record, tmp_path) == status


def test_a_missing_package_is_skipped(tmp_path: Path) -> None:
    """By `git bisect run`; a refusal is not."""
    assert status_of(record_of(tmp_path, "import no_such_runtime", diverging(4.0, 2.0)), tmp_path) == 125
    assert status_of(record_of(tmp_path, "raise ValueError", diverging(4.0, 2.0)), tmp_path) == 1


@pytest.mark.parametrize("lines", [of_program("no-such-program {model} {inputs} {outputs}"),
                                   of_conversation("no-such-program", wants_model=False)])
@pytest.mark.parametrize("verdict", ["diverges", "crashes"])
def test_a_program_that_is_not_there_is_skipped(lines: str, verdict: str, tmp_path: Path) -> None:
    """By `git bisect run`, which takes 125 so."""
    line = diverging(4.0, 2.0) if verdict == "diverges" else small.line("wrong", verdict, call=CALL, did="ended")
    assert status_of(record_of(tmp_path, lines, line), tmp_path) == 125


def test_programs_and_onnx_backends_have_lines() -> None:
    """Their hosts give them, for the command as it was given; lines that were cut would be no script."""
    host = find_backend(f"tests.suite.fakes:{FAKES['honest'].__name__}").start()
    assert f"from tests.suite.fakes import {FAKES['honest'].__name__}\n" in host.identity.reproduce
    host.close()
    host = find_backend("exec:true {model} {inputs} {outputs}").start()
    assert "'true {model} {inputs} {outputs}'" in host.identity.reproduce
    assert OnnxBackend(None, "theirs.backend:Backend").reproduce.startswith("from theirs.backend import Backend as")
    assert OnnxBackend(None, "theirs.backend").reproduce.startswith("import theirs.backend as backend\n")
    assert Identity.read({"name": "a", "version": "1", "reproduce": "#" * 9999, "specifications": []}).reproduce == ""


def test_findings_are_written_as_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The model, inputs, expected and given outputs, and the script, which read back to what the record holds."""
    record = record_of(tmp_path, f"got = [{Y.format(2)}]", diverging(4.0, 2.0), small.line("right", "conforms"))
    assert main(["files", str(record.path), str(tmp_path / "out")]) == 0
    folder, = (tmp_path / "out").iterdir()
    assert folder.name == "toy-maxpool-2-wrong-Y" and str(folder) in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == [
        "expected_0.pb", "got_0.pb", "input_0.pb", "model.onnx", "reproduce.py"]
    model = onnx.load(folder / "model.onnx")
    assert model.graph.node[0].op_type == "MaxPool" and [value.name for value in model.graph.input] == ["X"]
    arrays = {name: numpy_helper.to_array(onnx.load_tensor(folder / f"{name}_0.pb"))
              for name in ("input", "expected", "got")}
    assert arrays["expected"].item() == 4 and arrays["got"].item() == 2 and arrays["got"].dtype == np.float32
    assert np.array_equal(arrays["input"], [[[[1, -np.inf], [np.nan, 4]]]], equal_nan=True)
    assert main(["files", str(record.path), "wrong", str(tmp_path / "named")]) == 0
    assert [path.name for path in (tmp_path / "named").iterdir()] == [folder.name]


@pytest.mark.parametrize(("words", "says"), [
    (["out"], "not an empty folder"), (["right", "new"], "no line 'right' with its call"),
    (["nobody", "new"], "no line 'nobody'")])
def test_files_that_cannot_be_written_are_one_line(words: list[str], says: str, tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and nothing is written."""
    record = record_of(tmp_path, "", diverging(4.0, 2.0), small.line("right", "conforms"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "theirs").touch()
    assert main(["files", str(record.path), *words[:-1], str(tmp_path / words[-1])]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1
    assert not (tmp_path / "new").exists() and len(list((tmp_path / "out").iterdir())) == 1


def test_a_text_without_a_model_and_names_that_leave_the_folder(tmp_path: Path) -> None:
    """No model where no ONNX operator is meant; an id that is a path stays inside the folder."""
    line = diverging(4.0, 2.0) | {"id": "../../escaped"}
    record = record_of(tmp_path, "", line, domain=None)
    assert main(["files", str(record.path), str(tmp_path / "out")]) == 0
    folder, = (tmp_path / "out").iterdir()
    assert sorted(path.name for path in folder.iterdir()) == ["expected_0.pb", "got_0.pb", "input_0.pb"]


def test_the_page_gives_the_files_of_a_finding(tmp_path: Path) -> None:
    """As an archive within the page, which is the same each time."""
    record = record_of(tmp_path, f"got = [{Y.format(2)}]", diverging(4.0, 2.0))
    assert main(["html", str(record.path), "--output", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.search(r'download="(.+?)" href="data:application/zip;base64,(.+?)"', page)
    assert found and found[1] == "toy-maxpool-2-wrong-Y.zip"
    content = base64.b64decode(found[2])
    assert content == archive(record, record.cases[0])
    assert "model.onnx" in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_a_call_with_graphs_is_a_model(tmp_path: Path) -> None:
    """Which the script holds whole, and shows as a text; a graph that a record has cut gives none."""
    branches = {f"{name}_branch": f"{name} () => (float[1] y) <float[1] x = {{{number}}}> {{ y = Identity (x) }}"
                for name, number in (("then", 4), ("else", 2))}
    call = {"operator": "If", "attributes": branches, "inputs": {"cond": small.tensor([0], "bool")}}
    wrong = {"clause": f"{small.SPEC}#Y.F1", "output": "Y", "why": "wrong", "count": 1, "where": [[0]],
             "expected": [2.0], "got": [4.0]}
    run = "got = [onnx.numpy_helper.to_array(model.graph.node[0].attribute[{}].g.initializer[0])]"
    lines = small.line("graphs", "diverges", clauses=["Y.F1"], call=call, expected={"Y": small.tensor([2.0])},
                       got={"Y": small.tensor([4.0])}, divergences=[wrong]) | {"opset": 16}
    record = record_of(tmp_path, run.format(1), lines)
    text = script(record, record.cases[0])
    assert text.count("y = Identity (x)") == 2 and "# The model:" in text
    assert [status_of(record_of(tmp_path, run.format(place), lines), tmp_path) for place in (0, 1)] == [0, 1]
    cut = {**branches, "then_branch": f"{'a' * 5000} [7 more characters]"}
    record = record_of(tmp_path, run, lines | {"call": call | {"attributes": cut}})
    assert script(record, record.cases[0]) == ""
