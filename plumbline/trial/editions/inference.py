"""Run the shape inference of an ONNX release, in its own environment."""

from __future__ import annotations

import json
import subprocess
from base64 import b64encode
from collections.abc import Sequence

import onnx
from packaging.version import Version

from plumbline.backends import BackendError
from plumbline.backends.environments import environment
from plumbline.cases.onnx.models import to_model
from plumbline.oracle import Call, Spec
from plumbline.trial.editions.wheels import EditionsError

SCRIPT = """
import base64, json, sys
import onnx, onnx.defs, onnx.shape_inference
found = []
for line in sys.stdin:
    try:
        model = onnx.load_model_from_string(base64.b64decode(line))
        opset = model.opset_import[0].version
        if onnx.defs.get_schema(model.graph.node[0].op_type, opset).since_version != opset:
            raise ValueError("a version that this release does not have")
        graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
        shapes = {value.name: value.type.tensor_type.shape for value in graph.output
                  if value.type.tensor_type.HasField("shape")}
        found.append({name: [dim.dim_value if dim.HasField("dim_value") else None for dim in shape.dim]
                      for name, shape in shapes.items()})
    except Exception:
        found.append(None)
json.dump(found, sys.stdout)
"""
"""Prints the inferred shapes of each model, null for one that the release refuses or does not have."""

Shapes = dict[str, list[int | None]]


def inferred_shapes(release: str, models: Sequence[bytes]) -> list[Shapes | None]:
    """Return the inferred shapes of each model, by output.

    models: serialised ModelProtos. The entry is None for one that the release refuses, or that ends its process.
            Raises EditionsError for a release that cannot be imported here."""
    numpy = ["numpy<2"] if Version(release) < Version("1.17") else []  # those before use names that numpy 2 has not
    try:
        python = environment("onnx", (f"onnx=={release}", *numpy))
    except BackendError as error:
        raise EditionsError(f"onnx {release} cannot be installed for this Python: {error}") from None
    return _asked(release, str(python), [b64encode(model).decode() for model in models])


def _asked(release: str, python: str, models: Sequence[str]) -> list[Shapes | None]:
    """Ask about models in one process, or, where that dies of a signal, about each half of them."""
    done = subprocess.run([python, "-c", SCRIPT], input="\n".join(models), capture_output=True, text=True)
    if done.returncode < 0:
        half = len(models) // 2
        return _asked(release, python, models[:half]) + _asked(release, python, models[half:]) if half else [None]
    if done.returncode:
        raise EditionsError(f"onnx {release} cannot be imported by this Python: {done.stderr.strip().splitlines()[-1]}")
    found: list[Shapes | None] = json.loads(done.stdout)
    return found


def model_to_infer(spec: Spec, call: Call) -> bytes:
    """Return the model of a call, with outputs that have only names."""
    proto = onnx.load_model_from_string(
        to_model(call, spec.outputs_of(call), spec.opset, "", spec.places(call.inputs)))
    for value in proto.graph.output:
        value.ClearField("type")
    return bytes(proto.SerializeToString())
