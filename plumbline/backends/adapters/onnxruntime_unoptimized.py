"""ONNX Runtime on the CPU without graph optimisation: other kernels."""

import importlib.util
from pathlib import Path
from typing import Any

import onnxruntime

_place = importlib.util.spec_from_file_location("by_default", Path(__file__).with_name("onnxruntime.py"))
assert _place is not None and _place.loader is not None
by_default: Any = importlib.util.module_from_spec(_place)
_place.loader.exec_module(by_default)


class OnnxRuntimeUnoptimized(by_default.OnnxRuntime):
    """The adapter `onnxruntime`, with other options."""

    name = "onnxruntime-unoptimized"
    requirements = ("onnxruntime", "ml_dtypes")
    address_limit = True
    megabytes = 125
    reproduce = """import onnxruntime

options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
got = session.run(outputs, inputs)"""

    def about(self) -> dict[str, str]:
        """Return the provider that is asked for, and the level of optimisation."""
        return {**super().about(), "graph optimisation": "ORT_DISABLE_ALL"}

    def options(self) -> onnxruntime.SessionOptions:
        """Return session options of one thread without graph optimisation."""
        options = super().options()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return options
