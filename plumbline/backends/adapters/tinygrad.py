"""Adapter for tinygrad's ONNX front end, `tinygrad.nn.onnx`, on the CPU.

tinygrad writes C and has clang compile it. The clang of the package ziglang serves, so that results do not depend on
what a machine has installed.
"""

from __future__ import annotations

import os
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ziglang

if TYPE_CHECKING:
    from plumbline.backends.request import Request

FOLDER = tempfile.TemporaryDirectory(prefix="plumbline-tinygrad-")
"""Holds a script that tinygrad runs as its compiler, and each model while it is read."""

FLOATS = ["float16", "float32", "float64"]
NUMBERS = [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


class Tinygrad:
    """One runner for each call."""

    name = "tinygrad"
    requirements = ("tinygrad", "ziglang")
    address_limit = True
    megabytes = 490
    capabilities = [
        # Operators are those of tinygrad.nn.onnx, which has no LpPool, and documents no limit of the others. Of their
        # types those that numpy has: Tensor.numpy() makes float32 of bfloat16. Attributes of the first versions are
        # refused, as unexpected keyword arguments: consumed_inputs, and broadcast and axis (which Add alone takes, but
        # computes nothing from); so is a model that leaves out the axis of Concat.
        {"operators": ["MaxPool"], "dtypes": NUMBERS},
        {"operators": ["AveragePool", "Conv", "Gemm", "GlobalAveragePool", "GlobalMaxPool"], "dtypes": FLOATS},
        {"operators": ["MatMul"], "dtypes": NUMBERS},
        {"operators": ["Exp", "LeakyRelu", "Log", "Sigmoid", "Softmax", "Sqrt", "Tanh"], "dtypes": FLOATS,
         "attributes": {"consumed_inputs": []}},
        {"operators": ["Add", "Div", "Less", "Mul", "Sub"], "dtypes": NUMBERS,
         "attributes": {"consumed_inputs": [], "broadcast": [], "axis": []}},
        {"operators": ["Pow"], "dtypes": NUMBERS, "inputs": {"B": {"dtypes": NUMBERS}},
         "attributes": {"broadcast": [], "axis": []}},
        {"operators": ["Abs", "Clip", "Max", "Min", "Relu"], "dtypes": NUMBERS, "attributes": {"consumed_inputs": []}},
        {"operators": ["ArgMax"], "dtypes": NUMBERS},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": [*NUMBERS, "bool"]}}},
        {"operators": ["Flatten", "Shape", "Slice", "Unsqueeze"], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Concat"], "opsets": [4, None], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Reshape"], "opsets": [5, None], "dtypes": [*NUMBERS, "bool"]},
    ]
    contexts = ("constants", "weights", "transposed", "cast", "neighbours")
    reproduce = """import tempfile

from tinygrad.nn.onnx import OnnxRunner

with tempfile.NamedTemporaryFile() as file:
    file.write(model.SerializeToString())
    file.flush()
    found = OnnxRunner(file.name)(inputs)
got = [found[name].numpy() for name in outputs]"""

    def __init__(self) -> None:
        clang = Path(FOLDER.name) / "clang"
        clang.write_text(f'#!/bin/sh\nexec "{Path(ziglang.__file__).parent / "zig"}" clang "$@"\n')
        clang.chmod(0o755)
        # Read by tinygrad when it is imported; level 0 keeps kernels out of the user's cache.
        os.environ |= {"CC": str(clang), "DEV": "CPU", "CACHELEVEL": "0"}
        from tinygrad import dtypes
        from tinygrad.nn.onnx import OnnxRunner
        self.runner, self.bfloat16 = OnnxRunner, dtypes.bfloat16

    def version(self) -> str:
        """Return the version of the package."""
        return version("tinygrad")

    def about(self) -> dict[str, str]:
        """Return device, renderer and compiler."""
        from tinygrad import Device
        return {"device": Device.DEFAULT, "renderer": type(Device["CPU"].renderer).__name__,
                "clang of ziglang": version("ziglang")}

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name. Raises what tinygrad raises, with the phase.

        request: a serialised ONNX model (`model`), arrays by name (`inputs`), and names of `outputs`."""
        # A name of its own for each model: tinygrad keeps the file that it opened under a name, with its size.
        with tempfile.NamedTemporaryFile(dir=FOLDER.name, suffix=".onnx") as file:
            file.write(request.model)
            file.flush()
            try:
                runner = self.runner(file.name)
            except Exception as error:
                error.phase = "load"
                raise
            tensors = runner(dict(request.inputs))
            if any(tensors[name].dtype == self.bfloat16 for name in request.outputs):
                refusal = NotImplementedError("Tensor.numpy() makes float32 of bfloat16")
                refusal.phase = "check"
                raise refusal
            return {name: tensors[name].numpy() for name in request.outputs}
