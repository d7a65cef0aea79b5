"""Writes the wrong nodes of a model on trial, and the span that optimisation changes, as models with inputs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from plumbline.cases.onnx_model import to_model
from plumbline.oracle import load_spec
from plumbline.trial.model import ModelTrial
from plumbline.trial.places import file_name


def write_models(trial: ModelTrial, folder: Path) -> list[Path]:
    """NAME.onnx and NAME.npz for each wrong node, and for the span FIRST-to-LAST; inputs by the names of that model.
    Raises OSError."""
    written: dict[Path, None] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for judged in trial.wrong:
        case = judged.result.case
        spec = load_spec(case.spec)
        names = None if spec.variadic_input else spec.inputs
        model = to_model(case.call, case.call.outputs or spec.outputs, case.opset, spec.domain or "", names)
        written[_write(folder / case.id.rpartition(".")[0], model, case.call.inputs)] = None
    if trial.span is not None:
        name = f"{trial.span.steps[0].node.name}-to-{trial.span.steps[-1].node.name}"
        written[_write(folder / file_name(name), trial.span.model, trial.span.inputs)] = None
    return list(written)


def _write(path: Path, model: bytes, inputs: Mapping[str, np.ndarray]) -> Path:
    """The model's path; the ending is added, whatever dots the name has."""
    found = path.with_name(f"{path.name}.onnx")
    found.write_bytes(model)
    with path.with_name(f"{path.name}.npz").open("wb") as file:
        np.savez(file, **dict(inputs))  # type: ignore[arg-type]
    return found
