"""`plumbline new-backend` and `plumbline init`: what they write runs, and nothing is overwritten."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from plumbline.oracle.yaml_text import load
from plumbline.trial.known.register_file import read_known
from plumbline.trial.run.options import RunOptions, read_options
from plumbline.trial.run.run import Trials
from tests.suite.commands import backends, plumbline

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to stand in, as of a new repository."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_new_backend_is_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The doctor finds its class, and the options of a run name class and list."""
    assert plumbline(["new-backend", "my-runtime"]) == 0
    assert "next: plumbline conformance" in capsys.readouterr().out
    options = read_options({}, folder)
    assert (options.backend, options.spec) == (("my_runtime:MyRuntime",), ("*",))
    assert [read_known(path).backend for path in options.known] == ["my-runtime"]
    assert backends(["doctor", "my_runtime:MyRuntime"]) == 0
    written = (folder / ".github" / "workflows" / "plumbline.yml").read_text(encoding="utf-8")
    assert written == (ROOT / "docs" / "ci" / "plumbline.yml").read_text(encoding="utf-8")
    steps = [step["run"] for step in load(written)["jobs"]["plumbline"]["steps"] if "run" in step]
    assert [step.split()[:2] for step in steps] == [["pip", "install"], ["plumbline", "conformance"],
                                                    ["plumbline", "report"]]


def test_init_adds_to_the_settings_of_a_project(folder: Path) -> None:
    """What stands in pyproject.toml stays."""
    (folder / "pyproject.toml").write_text('[project]\nname = "mine"\n', encoding="utf-8")
    assert plumbline(["init", "--backend", "mine.adapter:Mine", "--spec", "sonnx/*"]) == 0
    settings = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"] == {"name": "mine"} and settings["tool"]["plumbline"]["specs"] == ["sonnx/*"]
    assert read_known(folder / "conformance" / "known.yaml").backend == "Mine"


def test_init_asks_a_backend_for_its_name(folder: Path) -> None:
    """So that the list of known divergences is about it."""
    (folder / "mine.py").write_text("class Mine:\n    name = 'my-own'\n    version = lambda self: '1'\n"
                                    "    run = None\n", encoding="utf-8")
    assert plumbline(["init", "--backend", "mine:Mine"]) == 0
    assert read_known(folder / "conformance" / "known.yaml").backend == "my-own"


def test_a_glob_collects_what_a_class_declares(folder: Path) -> None:
    """As without --spec: the cases of other operators take minutes."""
    (folder / "mine.py").write_text("class Mine:\n    name = 'mine'\n    specifications = ('onnx/relu@14',)\n"
                                    "    version = lambda self: '1'\n    run = None\n", encoding="utf-8")
    trials = Trials(RunOptions(backend=("mine:Mine",), spec=("onnx/*",), generated=0, context=("none",)))
    assert [spec.name for spec in trials.specs] == ["onnx/relu@14"] and trials.cases


@pytest.mark.parametrize(("existing", "text", "says"), [
    ("pyproject.toml", "[tool.plumbline]\n", "pyproject.toml: has [tool.plumbline] already"),
    ("pyproject.toml", "= 1", "pyproject.toml: "),
    ("conformance/known.yaml", "mine", "known.yaml: exists already"),
    ("my_runtime.py", "mine", "my_runtime.py: exists already"),
])
def test_nothing_is_overwritten(existing: str, text: str, says: str, folder: Path,
                                capsys: pytest.CaptureFixture[str]) -> None:
    """Nor written beside it."""
    path = folder / existing
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert plumbline(["new-backend", "my-runtime"]) == 2
    assert says in capsys.readouterr().err
    assert [file for file in folder.rglob("*") if file.is_file()] == [path] and path.read_text("utf-8") == text


def test_a_new_backend_is_tried_on_what_its_class_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever replaces Relu changes the class alone."""
    assert plumbline(["new-backend", "my-runtime"]) == 0
    path = folder / "my_runtime.py"
    path.write_text(path.read_text("utf-8").replace("onnx/relu", "onnx/exp@13").replace("Relu", "Exp"), "utf-8")
    options = read_options({}, folder)
    assert [spec.name for spec in Trials(options).specs] == ["onnx/exp@13"]


def test_a_name_that_makes_no_module_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With the reason."""
    assert plumbline(["new-backend", "7"]) == 2
    assert "makes no name of a Python module" in capsys.readouterr().err


def test_the_hook_for_other_repositories_is_a_command_that_there_is() -> None:
    """And takes the files that git gives it."""
    hook, = load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *words = hook["entry"].split()
    assert (program, hook["language"]) == ("plumbline", "python")
    assert plumbline([*words, str(ROOT / "cases" / "sonnx" / "relu")]) == 0


def test_the_container_makes_an_environment_that_there_is() -> None:
    """By a target of the Makefile."""
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
    program, target = container["postCreateCommand"].split()
    assert program == "make" and f"\n{target}: " in (ROOT / "Makefile").read_text(encoding="utf-8")
