"""An operator with any number of outputs, from its cases to a reproducer: their number is part of what a call means."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plumbline.cases import Case, load_cases
from plumbline.cases.format.lint import lint
from plumbline.cases.generate.seeded import generate_cases
from plumbline.oracle import Call, OutsideDomain, load_spec
from plumbline.oracle.check import check
from plumbline.oracle.discovery import VARIABLE
from plumbline.reports.reproduce import script
from plumbline.trial.record.recording import read_record
from plumbline.trial.tools.promotion import case_of, promoted
from plumbline.trial.tools.shrinking import smaller
from tests.suite.commands import plumbline
from tests.suite.models import model, only

TEXT = """---
specification: some/split
operator: Split
opset: 13
inputs: [input]
outputs: [outputs]
variadic_output: outputs
optional: []
edition: ONNX, Split-13
schema:
  outputs.F1: {fact: type, like: input}
---
# Split

### `input`: tensor

- **`C1`** *Equal parts.* The outputs share the first axis evenly.
  - judges: call
  - source: Summary

### `outputs`: tensors

- **`C1`** *Shape.* Each has its part of the first axis.
  - judges: outputs
  - source: Summary
- **`F2`** *Value.* The elements of the input in their order.
  - judges: outputs
  - source: Summary
"""
DEFINITION = """import numpy as np
from plumbline.oracle import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.operator import Operator, on_call


class Split(Operator):
    shape = shape_of_output("outputs.C1", "outputs")
    value = elements_of("outputs.F2", "outputs", "not the element of the input")

    @property
    def count(self):
        return len(self.call.outputs or ("outputs_0",))

    @on_call("input.C1")
    def equal_parts(self):
        return None if self.inputs["input"].shape[0] % self.count == 0 else f"not {self.count} parts"

    def expected(self):
        parts = np.split(self.inputs["input"], self.count)
        return {f"outputs_{number}": part for number, part in enumerate(parts)}

    @classmethod
    def make(cls, choose, version):
        count = choose((2, 1, 3))
        return Call("Split", {}, {"input": choose.tensor((count * choose((1, 2)),), "float32", "bits")},
                    tuple(f"outputs_{number}" for number in range(count)))


def reference(call):
    x = call.inputs["input"]
    size = len(x) // len(call.outputs)
    return {name: x[number * size:number * size + size] for number, name in enumerate(call.outputs)}
"""
CASES = """spec: some/split
defaults: {dtype: float32}
cases:
- {id: thirds, title: In three parts, clauses: [outputs.F1, outputs.F2, outputs.C1], source: curated,
   inputs: {input: [1, 2, 3]}, expect: {outputs: {outputs_0: [1], outputs_1: [2], outputs_2: [3]}}}
- {id: halves, title: In two parts, clauses: [outputs.F2], source: curated, outputs: 2,
   inputs: {input: [1, 2, 3, 4]}, expect: {outputs: computed}}
- {id: uneven, title: In two parts that are unequal, clauses: [input.C1], source: curated, outputs: 2,
   inputs: {input: [1, 2, 3]}, expect: {outside: [input.C1]}}
"""
SWAPPED = '''import numpy as np


class Swapped:
    name, specifications = "swapped", ("some/*",)
    reproduce = "import swapped_runtime\\n\\ngot = swapped_runtime.swapped(inputs['input'], len(outputs))"

    def version(self):
        return "1"

    def run(self, request):
        return dict(zip(request.outputs, swapped(request.inputs["input"], len(request.outputs)), strict=True))


def swapped(x, count):
    parts = np.split(x, count)
    return parts[:-2] + parts[-2:][::-1]
'''


@pytest.fixture
def cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Case]:
    """The cases of a specification in a folder that nothing in the suite knows of, by id."""
    folder = tmp_path / "texts" / "some"
    folder.mkdir(parents=True)
    for name, content in (("split.md", TEXT), ("split.py", DEFINITION), ("split.yaml", CASES)):
        (folder / name).write_text(content, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "texts"))
    return {case.id: case for case in load_cases([tmp_path / "texts"])}


def test_cases_say_how_many_outputs_a_call_asks_for(cases: dict[str, Case]) -> None:
    """By those that they expect, or by a number; both oracles agree on each, and each tests what it lists."""
    assert {name: len(case.call.outputs) for name, case in cases.items()} == {"thirds": 3, "halves": 2, "uneven": 2}
    assert [problem for case in cases.values() for problem in lint(case)] == []
    spec, call = load_spec("some/split"), cases["halves"].call
    assert call.asking_for("outputs").outputs == call.outputs == spec.asked(call) == ("outputs_0", "outputs_1")
    assert spec.forms == (("outputs",),) and spec.form(call) == "outputs"
    assert cases["halves"].digest != replace(cases["halves"], call=Call("Split", {}, call.inputs)).digest
    with pytest.raises(OutsideDomain, match="no output outputs_7"):
        spec.expected(replace(call, outputs=("outputs_0", "outputs_7")))


def test_each_output_is_judged(cases: dict[str, Case]) -> None:
    """By the clauses on the variadic output, under its own name."""
    spec, call = load_spec("some/split"), cases["thirds"].call
    right = spec.expected(call)
    assert spec.divergences(call, right) == []
    for name, array in right.items():
        for wrong, clause in ((array + 1, "F2"), (array[None], "C1"), (array.astype(np.float64), "F1")):
            entry, = spec.divergences(call, {**right, name: wrong})
            assert (entry.clause, entry.output) == (f"some/split#outputs.{clause}", name)
    entry, = spec.divergences(replace(call, outputs=("outputs_0",)), {"outputs_0": right["outputs_0"]})
    assert entry.clause.endswith("outputs.C1")  # the same inputs mean another call


def test_generated_calls_have_their_outputs(cases: dict[str, Case]) -> None:
    """And become smaller by one output too."""
    drawn = list(generate_cases("some/split", seed=0, count=30))
    assert {len(case.call.outputs) for case in drawn} == {1, 2, 3}
    assert [problem for case in drawn for problem in lint(case)] == []
    assert ("outputs_0",) in [call.outputs for call in smaller(load_spec("some/split"), cases["halves"].call)]


def test_a_run_finds_a_fault_and_reproduces_it(cases: dict[str, Case], tmp_path: Path) -> None:
    """ONNX Runtime conforms; swapped outputs diverge, and their line becomes a case and a script."""
    (tmp_path / "swapped_runtime.py").write_text(SWAPPED, encoding="utf-8")
    paths = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PLUMBLINE_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "plumbline", "conformance", "--spec", "some/split", "--generated", "8", "--workers", "1",
         "--backend", "onnxruntime", "--backend", "swapped_runtime:Swapped", "--report-dir", str(tmp_path / "out")],
        env=os.environ | paths, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    verdicts, record = {}, None
    for path in (tmp_path / "out").glob("*.jsonl"):
        read = read_record(path)
        verdicts[read.header.backend.name] = {line.id: line.verdict for line in read.cases}
        record = read if read.header.backend.name == "swapped" else record
    assert {verdicts["onnxruntime"][name] for name in ("thirds", "halves")} == {"conforms"}
    assert record is not None and verdicts["swapped"]["thirds"] == verdicts["swapped"]["halves"] == "diverges"
    line = next(line for line in record.cases if line.id == "thirds")
    assert line.form == "outputs" and line.outputs == ["outputs_0", "outputs_1", "outputs_2"]
    assert case_of(record, line).call.outputs == cases["thirds"].call.outputs
    assert "outputs_2: [3.0]" in promoted(record, line)
    path = tmp_path / "reproduce.py"
    path.write_text(script(record, line), encoding="utf-8")
    again = subprocess.run([sys.executable, str(path)], env=os.environ | paths, capture_output=True, text=True)
    assert again.returncode == 1 and "outputs_1" in again.stdout + again.stderr, again.stdout + again.stderr


def test_nodes_of_models_have_as_many_outputs_as_they_name(cases: dict[str, Case], tmp_path: Path,
                                                           capsys: pytest.CaptureFixture) -> None:
    """`check` asks clauses that read their number, and `model` runs and judges each node."""
    graph = "g (float[4] X) => (float[a] Y, float[b] Z, float[c] W) {{ Y, Z{} = Split (X) W = Relu (Z) }}"
    path = model(tmp_path, graph.format(", V"), opset=13)
    assert only(check(path, ["some/split"])).those("broken")[0].why == "not 3 parts"
    path = model(tmp_path, graph.format(""), opset=13)
    assert only(check(path, ["some/split"])).standing == "inside"
    assert plumbline(["model", str(path), "--spec", "some/split", "--report-dir", str(tmp_path / "out")]) == 0
    assert "no judged node is wrong" in capsys.readouterr().out
    record, = (read_record(file) for file in (tmp_path / "out").glob("*.jsonl"))
    lines = [(line.spec, line.form, line.verdict) for line in record.cases]
    assert lines and set(lines) == {("some/split", "outputs", "conforms")}
