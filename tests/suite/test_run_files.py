"""What a run leaves behind: a file for each selection, whole or said to be a part, and never two writers for one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.backends.identity import Identity
from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.trial import read_record
from plumbline.trial.run.options import OptionError, RunOptions, read_options
from plumbline.trial.run.paths import ClaimError, file_name, lock, record_name
from plumbline.trial.run.run import RunError, Trials
from tests.suite import runs
from tests.suite.runs import EXAMPLES, only, wait_for_lines

ROOT = SPEC_FOLDER.parent
COMMAND = [sys.executable, "-m", "plumbline", "conformance", "--spec", "sonnx/maxpool", "--cases", EXAMPLES,
           "--report-dir"]
"""A run over the documented examples."""


def conformance(folder: Path, backend: str, *options: str) -> subprocess.CompletedProcess[str]:
    """The same in a copy of this process."""
    return runs.conformance(folder, "--cases", EXAMPLES, "--backend", f"tests.suite.{backend}", *options)


@pytest.mark.gate(one_in=12)
def test_a_selection_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Neither another selection nor a whole run is overwritten by it; the same selection is."""
    whole = tmp_path / "honest-1.jsonl"
    whole.write_text("the record of a whole run", encoding="utf-8")
    for chosen in ("int-example-1", "int-example-2", "int-example-1"):
        assert conformance(tmp_path, "fakes:honest", "-k", chosen).returncode == 0
    assert whole.read_text(encoding="utf-8") == "the record of a whole run"
    records = [read_record(path) for path in tmp_path.glob("honest-1-sonnx-maxpool-*.jsonl")]
    assert len(records) == 2 and all(len(record.cases) == 2 for record in records)


def test_a_run_that_tries_everything_has_the_name_of_its_backend() -> None:
    """Whatever the backend calls itself: the name is one that every system takes, and no two share it."""
    long = "x" * 300
    assert record_name(Identity(name="torch", version="2.1+cpu", specifications=())) == "torch-2.1-cpu.jsonl"
    assert len(record_name(Identity(name=long, version="1", specifications=()))) < 255
    assert file_name(f"{long}a") != file_name(f"{long}b")
    assert file_name("../a\x1b\n") == "..-a--"


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("how", "options", "status"), [(None, ["-x"], 1), (signal.SIGINT, [], 2),
                                                        (signal.SIGTERM, [], 2)])
def test_a_run_that_stops_says_what_it_did_not_reach(how: signal.Signals | None, options: list[str], status: int,
                                                     tmp_path: Path) -> None:
    """In the terminal and in the record, which keeps the name of an unfinished one."""
    command = [*COMMAND, str(tmp_path), "--backend", "tests.suite.conduct:HangsOnThirdCall", *options, "--time-limit",
               "60" if how else "0.5"]
    process = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if how:
        wait_for_lines(tmp_path, 2)
        process.send_signal(how)
    said, _ = process.communicate(timeout=60)
    path = only(tmp_path, "*.jsonl")
    record = read_record(path)
    reached = len(record.cases)
    assert process.returncode == status and 0 < reached < 20 == reached + len(record.missing), said
    assert path.name.endswith(".unfinished.jsonl")
    assert f"stopped after {reached} of 20 results; not reached: sonnx/maxpool " in said
    assert f"report  {tmp_path}" in said and only(tmp_path, "*.unfinished.html").is_file()


@pytest.mark.gate(one_in=12)
def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    """The second one is refused in one line, and the first goes on."""
    first = subprocess.Popen([*COMMAND, str(tmp_path), "--backend", "tests.suite.conduct:HangsOnThirdCall"], cwd=ROOT,
                             stdout=subprocess.DEVNULL)
    try:
        wait_for_lines(tmp_path, 2)
        second = conformance(tmp_path, "conduct:HangsOnThirdCall")
        assert second.returncode == 2 and second.stdout.count("another run") == 1 and "Traceback" not in second.stdout
        assert first.poll() is None
    finally:
        first.kill()
        first.wait()


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    """One at a time, and the next as soon as it is released."""
    path = tmp_path / "record.jsonl"
    with lock(path):
        with pytest.raises(ClaimError, match="record.jsonl is being written by another run"), lock(path):
            pass
        with lock(tmp_path / "other.jsonl"):
            pass
    with lock(path):
        pass


@pytest.mark.gate(one_in=12)
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    """Which file could not be written; status 2."""
    assert conformance(tmp_path, "fakes:honest", "-k", "int-example-1").returncode == 0
    record = only(tmp_path, "*.jsonl")
    (tmp_path / f"{record.name}.part").symlink_to("/dev/full")
    done = conformance(tmp_path, "fakes:honest", "-k", "int-example-1")
    assert done.returncode == 2 and "No space left on device" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.gate(one_in=12)
@pytest.mark.parametrize(("backend", "spec", "status"), [
    ("manners:DeclaresNothing", "sonnx/*", 2), ("fakes:honest", "sonnx/*", 0), ("manners:DeclaresNothing", "*", 2)])
def test_a_specification_of_which_nothing_was_judged_is_status_2(backend: str, spec: str, status: int,
                                                                 tmp_path: Path) -> None:
    """Whoever declares that it can do nothing has shown nothing."""
    done = conformance(tmp_path, backend, "--spec", spec)
    assert done.returncode == status, done.stdout
    assert ("nothing was judged; every call was declared unsupported" in done.stdout) is (status == 2)


@pytest.mark.parametrize(("text", "says"), [
    ("backend = 7", "--backend"),
    ("speed = 1", "unknown key 'speed'; did you mean 'seed'?; allowed: accuracy, all-versions"),
    ("seed = -1", "--seed -1: "), ("= 1", "pyproject.toml: "), ("report-dir = 5", "--report-dir 5: ")])
def test_what_is_wrong_in_pyproject_is_one_line(text: str, says: str, tmp_path: Path) -> None:
    """The file or the option, and what is wrong with it."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.plumbline]\n{text}\n", encoding="utf-8")
    with pytest.raises(OptionError) as caught:
        read_options({}, tmp_path)
    assert says in str(caught.value) and "\n" not in str(caught.value)


def test_the_command_line_wins_over_pyproject(tmp_path: Path) -> None:
    """Paths in the file are relative to it, from folders below too; other tables are left alone."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n[tool.plumbline]\nbackend = 'a:A'\nspecs = 'x/*'\n"
                                             "known = ['k.yaml']\nreport-dir = 'out'\n", encoding="utf-8")
    (tmp_path / "below").mkdir()
    options = read_options({"spec": ["y/*"], "cases": None, "python": None}, tmp_path / "below")
    assert options == RunOptions(backend=("a:A",), spec=("y/*",), known=(tmp_path / "k.yaml",),
                                 report_dir=tmp_path / "out")


def test_every_pattern_of_specifications_must_name_one(tmp_path: Path) -> None:
    """A misspelt one beside a good one would leave out in silence what was asked for."""
    with pytest.raises(RunError, match="--spec 'sonx/\\*' matches no specification"):
        Trials(RunOptions(spec=("sonnx/*", "sonx/*"), report_dir=tmp_path))


def test_a_program_is_given_a_name_a_version_and_capabilities(tmp_path: Path) -> None:
    """By options; what they do not declare is unsupported, and a file that cannot be used is one line."""
    script = tmp_path / "refuse.sh"
    script.write_text("exit 1\n", encoding="utf-8")
    (tmp_path / "can.yaml").write_text("- {operators: [MaxPool], outputs: [Y]}\n", encoding="utf-8")
    (tmp_path / "wrong.yaml").write_text("- {operator: MaxPool}\n", encoding="utf-8")
    options = ["--cases", EXAMPLES, "--backend", f"exec:sh {script} {{model}} {{inputs}} {{outputs}}", "--backend-name",
               "acme", "--backend-version", "main-4f2a", "--capabilities"]
    done = runs.conformance(tmp_path, *options, str(tmp_path / "can.yaml"))
    assert done.returncode == 1, done.stdout
    record = read_record(only(tmp_path, "acme-main-4f2a-*.jsonl"))
    assert dict(record.counts) == {"rejects-valid": 10, "unsupported": 10}
    for name in ("wrong.yaml", "nowhere.yaml"):
        done = runs.conformance(tmp_path, *options, str(tmp_path / name))
        assert done.returncode == 2 and "Traceback" not in done.stdout + done.stderr
