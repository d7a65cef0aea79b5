"""Adapter for tract, an inference engine in Rust, by its Python package."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tract

if TYPE_CHECKING:
    import numpy as np

    from plumbline.backends.request import Request

FOLDER = tempfile.TemporaryDirectory(prefix="plumbline-tract-")
"""Holds each model while it is loaded: the package reads models from files alone."""

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


class Tract:
    """One model for each call, analysed and optimised as by default."""

    name = "tract"
    requirements = ("tract",)
    address_limit = True
    megabytes = 90
    specifications = ("sonnx/*", "onnx/*")
    capabilities = [
        # The documentation names no limit. Types are those of the kernels, and of those the ones that the package
        # brings to numpy; Reshape, Unsqueeze from opset 13 on and Slice from opset 10 on want to know the shape, the
        # axes and the ends when a model is loaded, which are inputs here.
        {"operators": ["MaxPool", "AveragePool"], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Add", "Sub", "Mul", "Div", "Less"], "opsets": [7, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Abs", "Max", "Min", "Relu"], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Clip"], "opsets": [6, None], "dtypes": [*FLOATS, *INTEGERS]},
        {"operators": ["Pow"], "opsets": [7, None], "dtypes": [*FLOATS, "int32", "int64"],
         "inputs": {"B": {"dtypes": [*FLOATS, *INTEGERS]}}},
        {"operators": ["Exp", "Log", "Softmax", "Sqrt", "Tanh"], "dtypes": FLOATS},
        {"operators": ["LeakyRelu", "Sigmoid"], "dtypes": ["float16", "float32"]},
        {"operators": ["MatMul"], "dtypes": [*FLOATS, "int32"]},
        {"operators": ["Gemm"], "dtypes": FLOATS, "attributes": {"transA": [0, 1], "transB": [0, 1]}},
        {"operators": ["Conv", "GlobalAveragePool", "GlobalMaxPool"], "dtypes": FLOATS},
        {"operators": ["ArgMax"],
         "dtypes": [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16"]},
        {"operators": ["Flatten", "Shape"], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Concat"], "opsets": [4, None], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Slice"], "opsets": [1, 9], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Unsqueeze"], "opsets": [1, 12], "dtypes": [*FLOATS, *INTEGERS, "bool"]},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": [*FLOATS, *INTEGERS, "bool"]}}},
    ]
    # Of open sizes it takes few: windows, Conv and Flatten are refused then.
    contexts = ("constants", "weights", "transposed", "cast", "neighbours")
    reproduce = """import tempfile

import tract

with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
    file.write(model.SerializeToString())
    file.flush()
    runnable = tract.onnx().load(file.name).into_model().into_runnable()

def array(tensor):
    try:
        return tensor.to_numpy()
    except tract.TractError:  # numpy has no type for sizes (TDim)
        return tensor.convert_to(tract.DatumType.I64).to_numpy()

got = [array(tensor) for tensor in runnable.run(list(inputs.values()))]"""

    def version(self) -> str:
        """Return the version of the package."""
        return tract.version()

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name. Raises what tract raises, with the phase.

        request: a serialised ONNX model (`model`), arrays by name (`inputs`), and names of `outputs`."""
        path = Path(FOLDER.name) / "model.onnx"
        path.write_bytes(request.model)
        try:
            runnable = tract.onnx().load(path).into_model().into_runnable()
        except Exception as error:
            error.phase = "load"
            raise
        tensors = runnable.run(list(request.inputs.values()))
        return dict(zip(request.outputs, map(array, tensors), strict=True))


def array(tensor: Any) -> np.ndarray:
    """Return a tensor as an array; sizes, of tract's own type TDim, as int64."""
    try:
        return tensor.to_numpy()
    except tract.TractError as error:
        if "TDim" not in str(error):
            raise
        return tensor.convert_to(tract.DatumType.I64).to_numpy()
