"""ONNX RNN: the definition of `spec/onnx/rnn.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.activations import Between
from plumbline.oracle.families.recurrent_layers import Recurrent
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import RECURRENT


class RNN(Recurrent):
    """A call of RNN under one version of the text."""

    clauses = RECURRENT
    gates = 1
    activations = ("Tanh",)

    def step(self, direction: int, x: np.ndarray, *states: Between) -> tuple[Between, ...]:
        """The hidden state."""
        every = slice(0, 1)
        sums = self.of_input(direction, every, x).plus(self.of_state(direction, every, states[0]))
        return (self.activated(direction, self.argument(sums)),)

    @evidence("activations.E1")
    @staticmethod
    def two_defaults() -> str:
        default = ["Tanh", "Tanh"]
        assert len(default) != 1
        return f"the default of one direction is {default}, and one function is asked for"
