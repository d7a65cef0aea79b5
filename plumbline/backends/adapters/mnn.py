"""Adapter for MNN on the CPU: its converter, then its module.

The tool `mnnconvert` installs a package for logs in whatever `pip` it finds and sends them; the converter itself, which
is called here, does neither.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _tools
import MNN
import numpy as np
from MNN import expr, nn

if TYPE_CHECKING:
    from plumbline.backends.request import Request

FOLDER = tempfile.TemporaryDirectory(prefix="plumbline-mnn-")
"""Holds each model while it is converted and loaded: both read files."""


class Mnn:
    """One module for each call, with the precision that it has by default."""

    name = "mnn"
    requirements = ("MNN",)
    address_limit = True
    megabytes = 160
    # Of the profile: a model without `strides`, which ONNX's texts allow, ends the process. It has some hundred
    # operators more, whose faults nobody has listed.
    specifications = ("sonnx/clip", "sonnx/maxpool", "sonnx/relu", "sonnx/sigmoid", "sonnx/softmax", "sonnx/tanh")
    capabilities = [
        # Indices are int64, which no kernel of MNN has.
        {"operators": ["MaxPool"], "dtypes": ["float32"], "outputs": ["Y"]},
        {"operators": ["Clip", "Relu", "Sigmoid", "Softmax", "Tanh"], "dtypes": ["float32"]},
    ]
    contexts = ()
    reproduce = """import tempfile

import _tools
from MNN import expr, nn

with tempfile.TemporaryDirectory() as folder:
    open(f"{folder}/model.onnx", "wb").write(model.SerializeToString())
    _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", f"{folder}/model.onnx", "--MNNModel", f"{folder}/model.mnn",
                       "--bizCode", "none"])
    module = nn.load_module_from_file(f"{folder}/model.mnn", list(inputs), list(outputs))
    found = module.forward([expr.const(array, array.shape, expr.NCHW) for array in inputs.values()])
    got = [variable.read() for variable in found]"""

    def version(self) -> str:
        """Return the version of the package."""
        return MNN.version()

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name.

        request: a serialised ONNX model (`model`), float32 arrays by name (`inputs`), and names of `outputs`.

        Raises what MNN raises, and NotImplementedError for other types, with the phase."""
        if "Indices" in request.outputs or any(array.dtype != np.float32 for array in request.inputs.values()):
            error = NotImplementedError("this adapter passes float32 alone, and MNN has no int64 for Indices")
            error.phase = "check"
            raise error
        model, converted = (Path(FOLDER.name) / f"model.{suffix}" for suffix in ("onnx", "mnn"))
        model.write_bytes(request.model)
        converted.unlink(missing_ok=True)
        try:
            _tools.mnnconvert(["", "-f", "ONNX", "--modelFile", str(model), "--MNNModel", str(converted), "--bizCode",
                               "none"])
            module = nn.load_module_from_file(str(converted), list(request.inputs), list(request.outputs))
        except Exception as error:
            error.phase = "load"
            raise
        found = module.forward([_variable(array) for array in request.inputs.values()])
        return {name: _array(variable) for name, variable in zip(request.outputs, found, strict=True)}


def _variable(array: np.ndarray) -> Any:
    return expr.const(np.ascontiguousarray(array), list(array.shape), expr.NCHW)


def _array(variable: Any) -> np.ndarray:
    """Return an output in the layout of ONNX."""
    if variable.data_format == expr.NC4HW4:
        variable = expr.convert(variable, expr.NCHW)
    if 0 in variable.shape:  # which it cannot read
        return np.empty(variable.shape, np.float32)
    return np.array(variable.read())
