"""Compute recurrent layers for the reference oracles, a cell at a time.

Sums and products are exact, exponentials have 60 digits, states 400 bits. What is left undefined is NaN, a step after
the end of a sequence 0. Scalings go to the functions that have some.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._exponentials import context, exponential, fraction
from plumbline.oracle.reference._rounding import nearest
from plumbline.oracle.reference.exact import Number, number, product, total

DEFAULTS = {"LeakyRelu": (0.01, None), "ThresholdedRelu": (1.0, None), "Elu": (1.0, None), "HardSigmoid": (0.2, 0.5),
            "Affine": (math.nan, math.nan), "ScaledTanh": (math.nan, math.nan)}
Row = list[Number]
Function = Callable[[Number], Number]
Step = Callable[["Layer", int, Row, list[Row]], list[Row]]
TOO_LARGE = Fraction(2) ** 1100


def power(x: Fraction) -> Fraction:
    """e to the power of a number."""
    return fraction(exponential(context(40).divide(Decimal(x.numerator), Decimal(x.denominator))))


def short(x: Number) -> Number:
    """A number with 400 bits, where it has more."""
    if not isinstance(x, Fraction) or x.denominator.bit_length() < 600:
        return x
    unit = Fraction(2) ** (400 - x.numerator.bit_length() + x.denominator.bit_length())
    return round(x * unit) / unit


def tanh(x: Fraction) -> Fraction:
    """The hyperbolic tangent, of small numbers by its series."""
    if abs(x) < Fraction(1, 10**20):
        return x - x**3 / 3
    e = power(-2 * abs(x))
    return (1 - e) / (1 + e) * (1 if x > 0 else -1)


def activation(name: str, alpha: float, beta: float, clip: float) -> Function:
    """Return an activation by name, on numbers limited to +-clip; NaN alpha or beta: none."""
    def value(x: Number) -> Number:
        if not isinstance(x, Fraction) or abs(x) > TOO_LARGE:
            return math.nan
        x = Fraction(short(x))
        if math.isfinite(clip):
            x = max(-Fraction(clip), min(Fraction(clip), x))
        if name in ("Relu", "LeakyRelu", "Elu") and x >= 0:
            return x
        if name in DEFAULTS and math.isnan(alpha):
            return math.nan
        a, b = Fraction(alpha if name in DEFAULTS else 0), Fraction(beta if name in DEFAULTS else 0)
        if name in ("Relu", "LeakyRelu"):
            return a * x
        if name in ("Tanh", "ScaledTanh"):
            return tanh(x) if name == "Tanh" else a * tanh(b * x)
        if name == "Sigmoid":
            return 1 / (1 + power(-x)) if x > 0 else power(x) / (1 + power(x))
        if name == "Affine":
            return a * x + b
        if name == "ThresholdedRelu":
            return x if x >= a else Fraction(0)
        if name == "HardSigmoid":
            return min(max(a * x + b, Fraction(0)), Fraction(1))
        if name == "Elu":
            return a * (power(x) - 1)
        if name == "Softsign":
            return x / (1 + abs(x))
        ratio = 1 + power(-abs(x))  # Softplus
        logarithm = context().ln(context().divide(Decimal(ratio.numerator), Decimal(ratio.denominator)))
        return max(x, Fraction(0)) + fraction(logarithm)
    return value


class Layer:
    """The parts of a call, by the words of the text."""

    def __init__(self, call: Call, version: int, functions: tuple[str, ...], without_defaults: bool = False) -> None:
        self.call, self.attributes, inputs = call, call.attributes, call.inputs
        self.direction = self.attributes.get("direction", "forward")
        self.directions = 2 if self.direction == "bidirectional" else 1
        self.batch_first = self.attributes.get("layout", 0) == 1
        self.steps, self.batch = inputs["X"].shape[:2][::-1] if self.batch_first else inputs["X"].shape[:2]
        self.hidden = inputs["R"].shape[2]
        names = list(self.attributes.get("activations", functions * self.directions))
        alphas, betas = ([float(np.float32(value)) for value in self.attributes.get(name, [])]
                         for name in ("activation_alpha", "activation_beta"))
        clip = float(np.float32(self.attributes.get("clip", math.inf)))
        self.functions = []
        for name in names:
            alpha, beta = (math.nan if without_defaults else float(np.float32(value or 0))
                           for value in DEFAULTS.get(name, (0, 0)))
            if name in DEFAULTS:
                alpha = alphas.pop(0) if alphas else alpha
            if DEFAULTS.get(name, (None, None))[1] is not None:
                beta = betas.pop(0) if betas else beta
            else:
                beta = 0.0
            self.functions.append(activation(name, math.nan if math.isnan(beta) else alpha, beta, clip))

    def weights(self, name: str, direction: int, row: int) -> Row:
        """A row of W or R, or an element of B or P in a list; zeros where B or P is not given."""
        given = self.call.inputs.get(name)
        return [Fraction(0)] if given is None else [number(value) for value in np.atleast_1d(given[direction, row])]

    def linear(self, direction: int, row: int, x: Row, h: Row) -> list[Number]:
        """The terms of X*(W^T) + H*(R^T) for one row of both."""
        return [*map(product, x, self.weights("W", direction, row)),
                *map(product, h, self.weights("R", direction, row))]

    def gate(self, direction: int, which: int, gates: int, x: Row, h: Row, j: int,
             more: Sequence[Number] = ()) -> Number:
        """The argument of one gate, of one neuron, with more terms."""
        row = which * self.hidden + j
        biases = [self.weights("B", direction, place)[0] for place in (row, gates * self.hidden + row)]
        return total([*self.linear(direction, row, x, h), *biases, *more])

    def first(self, name: str, direction: int, item: int) -> Row:
        """The state of one sequence before the first step."""
        given = self.call.inputs.get(name)
        if given is None:
            return [Fraction(0)] * self.hidden
        return [number(value) for value in (given[item, direction] if self.batch_first else given[direction, item])]

    def outputs(self, step: Step, states: dict[str, str]) -> dict[str, np.ndarray]:
        """Y and the last states; `states` names the outputs of those that the inputs begin with."""
        x, dtype = self.call.inputs["X"], self.call.inputs["X"].dtype
        lengths = self.call.inputs.get("sequence_lens", [self.steps] * self.batch)
        y = np.zeros((self.steps, self.directions, self.batch, self.hidden), dtype)
        last = {name: np.zeros((self.directions, self.batch, self.hidden), dtype) for name in states.values()}
        for direction in range(self.directions):
            for item in range(self.batch):
                rows = [self.first(name, direction, item) for name in states]
                times = list(range(int(lengths[item])))
                for t in times[::-1] if self.direction == "reverse" or direction == 1 else times:
                    elements = x[item, t] if self.batch_first else x[t, item]
                    rows = step(self, direction, [number(value) for value in elements], rows)
                    rows = [[short(value) for value in row] for row in rows]
                    y[t, direction, item] = [_rounded(value, dtype) for value in rows[0]]
                for name, row in zip(states.values(), rows, strict=True):
                    last[name][direction, item] = [_rounded(value, dtype) for value in row]
        if self.batch_first:
            return {"Y": np.transpose(y, (2, 0, 1, 3))} | {name: np.swapaxes(one, 0, 1) for name, one in last.items()}
        return {"Y": y, **last}


def _rounded(value: Number, dtype: np.dtype) -> float:
    return nearest(value, dtype.name) if isinstance(value, Fraction) and abs(value) < TOO_LARGE else math.nan
