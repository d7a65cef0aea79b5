"""The built wheel in an environment and a folder of its own, as a runtime team installs it: no clone is in reach."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import uv

ROOT = Path(__file__).resolve().parent.parent.parent
UV = uv.find_uv_bin()
MANIFEST = """\
[project]
name = "acme-runtime"
version = "1"
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[tool.hatch.build.targets.wheel]
include = ["acme_runtime.py"]
[tool.plumbline]
backend = "acme_runtime:Acme"
specs = "sonnx/maxpool"
known = "known.yaml"
report-dir = "out"
"""
TEST = """\
import sys

def test_nothing_of_the_suite_is_loaded(pytestconfig):
    assert pytestconfig.getoption("--backend") == "theirs" and not pytestconfig.pluginmanager.hasplugin("conformance")
    assert not [name for name in sys.modules if name.startswith(("plumbline.trial", "plumbline.oracle", "numpy"))]
"""
CONFTEST = """\
def pytest_addoption(parser):
    parser.addoption("--backend")
    parser.addoption("--spec")
"""


def run(*command: str | Path, folder: Path, status: int = 0) -> str:
    """What a command says. It must end with `status`."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True,
                          check=False)
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sdist, which is built from the clone."""
    folder = tmp_path_factory.mktemp("dist")
    run(UV, "build", "--quiet", "--out-dir", folder, folder=ROOT)
    found, = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that holds the wheel, what it needs, and a runtime; no ONNX Runtime."""
    theirs = tmp_path_factory.mktemp("acme")
    shutil.copy(ROOT / "tests" / "package" / "acme_runtime.py", theirs)
    (theirs / "pyproject.toml").write_text(MANIFEST, encoding="utf-8")
    place = tmp_path_factory.mktemp("environment") / "env"
    run(UV, "venv", "--quiet", "--python", sys.executable, place, folder=theirs)
    run(UV, "pip", "install", "--quiet", "--python", place / "bin" / "python", wheel, theirs, folder=theirs)
    return place / "bin"


def test_the_wheel_holds_what_is_used_and_nothing_else(wheel: Path) -> None:
    """One importable name, no caches or reports, and three megabytes at most."""
    with zipfile.ZipFile(wheel) as archive:
        listed = archive.namelist()
    assert {name.partition("/")[0] for name in listed} == {"plumbline", "onnx_plumbline-0.2.0.dist-info"}
    assert not [name for name in listed if "__pycache__" in name or "reports/out" in name]
    assert {"plumbline/trial/known/known.schema.json", "plumbline/_data/spec/sonnx/maxpool.md"} <= set(listed)
    assert wheel.stat().st_size < 3 << 20


def test_the_clone_gives_the_same_wheel_as_the_sdist(wheel: Path, tmp_path: Path) -> None:
    """Name by name and byte by byte; and it holds the modules that git holds."""
    run(UV, "build", "--quiet", "--wheel", "--out-dir", tmp_path, folder=ROOT)
    direct, = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as ours, zipfile.ZipFile(direct) as theirs:
        assert ours.namelist() == theirs.namelist()
        assert [name for name in ours.namelist() if ours.read(name) != theirs.read(name)] == []
        modules = {name for name in ours.namelist() if name.endswith(".py")}
    assert modules == set(run("git", "ls-files", "plumbline/**.py", folder=ROOT).split())


def test_a_clone_needs_no_symbolic_links(tmp_path: Path) -> None:
    """One link stands in it, for readers; where the system has none, all works without."""
    run("git", "clone", "--quiet", "--config", "core.symlinks=false", ROOT, tmp_path / "clone", folder=tmp_path)
    assert not (tmp_path / "clone" / "oracle").is_dir()
    assert run("git", "ls-files", "--stage", folder=ROOT).count("\n120000 ") == 1
    said = run(sys.executable, "-m", "pytest", "tests/conformance", "-q", "--spec", "sonnx/relu", "--generated", "0",
               "--report-dir", tmp_path / "out", folder=tmp_path / "clone")
    assert "0 new" in said
    assert f'"place":"{tmp_path}' not in "".join(path.read_text() for path in (tmp_path / "out").glob("*.jsonl"))


def test_the_main_job_runs_in_an_empty_folder(bin_folder: Path, tmp_path: Path) -> None:
    """ONNX Runtime in an environment of its own, since here there is none; record and page stand where one stands."""
    said = run(bin_folder / "plumbline", "conformance", "--spec", "sonnx/maxpool", folder=tmp_path)
    assert "0 new" in said and "record  reports/out/onnxruntime-" in said
    assert {path.suffix for path in (tmp_path / "reports" / "out").iterdir()} == {".jsonl", ".html"}
    assert [path.name for path in tmp_path.iterdir()] == ["reports"]


def test_uvx_runs_it_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    """In one line, with nothing installed before."""
    said = run(UV, "tool", "run", "--python", sys.executable, "--from", wheel, "plumbline", "conformance", "--spec",
               "sonnx/maxpool", "--generated", "0", folder=tmp_path)
    assert "0 new" in said and "report  reports/out/onnxruntime-" in said


def test_a_team_brings_its_runtime_and_its_known_divergences(bin_folder: Path, tmp_path: Path) -> None:
    """New failures are status 1; the file begun from the record is refused until it gives reasons; then status 0, by
    the command and by pytest, with the options in pyproject.toml; and the page is theirs."""
    plumbline = bin_folder / "plumbline"
    run(plumbline, "conformance", "--backend", "acme_runtime:Acme", "--spec", "sonnx/maxpool",
        folder=tmp_path, status=1)
    record = next((tmp_path / "reports" / "out").glob("acme-main-4f2a-*.jsonl"))
    run(plumbline, "known", record, "--output", "known.yaml", folder=tmp_path)
    (tmp_path / "pyproject.toml").write_text(MANIFEST, encoding="utf-8")
    refused = run(plumbline, "conformance", folder=tmp_path, status=2)
    assert re.search("known.yaml: [a-z-]+-sonnx-maxpool[a-z0-9-]*: reason: say why", refused)
    known = tmp_path / "known.yaml"
    filled = re.sub(r"reason: ''\n +link: ''", "reason: NaN wins, as numpy.max has it.", known.read_text("utf-8"))
    known.write_text(filled, encoding="utf-8")
    for command in ([plumbline, "conformance"], [bin_folder / "pytest", "-q", "--pyargs", "plumbline.conformance"]):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        said = run(*command, folder=tmp_path)
        assert re.search(r"0 new; [1-9][0-9,]* of [0-9,]+ results diverge or are refused[^,]*, all known", said)
        page, = (tmp_path / "out").glob("acme-*.html")
        assert "NaN wins, as numpy.max has it." in page.read_text(encoding="utf-8")


def test_a_run_that_does_not_ask_is_left_alone(bin_folder: Path, tmp_path: Path) -> None:
    """Options of the same names are theirs, and nothing of the suite is imported."""
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (tmp_path / "test_theirs.py").write_text(TEST, encoding="utf-8")
    assert "1 passed" in run(bin_folder / "pytest", "-q", "--backend", "theirs", "--spec", "x", folder=tmp_path)
