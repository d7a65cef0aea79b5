"""Adapter for ONNX Runtime's `com.microsoft.NhwcMaxPool` on the CPU.

The layout of X and Y is batch, spatial axes, channel: X is brought to that layout, and Y back from it. The operator
replaces MaxPool of the domain com.ms.internal.nhwc, for which ONNX Runtime has a schema but no CPU kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime
from onnx import helper

if TYPE_CHECKING:
    from plumbline.backends.request import Request


class OnnxRuntimeNhwc:
    """One session for each call, of a model built here."""

    name = "onnxruntime-nhwc"
    requirements = ("onnxruntime", "onnx")
    address_limit = True
    megabytes = 150
    specifications = ("ms.nhwc/*",)
    capabilities = [
        # Source: ONNX Runtime, docs/ContribOperators.md and docs/OperatorKernels.md: one output, int8 and uint8, and
        # no attribute storage_order, of any value.
        {"operators": ["MaxPool"], "dtypes": ["int8", "uint8"], "outputs": ["Y"], "attributes": {"storage_order": []}},
    ]

    def __init__(self) -> None:
        onnxruntime.set_default_logger_severity(4)

    def version(self) -> str:
        """Return the version of the package."""
        return onnxruntime.__version__

    def about(self) -> dict[str, str]:
        """Return the provider that is asked for, and the operator."""
        return {"provider": "CPUExecutionProvider", "operator": "com.microsoft.NhwcMaxPool"}

    def run(self, request: Request) -> dict[str, Any]:
        """Return Y.

        request: attributes and inputs by name; X is (batch, channel, spatial axes).

        Raises what onnx and the session raise, with the phase; NotImplementedError for Indices."""
        if request.outputs != ("Y",):
            error = NotImplementedError("NhwcMaxPool has no output Indices")
            error.phase = "check"
            raise error
        x = np.ascontiguousarray(np.moveaxis(request.inputs["X"], 1, -1))
        try:
            session = onnxruntime.InferenceSession(_model(request, x), providers=["CPUExecutionProvider"])
        except Exception as error:
            error.phase = "load"
            raise
        return {"Y": np.moveaxis(session.run(["Y"], {"X": x})[0], -1, 1)}


def _model(request: Request, x: np.ndarray) -> bytes:
    """Return a serialised model of one node."""
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node("NhwcMaxPool", ["X"], ["Y"], domain="com.microsoft", **request.attributes)], "plumbline",
        [helper.make_tensor_value_info("X", element, x.shape)],
        [helper.make_tensor_value_info("Y", element, [None] * x.ndim)])
    imports = [helper.make_opsetid("", request.opset), helper.make_opsetid("com.microsoft", 1)]
    version = helper.find_min_ir_version_for(imports[:1])
    return helper.make_model(graph, opset_imports=imports, ir_version=version).SerializeToString()
