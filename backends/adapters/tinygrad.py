"""tinygrad's own ONNX front end, `tinygrad.nn.onnx`, on its CPU device.

tinygrad writes C and has clang compile it. The clang of the package ziglang serves, so that results do not depend on
what a machine has installed.
"""

import os
import tempfile
from importlib.metadata import version
from pathlib import Path

import ziglang

FOLDER = tempfile.TemporaryDirectory(prefix="plumbline-tinygrad-")
"""Holds the name under which tinygrad finds its compiler, and each model while it is read."""


class Tinygrad:
    """One runner for each call."""

    name = "tinygrad"
    requirements = ("tinygrad", "ziglang")
    megabytes = 490
    capabilities = [
        # The package documents no limit of these operators. Others of ONNX that it has are not tried yet.
        {"operators": ["MaxPool", "AveragePool"]},
        # Of their types those that numpy has.
        {"operators": ["Flatten", "Shape", "Slice", "Unsqueeze"],
         "dtypes": ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                    "uint64", "bool"]},
        # Without the attributes of the first versions: consumed_inputs, and a default of axis.
        {"operators": ["Concat"], "opsets": [4, None],
         "dtypes": ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                    "uint64", "bool"]},
        {"operators": ["Reshape"], "opsets": [5, None],
         "dtypes": ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
                    "uint64", "bool"]},
    ]
    reproduce = """import tempfile

from tinygrad.nn.onnx import OnnxRunner

with tempfile.NamedTemporaryFile() as file:
    file.write(model.SerializeToString())
    file.flush()
    found = OnnxRunner(file.name)(inputs)
got = [found[name].numpy() for name in outputs]"""

    def __init__(self):
        clang = Path(FOLDER.name) / "clang"
        clang.write_text(f'#!/bin/sh\nexec "{Path(ziglang.__file__).parent / "zig"}" clang "$@"\n')
        clang.chmod(0o755)
        # Read by tinygrad when it is imported; level 0 keeps kernels out of the user's cache.
        os.environ |= {"CC": str(clang), "DEV": "CPU", "CACHELEVEL": "0"}
        from tinygrad.nn.onnx import OnnxRunner
        self.runner = OnnxRunner

    def version(self):
        """The version of the package."""
        return version("tinygrad")

    def about(self):
        """Where it runs, and what compiles for it."""
        from tinygrad import Device
        return {"device": Device.DEFAULT, "renderer": type(Device["CPU"].renderer).__name__,
                "clang of ziglang": version("ziglang")}

    def run(self, request):
        """The outputs by name. Raises what tinygrad raises, with the phase."""
        # A name of its own for each model: tinygrad keeps the file that it opened under a name, with its size.
        with tempfile.NamedTemporaryFile(dir=FOLDER.name, suffix=".onnx") as file:
            file.write(request.model)
            file.flush()
            try:
                runner = self.runner(file.name)
            except Exception as error:
                error.phase = "load"
                raise
            found = runner(dict(request.inputs))
            return {name: found[name].numpy() for name in request.outputs}
