"""Reference oracle of ONNX GRU: exact sums, one cell after another."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._recurrent import Layer, Row
from plumbline.oracle.reference.exact import product, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y and Y_h of a valid call in a version of the operator."""
    layer = Layer(call, version, ("Sigmoid", "Tanh"), version == 1)
    return layer.outputs(_step, {"initial_h": "Y_h"})


def _step(layer: Layer, direction: int, x: Row, states: list[Row]) -> list[Row]:
    """Return the hidden state after a step of one sequence: `x` is its input, `states` the state before."""
    (h,), (f, g), size = states, layer.functions[2 * direction:2 * direction + 2], layer.hidden
    reset = [f(layer.gate(direction, 1, 3, x, h, j)) for j in range(size)]
    shown = [product(r, state) for r, state in zip(reset, h, strict=True)]
    hidden: Row = []
    for j in range(size):
        if layer.attributes.get("linear_before_reset", 0) != 0:
            row = 2 * size + j
            weights = layer.weights("R", direction, row)
            bias, of_r = (layer.weights("B", direction, k * size + j)[0] for k in (2, 5))
            of_state = total([*map(product, h, weights), of_r])
            argument = total([*map(product, x, layer.weights("W", direction, row)), bias, product(reset[j], of_state)])
        else:
            argument = layer.gate(direction, 2, 3, x, shown, j)
        new, update = g(argument), f(layer.gate(direction, 0, 3, x, h, j))
        hidden.append(total([product(1 - update, new), product(update, h[j])]))
    return [hidden]
