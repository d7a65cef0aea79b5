"""The worked example: an operator that is not pooling, added with three files of its own and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import find_backend, is_asked
from plumbline.cases import Case, load_cases
from plumbline.cases.format.coverage import gaps
from plumbline.cases.format.lint import lint
from plumbline.oracle import Call, SpecError, load_spec, spec_names
from plumbline.oracle.discovery import SPEC_FOLDER, VARIABLE

ROOT = SPEC_FOLDER.parent
EXAMPLE = ROOT / "docs" / "worked-example"
FILES = [EXAMPLE / "example" / f"leakyrelu.{kind}" for kind in ("md", "py", "yaml")]
X = np.array([[-1, 2], [0, np.nan]], np.float32)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> list[Case]:
    """The cases of the example, whose folder is known for the length of a test."""
    monkeypatch.setenv(VARIABLE, str(EXAMPLE))
    return [case for case in load_cases([EXAMPLE]) if case.spec == "example/leakyrelu"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder with the three files, some text of them replaced (a pattern by a text)."""
    def change(**replaced: tuple[str, str]) -> Path:
        (tmp_path / "example").mkdir()
        for path in FILES:
            text = path.read_text(encoding="utf-8")
            if path.suffix[1:] in replaced:
                pattern, new = replaced[path.suffix[1:]]
                text, count = re.subn(pattern, new, text, flags=re.MULTILINE)
                assert count
            (tmp_path / "example" / path.name).write_text(text, encoding="utf-8")
        monkeypatch.setenv(VARIABLE, str(tmp_path))
        return tmp_path
    return change


def test_it_is_three_files_and_short() -> None:
    """Definition, reference oracle and text take under 80 lines; nothing else of the clone but prose and tests knows of
    it."""
    assert sorted(path for path in EXAMPLE.rglob("*.*") if path.is_file() and path.suffix != ".pyc") == sorted(FILES)
    assert sum(bool(line) for path in FILES[:2] for line in path.read_text(encoding="utf-8").splitlines()) < 80
    folders = ("spec", "cases", "plumbline", "tests/conformance")
    known = [path for folder in folders for path in (ROOT / folder).rglob("*.*")
             if path.suffix in (".py", ".md", ".yaml") and "example/leakyrelu" in path.read_text(encoding="utf-8")]
    assert known == []
    assert "example/leakyrelu" not in spec_names()


def test_it_loads_and_every_clause_is_tried(example: list[Case]) -> None:
    """Lint finds nothing, which both oracles have a part in; every clause has its cases."""
    assert {case.id for case in example} == {"signs", "integers"}
    assert "example/leakyrelu" in spec_names() and "sonnx/maxpool" in spec_names()
    assert [problem for case in example for problem in lint(case)] == []
    assert list(gaps("example/leakyrelu", example)) == []
    assert list(gaps("example/leakyrelu", example[:1])) == [
        "example/leakyrelu#X.C1: write a case that breaks it and nothing else"]


def test_onnx_runtime_is_put_to_it_and_judged(example: list[Case], run_trial) -> None:
    """It conforms, and refuses the call outside the domain."""
    record = run_trial(find_backend("onnxruntime").start(), example)
    verdicts = {line.id: line.verdict for line in record.cases}
    assert verdicts == {"signs": "conforms", "integers": "rejects-invalid"}


def test_who_can_be_asked_about_onnx_can_be_asked_about_it(example: list[Case], copy) -> None:
    """Though no adapter names it; not about an operator of another domain, nor about a text of the suite."""
    assert is_asked(["onnx/*"], "example/leakyrelu") and not is_asked(["sonnx/*"], "example/leakyrelu")
    assert not is_asked(["onnx/*"], "sonnx/maxpool")
    copy(md=("^opset: 16", "opset: 16\ndomain: com.example"))
    assert not is_asked(["onnx/*"], "example/leakyrelu") and is_asked(["example/*"], "example/leakyrelu")


@pytest.mark.parametrize(("y", "clauses"), [
    (np.array([[-0.5, 2], [0, np.nan]], np.float32), []),
    (np.array([[-0.5, 2], [0, 7]], np.float32), []),
    (np.array([[-0.1, 2], [0, np.nan]], np.float32), ["example/leakyrelu#Y.F1"]),
    (np.array([[-0.5, 2], [0, np.nan]], np.float64), ["example/leakyrelu#Y.C1"]),
    (np.array([[-0.5, 2, 0, np.nan]], np.float32), ["example/leakyrelu#Y.C1"]),
    (None, ["example/leakyrelu#Y.C1"]),
])
def test_outputs_are_charged_to_the_clause_that_they_break(y: np.ndarray | None, clauses: list[str],
                                                          example: list[Case]) -> None:
    """Another leak, another type, another shape, nothing; where X is NaN anything goes."""
    call = Call("LeakyRelu", {"alpha": 0.5}, {"X": X})
    found = load_spec("example/leakyrelu").divergences(call, {} if y is None else {"Y": y})
    assert [entry.clause for entry in found] == clauses


@pytest.mark.parametrize("clause", ["X.C1", "Y.C1", "Y.F1", "Y.U1"])
def test_a_clause_without_its_predicate_is_refused(clause: str, copy) -> None:
    """Whichever is taken away, the specification does not load, and the line names the clause."""
    copy(py=(rf'^( *).*"{re.escape(clause)}".*$', r"\1unbound = None"))
    with pytest.raises(SpecError, match=rf"^example/leakyrelu#{re.escape(clause)} has no predicate"):
        load_spec("example/leakyrelu")


@pytest.mark.parametrize(("replaced", "says"), [
    ({"py": ("def reference", "def slow")}, "example/leakyrelu has no reference oracle; write a function `reference`"),
    ({"py": ("^import numpy as np", "import nump_y as np")}, "leakyrelu.py: cannot be imported: ModuleNotFoundError"),
    ({"py": ("^class LeakyRelu", "class LeakyRelu"), "md": ("specification: example/leakyrelu", "specification: a/b")},
     "leakyrelu.md:1: the file is named example/leakyrelu, its front matter says a/b"),
    ({"py": ("^class LeakyRelu", "class _LeakyRelu")}, "its module defines no public subclasses of Operator"),
])
def test_what_cannot_be_loaded_is_one_line(replaced: dict[str, tuple[str, str]], says: str, copy) -> None:
    """File and remedy."""
    copy(**replaced)
    with pytest.raises(SpecError, match=says) as caught:
        load_spec("example/leakyrelu")
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_and_a_name_that_is_taken_are_one_line(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of the clone cannot be replaced from outside."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    with pytest.raises(SpecError, match="which is not a folder; name one that holds FAMILY/OPERATOR.md"):
        spec_names()
    (tmp_path / "sonnx").mkdir()
    text = (SPEC_FOLDER / "sonnx" / "maxpool.md").read_text(encoding="utf-8")
    (tmp_path / "sonnx" / "maxpool.md").write_text(text, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(SpecError, match="there is a text sonnx/maxpool already"):
        spec_names()


def test_inputs_are_called_what_the_text_calls_them(copy, run_trial) -> None:
    """The front matter names them; cases, models and the record follow."""
    folder = copy(md=("^opset: 16", "opset: 16\ninputs: [data]"), py=('"X"', '"data"'),
                  yaml=(r"\{X:", "{data:"))
    cases = load_cases([folder])
    assert [problem for case in cases for problem in lint(case)] == []
    record = run_trial(find_backend("onnxruntime").start(), cases)
    assert [line.verdict for line in record.cases] == ["conforms", "rejects-invalid"]
    assert list(record.cases[1].call.inputs) == ["data"]
