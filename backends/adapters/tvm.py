"""Apache TVM: the ONNX front end of Relax, compiled with LLVM for the CPU."""

import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


class Tvm:
    """One compiled module for each call."""

    name = "tvm"
    requirements = ("apache-tvm", "onnx")
    megabytes = 390
    # Source: relax.op.nn, which has max_pool1d, 2d and 3d and avg_pool1d, 2d and 3d, each of one result.
    capabilities = [
        {"operators": ["MaxPool", "AveragePool"], "ranks": [1, 2, 3], "outputs": ["Y"]},
    ]
    reproduce = """import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

module = relax.VirtualMachine(tvm.compile(from_onnx(model), target="llvm"), tvm.cpu())
got = [module["main"](tvm.runtime.tensor(x)).numpy()]"""

    def version(self):
        """The version of the package."""
        return tvm.__version__

    def about(self):
        """What it compiles for."""
        return {"target": "llvm"}

    def run(self, request):
        """The outputs by name. Raises what TVM raises, with the phase."""
        try:
            compiled = tvm.compile(from_onnx(onnx.load_model_from_string(request.model)), target="llvm")
            module = relax.VirtualMachine(compiled, tvm.cpu())
        except Exception as error:
            error.phase = "load"
            raise
        found = module["main"](*map(tvm.runtime.tensor, request.inputs.values()))
        found = [found] if len(request.outputs) == 1 else found
        return {name: array.numpy() for name, array in zip(request.outputs, found, strict=True)}
