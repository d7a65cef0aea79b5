"""A command line program as a host: it reads a model and inputs from files, and writes outputs to files.

`exec:COMMAND` names it, where COMMAND holds `{model}`, `{inputs}` and `{outputs}`. For each call these stand for the
path of a model, of a folder with `input_0.pb`, `input_1.pb` and so on, and of an empty folder that the program fills
with `output_0.pb` and so on: the layout of ONNX's own test data, each file a serialised TensorProto, in the order of
the model's inputs and outputs. Exit status 0 means that it answered, any other that it refused, with the last line of
stderr for a reason. Nothing of it outlives the call, neither a process nor a file.
"""

from __future__ import annotations

import contextlib
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import onnx
from onnx import numpy_helper

from plumbline.backends.conversation import LARGEST_ANSWER, how_it_ended
from plumbline.backends.foreign_text import one_line, plain, plain_identity
from plumbline.backends.hosts import StartError
from plumbline.backends.memory import GLANCE, PROC, MemoryLimitError, MemoryWatch
from plumbline.backends.outcomes import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.pipe_ends import Ends
from plumbline.backends.process import MEMORY_LIMIT
from plumbline.backends.request import Request
from plumbline.backends.scripts import of_program
from plumbline.backends.supervision import Child
from plumbline.backends.worker import SPECIFICATIONS

PLACES = ("{model}", "{inputs}", "{outputs}")

FATAL = {128 + getattr(signal, name): int(getattr(signal, name)) for name in (
    "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV") if hasattr(signal, name)}
"""Exit statuses by which a shell that runs the program tells the signal that ended it."""


@dataclass(eq=False)
class Program:
    """A program that is started once for each call. Raises StartError for a command that cannot be one.

    `memory_limit` is in mebibytes."""

    command: str
    memory_limit: int = MEMORY_LIMIT
    identity: dict[str, Any] = field(init=False)
    notes: list[str] = field(init=False, default_factory=list)
    before_end: list[Request] = field(init=False, default_factory=list)
    """Nothing comes before a call."""

    def __post_init__(self) -> None:
        try:
            self._words = shlex.split(self.command)
        except ValueError as error:
            raise StartError(f"no command line: {error}") from None
        missing = [place for place in PLACES if not any(place in word for word in self._words)]
        if missing:
            raise StartError(f"the command lacks {', '.join(missing)}; write exec:COMMAND {' '.join(PLACES)}")
        if shutil.which(self._words[0]) is None:
            raise StartError(f"there is no program {self._words[0]!r}")
        self.identity = plain_identity({
            "name": Path(self._words[0]).name, "version": "unknown", "about": {"command": self.command},
            "reproduce": of_program(self.command), "specifications": list(SPECIFICATIONS), "capabilities": None,
            "batch": 1, "python": "none", "numpy": "none",
            "memory_limit": self.memory_limit if PROC.is_dir() else None})

    def run(self, request: Request) -> Outcome:
        """The outcome of one request."""
        def prepared(folder: Path) -> list[str]:
            places = [folder / name for name in ("model.onnx", "test_data_set_0", "outputs")]
            for place in places[1:]:
                place.mkdir()
            places[0].write_bytes(request.model)
            for number, (name, array) in enumerate(request.inputs.items()):
                tensor = numpy_helper.from_array(array, name)
                (places[1] / f"input_{number}.pb").write_bytes(tensor.SerializeToString())
            return [_filled(word, dict(zip(PLACES, map(str, places), strict=True))) for word in self._words]

        try:
            child = Child(prepared, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, subprocess.SubprocessError) as error:
            return Failed(f"cannot start {self._words[0]}: {error}")
        try:
            found = _ended(child, request.time_limit, self.memory_limit)
            return found if found is not None else _read(child.folder / "outputs", request.outputs)
        finally:
            child.remove()

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """One after the other."""
        return [self.run(request) for request in requests]

    def fresh(self) -> Self:
        """Itself: every call has a process of its own."""
        return self

    @property
    def witness(self) -> Self:
        """Itself."""
        return self

    def close(self) -> None:
        """Nothing is left running."""


def _ended(child: Child, limit: float, memory_limit: int) -> Outcome | None:
    """What became of a program, None when it answered."""
    stderr, memory = Ends(child.process.stderr), MemoryWatch(child.process.pid, memory_limit)
    deadline = time.monotonic() + limit
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(max(min(deadline - time.monotonic(), GLANCE), 0))
                break
            if time.monotonic() >= deadline:
                return Hung(limit)
            memory.check()
    except MemoryLimitError as error:
        return Crashed("out of memory", str(error))
    finally:
        status = child.end()
    stderr.settle()
    lines = stderr.lines()
    if status < 0 or status in FATAL:
        return Crashed(how_it_ended(-FATAL.get(status, -status), lines), lines)
    return Raised("run", f"exit status {status}", lines.rpartition("\n")[2]) if status else None


def _filled(word: str, places: dict[str, str]) -> str:
    for place, path in places.items():
        word = word.replace(place, path)
    return word


def _read(folder: Path, names: tuple[str, ...]) -> Outcome:
    """The outputs that a program wrote."""
    found = {}
    for number, name in enumerate(names):
        path = folder / f"output_{number}.pb"
        if not path.is_file():
            return Failed(f"{path.name}, which is to hold {name}, was not written, though the exit status was 0")
        if path.stat().st_size > LARGEST_ANSWER:
            return Failed(f"{path.name} is larger than {LARGEST_ANSWER} bytes")
        try:
            found[name] = numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))
        except Exception as error:  # whatever a foreign file makes the readers raise
            return Failed(plain(f"{path.name} holds no tensor: {type(error).__name__}: {one_line(error)}"))
    return Answered(found)
