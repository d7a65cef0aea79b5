"""tract, an inference engine in Rust, through its Python package."""

import tempfile
from pathlib import Path

import tract

FOLDER = tempfile.TemporaryDirectory(prefix="plumbline-tract-")
"""Holds each model while it is loaded: the package reads models from files alone."""


class Tract:
    """One model for each call, analysed and optimised as by default."""

    name = "tract"
    requirements = ("tract",)
    megabytes = 90
    specifications = ("sonnx/*", "onnx/*")
    capabilities = [
        # The documentation names no limit of these two operators.
        {"operators": ["MaxPool", "AveragePool"]},
    ]
    reproduce = """import tempfile

import tract

with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
    file.write(model.SerializeToString())
    file.flush()
    runnable = tract.onnx().load(file.name).into_model().into_runnable()
got = [tensor.to_numpy() for tensor in runnable.run(list(inputs.values()))]"""

    def version(self):
        """The version of the package."""
        return tract.version()

    def run(self, request):
        """The outputs by name. Raises what tract raises, with the phase."""
        path = Path(FOLDER.name) / "model.onnx"
        path.write_bytes(request.model)
        try:
            runnable = tract.onnx().load(path).into_model().into_runnable()
        except Exception as error:
            error.phase = "load"
            raise
        found = runnable.run(list(request.inputs.values()))
        return dict(zip(request.outputs, (tensor.to_numpy() for tensor in found), strict=True))
