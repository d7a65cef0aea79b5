"""Runs command lines in a folder of their own, and says which promises of the suite each broke.

`Door` starts one process that has the suite loaded and copies itself for each command, so that an attack costs no
start. Each command runs under a keeper, which becomes the parent of whatever is left behind.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
GIGABYTE = 1 << 30

SECONDS = 90.0
"""After which a command hangs. It is far above what any takes; no test compares times."""

GRACE = 5.0
"""Seconds in which what a command started may end after it."""

ADDRESSES = 12 * GIGABYTE
"""Bytes of address space of a command, for the sake of the machine."""

SPECIFICATIONS = ("onnx/relu", "onnx/add", "onnx/abs", "onnx/max", "onnx/maxpool")
"""By which models are judged."""

Files = Mapping[str, str | bytes | Callable[[], bytes]] | Callable[[Path], object]


@dataclass(frozen=True)
class Attack:
    """One attack.

    cause:   what it is about, in a word; with `name` its address.
    command: the arguments of `plumbline`. FOLDER in arguments and environment is the folder it runs in.
    files:   content by name, or what gives it, or what writes files into that folder.
    status:  the exit statuses that keep the promise.
    says:    patterns, each found in what is printed.
    leaves:  patterns of the names of files that the command may write.
    lines:   the largest number of lines on stderr.
    memory:  the largest number of bytes that are resident in one process.
    streams: for stdin, stdout, stderr, a file to open, or "closed".
    signals: numbers to send, after that many seconds each.
    disk:    the largest file that may be written, as on a full disk; 0 for any.
    """

    cause: str
    name: str
    command: Sequence[str]
    files: Files = field(default_factory=dict)
    status: Sequence[int] = (2,)
    says: Sequence[str] = ()
    leaves: Sequence[str] = ()
    lines: int = 1
    memory: int = GIGABYTE
    environment: Mapping[str, str] = field(default_factory=dict)
    streams: Mapping[str, str] = field(default_factory=dict)
    signals: Sequence[tuple[float, int]] = ()
    disk: int = 0
    quiet: bool = False

    def __str__(self) -> str:
        return f"{self.cause}-{self.name}"


@dataclass(frozen=True)
class Ending:
    """How a command ended. status is negative for a signal, None for a command that hangs."""

    status: int | None
    out: str
    error: str
    memory: int
    left: Sequence[str]


class Door:
    """A process that runs commands. Close it."""

    def __init__(self, folder: Path) -> None:
        self._cache = folder / "cache"
        environment = {**os.environ, "PLUMBLINE_CACHE": str(self._cache), "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen([sys.executable, "-m", "tests.hostile.door"], stdin=subprocess.PIPE, text=True,
                                         stdout=subprocess.PIPE, env=environment, cwd=ROOT)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def run(self, attack: Attack, folder: Path) -> Ending:
        """Run the command of an attack in a folder, which exists."""
        assert self._process.stdin is not None and self._process.stdout is not None
        named = {name: value.replace("FOLDER", str(folder)) for name, value in attack.environment.items()}
        self._process.stdin.write(json.dumps({
            "folder": str(folder), "arguments": [word.replace("FOLDER", str(folder)) for word in attack.command],
            "environment": named, "streams": dict(attack.streams), "signals": list(attack.signals),
            "disk": attack.disk}) + "\n")
        self._process.stdin.flush()
        return Ending(**json.loads(self._process.stdout.readline()))


FOREIGN = re.compile(r"Traceback|unexpected error|INTERNALERROR|site-packages/|most recent call last|use --full-trace|"
                     "something is wrong")
LONGEST = 5100
"""Characters of the longest line."""

UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\u00ad\u061c"
                    "\U000e0000-\U000e007f]")


def broken(attack: Attack, door: Door, folder: Path) -> list[str]:
    """The promises that an attack breaks, each with what was seen."""
    place, temporary = folder / "here", folder / "here" / ".tmp"
    temporary.mkdir(parents=True)
    if callable(attack.files):
        attack.files(place)
    else:
        for name, content in attack.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            content = content() if callable(content) else content
            (place / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    before = _contents(place)
    ending = door.run(attack, place)
    return [*_said(attack, ending), *_left(attack, ending, before, _contents(place))]


def _said(attack: Attack, ending: Ending) -> list[str]:
    said = f"{ending.out}\n{ending.error}"
    wrong = []
    if ending.status not in attack.status:
        wrong.append(f"status {'none: it hangs' if ending.status is None else ending.status}, not "
                     f"{' or '.join(map(str, attack.status))}")
    if match := FOREIGN.search(said):
        wrong.append(f"prints {match[0]!r}")
    if match := UNSAFE.search(said.replace("\r", "")):
        wrong.append(f"prints {match[0]!r}")
    wrong += [f"does not say {pattern!r}" for pattern in attack.says if not re.search(pattern, said)]
    if ending.error.count("\n") > attack.lines:
        wrong.append(f"{ending.error.count(chr(10))} lines on stderr, not {attack.lines}")
    if longest := max(map(len, said.splitlines()), default=0):
        if longest > LONGEST:
            wrong.append(f"a line of {longest} characters")
    if attack.status == (2,) and not said.strip() and not attack.quiet:
        wrong.append("says nothing")
    if ending.memory > attack.memory:
        wrong.append(f"{ending.memory:,} bytes of memory, not {attack.memory:,}")
    return [*wrong, f"stdout: {ending.out[-3000:]}\nstderr: {ending.error[-3000:]}"] if wrong else []


def _left(attack: Attack, ending: Ending, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    wrong = [f"left the process {line}" for line in ending.left]
    for name in {**before, **after}:
        if name in before and before[name] != after.get(name):
            if not any(fnmatch(name, pattern) for pattern in attack.leaves):
                wrong.append(f"{name} is {'changed' if name in after else 'gone'}")
        elif name not in before and not any(fnmatch(name, pattern) for pattern in attack.leaves):
            wrong.append(f"{name} is left behind")
    return wrong


def _contents(folder: Path) -> dict[str, Any]:
    """Every file below a folder, links not followed: its type, size and time of change."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root) / name
            status = path.lstat()
            found[str(path.relative_to(folder))] = (status.st_mode, status.st_size, status.st_mtime_ns
                                                    if path.is_file() else 0)
    return found


def _serve() -> None:
    """Run the commands that stdin names, a line of JSON each."""
    import gc

    import onnx
    import onnxruntime  # noqa: F401 what every command would load again
    import pytest  # noqa: F401

    from plumbline.cases.format.schema import CaseFile
    from plumbline.commands import backends, cases, conformance, matrix, model, reports, specifications, trial
    from plumbline.oracle.check.selection import texts
    from plumbline.oracle.specification import load_spec, spec_names
    assert all((backends, cases, conformance, matrix, model, reports, specifications, trial))
    for name in spec_names():
        if name == "sonnx/maxpool" or name.partition("@")[0] in SPECIFICATIONS:
            load_spec(name)
    texts(SPECIFICATIONS)
    onnx.defs.get_schema("Relu")  # the first one asked for registers all
    CaseFile.model_rebuild()
    gc.freeze()
    while line := sys.stdin.readline():
        reading, writing = os.pipe()
        keeper = os.fork()
        if not keeper:
            try:
                os.write(writing, json.dumps(_keep(json.loads(line))).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as file:
            answer = file.read()
        os.waitpid(keeper, 0)
        sys.stdout.write(answer.decode() + "\n")
        sys.stdout.flush()


def _keep(request: dict[str, Any]) -> dict[str, Any]:
    """Run one command, and end what it leaves."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: an orphan becomes a child of this process
    folder = Path(tempfile.mkdtemp(prefix="plumbline-door-"))
    runner = os.fork()
    if not runner:
        _run(request, folder)
    began, signals = time.monotonic(), list(request["signals"])
    status, memory = None, 0
    while time.monotonic() - began < SECONDS:
        ended, how, used = os.wait4(runner, os.WNOHANG)
        if ended:
            status, memory = os.waitstatus_to_exitcode(how), used.ru_maxrss * 1024
            break
        if signals and time.monotonic() - began > signals[0][0]:
            os.kill(runner, signals.pop(0)[1])
        time.sleep(0.005)
    left = _remaining(GRACE if status is not None else 0.0)
    texts = [(folder / name).read_bytes().decode("utf-8", "backslashreplace") if (folder / name).exists() else ""
             for name in ("stdout", "stderr")]
    shutil.rmtree(folder)
    return {"status": status, "out": texts[0], "error": texts[1], "memory": memory, "left": left}


def _remaining(grace: float) -> list[str]:
    """The command lines of the children of this process that do not end by themselves, which are ended."""
    deadline, left = time.monotonic() + grace, dict[int, str]()
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        own = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        if not own:
            return list(left.values())
        if time.monotonic() > deadline:
            for number in map(int, own):
                with contextlib.suppress(OSError):
                    left[number] = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
                    os.kill(number, signal.SIGKILL)
        time.sleep(0.01)


def _run(request: dict[str, Any], folder: Path) -> None:
    """Be the command."""
    status = 70
    try:
        os.setsid()
        os.chdir(request["folder"])
        for number, name in enumerate(("stdin", "stdout", "stderr")):
            target = request["streams"].get(name, "/dev/null" if name == "stdin" else str(folder / name))
            if target == "closed":
                os.close(number)
                continue
            opened = os.open(target, os.O_RDONLY if name == "stdin" else os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(opened, number)
            if opened != number:
                os.close(opened)
        sys.stdin, sys.stdout, sys.stderr = (_stream(number) for number in range(3))
        os.environ.update({"TMPDIR": str(Path(request["folder"]) / ".tmp"), **request["environment"]})
        tempfile.tempdir = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if request["disk"]:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (request["disk"], request["disk"]))
        sys.argv = ["plumbline", *request["arguments"]]
        from plumbline.commands.main import main
        try:
            main()
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else 1
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
    except BaseException:
        import traceback
        with contextlib.suppress(Exception):
            traceback.print_exc()
            sys.stderr.flush()
        status = 1 if status == 70 else status
    finally:
        os._exit(status)


def _stream(number: int) -> Any:
    """A stream as Python opens it when it starts; None for one that is closed."""
    try:
        os.fstat(number)
    except OSError:
        return None
    if number == 0:
        return open(0, encoding="utf-8", closefd=False)
    return io.TextIOWrapper(open(number, "wb", closefd=False, buffering=io.DEFAULT_BUFFER_SIZE), encoding="utf-8",
                            errors="strict" if number == 1 else "backslashreplace", line_buffering=number == 2,
                            write_through=False)


if __name__ == "__main__":
    _serve()
