"""Adapter for ONNX's reference evaluator, `onnx.reference`.

It is written in Python with numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import onnx
from onnx.reference import ReferenceEvaluator

if TYPE_CHECKING:
    from plumbline.backends.request import Request


NUMBERS = ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
           "bool"]


class OnnxReference:
    """One evaluator for each call."""

    name = "onnx-reference"
    requirements = ("onnx",)
    address_limit = True
    megabytes = 90
    specifications = ("sonnx/*", "onnx/*")
    capabilities = [
        # The package documents the evaluator for every operator of ONNX and names no limit of these.
        {"operators": ["MaxPool", "AveragePool", "Conv", "ConvTranspose"]},
        {"operators": ["Relu"]},
        {"operators": ["GlobalAveragePool", "GlobalMaxPool", "LpPool"]},
        # Those of the types of numpy that an answer can bring back.
        {"operators": ["ArgMax"], "dtypes": NUMBERS},
        {"operators": ["Concat", "Flatten", "Shape", "Slice", "Unsqueeze"], "dtypes": [*NUMBERS, "string"]},
        {"operators": ["Reshape"], "opsets": [5, None], "dtypes": [*NUMBERS, "string"]},
        {"operators": ["Gemm", "MatMul", "Einsum"]},
        {"operators": ["Add", "Sub", "Mul", "Div", "Less", "Max", "Min", "Abs", "Sqrt", "LeakyRelu", "Where"]},
        {"operators": ["Clip"], "opsets": [6, None]},
        {"operators": ["Exp"]},
        {"operators": ["Log"]},
        {"operators": ["Sigmoid"]},
        {"operators": ["Tanh"]},
        {"operators": ["Softmax"]},
        {"operators": ["Pow"]},
    ]
    # Node after node, each by itself: neighbours are not merged.
    contexts = ("constants", "transposed", "cast", "strided")
    reproduce = """from onnx.reference import ReferenceEvaluator

got = ReferenceEvaluator(model).run(outputs, inputs)"""

    def version(self) -> str:
        """Return the version of the package."""
        return onnx.__version__

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name. Raises what the evaluator raises, with the phase.

        request: a serialised ONNX model (`model`), arrays by name (`inputs`), and names of `outputs`."""
        try:
            evaluator = ReferenceEvaluator(request.model)
        except Exception as error:
            error.phase = "load"
            raise
        return dict(zip(request.outputs, evaluator.run(list(request.outputs), dict(request.inputs)), strict=True))
