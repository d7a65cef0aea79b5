"""Writes the wrong nodes of a model on trial as models of their own, each with its inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plumbline.cases.onnx_model import to_model
from plumbline.oracle import load_spec
from plumbline.trial.model import ModelTrial


def write_models(trial: ModelTrial, folder: Path) -> list[Path]:
    """NAME.onnx and NAME.npz for each wrong node, the inputs by the names of that model. Raises OSError."""
    written: dict[Path, None] = {}
    folder.mkdir(parents=True, exist_ok=True)
    for judged in trial.wrong:
        case = judged.result.case
        spec = load_spec(case.spec)
        names = None if spec.variadic_input else spec.inputs
        path = folder / f"{case.id.rpartition('.')[0]}.onnx"
        path.write_bytes(to_model(case.call, case.call.outputs or spec.outputs, case.opset, spec.domain or "", names))
        with path.with_suffix(".npz").open("wb") as file:
            np.savez(file, **case.call.inputs)  # type: ignore[arg-type]
        written[path] = None
    return list(written)
