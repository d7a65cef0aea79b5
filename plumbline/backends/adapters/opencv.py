"""Adapter for OpenCV's module for networks, `cv2.dnn`, on the CPU.

OpenCV reads the ONNX model and chooses its engine by itself."""

from __future__ import annotations

import contextlib
import os
import pickle
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plumbline.backends.request import Request
    from plumbline.backends.worker import Prepared

MOST = 3
"""Most inputs of a call that runs in this process itself."""


class OpenCv:
    """An adapter that loads a network for each call."""

    name = "opencv"
    requirements = ("opencv-python-headless",)
    address_limit = True
    megabytes = 210
    specifications = ("sonnx/*", "onnx/*")
    # No page lists them; this is what the layers and the importer assert of themselves, in words, in OpenCV's sources:
    # modules/dnn/src/layers/maxpool_layer.cpp and avgpool_layer.cpp, modules/dnn/src/onnx/onnx_importer.cpp.
    capabilities = [
        {"operators": ["MaxPool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3], "outputs": ["Y"]},
        {"operators": ["MaxPool"], "dtypes": ["float32"], "ranks": [2]},
        {"operators": ["AveragePool"], "dtypes": ["float16", "float32"], "ranks": [1, 2, 3]},
        # Of the other operators the types that their layers take.
        {"operators": ["Add", "Sub", "Mul", "Div", "Max", "Min", "Less", "ArgMax", "Concat", "Flatten", "Reshape",
                       "Shape", "Slice", "Unsqueeze"],
         "dtypes": ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                    "uint64"]},
        {"operators": ["Concat", "Flatten", "Reshape", "Shape", "Slice", "Unsqueeze"], "dtypes": ["bool"]},
        {"operators": ["Pow"], "dtypes": ["float16", "float32", "float64", "int32", "int64"],
         "inputs": {"B": {"dtypes": ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                                     "uint16", "uint32", "uint64"]}}},
        {"operators": ["Where"],
         "inputs": {"X": {"dtypes": ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                                     "uint16", "uint32", "uint64"]}}},
        {"operators": ["Clip"],
         "dtypes": ["float16", "float32", "float64", "int8", "int16", "int32", "uint8", "uint16"]},
        # These work in single precision, or refuse other types.
        {"operators": ["Abs", "Conv", "Exp", "Gemm", "LeakyRelu", "Log", "Relu", "Sigmoid", "Softmax", "Sqrt", "Tanh"],
         "dtypes": ["float16", "float32"]},
        {"operators": ["MatMul"], "dtypes": ["float16", "float32"],
         "inputs": {"A": {"axes": [2, 3, 4, 5, 6]}, "B": {"axes": [2, 3, 4, 5, 6]}}},
        {"operators": ["GlobalAveragePool", "GlobalMaxPool"], "dtypes": ["float16", "float32"], "ranks": [1, 2]},
    ]
    # Of open sizes it takes few: most layers are refused then.
    contexts = ("constants", "weights", "transposed", "cast", "quantized", "quantized-signed", "threads", "strided",
                "again", "neighbours")
    reproduce = """import cv2
import numpy as np

network = cv2.dnn.readNetFromONNX(np.frombuffer(model.SerializeToString(), np.uint8))
for name, array in inputs.items():
    network.setInput(array, name)
got = network.forward(outputs)"""

    def __init__(self) -> None:
        cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)

    def version(self) -> str:
        """Return the version of the package."""
        return cv2.__version__

    def about(self) -> dict[str, str]:
        """Return the engine that was asked for."""
        return {"engine asked for": "ENGINE_AUTO, backend and target as by default"}

    def gap(self, request: Request) -> str | None:
        """Return the limits of the layers and of their Python interface.

        Python sees an empty matrix as None, without type and shape, and cuts integers to 32 bits."""
        given = {**request.attributes, **request.inputs}
        empty = [name for name, array in request.inputs.items() if not array.size]
        if not empty and _gives_nothing(request.operator, given):
            empty = ["the output"]
        if empty:
            return f"{' and '.join(empty)} without elements"
        ends = np.finfo(np.float32)
        if request.operator == "Clip" and not np.all(given.get("min", ends.min) <= given.get("max", ends.max)):
            return "a minimum that is not below the maximum"
        if request.operator == "Slice" and any(np.any(np.abs(np.asarray(given[name], dtype=float)) >= 2**31)
                                               for name in ("starts", "ends", "steps") if name in given):
            return "numbers beyond 32 bits"
        return None

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name.

        Raises what OpenCV raises, with the phase; ValueError for an output of no elements."""
        copied = len(request.inputs) > MOST
        # A copy does not have the threads of this process.
        cv2.setNumThreads(1 if copied else request.settings.get("threads", 1))
        return dict(zip(request.outputs, self.prepare(request.model)(request.outputs, request.inputs), strict=True))

    def prepare(self, model: bytes) -> Prepared:
        """Load a network. Raises what OpenCV raises, with the phase.

        Max and Min of four inputs and more may write behind their output. They run in a copy of this process, so that
        the damage affects no later call; a signal that ends the copy ends this process."""
        try:
            network = cv2.dnn.readNetFromONNX(np.frombuffer(model, np.uint8))
        except Exception as error:
            error.phase = "load"
            raise

        def run(outputs: Sequence[str], inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
            for name, array in inputs.items():
                network.setInput(array, name)
            arrays = network.forward(list(outputs))
            if any(array is None for array in arrays):
                raise ValueError("OpenCV gave an empty matrix, which Python sees as None, without type and shape")
            return arrays
        return lambda outputs, inputs: (_in_a_copy(lambda: run(outputs, inputs))
                                        if len(inputs) > MOST and hasattr(os, "fork") else run(outputs, inputs))


def _in_a_copy(call: Callable[[], list[np.ndarray]]) -> list[np.ndarray]:
    """Run a call in a copy of this process; if the copy crashes, crash too.

    call: returns the outputs; what it raises is raised here."""
    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        try:
            answer: tuple[list[np.ndarray] | None, Exception | None]
            try:
                answer = call(), None
            except Exception as error:
                answer = None, error
            with os.fdopen(writing, "wb") as stream:
                pickle.dump(answer, stream)
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        written = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
    if status < 0:
        os.kill(os.getpid(), -status)
    if status:
        os._exit(status)
    outputs, exception = pickle.loads(written)
    if exception is not None:
        raise exception
    return outputs


def _gives_nothing(operator: str, given: Mapping[str, Any]) -> bool:
    """Return True for a valid Shape or Slice with an empty output."""
    with contextlib.suppress(Exception):
        sizes = given["data"].shape
        if operator == "Shape":
            return not sizes[given.get("start", 0):given.get("end")]
        if operator == "Slice":
            starts, ends = map(np.ravel, (given["starts"], given["ends"]))
            axes, steps = given.get("axes", range(len(starts))), given.get("steps", [1] * len(starts))
            return any(not range(sizes[axis])[int(start):int(end):int(step)]
                       for start, end, axis, step in zip(starts, ends, axes, steps, strict=True))
    return False
