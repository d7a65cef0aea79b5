"""Judge and generate calls of ONNX GRU, by `spec/onnx/gru.md`."""

from __future__ import annotations

from typing import Any

from plumbline.oracle.families.activations import Between, combined
from plumbline.oracle.families.recurrent_layers import Recurrent
from plumbline.oracle.operator import Choose, evidence
from plumbline.oracle.operators.onnx.addresses import RECURRENT

LETTERS = "foward"
"""The default of `direction` in the schema of version 1."""


class GRU(Recurrent):
    """A call of GRU under one version of its specification."""

    clauses = RECURRENT
    gates = 3
    activations = ("Sigmoid", "Tanh")
    untransposed = (1, 3)
    without_defaults = (1,)
    flag_notes = {**Recurrent.flag_notes, "linear-first": "linear_before_reset is not 0."}

    @property
    def linear_first(self) -> bool:
        """True if the reset gate multiplies the product with R and its bias."""
        return bool(self.attribute("linear_before_reset"))

    def step(self, direction: int, x: Between, *states: Between) -> tuple[Between, ...]:
        """Return the hidden state after one step of a direction (0 or 1).

        `x` is the input, (batch, input_size), `states` the hidden state before, (batch, hidden_size); see `Between`."""
        h, = states
        first, both, last, hidden = 2 * direction, slice(0, 2), slice(2, 3), self.sizes[3]
        sums = self.of_input(direction, both, x).plus(self.of_state(direction, both, h))
        z, r = (self.activated(first, self.argument(sums.gate(number, hidden))) for number in (0, 1))
        if self.linear_first:
            sums = self.of_state(direction, last, h)
            linear = self.argument(sums)
            sums = sums._replace(total=combined(lambda r, part: r * part, r, linear), size=r.size * sums.size)
        else:
            product = combined(lambda r, h: r * h, r, h)
            sums = self.of_state(direction, last, self.rounded(product, product.size, 1))
        new = self.activated(first + 1, self.argument(self.of_input(direction, last, x).plus(sums), 1))
        state = combined(lambda z, new, h: (1 - z) * new + z * h, z, new, h)
        return (self.rounded(state, (1 + z.size) * new.size + z.size * h.size, 4),)

    @evidence("direction.E1")
    @staticmethod
    def default_direction() -> str:
        listed = ("forward", "reverse", "bidirectional")
        assert LETTERS not in listed
        return f"the default is {LETTERS!r}, and must be one of {', '.join(listed)}"

    @classmethod
    def a_choice(cls, choose: Choose, version: int) -> dict[str, Any]:
        """The product that the reset gate multiplies."""
        return choose(({}, {"linear_before_reset": 1}, {"linear_before_reset": 0}), (3, 2, 1)) if version >= 3 else {}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "linear-first": self.linear_first}
