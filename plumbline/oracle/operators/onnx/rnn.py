"""Judge and generate calls of ONNX RNN, by `spec/onnx/rnn.md`."""

from __future__ import annotations

from plumbline.oracle.families.activations import Between
from plumbline.oracle.families.recurrent_layers import Recurrent
from plumbline.oracle.operator import Unspecified, disputed, evidence
from plumbline.oracle.operators.onnx.addresses import RECURRENT


class RNN(Recurrent):
    """A call of RNN under one version of its specification."""

    clauses = RECURRENT
    gates = 1
    activations = ("Tanh",)

    def step(self, direction: int, x: Between, *states: Between) -> tuple[Between, ...]:
        """Return the hidden state after one step of a direction (0 or 1)."""
        h, = states
        sums = self.of_input(direction, slice(0, 1), x).plus(self.of_state(direction, slice(0, 1), h))
        return (self.activated(direction, self.argument(sums)),)

    @evidence("activations.E1")
    @staticmethod
    def default_of_two() -> str:
        default, wanted = RNN.facts["activations.C1"].values["default"], len(RNN.activations)
        assert len(default) > wanted
        return f"the default is {', '.join(default)}; one direction has {wanted} function"

    @disputed("R.E2")
    def untransposed_edition(self) -> Unspecified | None:
        if self.taken:
            return None
        other = RNN(self.call, self.version)
        other.taken = {"transposed": False}
        return Unspecified({}, (other,))
