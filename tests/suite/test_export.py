"""Exported cases are what ONNX's own loader and runner read, and say what the suite says."""

from __future__ import annotations

import contextlib
import io
import json
import re
import unittest
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime.backend
import pytest
from onnx.backend.test import runner as onnx_runner
from onnx.backend.test.loader import load_model_tests

from plumbline.backends import find_backend
from plumbline.cases import generate_cases
from plumbline.cases.onnx.export import Exported, ExportError, export, reason_to_leave_out
from plumbline.cases.onnx.models import to_call
from plumbline.oracle import Call, Spec, load_spec
from tests.suite.commands import cases as main
from tests.suite.conftest import Trial
from tests.suite.written import cases_of

SPECS = ("sonnx/maxpool", "onnx/maxpool@8", "onnx/maxpool@12", "onnx/averagepool@22")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the cases of SPECS are exported to."""
    return tmp_path_factory.mktemp("exported") / "tests"


@pytest.fixture(scope="module")
def exported(folder: Path) -> Exported:
    """What was exported there."""
    return export(cases_of(*SPECS), folder)


def kinds() -> list[str]:
    """The folders of SPECS."""
    return [name.replace("/", "-").replace("@", "-") for name in SPECS]


def failing(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, set[str]]:
    """How many tests ONNX's runner finds in a folder and runs on ONNX Runtime, and the names of those that fail."""
    def load(kind: str, wanted: str = kind) -> list:
        return load_model_tests(data_dir=str(folder), kind=wanted) if kind == "real" else []
    monkeypatch.setattr(onnx_runner, "load_model_tests", load)
    result = unittest.TestResult()
    onnx_runner.Runner(onnxruntime.backend).include("_cpu$").test_suite.run(result)
    bad = {test.id().rpartition(".")[2].removesuffix("_cpu") for test, _ in (*result.failures, *result.errors)}
    return result.testsRun - len(result.skipped), bad


def test_onnx_runner_says_what_the_suite_says(folder: Path, exported: Exported, run_trial: Trial,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    """On ONNX Runtime every exported maximum passes exactly when the suite calls it conforming, and every mean that
    conforms passes; some of both fail."""
    host = find_backend("onnxruntime").start()
    record = run_trial(host, cases_of(*SPECS))
    verdicts = {}
    for line in record.cases:
        name = "_".join(["test", line.id, *(["indices"] if "Indices" in line.form else [])])
        verdicts[line.spec.replace("/", "-").replace("@", "-"), name] = line.verdict
    failed = 0
    for kind in kinds():
        count, bad = failing(folder, kind, monkeypatch)
        assert count == exported.written[kind] > 20
        names = {path.name for path in (folder / kind).iterdir()}
        conforming = {name for name in names if verdicts[kind, name] == "conforms"}
        assert bad <= names - conforming if "average" in kind else bad == names - conforming
        failed += len(bad)
    assert failed > 10


def test_the_program_of_the_readme_runs(folder: Path, exported: Exported, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the tests of the first folder that fail, as ONNX's runner does."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    program = re.search(r"```python\n(.*?)```", text, flags=re.DOTALL)[1]
    kind = re.search(r'kind="([^"]+)"', program)[1]
    monkeypatch.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(program, {})
    shown = {line.partition(" fails")[0] for line in printed.getvalue().splitlines()}
    assert shown == failing(folder, kind, monkeypatch)[1]
    assert exported.summary() in text


def test_what_is_exported_is_the_case(folder: Path, exported: Exported) -> None:
    """Model and data read back are the call and the outputs of the specification."""
    tried = 0
    for case in cases_of(*SPECS):
        path = folder / case.spec.replace("/", "-").replace("@", "-") / f"test_{case.id}"
        if not path.exists():
            continue
        x = onnx.numpy_helper.to_array(onnx.load_tensor(path / "test_data_set_0/input_0.pb"))
        y = onnx.numpy_helper.to_array(onnx.load_tensor(path / "test_data_set_0/output_0.pb"))
        call, opset = to_call((path / "model.onnx").read_bytes(), {"X": x})
        assert (call.operator, dict(call.attributes), opset) == (case.call.operator, dict(case.call.attributes),
                                                                 case.opset)
        np.testing.assert_array_equal(x, case.call.inputs["X"])
        assert load_spec(case.spec).divergences(call, {"Y": y}) == []
        onnx.checker.check_model(str(path / "model.onnx"), full_check=True)
        tried += 1
    assert tried > 200


def test_nothing_is_lost(exported: Exported) -> None:
    """Every form of every case is exported or counted, each reason that applies to these specifications among them."""
    forms = sum(len(load_spec(case.spec).forms) for case in cases_of(*SPECS))
    assert exported.written.total() + exported.left_out.total() == forms
    assert set(exported.left_out) == {"outside", "observed", "refusable", "open", "alternatives"}


def call_of(values: object, dtype: str = "float32", **attributes: object) -> Call:
    """A MaxPool over one row with every attribute set, asking for both outputs."""
    x = np.array([[[values]]], dtype=dtype)
    explicit = {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": [1, 1], "kernel_shape": [1, 2],
                "pads": [0, 0, 0, 0], "storage_order": 0, "strides": [1, 1], **attributes}
    return Call("MaxPool", explicit, {"X": x}, ("Y", "Indices"))


@pytest.mark.parametrize(("spec", "call", "alternatives"), [
    ("onnx/maxpool@12", call_of([1, 1, 2]), True),
    ("onnx/maxpool@12", call_of([1, 2, 1]), False),
    ("onnx/maxpool@12", call_of([0.0, -0.0, -1]), True),
    ("onnx/maxpool@12", call_of([1, 1, 2], storage_order=1), True),
    ("sonnx/maxpool", call_of([1, 1, 2]), False),
])
def test_a_tie_leaves_several_answers_under_some_texts(spec: str, call: Call, alternatives: bool) -> None:
    """ONNX's takes the index of any, SONNX's the first."""
    assert any(mask.any() for mask in load_spec(spec).alternatives(call).values()) is alternatives


def others(spec: Spec, call: Call, place: tuple[int, ...]) -> set[int]:
    """Every index that conforms at one place, found by trying all of X."""
    outputs, found = spec.expected(call), set()
    for index in range(call.inputs["X"].size):
        indices = outputs["Indices"].copy()
        indices[place] = index
        if not spec.divergences(call, {**outputs, "Indices": indices}):
            found.add(index)
    return found


@pytest.mark.parametrize("name", ["onnx/maxpool@12", "sonnx/maxpool"])
def test_several_is_where_several_indices_conform(name: str) -> None:
    """Checked with every index there is, on generated calls; what is left open is left out."""
    spec, seen = load_spec(name), Counter()
    for case in generate_cases(name, seed=3, count=150):
        call = case.call.asking_for("Y", "Indices")
        if call.inputs["X"].size > 40 or spec.violations(call) or "Indices" in spec.unspecified(call):
            continue
        mask = spec.alternatives(call).get("Indices", np.zeros(spec.expected(call)["Y"].shape, bool))
        for place in list(np.ndindex(mask.shape))[:6]:
            assert (len(others(spec, call, place)) > 1) == mask[place]
            seen[bool(mask[place])] += 1
    assert seen[False] > 30 and (seen[True] > 5) == (name != "sonnx/maxpool")


def test_tolerances_hold_every_conforming_mean(folder: Path, exported: Exported) -> None:
    """The largest and the smallest value that the clause allows, element by element, pass the comparison of ONNX's
    runner; ten times the tolerance does not."""
    spec, tried = load_spec("onnx/averagepool@22"), Counter()
    for path in sorted((folder / "onnx-averagepool-22").iterdir()):
        x, y = (onnx.numpy_helper.to_array(onnx.load_tensor(path / f"test_data_set_0/{name}_0.pb"))
                for name in ("input", "output"))
        call, _ = to_call((path / "model.onnx").read_bytes(), {"X": x})
        tolerance = json.loads((path / "data.json").read_text())
        assert tolerance["rtol"] == 0
        if y.dtype.name not in ("float16", "float32", "float64"):
            continue
        for sign in (-1, 1):
            got = y
            for step in 2.0 ** -np.arange(12):
                further = (got + sign * np.longdouble(step * tolerance["atol"])).astype(y.dtype)
                wrong = [mask_of(entry, y.shape) for entry in spec.divergences(call, {"Y": further})]
                got = np.where(np.any(wrong, axis=0), got, further) if wrong else further
            tried["moved"] += bool((got != y).any())  # an exact mean has one value alone
            onnx_runner.Runner.assert_similar_outputs([y], [got], **tolerance)
            tried["passes"] += 1
        far = (y.astype(np.longdouble) + 10 * np.longdouble(tolerance["atol"])).astype(y.dtype)
        if not tolerance["atol"]:
            far = np.nextafter(y, np.asarray(0, y.dtype))
        if np.array_equal(far, y, equal_nan=True):  # nothing but NaN and zeros
            continue
        with pytest.raises(AssertionError):
            onnx_runner.Runner.assert_similar_outputs([y], [far], **tolerance)
    assert tried["passes"] > 40 and tried["moved"] > 20


def mask_of(entry: object, shape: tuple[int, ...]) -> np.ndarray:
    """Where a divergence is."""
    mask = np.zeros(shape, dtype=bool)
    mask[tuple(entry.where.T)] = True
    return mask


def test_the_maximum_has_no_tolerance(folder: Path, exported: Exported) -> None:
    """Zero, in every exported test of MaxPool."""
    found = [json.loads(path.read_text()) for path in folder.glob("*maxpool*/*/data.json")]
    assert len(found) > 100 and all(entry == {"rtol": 0.0, "atol": 0.0} for entry in found)


def test_a_refusable_call_is_left_out() -> None:
    """As is one whose outputs are partly open."""
    chosen = cases_of("onnx/maxpool@22", "onnx/pow@15", "onnx/reducemax@20", "openvino/avgpool@14")
    reasons = Counter(reason_to_leave_out(spec, case, case.call.asking_for(spec.outputs[0]))
                      for case in chosen for spec in [load_spec(case.spec)])
    assert min(reasons[reason] for reason in ("refusable", "open", "no model", "outside", "observed", None)) > 3


def test_a_folder_in_use_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Status 2, and one line; so is a selection that leaves nothing."""
    (tmp_path / "mine").write_text("kept")
    assert main(["export", "--format", "onnx-backend-test", str(tmp_path), "--spec", "sonnx/relu"]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: is not an empty folder; name a new one\n"
    with pytest.raises(ExportError, match="nothing to write"):
        export([], tmp_path / "new")
    with pytest.raises(ExportError):
        export(cases_of("sonnx/relu"), tmp_path / "mine")


def test_the_door_says_what_was_exported(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """One line."""
    target = tmp_path / "new"
    assert main(["export", "--format", "onnx-backend-test", str(target), "--spec", "sonnx/maxpool"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    written = int(re.match(rf"{re.escape(str(target))}: ([0-9]+) tests; left out: ", lines[0])[1])
    assert written == len(list(target.glob("sonnx-*/*")))
