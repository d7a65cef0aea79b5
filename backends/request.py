"""A request: what is put to an adapter, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


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
    """

    model: bytes
    operator: str
    attributes: Mapping[str, Any]
    opset: int
    inputs: Mapping[str, np.ndarray]
    outputs: tuple[str, ...]
    time_limit: float = 20.0
    specification: str = ""
