"""Compute recurrent layers step by step, each number between bounds.

No text says how exactly to compute this. With u the unit roundoff of the element type, eta its smallest subnormal and
g(k) = (1 + u)**k - 1, bounds go from step to step (in extended precision; the exact value lies between them):

* the argument of an activation, a sum of n terms, by g(n) times the sum of their magnitudes, and eta for each product
  (`oracle.rounding`): in any order, with or without fused multiply-add;
* an activation: the values at both bounds of its argument, and where it turns between them; off by the roundings of
  `families.approximations`, those of the scalings included, and by the smallest normal number; 0 of 0 is known;
* a state: what its formula gives at the ends of its operands, and g(k) times the magnitudes of its terms, k being the
  roundings of each.

Bounds that are farther apart than the largest number of the vector that they belong to say nothing: what is given is
then observed. A number that may exceed the largest of the type, and whatever is computed from one that is not finite,
is open, here NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.definition import Operator
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.activations import ACTIVATIONS, Between, exactly
from plumbline.oracle.families.recurrent_calls import RecurrentCall
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal, ulps

BY_PRODUCTS = ("Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "HardSigmoid")
"""Functions of sums and products alone, whose subnormal values no implementation needs to take for zero."""


class Sum(NamedTuple):
    """Sums of terms, the sums of their magnitudes, and their number."""

    total: Between
    size: np.ndarray
    terms: int

    def plus(self, other: Sum) -> Sum:
        """Return the sums with more terms."""
        total = Between(*(one + more for one, more in zip(self.total, other.total, strict=True)))
        return Sum(total, self.size + other.size, self.terms + other.terms)

    def gate(self, number: int, hidden: int) -> Sum:
        """Return the sums of one of several gates."""
        own = slice(number * hidden, (number + 1) * hidden)
        return Sum(Between(*(part[:, own] for part in self.total)), self.size[:, own], self.terms)


class Recurrence(RecurrentCall):
    """The outcome of a call of a recurrent layer; the definition has one step.

    known: inputs that are known between bounds alone.
    """

    def __init__(self, call: Call, version: int) -> None:
        super().__init__(call, version)
        self.known: Mapping[str, Between] = {}

    # Arithmetic

    @cached_property
    def precision(self) -> tuple[Wide, Wide, Wide, Wide]:
        """The element type's u, eta, largest number, and smallest normal number."""
        u, eta, largest = (Wide(float(value)) for value in PRECISION[self.x.dtype.name])
        return u, eta, largest, smallest_normal(self.x.dtype)

    def rounded(self, exact: Between, size: np.ndarray, roundings: int) -> Between:
        """The bounds of a result of terms, each rounded so many times.

        size: the sum of their magnitudes. Without bounds where it may exceed the largest number."""
        _, eta, largest, _ = self.precision
        room = growth(roundings, self.x.dtype) * size + np.where(size == 0, 0, roundings * eta)  # of zeros none
        return Between(*np.where(size + room <= largest, exact.wider(room), np.nan))

    @cached_property
    def functions(self) -> list[tuple[str, float, float]]:
        """Names and scalings, those of both directions."""
        return [(name, *both) for name, both in zip(self.names, self.scalings(self.read("scalings")), strict=True)]

    def activated(self, number: int, x: Between, is_clipped: bool = True) -> Between:
        """The function of that number, of what `clip` leaves."""
        name, alpha, beta = self.functions[number]
        function, roundings, _, turns, (first, last) = ACTIVATIONS[name]
        u, _, _, least = self.precision
        if np.isfinite(self.threshold) and is_clipped:
            inner, outer = self.thresholds
            x = Between(np.clip(x.low, -outer, inner), np.clip(x.value, -self.threshold, self.threshold),
                        np.clip(x.high, -inner, outer))
        if name == "ThresholdedRelu":
            x = x.wider(u * np.abs(alpha))
        at = np.stack([*x, *(np.clip(turn, x.low, x.high) for turn in turns(alpha))])
        values = np.asarray(function(at, alpha, beta))
        if self.of_functions:
            room = 2 * u * self.of_functions * np.abs(values) + self.precision[1]
        else:
            flushed = 0 if name in BY_PRODUCTS else least
            room = u * roundings(at, values, alpha, beta) + flushed + (0 if name == "Relu" else self.precision[1])
        room = np.where((values == 0) & ((at == 0) | (name == "ThresholdedRelu")), 0, room)
        if name == "Softplus":  # a power that overflows
            values = np.where(at < np.log(self.precision[2]), values, np.nan)
        bounds = Between(np.maximum(np.min(values - room, axis=0), first * (1 + 2 * u)), values[1],
                        np.minimum(np.max(values + room, axis=0), last * (1 + 2 * u)))
        return self.rounded(bounds, bounds.size, 0)

    @cached_property
    def thresholds(self) -> tuple[Wide, Wide]:
        """The least and the largest that the threshold is, rounded to the type or not."""
        rounded = self.threshold.astype(self.x.dtype).astype(Wide)
        other = rounded if np.isfinite(rounded) else self.threshold
        return min(self.threshold, other), max(self.threshold, other)

    @cached_property
    def parts(self) -> dict[str, np.ndarray]:
        """W, R, B and P in extended precision, an axis of gates behind that of directions, R as the reading has it."""
        counts = {"W": self.gates, "R": self.gates, "B": 2 * self.gates, "P": 3}
        by_name = {name: self.inputs[name].astype(Wide).reshape(self.directions, count, self.sizes[3],
                 *self.inputs[name].shape[2:]) for name, count in counts.items() if name in self.inputs}
        return by_name if self.read("transposed") else {**by_name, "R": np.swapaxes(by_name["R"], 2, 3)}

    def of_input(self, direction: int, gates: slice, x: Between) -> Sum:
        """The terms of X and the biases of W, for some gates side by side."""
        return self._terms("W", direction, gates, x).plus(self._bias(direction, gates, 0))

    def of_state(self, direction: int, gates: slice, h: Between) -> Sum:
        """The terms of the state and the biases of R, for some gates side by side."""
        return self._terms("R", direction, gates, h).plus(self._bias(direction, gates, self.gates))

    def _terms(self, name: str, direction: int, gates: slice, x: Between) -> Sum:
        matrix = np.concatenate(self.parts[name][direction, gates])
        return Sum(x.times(matrix), x.size @ np.abs(matrix).T, matrix.shape[1])

    def _bias(self, direction: int, gates: slice, first: int) -> Sum:
        if "B" not in self.inputs:
            return Sum(exactly(np.zeros(())), np.zeros((), Wide), 0)
        bias = self.parts["B"][direction, first + gates.start:first + gates.stop].reshape(-1)
        return Sum(exactly(bias), np.abs(bias), 1)

    def argument(self, sums: Sum, extra: int = 0) -> Between:
        """The sum of terms, each a product that may be rounded before, and so many times more."""
        return self.rounded(sums.total, sums.size, sums.terms + extra)

    def step(self, direction: int, x: Between, *states: Between) -> tuple[Between, ...]:
        """The states after a step, from the elements of X and the states before it."""
        raise NotImplementedError

    # Outputs

    @cached_property
    def outcome(self) -> dict[str, Between]:
        """The bounds of each output; infinite where it is open because a sequence has no such step."""
        with np.errstate(all="ignore"):
            return self._outcome()

    def _outcome(self) -> dict[str, Between]:
        """Compute all steps in all directions; return each output by name."""
        steps, batch, _, hidden = self.sizes
        x = self.between("X")
        x = Between(*(np.swapaxes(part, 0, 1) for part in x)) if self.batch_first else x
        lengths, rows = self.lengths, np.arange(batch)
        y = Between(*(np.full((steps, self.directions, batch, hidden), end, Wide) for end in (-np.inf, 0, np.inf)))
        ends: list[tuple[Between, ...]] = []
        for direction in range(self.directions):
            backward = self.attributes.get("direction") == "reverse" or direction == 1
            states = [self._first(name, direction) for name in self.states]
            for step in range(steps):
                at = np.where(step < lengths, lengths - 1 - step if backward else step, 0)
                place = at if self.read("order") == "of X" else np.full(batch, step)
                new = self.step(direction, Between(*(part[at, rows] for part in x)), *states)
                alive = step < lengths
                states = [Between(*(np.where(alive[:, None], now, before) for now, before in zip(*pair, strict=True)))
                          for pair in zip(new, states, strict=True)]
                for whole, part in zip(y, states[0], strict=True):
                    whole[place[alive], direction, rows[alive]] = part[alive]
            none = (lengths == 0)[:, None]
            ends.append(tuple(Between(np.where(none, -np.inf, state.low), state.value,
                                      np.where(none, np.inf, state.high)) for state in states))
        outputs = {"Y": Between(*(np.transpose(part, (2, 0, 1, 3)) if self.batch_first else part for part in y))}
        for name, parts in zip(self.last, zip(*ends, strict=True), strict=False):
            axis = 1 if self.batch_first else 0
            outputs[name] = Between(*(np.stack(part, axis) for part in zip(*parts, strict=True)))
        return outputs

    def _first(self, name: str, direction: int) -> Between:
        _, batch, _, hidden = self.sizes
        if name not in self.inputs:
            return exactly(np.zeros((batch, hidden), self.x.dtype))
        return Between(*(part[:, direction] if self.batch_first else part[direction] for part in self.between(name)))

    def between(self, name: str) -> Between:
        """An input, which is exact unless it is in `known`."""
        return self.known.get(name) or exactly(self.inputs[name])

    def enclosure(self) -> dict[str, Ends]:
        """The bounds that decide something."""
        return {name: Ends(ends.low, ends.high).where(np.isfinite(ends.low) & np.isfinite(ends.high))
                for name, ends in self.outcome.items()}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """The bounds from those of X and of the first state; None for other inputs."""
        inexact = [name for name, tensor in low.inputs.items() if not np.array_equal(tensor, high.inputs[name])]
        if not {"X", *self.states}.issuperset(inexact):
            return None
        other = type(self)(self.call, self.version)
        other.known = {name: Between(*(tensor.astype(Wide) for tensor in (low.inputs[name], self.inputs[name],
                                                                          high.inputs[name]))) for name in inexact}
        return other.enclosure()

    def expected(self) -> dict[str, np.ndarray]:
        """The exact values, rounded once; 0 after the end of a sequence."""
        with np.errstate(all="ignore"):
            return {name: np.where(np.isnan(bounds.low), np.nan, bounds.value).astype(self.x.dtype)
                    for name, bounds in self.outcome.items()}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Between the bounds."""
        with np.errstate(all="ignore"):
            wide, (low, _, high) = np.asarray(got).astype(Wide), self.outcome[output]
            return np.asarray((low <= wide) & (wide <= high))

    def vague(self, output: str) -> np.ndarray:
        """Return the mask of elements whose bounds are too wide to judge them."""
        low, value, high = self.outcome[output]
        with np.errstate(invalid="ignore"):
            most = np.max(np.abs(np.where(np.isfinite(low), value, 0)), axis=-1, keepdims=True, initial=0)
            return np.asarray(np.isfinite(low) & (high - low > most) & (high > low))

    def decided(self, output: str) -> np.ndarray:
        """Return the mask of elements whose bounds are narrow enough to judge them."""
        return np.asarray(np.isfinite(self.outcome[output].low) & ~self.vague(output))

    def tolerance(self) -> dict[str, float]:
        """The largest distance of bounds that decide something."""
        return {name: float(np.max((bounds.high - bounds.low)[self.decided(name)], initial=0))
                for name, bounds in self.outcome.items()}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp, bounds that say nothing included."""
        where = np.isfinite(self.outcome[output].low)
        if not where.any():
            return {}
        return {"largest error in ulp": ulps(np.asarray(got)[where], self.canonical[output][where],
                                             self.outcome[output].value[where])}
