"""ONNX Runtime on the CPU, through its Python package."""

import onnxruntime

MAX_OPSET = ((1, 20, 21), (1, 19, 21), (1, 18, 21), (1, 17, 20), (1, 16, 19), (1, 15, 19))
"""Highest opset of ONNX's default domain by release, for those below the opset 22 that some specifications use; each
was found by loading models of opsets 18 to 22."""

KERNELS = {
    # operator: (first opset, first opset for types other than float32, types)
    "AveragePool": (7, 7, ("float32", "float16")),
    "MaxPool": (1, 8, ("float32", "float16", "float64", "int8", "uint8")),
}
"""What the CPU provider runs. Source: ONNX Runtime, docs/OperatorKernels.md, CPUExecutionProvider; float16 has no
kernel there and is run by casts to float32 and back, except at the opset 1 of MaxPool."""

MAX_SPATIAL_AXES = 3


class OnnxRuntime:
    """One session for each call, graph optimisation as by default."""

    name = "onnxruntime"
    requirements = ("onnxruntime",)
    reproduce = """import onnxruntime

session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
got = session.run(outputs, {"X": x})"""

    def __init__(self):
        onnxruntime.set_default_logger_severity(4)

    def version(self):
        """The version of the package."""
        return onnxruntime.__version__

    def about(self):
        """Which provider was asked for."""
        return {"execution provider asked for": "CPUExecutionProvider"}

    def gap(self, request):
        """What the release declares that it does not have: opsets, kernels, ranks."""
        release = tuple(int(part) for part in self.version().split(".")[:2])
        known = next((opset for major, minor, opset in MAX_OPSET if release == (major, minor)), None)
        if known is not None and request.opset > known:
            return f"opset {request.opset} is above {known}, the highest of this release"
        first, others, types = KERNELS.get(request.operator, (1, 1, ()))
        x = request.inputs["X"]
        if request.opset < first or (x.dtype.name != "float32" and request.opset < others) or x.dtype.name not in types:
            return f"no CPU kernel for {request.operator} of {x.dtype.name} at opset {request.opset}"
        if x.ndim - 2 > MAX_SPATIAL_AXES:
            return f"no CPU kernel for {x.ndim - 2} spatial axes"
        return None

    def run(self, request):
        """The outputs by name. Raises what the session raises, with the phase."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        try:
            session = onnxruntime.InferenceSession(request.model, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            error.phase = "load"
            raise
        return dict(zip(request.outputs, session.run(list(request.outputs), dict(request.inputs)), strict=True))
