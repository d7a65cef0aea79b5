"""Nothing that a run starts outlives it, however it ends; and what a process writes or leaves does not pile up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plumbline.backends import Answered, Crashed, Raised, Request, Worker, find_backend
from plumbline.backends.memory import INTERVAL
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call
from tests.suite.leaving import FILE

X = np.ones((1, 1, 2, 2), np.float32)
ASKED = Request(b"", "MaxPool", {"kernel_shape": [1, 1]}, 22, {"X": X}, ("Y", "Indices"), time_limit=60)

PATIENCE = 20.0
"""Seconds in which what must end has ended."""


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which a fake tells the number of a process."""
    path = tmp_path / "told"
    monkeypatch.setenv(FILE, str(path))
    return path


def wait_for(path: Path) -> str:
    """What is in a file, once it is there."""
    end = time.monotonic() + PATIENCE
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return path.read_text(encoding="utf-8").strip()


def is_alive(pid: str) -> bool:
    """Whether a process is there and is more than a number that nobody asked for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid: str) -> bool:
    """Whether a process ends soon."""
    end = time.monotonic() + PATIENCE
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not is_alive(pid)


def test_an_end_is_seen_while_a_child_holds_the_pipe() -> None:
    """It is a crash with its signal, long before the time limit, and the next call gets a new process."""
    worker = Worker("tests.suite.leaving:LeavesAChildOnThePipe")
    began = time.monotonic()
    found = [worker.run(ASKED) for _ in range(4)]
    taken = time.monotonic() - began
    worker.close()
    assert [type(outcome) for outcome in found] == [Answered, Answered, Crashed, Answered]
    assert found[2].how == "SIGSEGV" and INTERVAL < taken < ASKED.time_limit


def test_a_daemon_ends_with_its_worker(told: Path) -> None:
    """Though it has a session of its own and another parent."""
    worker = Worker("tests.suite.leaving:LeavesADaemon")
    assert isinstance(worker.run(ASKED), Answered)
    daemon = wait_for(told)
    assert is_alive(daemon)
    worker.close()
    assert ends(daemon)


def test_a_temporary_folder_is_removed_with_the_process_that_left_it(told: Path) -> None:
    """After a crash too."""
    worker = Worker("tests.suite.leaving:LeavesAFolder")
    assert isinstance(worker.run(ASKED), Crashed)
    worker.close()
    assert told.read_text() and not Path(told.read_text()).exists()


@pytest.mark.parametrize("fake", ["HoldsTheInterpreter", "StopsItself"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_does_not_outlive_the_run(fake: str, number: int, told: Path) -> None:
    """Whether it listens to nothing or is stopped; whether the run is asked to end or killed."""
    script = ("from tests.suite.test_supervision import ASKED\nfrom plumbline.backends import Worker\n"
              f"Worker('tests.suite.leaving:{fake}').run(ASKED)")
    run = subprocess.Popen([sys.executable, "-c", script])
    worker = wait_for(told)
    assert is_alive(worker)
    run.send_signal(number)
    run.wait()
    assert ends(worker)


def test_a_program_and_its_files_do_not_outlive_the_run(told: Path, tmp_path: Path) -> None:
    """Neither does what it started, in a session of its own."""
    call = Call("MaxPool", {"kernel_shape": [1, 1]}, {"X": X}, ("Y",))
    (tmp_path / "model").write_bytes(to_model(call, ("Y",), 12))
    path = tmp_path / "script.sh"
    path.write_text(f"setsid sleep 600 &\nsleep 0.2\necho $$ $! $1 > {told}.new\nmv {told}.new {told}\nwait\n",
                    encoding="utf-8")
    script = ("from dataclasses import replace\nfrom pathlib import Path\n"
              "from tests.suite.test_supervision import ASKED\nfrom plumbline.backends import find_backend\n"
              f"model = Path({str(tmp_path / 'model')!r}).read_bytes()\n"
              f"host = find_backend('exec:sh {path} {{model}} {{inputs}} {{outputs}}').start()\n"
              "host.run(replace(ASKED, model=model, outputs=('Y',)))")
    run = subprocess.Popen([sys.executable, "-c", script])
    program, child, model = wait_for(told).split()
    assert is_alive(program) and is_alive(child) and Path(model).exists()
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert ends(program) and ends(child)
    end = time.monotonic() + PATIENCE
    while Path(model).exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not Path(model).exists()


def test_of_what_is_written_to_stderr_the_ends_are_kept() -> None:
    """The first line, how much is left out, the last lines; and no file that grows."""
    worker = Worker("tests.suite.leaving:LogsWithoutEnd")
    found = worker.run(ASKED)
    worker.close()
    lines = found.stderr.splitlines()
    assert lines[0] == "loading libfoo.so" and lines[-1] == "assertion failed"
    dropped = int(lines[1].strip("(").split()[0])
    assert lines[1].endswith("bytes are left out)") and (32 << 20) - (1 << 14) < dropped < (32 << 20) + (1 << 14)
    assert len(found.stderr) < 5000


def test_of_what_a_program_writes_to_stderr_the_ends_are_kept(tmp_path: Path) -> None:
    """Of as much as of a worker's, and no file of it is left."""
    script = tmp_path / "script.sh"
    script.write_text("echo begin >&2; head -c 33554432 /dev/zero | tr '\\0' x >&2; echo; echo the end >&2; exit 1\n",
                      encoding="utf-8")
    call = Call("MaxPool", {"kernel_shape": [1, 1]}, {"X": X}, ("Y",))
    host = find_backend(f"exec:sh {script} {{model}} {{inputs}} {{outputs}}").start()
    found = host.run(replace(ASKED, model=to_model(call, ("Y",), 12), outputs=("Y",)))
    host.close()
    assert isinstance(found, Raised) and found.message.endswith("the end") and len(found.message) < 20_000


def test_the_limit_of_memory_cannot_be_lifted() -> None:
    """Not by the backend: the hard limit is the limit."""
    worker = Worker("tests.suite.leaving:TellsItsLimit")
    found = worker.run(ASKED)
    worker.close()
    assert isinstance(found, Raised) and found.message == "it may be raised: False"
