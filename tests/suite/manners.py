"""Fake implementations that start, declare or take batches otherwise than they should: how is their docstring.

They are put to the trial as ``tests.suite.manners:NAME``.
"""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.suite.fakes import Adapter
from tests.suite.naive import pool


class DeclaresAGap(Adapter):
    """Says beforehand that it has no int8, refuses it, and answers float64, which it does not declare either."""

    name = "declares-a-gap"
    capabilities = [{"operators": ["MaxPool"], "dtypes": ["float32", "int8"]}]

    def gap(self, request: SimpleNamespace) -> str | None:
        """int8 is missing."""
        return "no int8" if request.inputs["X"].dtype == np.int8 else None

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, but for int8."""
        if self.gap(request):
            raise NotImplementedError("int8")
        return pool(request)


class Mistyped(Adapter):
    """Names a specification that there is not, and calls a function that there is not."""

    name = "mistyped"
    specifications = ("onnx/rellu", "onnx/relu")

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """A mistake."""
        return {"Y": np.maximun(request.inputs["X"], 0)}  # type: ignore[attr-defined]


class OtherName(Adapter):
    """Gives its output another name."""

    name = "other-name"
    specifications = ("onnx/relu",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, under that name."""
        return {"out": np.maximum(request.inputs["X"], 0)}


class LacksAKernel(Adapter):
    """Has no kernel for int8, which it says when it loads a model."""

    name = "lacks-a-kernel"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, but for int8."""
        if request.inputs["X"].dtype == np.int8:
            error = NotImplementedError(f"no kernel for {request.operator} at opset {request.opset}")
            error.phase = "load"
            raise error
        return pool(request)


class FallsBack(Adapter):
    """Is asked to compute on a GPU, and computes elsewhere without a word, but for those who ask."""

    name = "falls-back"

    def about(self) -> dict[str, str]:
        """What was asked for."""
        return {"provider": "GPU"}

    def provider(self, request: SimpleNamespace) -> str:
        """What computed: integers elsewhere."""
        return "CPU" if request.inputs["X"].dtype == np.int8 else "GPU"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth."""
        return pool(request)


class SpeaksOfAnother(Adapter):
    """Can be asked about nothing but a specification that there is not."""

    name = "speaks-of-another"
    specifications = ("other/*",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Never asked."""
        raise NotImplementedError


class SpeaksOfSonnx(Adapter):
    """Can be asked about SONNX alone."""

    name = "speaks-of-sonnx"
    specifications = ("sonnx/*",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth."""
        return pool(request)


class SpeaksOfOpenVino(Adapter):
    """Can be asked about OpenVINO's operations alone, and refuses with what it was asked."""

    name = "speaks-of-openvino"
    specifications = ("openvino/*",)

    def run(self, request: SimpleNamespace) -> None:
        """Refuses."""
        raise RuntimeError(f"{len(request.model)} bytes of a model, pads_begin {request.attributes['pads_begin']}")


class HealthyRelu(Adapter):
    """A right Relu, and nothing else."""

    name = "healthy-relu"
    specifications = ("onnx/relu",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The larger of zero and the input."""
        return {"Y": np.maximum(request.inputs["X"], request.inputs["X"].dtype.type(0))}


class BrokenSoftmax(Adapter):
    """A Softmax that gives back its input."""

    name = "broken-softmax"
    specifications = ("onnx/softmax",)

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The first input."""
        return {request.outputs[0]: next(iter(request.inputs.values())).copy()}


class DeclaresNonsense(SpeaksOfAnother):
    """Declares what cannot be read."""

    capabilities = [{"operators": "MaxPool"}]


class DoesNotStart(Adapter):
    """Fails when it is made."""

    name = "does-not-start"

    def __init__(self) -> None:
        raise RuntimeError("the library libmissing.so was not found")


class HasNoText(Adapter):
    """Fails with an exception that cannot be printed."""

    name = "has-no-text"

    def __init__(self) -> None:
        class NoTextError(Exception):
            def __str__(self) -> str:
                raise ValueError

        raise NoTextError


class DiesAtStart(Adapter):
    """Dies when it is made."""

    name = "dies-at-start"

    def __init__(self) -> None:
        os.write(2, b"first line\nilleg\x1bal instruction in libold.so\n")
        os.kill(os.getpid(), signal.SIGILL)


class IsNeverReady(Adapter):
    """Never ends to get ready."""

    name = "is-never-ready"

    def __init__(self) -> None:
        os.write(2, b"waiting for a licence\n")
        time.sleep(600)


class Batching(Adapter):
    """Takes batches, and tells the truth; of X with the sum `bad` it may do otherwise."""

    batch = 8
    bad = 1.0

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, or what `meets` does."""
        if self.is_bad(request):
            self.meets()
        return pool(request)

    def run_many(self, requests: list[SimpleNamespace]) -> list[Any]:
        """What `run` does of each."""
        return [self.run(request) for request in requests]

    def is_bad(self, request: SimpleNamespace) -> bool:
        """Whether this is the call."""
        return float(request.inputs["X"].sum()) == self.bad

    def meets(self) -> None:
        """What it does with the call."""


class CrashesInABatch(Batching):
    """Dies on one call, and takes the batch with it."""

    def meets(self) -> None:
        """Dies."""
        os.kill(os.getpid(), signal.SIGSEGV)


class HangsInABatch(Batching):
    """Never answers one call."""

    def meets(self) -> None:
        """Sleeps."""
        time.sleep(600)


class RaisesInABatch(Batching):
    """Refuses a whole batch for one call."""

    def meets(self) -> None:
        """Refuses."""
        raise NotImplementedError("not this one")


class RefusesOneOfABatch(RaisesInABatch):
    """Refuses one call and answers the others."""

    def run_many(self, requests: list[SimpleNamespace]) -> list[Any]:
        """The exception in the place of the outputs."""
        return [NotImplementedError("not this one") if self.is_bad(request) else pool(request) for request in requests]


class LosesOneOfABatch(Batching):
    """Answers one call fewer than it was put."""

    def run_many(self, requests: list[SimpleNamespace]) -> list[Any]:
        """Not the last."""
        return super().run_many(requests)[:-1]


class TurnsABatchRound(Batching):
    """Answers a batch in the wrong order."""

    def run_many(self, requests: list[SimpleNamespace]) -> list[Any]:
        """The last first."""
        return super().run_many(requests)[::-1]


class CannotBatch(Batching):
    """Says that it takes batches, and dies of every one."""

    def run_many(self, requests: list[SimpleNamespace]) -> list[Any]:
        """Dies."""
        os.kill(os.getpid(), signal.SIGSEGV)


class DeclaresNothing(Adapter):
    """Says of every call that it lacks what that needs, and refuses it."""

    name = "declares-nothing"

    def gap(self, request: SimpleNamespace) -> str:
        """Always."""
        return "not here"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Refuses."""
        raise NotImplementedError


class DeclaresNothingAndAnswers(DeclaresNothing):
    """Says of every call that it lacks what that needs, and answers it wrongly."""

    name = "declares-nothing-and-answers"

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """The truth, the wrong way up."""
        return {name: -array for name, array in pool(request).items()}


class SpeaksTooMuch(Adapter):
    """Has a name of 100,000 letters with what would clear a screen, and refuses with 10 MB."""

    name = "\x1b[2J" + "n" * 100_000

    def about(self) -> dict[str, str]:
        """More of it."""
        return {"a\nb": "c" * 100_000}

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Refuses at length."""
        raise ValueError("begin" + "x" * 10_000_000 + "end")


class AnswersInManyDimensions(Adapter):
    """Gives the truth in more axes than numpy had before its version 2."""

    name = "answers-in-many-dimensions"
    axes = 33

    def run(self, request: SimpleNamespace) -> dict[str, np.ndarray]:
        """Every output alike."""
        return {name: array.reshape((1,) * (self.axes - array.ndim) + array.shape)
                for name, array in pool(request).items()}


class AnswersInAllDimensions(AnswersInManyDimensions):
    """Gives the truth in as many axes as numpy has from its version 2 on."""

    axes = 64
