"""Reference oracle of ONNX RNN: exact sums, one cell after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._recurrent import Layer, Row


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y and Y_h of a valid call in a version of the operator."""
    return Layer(call, version, ("Tanh",)).outputs(_step, {"initial_h": "Y_h"})


def _step(layer: Layer, direction: int, x: Row, states: list[Row]) -> list[Row]:
    h, = states
    return [[layer.functions[direction](layer.gate(direction, 0, 1, x, h, j)) for j in range(layer.hidden)]]
