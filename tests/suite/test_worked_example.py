"""The worked example: an operator that is not pooling, added with three files of its own and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import find_backend
from plumbline.cases import Case, generate_cases, load_cases
from plumbline.cases.__main__ import main
from plumbline.cases.gates import gaps
from plumbline.cases.lint import lint
from plumbline.oracle import Call, SpecError, load_spec, spec_names
from plumbline.oracle.places import SPEC_FOLDER, VARIABLE

ROOT = SPEC_FOLDER.parent
EXAMPLE = ROOT / "docs" / "worked-example"
FILES = [EXAMPLE / "onnx" / f"relu.{kind}" for kind in ("md", "py", "yaml")]
X = np.array([[-1, 2], [0, np.nan]], np.float32)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    """The cases of the example, whose folder is known for the length of a test."""
    monkeypatch.setenv(VARIABLE, str(EXAMPLE))
    return [case for case in load_cases() if case.spec == "onnx/relu"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder with the three files, some text of them replaced (a pattern by a text)."""
    def change(**replaced: tuple[str, str]) -> Path:
        (tmp_path / "onnx").mkdir()
        for path in FILES:
            text = path.read_text(encoding="utf-8")
            if path.suffix[1:] in replaced:
                pattern, new = replaced[path.suffix[1:]]
                text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
                assert count
            (tmp_path / "onnx" / path.name).write_text(text, encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(tmp_path))
        return tmp_path
    return change


def test_it_is_three_files_and_short() -> None:
    """Under 60 lines, empty ones apart; nothing else of the clone that is not prose or a test knows of it."""
    assert sorted(path for path in EXAMPLE.rglob("*.*") if path.is_file() and path.suffix != ".pyc") == sorted(FILES)
    assert sum(bool(line) for path in FILES for line in path.read_text(encoding="utf-8").splitlines()) < 60
    folders = ("spec", "oracle", "cases", "backends", "trial", "reports", "tests/conformance")
    known = [path for folder in folders for path in (ROOT / folder).rglob("*.*")
             if path.suffix in (".py", ".md", ".yaml") and "onnx/relu" in path.read_text(encoding="utf-8")]
    assert known == []
    assert "onnx/relu" not in spec_names()


def test_there_is_no_sweep_of_it(example: list[Case], capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep is of pooling; one line says so."""
    assert main(["sweep", "onnx/relu", "--bound", "1"]) == 2
    assert capsys.readouterr().err == "onnx/relu is about Relu; sweeps are of MaxPool and AveragePool alone\n"


def test_it_loads_and_every_clause_is_tried(example: list[Case]) -> None:
    """Lint finds nothing, which both oracles have a part in; every clause has its cases."""
    assert {case.id for case in example} == {"signs", "unsigned"}
    assert "onnx/relu" in spec_names() and "sonnx/maxpool" in spec_names()
    assert [problem for case in example for problem in lint(case)] == []
    assert list(gaps("onnx/relu", example)) == []
    assert list(gaps("onnx/relu", example[:1])) == ["onnx/relu#X.C1: write a case that breaks it and nothing else"]
    assert list(generate_cases("onnx/relu", seed=0, count=3)) == []


def test_onnx_runtime_is_put_to_it_and_judged(example: list[Case], put_on_trial) -> None:
    """It conforms, and refuses the call outside the domain."""
    record = put_on_trial(find_backend("onnxruntime").start(), example)
    verdicts = {line.id: line.verdict for line in record.cases}
    assert verdicts == {"signs": "conforms", "unsigned": "rejects-invalid"}


@pytest.mark.parametrize(("y", "clauses"), [
    (np.array([[0, 2], [0, np.nan]], np.float32), []),
    (np.array([[0, 2], [0, 7]], np.float32), []),
    (np.array([[-0.1, 2], [0, np.nan]], np.float32), ["onnx/relu#Y.F1"]),
    (np.array([[0, 2], [0, np.nan]], np.float64), ["onnx/relu#Y.C1"]),
    (np.array([[0, 2, 0, np.nan]], np.float32), ["onnx/relu#Y.C1"]),
    (None, ["onnx/relu#Y.C1"]),
])
def test_outputs_are_charged_to_the_clause_that_they_break(y: np.ndarray | None, clauses: list[str],
                                                          example: list[Case]) -> None:
    """A leak below zero, another type, another shape, nothing; where X is NaN anything goes."""
    found = load_spec("onnx/relu").divergences(Call("Relu", {}, {"X": X}), {} if y is None else {"Y": y})
    assert [entry.clause for entry in found] == clauses


@pytest.mark.parametrize("clause", ["X.C1", "Y.C1", "Y.F1", "Y.U1"])
def test_a_clause_without_its_predicate_is_refused(clause: str, copy) -> None:
    """Whichever is taken away, the specification does not load, and the line names the clause."""
    copy(py=(rf'^@?bindings\.\w+\("{re.escape(clause)}".*\n', ""))
    with pytest.raises(SpecError, match=rf"^onnx/relu#{re.escape(clause)} has no predicate"):
        load_spec("onnx/relu")


@pytest.mark.parametrize(("replaced", "says"), [
    ({"py": ("def literal", "def slow")}, "onnx/relu has no slow oracle; write a function `literal`"),
    ({"py": ("^import numpy as np", "import nump_y as np")}, "relu.py: cannot be imported: ModuleNotFoundError"),
    ({"py": (r"^bindings = ", "table = bindings = "), "md": ("specification: onnx/relu", "specification: a/b")},
     "relu.md:1: the file is named onnx/relu, its front matter says a/b"),
    ({"py": (r"\bbindings\b", "table")}, "relu.py: cannot be imported|relu.py: holds no `bindings`"),
])
def test_what_cannot_be_loaded_is_one_line(replaced: dict[str, tuple[str, str]], says: str, copy) -> None:
    """File and remedy."""
    copy(**replaced)
    with pytest.raises(SpecError, match=says) as caught:
        load_spec("onnx/relu")
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_and_a_name_that_is_taken_are_one_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the clone cannot be replaced from outside."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(SpecError, match="which is no folder; name one that holds FAMILY/OPERATOR.md"):
        spec_names()
    (tmp_path / "sonnx").mkdir()
    text = (SPEC_FOLDER / "sonnx" / "maxpool.md").read_text(encoding="utf-8")
    (tmp_path / "sonnx" / "maxpool.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(SpecError, match="there is a text sonnx/maxpool already"):
        spec_names()


def test_inputs_are_called_what_the_text_calls_them(copy, put_on_trial) -> None:
    """The front matter names them; cases, models and the record follow."""
    folder = copy(md=("^opset: 14", "opset: 14\ninputs: [data]"), py=(r'inputs\["X"\]', 'inputs["data"]'),
                  yaml=(r"\{X:", "{data:"))
    cases = load_cases([folder])
    assert [problem for case in cases for problem in lint(case)] == []
    record = put_on_trial(find_backend("onnxruntime").start(), cases)
    assert [line.verdict for line in record.cases] == ["conforms", "rejects-invalid"]
    assert list(record.cases[1].call.inputs) == ["data"]
