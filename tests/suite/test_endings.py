"""However a run is ended, it says so in one line with a status that is no success, and leaves no process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from plumbline.conformance.plugin import Interrupted
from plumbline.oracle.discovery import VARIABLE
from plumbline.oracle.foreign_code import guarded
from plumbline.oracle.specification import SPEC_FOLDER
from plumbline.processes import copies
from plumbline.processes.supervisor import environment, processes
from plumbline.trial import read_record
from tests.hostile.attacks_cases import POINT
from tests.suite.runs import only, wait_for_lines
from tests.suite.test_run_files import COMMAND

ROOT = SPEC_FOLDER.parent
EXAMPLE = ROOT / "docs" / "worked-example" / "example"
MARK = "ENDING_TEST"
REQUESTS = ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGINT")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies of a process are made on Linux alone")


def begin(command: list[str], mark: Path, ignored: str = "") -> subprocess.Popen[str]:
    """A process whose environment, and that of all that it starts, carries a mark.

    It ignores one request to end at most, not those that it would where tests run under nohup or in the background."""
    return subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, MARK: str(mark)}, preexec_fn=partial(heed, ignored))


def heed(ignored: str) -> None:
    """Let each request to end but one take effect."""
    for name in REQUESTS:
        signal.signal(signal.Signals[name], signal.SIG_IGN if name == ignored else signal.SIG_DFL)


def marked(mark: Path) -> list[int]:
    """The processes that carry it."""
    return [pid for pid in processes() if f"{MARK}={mark}".encode() in environment(pid)]


def wait_until(condition: object, seconds: float = 60) -> None:
    """Wait for what a function says, or fail."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("name", [*REQUESTS, "SIGKILL"])
def test_a_run_that_is_ended_while_cases_are_made_leaves_nothing(name: str, tmp_path: Path) -> None:
    """One line and status 2 (but for SIGKILL), at whatever time."""
    for processes_before in (2, 4):  # as soon as it is there, and once its copies make cases
        process = begin([sys.executable, "-m", "plumbline", "conformance", "--backend", "tests.suite.fakes:honest",
                         "--workers", "2", "--report-dir", str(tmp_path / "out")], tmp_path)
        wait_until(lambda count=processes_before: len(marked(tmp_path)) >= count)
        process.send_signal(signal.Signals[name])
        out, err = process.communicate(timeout=60)
        if name == "SIGKILL":
            assert process.returncode == -signal.SIGKILL
        else:
            assert process.returncode == 2 and "Traceback" not in out + err
            assert [line for line in err.splitlines() if "interrupted" in line] == err.splitlines() != []
        wait_until(lambda: not marked(tmp_path), 10)
    assert not (tmp_path / "out").exists()


def test_a_command_that_is_interrupted_while_it_is_loaded_says_so_in_one_line(tmp_path: Path) -> None:
    """No traceback of what was being imported."""
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    ended = subprocess.run([sys.executable, "-m", "plumbline", "list"], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", "interrupted\n")


ENDER = """import os, signal
import pytest

@pytest.hookimpl(tryfirst=True)
def {}(): os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.gate(one_in=4)
@pytest.mark.parametrize("hook", ["pytest_configure", "pytest_sessionstart", "pytest_runtestloop"])
def test_a_run_that_is_interrupted_before_it_has_begun_says_so_in_one_line(hook: str, tmp_path: Path) -> None:
    """Also where pytest's own terminal is not there yet."""
    (tmp_path / "ender.py").write_text(ENDER.format(hook))
    ended = subprocess.run([sys.executable, "-m", "pytest", "-p", "ender", "tests/conformance", "--spec", "sonnx/relu",
                            "--backend", "tests.suite.fakes:honest", "--generated", "0", "--report-dir", str(tmp_path)],
                           capture_output=True, text=True, cwd=ROOT,
                           env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert ended.returncode == 2
    assert (ended.stdout + ended.stderr).count("plumbline: interrupted") == 1


LOSER = """import os, signal

class Callback:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
        for _ in range(1000):
            pass

def pytest_runtest_logstart(nodeid, location):
    Callback()
"""


def test_a_request_that_comes_where_nothing_can_be_raised_is_not_lost(tmp_path: Path) -> None:
    """Python ignores what a destructor raises."""
    (tmp_path / "loser.py").write_text(LOSER)
    ended = subprocess.run([sys.executable, "-m", "pytest", "-p", "loser", "tests/conformance", "--spec", "sonnx/relu",
                            "--backend", "tests.suite.conduct:HangsOnThirdCall", "--time-limit", "60", "--report-dir",
                            str(tmp_path)], capture_output=True, text=True, cwd=ROOT, timeout=50,
                           env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"})
    assert ended.returncode == 2 and (ended.stdout + ended.stderr).count("plumbline: interrupted") == 1


def test_an_interrupt_at_an_instruction_without_a_line_is_shown(request: pytest.FixtureRequest) -> None:
    """For example behind the last line of a `with`; pytest counts from the line of each entry of a traceback."""
    code = compile("raise KeyboardInterrupt", "some", "exec").replace(co_linetable=b"")
    with pytest.raises(KeyboardInterrupt) as told:
        exec(code)
    with pytest.raises(TypeError):
        told.getrepr(funcargs=True)
    hook = Interrupted(request.config).pytest_keyboard_interrupt(told)
    next(hook)
    assert "KeyboardInterrupt" in str(told.getrepr(funcargs=True))


PHASES = {
    "a matrix that runs": (["matrix", "--spec", "onnx/relu@14", "--workers", "1",
                            "tests.suite.conduct:HangsOnThirdCall"], 6),
    "inference that never returns": (["conformance", "--cases", "point.yaml", "--spec", "onnx/einsum@28"], 4),
}
"""A command, and the number of its processes in that phase."""


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_command_that_is_ended_in_a_phase_leaves_no_process(phase: str, name: str, tmp_path: Path) -> None:
    """Processes of other kinds than those of a run that makes cases."""
    (tmp_path / "point.yaml").write_text(POINT)
    words, count = PHASES[phase]
    words = [str(tmp_path / word) if word == "point.yaml" else word for word in words]
    process = begin([sys.executable, "-m", "plumbline", *words, "--report-dir", str(tmp_path / "out")], tmp_path)
    wait_until(lambda: len(marked(tmp_path)) >= count, 120)
    process.send_signal(signal.Signals[name])
    out, err = process.communicate(timeout=60)
    assert process.returncode == (-signal.SIGKILL if name == "SIGKILL" else 2) and "Traceback" not in out + err
    wait_until(lambda: not marked(tmp_path), 10)


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("name", REQUESTS)
def test_a_run_that_is_ended_in_the_middle_says_so_and_keeps_what_was_done(name: str, tmp_path: Path) -> None:
    """Sent to the process, or twice to all of them, as by a terminal that is closed."""
    for group in (False, True):
        out = tmp_path / str(group)
        process = subprocess.Popen([*COMMAND, str(out), "--backend", "tests.suite.conduct:HangsOnThirdCall",
                                    "--time-limit", "60"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        wait_for_lines(out, 2)
        for _ in range(1 + group):
            (os.killpg if group else os.kill)(process.pid, signal.Signals[name])
        said, _ = process.communicate(timeout=60)
        assert process.returncode == 2 and "plumbline: interrupted" in said and "Traceback" not in said
        assert "stopped after" in said
        assert len(read_record(only(out, "*.unfinished.jsonl")).missing) > 0


@pytest.mark.gate(one_in=16)
def test_what_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As by nohup."""
    process = begin([*COMMAND, str(tmp_path), "--backend", "tests.suite.conduct:HangsOnThirdCall", "--time-limit", "1"],
                    tmp_path, ignored="SIGHUP")
    wait_for_lines(tmp_path, 2)
    process.send_signal(signal.SIGHUP)
    process.communicate(timeout=60)
    assert only(tmp_path, "*.jsonl").name.endswith("jsonl") and read_record(only(tmp_path, "*.jsonl")).whole


ENDS = {"python": "import os; os._exit(0)", "library": "import ctypes; ctypes.CDLL(None)._exit(0)",
        "failure": "import os; os._exit(1)", "killed": "import os; os.kill(os.getpid(), 9)"}


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize("how", ENDS)
def test_code_that_ends_the_process_is_no_success(how: str, tmp_path: Path) -> None:
    """In a predicate that judges, asked by each door."""
    folder = shutil.copytree(EXAMPLE, tmp_path / "example")
    definition = folder / "leakyrelu.py"
    text = definition.read_text(encoding="utf-8")
    assert "return Unspecified.of" in text
    definition.write_text(text.replace("return Unspecified.of", f"{ENDS[how]}\n        return Unspecified.of", 1),
                          encoding="utf-8")
    options = ["--backend", "onnx-reference", "--spec", "example/*", "--cases", str(folder / "leakyrelu.yaml"),
               "--report-dir", str(tmp_path / "out")]
    for words in (["plumbline", "conformance", *options], ["pytest", "--pyargs", "plumbline.conformance", *options],
                  ["plumbline", "cases", "lint", str(folder / "leakyrelu.yaml")]):
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, check=False,
                              env={**os.environ, VARIABLE: str(tmp_path)})
        assert done.returncode == 2, done.stdout
        line, = [line for line in done.stderr.splitlines() if line]
        assert line.startswith("ended before the work was done (")


def test_a_lost_copy_costs_its_work_alone() -> None:
    """A copy that is killed once, as for its memory."""
    parent = os.getpid()

    def work(number: int) -> int:
        if os.getpid() != parent and number == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return number * number
    assert copies.shared(work, range(20), 2, guarded) == [number * number for number in range(20)]


@pytest.mark.gate(one_in=16)
@pytest.mark.parametrize(("options", "addopts", "says"), [
    (["--setup-plan"], "", "--setup-only and --setup-plan try nothing"),
    (["--setup-only"], "", "--setup-only and --setup-plan try nothing"),
    (["nowhere.onnx"], "", "nowhere.onnx: a conformance run takes options alone"),
    (["README.md"], "", "README.md: a conformance run takes options alone"),
    ([], "-p no:terminal", "-p no:terminal: without pytest's terminal nobody hears of the results")])
def test_a_run_that_would_try_nothing_is_refused_in_one_line(options: list[str], addopts: str, says: str,
                                                             tmp_path: Path) -> None:
    """Before anything is started."""
    done = subprocess.run([*COMMAND, str(tmp_path), *options], cwd=ROOT, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTEST_ADDOPTS": addopts})
    assert done.returncode == 2 and done.stderr.startswith(f"plumbline: {says}") and done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())
