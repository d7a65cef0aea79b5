"""Turn calls into requests: plain data, in the form that adapters take."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from onnx import defs

from plumbline.cases.onnx.contexts import contexts
from plumbline.cases.onnx.frame import with_constants
from plumbline.cases.onnx.models import model_of
from plumbline.oracle import Call, Spec, load_spec


@dataclass(frozen=True, eq=False)
class Request:
    """A call for a backend.

    model:      a serialised ONNX model of one node, for runtimes that read ONNX; empty for a specification whose calls
                no ONNX model can hold.
    operator, attributes, opset: the same call for runtimes that do not; the attributes are the specification's native
                ones.
    inputs:     arrays by name; see `names`.
    outputs:    names of the outputs asked for.
    time_limit: seconds.
    specification: name of the specification that the call is judged by, ``"onnx/maxpool@12"``; it decides what
                operator and attributes mean.
    label:      the suite's name for the request; not sent to the backend.
    settings:   how the runtime is to work, where not as by default. An adapter declares the contexts whose settings it
                applies: "threads" (a number), "optimization" ("none" or "basic"), "precision" ("own"). The worker
                applies "layout" ("strided", "channels-last") and "before" ("others", "larger") itself.
    call:       the inputs of the call, where the model takes different ones; not sent to the backend.
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
    def names(self) -> Mapping[str, str]:
        """Names of the specification by those that ONNX's schema has for its inputs and outputs, where these differ.

        Adapters find inputs by both, and may give outputs by both."""
        return names_in_onnx(self.specification) if self.specification else {}

    @property
    def tensors(self) -> Mapping[str, np.ndarray]:
        """The inputs of the call."""
        return self.inputs if self.call is None else self.call


@cache
def names_in_onnx(specification: str) -> Mapping[str, str]:
    """See `Request.names`. {} for an operator that ONNX does not have in that version."""
    spec = load_spec(specification)
    if spec.domain != "":
        return {}
    try:
        schema = defs.get_schema(spec.operator, spec.opset)
    except defs.SchemaError:
        return {}
    theirs = [entry.name for entry in schema.inputs], [entry.name for entry in schema.outputs]
    pairs = [pair for names, own in zip(theirs, (spec.inputs, spec.outputs), strict=True)
             for pair in zip(names, own, strict=False)]
    return {name: own for name, own in pairs if name not in (*spec.inputs, *spec.outputs)}


def to_request(spec: Spec, call: Call, opset: int, time_limit: float = 20.0, label: str = "",
               context: str = "", built: bytes | None = None, constants: Collection[str] = ()) -> Request:
    """Return the request for a call, perhaps in a context.

    opset:      of the model.
    time_limit: seconds.
    label:      names the call in messages.
    context:    name of the context, whose nodes surround the call; "" for none.
    built:      its serialised model outside contexts, if at hand.
    constants:  names of the inputs that are constants of the model outside contexts.

    Raises ValueError or TypeError for a call that no ONNX model can hold, where the specification is about models, and
    for one that does not fit the context."""
    inputs: Mapping[str, np.ndarray] = call.inputs
    settings: Mapping[str, Any] = {}
    if context:
        settings, frame = contexts()[context].settings, contexts()[context].frame(spec, call, opset, built=built)
        if frame is None:
            raise ValueError(f"the call cannot be put in the context {context!r}")
        model, inputs = frame.model, frame.inputs
    elif constants:
        frame = with_constants(spec, call, opset, constants, built)
        model, inputs = frame.model, frame.inputs
    else:
        model = model_of(spec, call, opset) if built is None else built
    return Request(model, call.operator, spec.native_attributes(call), opset, inputs, spec.asked(call),
                   time_limit, spec.name, label, settings, call.inputs if context or constants else None)
