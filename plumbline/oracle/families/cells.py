"""LSTM calls: one step, computed with bounds on the error."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.activations import Between, combined
from plumbline.oracle.families.recurrent import Sum
from plumbline.oracle.families.recurrent_layers import Recurrent, shape_of_input
from plumbline.oracle.families.recurrent_symptoms import as_given_by, with_thresholds_of_zero
from plumbline.oracle.operator import UNBOUND, Choose, Operator
from plumbline.oracle.rounding import Wide


def _cell_unclipped(definition: Operator, entry: Divergence) -> bool:
    """True if the elements fit a cell unclipped before activation h.

    The alphas are those of the call, or 0 for a ThresholdedRelu without alpha."""
    assert isinstance(definition, LongShortTerm)
    calls = (definition.call, with_thresholds_of_zero(definition))
    others = [type(definition)(call, definition.version) for call in calls]
    for other in others:
        other.taken = {"cell": "unclipped"}
    return any(as_given_by(other, entry) for other in others)


def _options_left_aside(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives without two or more of P, input_forget, clip of the cell for its function, and
    activations of the second direction."""
    assert isinstance(definition, LongShortTerm)
    names = definition.names[:3] * 2 if definition.directions == 2 else definition.names
    others = {"P": "P" in definition.inputs, "input_forget": "input_forget" in definition.attributes,
              "clip": "clip" in definition.attributes, "activations": names != definition.names}
    given = [name for name, has in others.items() if has]
    for absent in (set(each) for count in range(len(given), 1, -1) for each in combinations(given, count)):
        attributes = {name: value for name, value in definition.call.attributes.items()
                      if name != "input_forget" or name not in absent}
        attributes |= {"activations": names} if "activations" in absent else {}
        inputs = {name: value for name, value in definition.inputs.items() if name != "P" or name not in absent}
        other = type(definition)(Call("LSTM", attributes, inputs), definition.version)
        other.taken = {"cell": "unclipped"} if "clip" in absent else {}
        if as_given_by(other, entry):
            return True
    return False


class LongShortTerm(Recurrent):
    """A call of LSTM."""

    gates = 4
    activations = ("Sigmoid", "Tanh", "Tanh")
    states = ("initial_h", "initial_c")
    last: ClassVar[tuple[str, ...]] = ("Y_h", "Y_c")
    more = ("P",)
    symptoms = {**Recurrent.symptoms, "cell-unclipped": _cell_unclipped, "options-left-aside": _options_left_aside}
    flag_notes = {**Recurrent.flag_notes, "coupled": "input_forget is not 0.", "peepholes": "P is given."}

    shape_of_initial_c = shape_of_input(UNBOUND, "initial_c")
    shape_of_p = shape_of_input(UNBOUND, "P")

    @cached_property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """Alternative readings, with those of coupled gates.

        `coupled` names the gate that is 1 - the other; "not" stands for neither."""
        coupled = {0: ("not",), 1: ("forget", "input")}
        return {**super().options, "coupled": coupled.get(self.attribute("input_forget"), ("forget", "input", "not"))}

    def step(self, direction: int, x: Between, *states: Between) -> tuple[Between, ...]:
        """Return h and c after one step.

        direction: index on the first axis of the weights, 0 or 1.
        x:         the input of this step, (batch, input_size).
        states:    h and c before this step, (batch, hidden_size) each.

        A `Between` holds a lower bound, a value and an upper bound of each number."""
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
