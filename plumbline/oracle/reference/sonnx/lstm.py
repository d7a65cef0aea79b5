"""Reference oracle of SONNX LSTM: the formulas of the draft, where all sequences have the length of X."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._recurrent import Layer, Row
from plumbline.oracle.reference.exact import Number, product, total


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return Y of a valid call."""
    inputs = {name: tensor for name, tensor in call.inputs.items() if name != "sequence_lens"}
    layer = Layer(Call("LSTM", call.attributes, inputs), 22, ("Sigmoid", "Tanh", "Tanh"))
    return {"Y": layer.outputs(_step, {"initial_h": "h", "initial_c": "c"})["Y"]}


def _step(layer: Layer, direction: int, x: Row, states: list[Row]) -> list[Row]:
    """Return hidden and cell state after a step of one sequence: `x` is its input, `states` those before."""
    (before, memory), (act1, act2, act3) = states, layer.functions[3 * direction:3 * direction + 3]
    hidden: Row = []
    cells: Row = []
    for j in range(layer.hidden):
        def argument(gate: int, cell: Number, j: int = j) -> Number:
            looks = [product(layer.weights("P", direction, gate * layer.hidden + j)[0], cell)] if gate < 3 else []
            return layer.gate(direction, gate, 4, x, before, j, looks)
        i, g = act1(argument(0, memory[j])), act2(argument(3, memory[j]))
        f = 1 - i if layer.attributes.get("input_forget") == 1 else act1(argument(2, memory[j]))
        c = total([product(f, memory[j]), product(i, g)])
        hidden.append(product(act1(argument(1, c)), act3(c)))
        cells.append(c)
    return [hidden, cells]
