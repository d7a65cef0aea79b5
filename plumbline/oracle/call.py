"""Represent a call: an operator with attributes and inputs, as ONNX names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from plumbline.oracle.type_names import as_objects


@dataclass(frozen=True, eq=False)
class Call:
    """One application of an operator.

    operator:   the ONNX operator, for instance ``"MaxPool"``.
    attributes: ONNX attribute names to ints, strings or lists of ints; an absent name is an attribute not set.
    inputs:     input names to arrays, strings as objects (see `type_names`); spatial data is laid out (batch, channel,
                spatial axes ...).
    outputs:    the names of the outputs asked for; None asks for all that the specification has. Of a variadic output
                they are NAME_0, NAME_1 and so on, and their number is part of what the call means.
    opset:      of the operators in graphs that are attributes; None stands for the version of the call's operator.
    """

    operator: str
    attributes: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    outputs: tuple[str, ...] | None = None
    opset: int | None = None

    def __post_init__(self) -> None:
        """Hold strings of any type of numpy as objects."""
        if any(isinstance(tensor, np.ndarray) and tensor.dtype.kind in "UST" for tensor in self.inputs.values()):
            vars(self)["inputs"] = {name: as_objects(tensor) for name, tensor in self.inputs.items()}

    def asking_for(self, *outputs: str) -> Call:
        """Return the call with other requested outputs, by name; that of a variadic output keeps its tensors."""
        given = self.outputs or ()
        names = [[name for name in given if is_of(name, output)] or [output] for output in outputs]
        return replace(self, outputs=tuple(name for part in names for name in part))


def is_of(name: str, base: str) -> bool:
    """Return True for the input or output `base`, and for its tensors if variadic, such as data_0 of data."""
    return name == base or name.rpartition("_")[0] == base and name.rpartition("_")[2].isdigit()
