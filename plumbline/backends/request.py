"""A request: what is put to an adapter, as plain data, and how a call becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plumbline.cases.onnx.contexts import contexts
from plumbline.cases.onnx.models import model_of
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
    settings:   how the runtime is to work, where that is not as by default; an adapter declares the contexts whose
                settings it keeps: "threads" (a number), "optimization" ("none" or "basic"), "precision" ("own"). It is
                not the adapter's to keep "layout" ("strided", "channels-last") and "before" ("others", "larger").
    call:       the inputs of the call, where the model takes others in their place; the backend is not told.
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
    settings: Mapping[str, Any] = field(default_factory=dict)
    call: Mapping[str, np.ndarray] | None = None

    @property
    def tensors(self) -> Mapping[str, np.ndarray]:
        """The inputs of the call."""
        return self.inputs if self.call is None else self.call


def to_request(spec: Spec, call: Call, opset: int, time_limit: float = 20.0, label: str = "",
               context: str = "") -> Request:
    """A call in the words of the specification that it is judged under, and in a context where one is named. Raises
    ValueError or TypeError for one that no ONNX model can hold, where the specification is about models, and for one
    that cannot be put in that context."""
    if context:
        settings, frame = contexts()[context].settings, contexts()[context].frame(spec, call, opset)
        if frame is None:
            raise ValueError(f"the call cannot be put in the context {context!r}")
        model, inputs = frame.model, frame.inputs
    else:
        model, inputs, settings = model_of(spec, call, opset), call.inputs, {}
    return Request(model, call.operator, spec.native_attributes(call), opset, inputs, call.outputs or spec.outputs,
                   time_limit, spec.name, label, settings, call.inputs if context else None)
