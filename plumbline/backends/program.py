"""Host for a program, `exec:COMMAND`, that is started for each call.

COMMAND holds `{model}`, `{inputs}` and `{outputs}`. They are replaced by the path of a model, of a folder with
`input_0.pb`, `input_1.pb` and so on, and of an empty folder for `output_0.pb` and so on. This is the layout of ONNX's
own test data: each file is a serialised TensorProto, in the order of the model's inputs and outputs. Exit status 0
means an answer, any other a refusal, with the last line of stderr as the reason. No process and no file outlives the
call.
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
from typing import Self

import onnx
from onnx import numpy_helper

from plumbline.backends.conversation import LARGEST_ANSWER, how_it_ended
from plumbline.backends.foreign_text import one_line, plain
from plumbline.backends.hosts import StartError
from plumbline.backends.identity import Identity
from plumbline.backends.memory import INTERVAL, PROC, MemoryLimitError, MemoryWatch
from plumbline.backends.outcomes import Answered, Crashed, Failed, Hung, Outcome, Raised
from plumbline.backends.pipe_ends import PipeEnds
from plumbline.backends.process import MEMORY_LIMIT
from plumbline.backends.request import Request
from plumbline.backends.scripts import of_program
from plumbline.backends.worker import SPECIFICATIONS
from plumbline.oracle.tensor_protos import to_array
from plumbline.processes.supervision import Child, pipe_of

PLACES = ("{model}", "{inputs}", "{outputs}")

FATAL = {128 + getattr(signal, name): int(getattr(signal, name)) for name in (
    "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGKILL", "SIGSEGV") if hasattr(signal, name)}
"""Exit statuses by which a shell reports the signal that ended the program."""


@dataclass(eq=False)
class Program:
    """A program that is started for each call.

    `memory_limit` is in mebibytes. Raises StartError for a command that cannot run."""

    command: str
    memory_limit: int = MEMORY_LIMIT
    identity: Identity = field(init=False)
    notes: list[str] = field(init=False, default_factory=list)
    before_end: list[Request] = field(init=False, default_factory=list)
    """Always empty: nothing runs before a call."""

    def __post_init__(self) -> None:
        try:
            self._words = shlex.split(self.command)
        except ValueError as error:
            raise StartError(f"not a command line: {error}") from None
        missing = [place for place in PLACES if not any(place in word for word in self._words)]
        if missing:
            raise StartError(f"the command lacks {', '.join(missing)}; write exec:COMMAND {' '.join(PLACES)}")
        if shutil.which(self._words[0]) is None:
            raise StartError(f"there is no program {self._words[0]!r}")
        self.identity = Identity.read({
            "name": Path(self._words[0]).name, "version": "unknown", "about": {"command": self.command},
            "reproduce": of_program(self.command), "specifications": SPECIFICATIONS,
        }, self.memory_limit if PROC.is_dir() else None)

    def run(self, request: Request) -> Outcome:
        """Run the program on one request."""
        def prepared(folder: Path) -> list[str]:
            model, inputs, outputs = (folder / name for name in ("model.onnx", "test_data_set_0", "outputs"))
            model.write_bytes(request.model)
            inputs.mkdir()
            outputs.mkdir()
            for number, (name, array) in enumerate(request.inputs.items()):
                tensor = numpy_helper.from_array(array, name)
                (inputs / f"input_{number}.pb").write_bytes(tensor.SerializeToString())
            return [_filled(word, dict(zip(PLACES, map(str, (model, inputs, outputs)), strict=True)))
                    for word in self._words]

        try:
            child = Child(prepared, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except (OSError, subprocess.SubprocessError) as error:
            return Failed(f"cannot start {self._words[0]}: {error}")
        try:
            failure = _failure(child, request.time_limit, self.memory_limit)
            return failure if failure is not None else _read(child.folder / "outputs", request.outputs)
        finally:
            child.remove()

    def run_many(self, requests: Sequence[Request]) -> list[Outcome] | Outcome:
        """Run requests one after the other."""
        return [self.run(request) for request in requests]

    def fresh(self) -> Self:
        """Return this host: every call has a process of its own."""
        return self

    @property
    def witness(self) -> Self:
        """The host itself: every call has a process of its own."""
        return self

    def close(self) -> None:
        """Do nothing: no process is left running."""


def _failure(child: Child, limit: float, memory_limit: int) -> Outcome | None:
    """Wait for a program; return its failure, None if it succeeded."""
    stderr, memory = PipeEnds(pipe_of(child.process.stderr)), MemoryWatch(child.process.pid, memory_limit)
    deadline = time.monotonic() + limit
    try:
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.process.wait(max(min(deadline - time.monotonic(), INTERVAL), 0))
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
    """Return the outputs that a program wrote."""
    outputs = {}
    for number, name in enumerate(names):
        path = folder / f"output_{number}.pb"
        if not path.is_file():
            return Failed(f"{path.name}, which is to hold {name}, was not written, though the exit status was 0")
        if path.stat().st_size > LARGEST_ANSWER:
            return Failed(f"{path.name} is larger than {LARGEST_ANSWER} bytes")
        try:
            outputs[name] = to_array(onnx.TensorProto.FromString(path.read_bytes()))
        except Exception as error:  # a foreign file may make the readers raise anything
            return Failed(plain(f"{path.name} holds no tensor: {type(error).__name__}: {one_line(error)}"))
    return Answered(outputs)
