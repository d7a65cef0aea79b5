"""Reference oracle of ONNX LSTM. Coupled gates forget what is not taken in."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._recurrent import Layer, Row
from plumbline.oracle.reference.exact import product, total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, Y_h and Y_c of a valid call in a version of the operator."""
    layer = Layer(call, version, ("Sigmoid", "Tanh", "Tanh"))
    return layer.outputs(_step, {"initial_h": "Y_h", "initial_c": "Y_c"})


def _step(layer: Layer, direction: int, x: Row, states: list[Row]) -> list[Row]:
    """Return hidden and cell state after a step of one sequence: `x` is its input, `states` those before."""
    (h, c), (f, g, of_cell) = states, layer.functions[3 * direction:3 * direction + 3]
    hidden: Row = []
    cells: Row = []
    for j in range(layer.hidden):
        p_i, p_o, p_f = (layer.weights("P", direction, k * layer.hidden + j)[0] for k in range(3))
        taken = f(layer.gate(direction, 0, 4, x, h, j, [product(p_i, c[j])]))
        kept = f(layer.gate(direction, 2, 4, x, h, j, [product(p_f, c[j])]))
        if layer.attributes.get("input_forget", 0) != 0:
            kept = 1 - taken
        new = g(layer.gate(direction, 3, 4, x, h, j))
        cell = total([product(kept, c[j]), product(taken, new)])
        given = f(layer.gate(direction, 1, 4, x, h, j, [product(p_o, cell)]))
        hidden.append(product(given, of_cell(cell)))
        cells.append(cell)
    return [hidden, cells]
