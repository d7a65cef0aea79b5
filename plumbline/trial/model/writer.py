"""Write wrong nodes and changed spans as models with inputs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from plumbline.cases import Case
from plumbline.cases.onnx.models import model_of
from plumbline.oracle import load_spec
from plumbline.oracle.files import write_file
from plumbline.trial.model.parts_of_trial import Span
from plumbline.trial.run.paths import file_name


class ModelWriter:
    """Writes NAME.onnx and NAME.npz to a folder.

    NAME is that of a wrong node, or FIRST-to-LAST for a span; inputs have the names of that model. Raises OSError."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.written = folder, dict[Path, None]()
        folder.mkdir(parents=True, exist_ok=True)

    def node(self, name: str, case: Case) -> None:
        """Write the call of a node, the first one only."""
        if self.folder / f"{name}.onnx" not in self.written:
            spec = load_spec(case.spec)
            self._write(name, model_of(spec, case.call, case.opset), case.call.inputs)

    def span(self, span: Span) -> None:
        """Write a span."""
        self._write(file_name(f"{span.steps[0].node.name}-to-{span.steps[-1].node.name}"), span.model, span.inputs)

    def _write(self, name: str, model: bytes, inputs: Mapping[str, np.ndarray]) -> None:
        """Write a serialised ModelProto and its inputs by name."""
        path = self.folder / f"{name}.onnx"
        archive = io.BytesIO()
        np.savez(archive, **dict(inputs))  # type: ignore[arg-type]
        write_file(path, model)
        write_file(self.folder / f"{name}.npz", archive.getvalue())
        self.written[path] = None
