"""Adapter for Apache TVM: Relax's ONNX front end, compiled by LLVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plumbline.backends.request import Request
    from plumbline.backends.worker import Prepared

FLOATS = ["float16", "float32", "float64"]
NUMBERS = [*FLOATS, "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


class Tvm:
    """One compiled module for each call."""

    name = "tvm"
    requirements = ("apache-tvm", "onnx")
    address_limit = True
    megabytes = 390
    # Pools are those of relax.op.nn: max_pool1d, 2d and 3d and avg_pool1d, 2d and 3d, each of one result. Others of
    # ONNX that the front end has are not tried yet; Reshape it refuses where the shape is an input ("requires the input
    # new shape to be Shape"). Before opset 7 broadcast and axis are taken, and nothing is computed from them.
    capabilities = [
        {"operators": ["MaxPool", "AveragePool"], "ranks": [1, 2, 3], "outputs": ["Y"]},
        {"operators": ["Add", "Mul", "Sub"], "opsets": [7, None], "dtypes": NUMBERS},
        {"operators": ["Abs", "Clip", "Max", "Min", "Relu"], "dtypes": NUMBERS},
        {"operators": ["Less"], "opsets": [7, None], "dtypes": NUMBERS},
        {"operators": ["Softmax"], "dtypes": FLOATS},
        {"operators": ["ArgMax", "MatMul"], "opsets": [13, None], "dtypes": NUMBERS},
        {"operators": ["Gemm"], "opsets": [13, None], "dtypes": FLOATS},  # of integers not with every factor
        {"operators": ["Concat"], "opsets": [13, None], "dtypes": [*NUMBERS, "bool"]},
        {"operators": ["Where"], "inputs": {"X": {"dtypes": [*NUMBERS, "bool"]}}},
    ]
    contexts = ("constants", "weights", "transposed", "cast", "again", "neighbours")
    reproduce = """import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

module = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
got = [module["main"](tvm.runtime.tensor(x)).numpy()]"""

    def version(self) -> str:
        """Return the version of the package."""
        return tvm.__version__

    def about(self) -> dict[str, str]:
        """Return the target."""
        return {"target": "llvm"}

    def prepare(self, model: bytes) -> Prepared:
        """Compile a serialised ONNX model; return the function that runs it.

        The function takes names of outputs and inputs by name. Raises what TVM raises, with the phase."""
        try:
            compiled = tvm.compile(from_onnx(onnx.load_model_from_string(model)), target="llvm")
            module = relax.VirtualMachine(compiled, tvm.cpu())
        except Exception as error:
            error.phase = "load"
            raise

        def run(outputs: Sequence[str], inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
            results = module["main"](*map(tvm.runtime.tensor, inputs.values()))
            return [array(result) for result in ([results] if len(outputs) == 1 else results)]
        return run

    def run(self, request: Request) -> dict[str, Any]:
        """Run a request. Raises what TVM raises, with the phase."""
        return dict(zip(request.outputs, self.prepare(request.model)(request.outputs, request.inputs), strict=True))


def array(result: Any) -> np.ndarray:
    """Return a result as an array: that of Shape is not a tensor."""
    return result.numpy() if isinstance(result, tvm.runtime.Tensor) else np.array(tuple(result), np.int64)
