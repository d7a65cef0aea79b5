"""Adapter for implementations of onnx.backend.base.Backend.

It runs in the worker, and needs onnx beside numpy. A failure of `prepare` is a refusal in the phase "load", one
of `run` a refusal in the phase "run". A model that `is_compatible` denies is outside the declared capabilities.
"""

from __future__ import annotations

import importlib.metadata
import sys
from typing import TYPE_CHECKING, Any

import onnx

if TYPE_CHECKING:
    from plumbline.backends.request import Request

DEVICE = "CPU"


class OnnxBackend:
    """An adapter around `backend`, a module or class with `prepare(model, device)`."""

    def __init__(self, backend: Any, reference: str) -> None:
        self.backend = backend
        self.name = reference.replace(":", ".")
        module, _, name = reference.partition(":")
        self.reproduce = (f"from {module} import {name} as backend" if name else f"import {module} as backend") + (
            "\n\ngot = list(backend.prepare(model, 'CPU').run(list(inputs.values())))")
        self.package = reference.split(".")[0].split(":")[0]

    def version(self) -> str:
        """Return the version of the distribution or package."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return str(getattr(sys.modules[self.package], "__version__", "unknown"))

    def about(self) -> dict[str, str]:
        """Return the interface and the device."""
        return {"interface": "onnx.backend.base.Backend", "device": DEVICE}

    def gap(self, request: Request) -> str | None:
        """Return a text for a model that the backend calls incompatible."""
        if not hasattr(self.backend, "is_compatible"):
            return None
        compatible = self.backend.is_compatible(onnx.load_model_from_string(request.model), DEVICE)
        return None if compatible else "is_compatible denies the model"

    def run(self, request: Request) -> dict[str, Any]:
        """Return the outputs by name, as many as the backend gave.

        request: a serialised ONNX model (`model`), arrays by name (`inputs`), and names of `outputs`.

        Raises what the backend raises, with the phase."""
        try:
            prepared = self.backend.prepare(onnx.load_model_from_string(request.model), DEVICE)
        except Exception as error:
            error.phase = "load"  # type: ignore[attr-defined]
            raise
        return dict(zip(request.outputs, prepared.run(list(request.inputs.values())), strict=False))
