"""A request: what is put to an adapter, as plain data, and how a call becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from plumbline.cases.onnx_model import to_model
from plumbline.oracle import Call, Spec


@dataclass(frozen=True, eq=False)
class Request:
    """One call for one backend.

    model:      bytes of an ONNX model of one node, for runtimes that read ONNX; empty for a specification whose calls
                no ONNX model holds.
    operator, attributes, opset: the same call in words, for those that do not; the attributes in the words of the
                specification.
    inputs:     arrays by name.
    outputs:    names of the outputs asked for.
    time_limit: seconds.
    specification: the name that the call is judged under, ``"onnx/maxpool@12"``: whose words operator and attributes
                are.
    label:      what the suite calls it; the backend is not told.
    """

    model: bytes
    operator: str
    attributes: Mapping[str, Any]
    opset: int
    inputs: Mapping[str, np.ndarray]
    outputs: tuple[str, ...]
    time_limit: float = 20.0
    specification: str = ""
    label: str = ""


def to_request(spec: Spec, call: Call, opset: int, time_limit: float = 20.0,
               label: str = "") -> Request:
    """A call in the words of the specification that it is judged under. Raises ValueError or TypeError for one that no
    ONNX model can hold, where the specification is about models."""
    outputs = call.outputs or spec.outputs
    inputs = None if spec.variadic_input else spec.inputs
    model = b"" if spec.domain is None else to_model(call, outputs, opset, spec.domain, inputs)
    return Request(model, call.operator, spec.words(call), opset, call.inputs, outputs, time_limit, spec.name,
                   label)
