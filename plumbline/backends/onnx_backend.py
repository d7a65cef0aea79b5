"""Any implementation of onnx.backend.base.Backend as an adapter. Runs in the worker, and needs onnx beside numpy.

`prepare` that fails is a refusal while loading, `run` of what it prepared one while running; what `is_compatible`
denies is a declared gap.
"""

import importlib.metadata
import sys

import onnx

DEVICE = "CPU"


class OnnxBackend:
    """An adapter around `backend`, a module or class with `prepare(model, device)`."""

    def __init__(self, backend, reference):
        self.backend = backend
        self.name = reference.replace(":", ".")
        module, _, name = reference.partition(":")
        self.reproduce = (f"from {module} import {name} as backend" if name else f"import {module} as backend") + (
            "\n\ngot = list(backend.prepare(model, 'CPU').run(list(inputs.values())))")
        self.package = reference.split(".")[0].split(":")[0]

    def version(self):
        """Of the distribution or the package that it belongs to."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return str(getattr(sys.modules[self.package], "__version__", "unknown"))

    def about(self):
        """What it is used through."""
        return {"interface": "onnx.backend.base.Backend", "device": DEVICE}

    def gap(self, request):
        """What the backend calls incompatible."""
        if not hasattr(self.backend, "is_compatible"):
            return None
        compatible = self.backend.is_compatible(onnx.load_model_from_string(request.model), DEVICE)
        return None if compatible else "is_compatible denies the model"

    def run(self, request):
        """The outputs by name, in the order of the model's; one that is lacking is left out. Raises what the backend
        raises, with the phase."""
        try:
            prepared = self.backend.prepare(onnx.load_model_from_string(request.model), DEVICE)
        except Exception as error:
            error.phase = "load"
            raise
        return dict(zip(request.outputs, prepared.run(list(request.inputs.values())), strict=False))
