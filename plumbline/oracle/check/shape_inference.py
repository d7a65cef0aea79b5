"""ONNX's shape inference, in a process of its own.

Inference of the onnx package ends the process on some models, such as a node with more outputs than it says,
and never returns on others, such as an equation with a lone point.
"""

from __future__ import annotations

import faulthandler
import os
import select
import signal
import sys
import time
import warnings
from typing import NoReturn

import onnx.shape_inference
from google.protobuf.message import DecodeError, EncodeError
from onnx import ModelProto

SECONDS = 20.0
"""Time for one model."""

DONE, REFUSED = b"+", b"-"

ERRORS = (RuntimeError, ValueError, DecodeError, EncodeError, onnx.shape_inference.InferenceError)
"""The exceptions of `inferred`."""


def inferred(proto: ModelProto) -> ModelProto:
    """Return the model with the types and shapes that ONNX's shape inference finds. Raises `ERRORS`.

    On other systems than Linux inference runs in this process."""
    if sys.platform != "linux":
        return _inferred(proto)
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads: the child needs none of them
        child = os.fork()
    if not child:
        _answer(proto, theirs)
    os.close(theirs)
    try:
        answer = _read(ours, time.monotonic() + SECONDS)
    finally:
        os.close(ours)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if answer is None:
        raise RuntimeError(f"it takes more than {SECONDS:.0f} seconds")
    if answer[:1] == REFUSED:
        raise onnx.shape_inference.InferenceError(answer[1:].decode(errors="replace"))
    if answer[:1] != DONE or answer[-1:] != DONE:
        raise RuntimeError(f"it ended its process (signal {os.WTERMSIG(status)})" if os.WIFSIGNALED(status) else
                           "it ended its process")
    model = ModelProto()
    model.ParseFromString(memoryview(answer)[1:-1])
    model.graph.initializer.extend(proto.graph.initializer)
    return model


def _inferred(proto: ModelProto) -> ModelProto:
    model: ModelProto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    return model


def _answer(proto: ModelProto, end: int) -> NoReturn:
    """Write the answer to the end of a pipe, and end the process."""
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        faulthandler.disable()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        try:
            model = _inferred(proto)
            del model.graph.initializer[:]  # the caller has them
            answer = DONE + model.SerializeToString() + DONE
        except ERRORS as error:
            answer = REFUSED + str(error).encode(errors="replace")
        left = memoryview(answer)
        while left:
            left = left[os.write(end, left):]
    finally:
        os._exit(0)


def _read(end: int, deadline: float) -> bytes | None:
    """Read to the end of a pipe; return None if it takes until the deadline."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([end], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return None
        part = os.read(end, 2**20)
        if not part:
            return b"".join(parts)
        parts.append(part)
