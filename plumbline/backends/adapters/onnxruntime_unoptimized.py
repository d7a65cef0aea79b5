"""Adapter for ONNX Runtime on the CPU without graph optimisation."""

import importlib.util
from pathlib import Path
from typing import Any

_place = importlib.util.spec_from_file_location("by_default", Path(__file__).with_name("onnxruntime.py"))
assert _place is not None and _place.loader is not None
by_default: Any = importlib.util.module_from_spec(_place)
_place.loader.exec_module(by_default)


class OnnxRuntimeUnoptimized(by_default.OnnxRuntime):
    """The configuration `unoptimized` of the adapter `onnxruntime`, under an older name."""

    name = "onnxruntime-unoptimized"
    requirements = ("onnxruntime", "ml_dtypes")
    address_limit = True
    megabytes = 125

    def __init__(self) -> None:
        super().__init__("unoptimized")
        self.name = "onnxruntime-unoptimized"
