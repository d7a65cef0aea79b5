"""Adapter for LiteRT (TensorFlow Lite) on the CPU: 2D pooling.

The adapter builds models of one operator. LiteRT computes on batch, height, width, channel: X is brought to that
layout, and Y back from it. Its paddings are SAME, which is SAME_UPPER, and VALID, which is no padding at all.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

if TYPE_CHECKING:
    from plumbline.backends.request import Request

OPERATORS = {"MaxPool": schema.BuiltinOperator.MAX_POOL_2D, "AveragePool": schema.BuiltinOperator.AVERAGE_POOL_2D}


class LiteRT:
    """One interpreter for each call, with the kernels that it takes by default."""

    name = "litert"
    requirements = ("ai-edge-litert",)
    address_limit = True
    megabytes = 120
    specifications = ("sonnx/*", "onnx/*", "ms.nhwc/*")
    # Source: the schema of the model format, Pool2DOptions: padding SAME or VALID, two strides, two filter sizes, one
    # output; types from the versions of MAX_POOL_2D and AVERAGE_POOL_2D (tensorflow/lite/tools/versioning). A mean of
    # integers is not in ONNX.
    capabilities = [
        {"operators": ["MaxPool"], "dtypes": ["float32", "int8", "uint8", "int16"], "ranks": [2], "outputs": ["Y"],
         "attributes": {"auto_pad": ["NOTSET", "SAME_UPPER", "VALID"], "pads": [0], "dilations": [1], "ceil_mode": [0],
                        "storage_order": [0]}},
        {"operators": ["AveragePool"], "dtypes": ["float32"], "ranks": [2],
         "attributes": {"auto_pad": ["NOTSET", "SAME_UPPER", "VALID"], "pads": [0], "dilations": [1], "ceil_mode": [0],
                        "count_include_pad": [0]}},
    ]
    contexts = ("threads",)

    def version(self) -> str:
        """Return the version of the package."""
        return version("ai-edge-litert")

    def about(self) -> dict[str, str]:
        """Return the choice of kernels."""
        return {"operator resolver": litert.OpResolverType.AUTO.name}

    def run(self, request: Request) -> dict[str, Any]:
        """Return Y.

        request: operator, attributes and inputs by name; X is (batch, channel, height, width).

        Raises NotImplementedError, with the phase "check", for what LiteRT cannot express."""
        x = request.inputs["X"]
        entries: Any = self.capabilities
        limits = next(entry["attributes"] for entry in entries if request.operator in entry["operators"])
        values = {name: set(np.atleast_1d(value).tolist()) for name, value in request.attributes.items()}
        inexpressible = [name for name, used in values.items() if not used <= set(limits.get(name, used))]
        if inexpressible or x.ndim != 4 or request.outputs != ("Y",):
            error = NotImplementedError(" ".join(["Pool2DOptions cannot express this call:", *inexpressible]))
            error.phase = "check"
            raise error
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        try:
            threads = request.settings.get("threads", 1)
            interpreter = litert.Interpreter(model_content=_model(request, x), num_threads=threads)
            interpreter.allocate_tensors()
        except Exception as error:
            error.phase = "load"
            raise
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
        interpreter.invoke()
        return {"Y": interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).transpose(0, 3, 1, 2)}


def _model(request: Request, x: np.ndarray) -> bytes:
    """Return a flatbuffer of X, one operator and Y, whose shape LiteRT infers."""
    element = getattr(schema.TensorType, x.dtype.name.upper())
    strides = request.attributes.get("strides", [1, 1])
    same = request.attributes.get("auto_pad") == "SAME_UPPER"
    options = schema.Pool2DOptionsT(padding=schema.Padding.SAME if same else schema.Padding.VALID)
    options.strideH, options.strideW = strides
    options.filterHeight, options.filterWidth = request.attributes["kernel_shape"]
    quantization = None if x.dtype.kind == "f" else schema.QuantizationParametersT(scale=[1.0], zeroPoint=[0])
    tensors = [schema.TensorT(name=name, type=element, shape=shape, quantization=quantization)
               for name, shape in (("X", x.shape), ("Y", [1, 1, 1, 1]))]
    operator = schema.OperatorT(inputs=[0], outputs=[1], builtinOptions=options,
                                builtinOptionsType=schema.BuiltinOptions.Pool2DOptions)
    code = OPERATORS[request.operator]
    model = schema.ModelT(
        version=3, buffers=[schema.BufferT()],
        operatorCodes=[schema.OperatorCodeT(builtinCode=code, deprecatedBuiltinCode=code, version=2)],
        subgraphs=[schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[1], operators=[operator])])
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())
