"""Fake implementations whose state shows: what they do is their docstring.

They are put to the trial as ``tests.suite.unsteady:NAME``.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.faults.states import Remembering
from tests.faults.subjects import canonical
from tests.suite.conduct import Counting
from tests.suite.fakes import Adapter
from tests.suite.leaving import FILE, tell
from tests.suite.naive import pool

Outputs = dict[str, np.ndarray]
UNSTEADY: dict[str, type[Adapter]] = {}
"""Those that `unsteady` made, by name."""


def unsteady(function: Any) -> type[Adapter]:
    """An adapter of a function from a request, the true outputs and what it remembers to outputs."""
    def start(self: Any) -> None:
        self.memory = {}
    made = type(function.__name__, (Adapter,), {
        "name": function.__name__.replace("_", "-"), "__doc__": function.__doc__, "__init__": start,
        "run": lambda self, request: function(request, pool(request), self.memory)})
    UNSTEADY[function.__name__] = made
    return made


def key(request: SimpleNamespace) -> bytes:
    """What is alike when the same call is put again."""
    return repr((request.attributes, request.outputs)).encode() + request.inputs["X"].tobytes()


def spoilt(outputs: Outputs) -> Outputs:
    """Y, with its first element changed."""
    y = outputs["Y"].copy()
    y.ravel()[:1] = 7 if y.ravel()[:1] != 7 else 8
    return {**outputs, "Y": y}


@unsteady
def wrong_the_second_time(request, outputs, memory):
    """Answers a call rightly once, and otherwise when it is put again."""
    counts = memory.setdefault("counts", Counter())
    counts[key(request)] += 1
    return spoilt(outputs) if counts[key(request)] > 1 else outputs


@unsteady
def wrong_the_first_time(request, outputs, memory):
    """Answers a call wrongly once, and rightly when it is put again."""
    counts = memory.setdefault("counts", Counter())
    counts[key(request)] += 1
    return spoilt(outputs) if counts[key(request)] == 1 else outputs


@unsteady
def wrong_after_itself(request, outputs, memory):
    """Answers wrongly when the call before had the same X in another form: it depends on the order of calls."""
    before, memory["x"] = memory.get("x"), request.inputs["X"].tobytes()
    return spoilt(outputs) if before == memory["x"] else outputs


@unsteady
def gives_what_it_gave(request, outputs, memory):
    """Gives the outputs of the first call to each later one of the same shapes, until one of other shapes comes."""
    before = memory.setdefault("outputs", outputs)
    if {name: y.shape for name, y in before.items()} == {name: y.shape for name, y in outputs.items()}:
        return {name: y.copy() for name, y in before.items()}
    memory["outputs"] = outputs
    return outputs


@unsteady
def zero_from_the_second_call_on(request, outputs, memory):
    """Answers one call in each process."""
    memory["calls"] = memory.get("calls", 0) + 1
    return outputs if memory["calls"] == 1 else {name: np.zeros_like(y) for name, y in outputs.items()}


@unsteady
def refuses_the_second_time(request, outputs, memory):
    """Refuses a call that it has answered."""
    counts = memory.setdefault("counts", Counter())
    counts[key(request)] += 1
    if counts[key(request)] > 1:
        raise RuntimeError("no more")
    return outputs


@unsteady
def overwrites_its_input(request, outputs, memory):
    """Leaves zeros in X."""
    request.inputs["X"][...] = 0
    return outputs


@unsteady
def overwrites_its_input_and_refuses(request, outputs, memory):
    """Leaves zeros in X, and refuses."""
    request.inputs["X"][...] = 0
    raise RuntimeError("no")


@unsteady
def overwrites_what_it_gave(request, outputs, memory):
    """Hands out one buffer for every output of one size, and overwrites it at the next call."""
    buffer = memory.setdefault("buffer", np.zeros(1 << 16, outputs["Y"].dtype))
    y = outputs["Y"].astype(buffer.dtype)
    if y.dtype != outputs["Y"].dtype:
        return outputs
    buffer[:y.size] = y.ravel()
    return {**outputs, "Y": buffer[:y.size].reshape(y.shape)}


@unsteady
def wears_out(request, outputs, memory):
    """Answers rightly four times, and then no more."""
    memory["calls"] = memory.get("calls", 0) + 1
    return spoilt(outputs) if memory["calls"] > 4 else outputs


class CorruptedByOneCall(Adapter):
    """Takes harm from a call whose X is full of threes, and dies at the second call after it."""

    name = "corrupted-by-one-call"
    left = -1

    def run(self, request: SimpleNamespace) -> Outputs:
        """The truth, until it dies."""
        self.left -= 1
        if self.left == 0:
            self.meets()
        if (request.inputs["X"] == 3).all() and self.left < 0:
            self.left = 2
        return pool(request)

    def meets(self) -> None:
        """Dies."""
        os.kill(os.getpid(), signal.SIGSEGV)


class StuckAfterOneCall(CorruptedByOneCall):
    """Takes harm from a call whose X is full of threes, and never ends the second call after it."""

    name = "stuck-after-one-call"

    def meets(self) -> None:
        """Sleeps."""
        time.sleep(600)


class Slow(Adapter):
    """Takes its time for every call."""

    name = "slow"

    def run(self, request: SimpleNamespace) -> Any:
        """The truth, after more than half a second."""
        time.sleep(0.6)
        return pool(request)


class SlowerAgain(Adapter):
    """Gives no truth, and takes more and more time for it."""

    name = "slower-again"
    calls = 0

    def run(self, request: SimpleNamespace) -> Any:
        """Some other number."""
        SlowerAgain.calls += 1
        time.sleep(0.3 * SlowerAgain.calls)
        return {name: array + 1 for name, array in pool(request).items()}


class DiesOnce(Adapter):
    """Dies at the first call ever, in whatever process, and never again."""

    name = "dies-once"

    def run(self, request: SimpleNamespace) -> Outputs:
        """The truth, but once."""
        path = Path(os.environ[FILE])
        if not path.exists():
            path.touch()
            os.kill(os.getpid(), signal.SIGSEGV)
        return pool(request)


class KilledOnce(Adapter):
    """Is killed from outside at the first call ever."""

    name = "killed-once"

    def run(self, request: SimpleNamespace) -> Outputs:
        """The truth, but once."""
        path = Path(os.environ[FILE])
        if not path.exists():
            path.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return pool(request)


class WaitsOnThirdCall(Counting):
    """Says which process it is, and takes a tenth of a second, so that somebody may stop it meanwhile."""

    def third(self) -> None:
        """Once: who comes after it is not stopped."""
        if not Path(os.environ[FILE]).exists():
            tell()
            time.sleep(0.1)


class OfTheShelf(Remembering):
    """A fault of memory of the shelf (`tests.faults`), around canonical outputs of any operator."""

    number = 0

    def __init__(self) -> None:
        super().__init__(canonical, self.FAULTS[self.number])


class GivesZerosFromTheSecondCallOn(OfTheShelf):
    """As it says."""


class GivesWhatItGaveFirst(OfTheShelf):
    """To a call of the same shapes."""

    number = 1


class OverwritesInputs(OfTheShelf):
    """As it says."""

    number = 2


class OverwritesOutputs(OfTheShelf):
    """Those that it handed out before."""

    number = 3


OF_THE_SHELF = tuple(kind.__name__ for kind in (GivesZerosFromTheSecondCallOn, GivesWhatItGaveFirst, OverwritesInputs,
                                                OverwritesOutputs))
"""Names of the faults of memory of the shelf."""
