"""Cells with a long and a short memory: one step of LSTM."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.activations import Between, combined
from plumbline.oracle.families.recurrent import Sum
from plumbline.oracle.families.recurrent_layers import Recurrent, shape_of_input
from plumbline.oracle.families.recurrent_symptoms import as_given_by, with_thresholds_of_zero
from plumbline.oracle.operator import UNBOUND, Choose, Operator
from plumbline.oracle.rounding import Wide


def _cell_unclipped(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives where `clip` leaves the cell that h is applied to as it is; with the alphas
    that are given, or 0 for a ThresholdedRelu without one."""
    assert isinstance(definition, LongShortTerm)
    calls = (definition.call, with_thresholds_of_zero(definition))
    others = [type(definition)(call, definition.version) for call in calls]
    for other in others:
        other.taken = {"cell": "unclipped"}
    return any(as_given_by(other, entry) for other in others)


class LongShortTerm(Recurrent):
    """A call of LSTM."""

    gates = 4
    activations = ("Sigmoid", "Tanh", "Tanh")
    states = ("initial_h", "initial_c")
    last: ClassVar[tuple[str, ...]] = ("Y_h", "Y_c")
    more = ("P",)
    symptoms = {**Recurrent.symptoms, "cell-unclipped": _cell_unclipped}
    flag_notes = {**Recurrent.flag_notes, "coupled": "input_forget is not 0.", "peepholes": "P is given."}

    shape_of_initial_c = shape_of_input(UNBOUND, "initial_c")
    shape_of_p = shape_of_input(UNBOUND, "P")

    @cached_property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """And of coupled gates."""
        coupled = {0: ("not",), 1: ("forget", "input")}
        return {**super().options, "coupled": coupled.get(self.attribute("input_forget"), ("forget", "input", "not"))}

    def step(self, direction: int, x: Between, *states: Between) -> tuple[Between, ...]:
        """The hidden state and the cell."""
        (h, c), first, mode, gates = states, 3 * direction, self.read("coupled"), slice(0, 4)
        sums = self.of_input(direction, gates, x).plus(self.of_state(direction, gates, h))

        def gate(number: int, cell: Between) -> Between:
            return self.activated(first, self.argument(sums.gate(number, self.sizes[3]).plus(
                self.peephole(direction, number, cell))))
        i, f = gate(0, c), gate(2, c)
        g = self.activated(first + 1, self.argument(sums.gate(3, self.sizes[3])))
        if mode == "not":
            cell = combined(lambda i, f, g, c: f * c + i * g, i, f, g, c)
            size = f.size * c.size + i.size * g.size
        elif mode == "forget":
            cell, size = combined(lambda i, g, c: (1 - i) * c + i * g, i, g, c), (1 + i.size) * c.size + i.size * g.size
        else:
            cell, size = combined(lambda f, g, c: f * c + (1 - f) * g, f, g, c), f.size * c.size + (1 + f.size) * g.size
        cell = self.rounded(cell, size, 2 if mode == "not" else 4)
        o = gate(1, cell)
        shown = self.activated(first + 2, cell, self.taken.get("cell") != "unclipped")
        hidden = combined(lambda o, y: o * y, o, shown)
        return self.rounded(hidden, hidden.size, 1), cell

    def peephole(self, direction: int, number: int, cell: Between) -> Sum:
        """The term of a cell in the sum of a gate."""
        p = self.parts["P"][direction, number] if "P" in self.inputs else np.zeros(self.sizes[3], Wide)
        return Sum(combined(lambda c: p * c, cell), np.abs(p) * cell.size, 1)

    @classmethod
    def a_choice(cls, choose: Choose, version: int) -> dict[str, Any]:
        """The attribute that couples gates."""
        return choose(({}, {"input_forget": 1}, {"input_forget": 0}, {"input_forget": 2}), (9, 2, 1, 1))

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "coupled": self.attribute("input_forget") != 0, "peepholes": "P" in self.inputs}
