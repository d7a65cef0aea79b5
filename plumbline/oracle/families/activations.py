"""Activations of recurrent layers, on numbers known between bounds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from plumbline.oracle.families.exponentials import Exponential, HyperbolicTangent, Logarithm, Logistic
from plumbline.oracle.rounding import Wide


class Between(NamedTuple):
    """Numbers in extended precision that are known between bounds."""

    low: np.ndarray
    value: np.ndarray
    high: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """The largest magnitudes."""
        return np.asarray(np.maximum(np.abs(self.low), np.abs(self.high)))

    def times(self, matrix: np.ndarray) -> Between:
        """Return the products of rows with the transpose of `matrix`, of which each row is exact."""
        above, below = np.maximum(matrix.T, 0), np.minimum(matrix.T, 0)
        low, high = self.low @ above + self.high @ below, self.high @ above + self.low @ below
        return Between(low, self.value @ matrix.T, high)

    def wider(self, room: np.ndarray) -> Between:
        """Return the numbers with more room at both ends."""
        return Between(self.low - room, self.value, self.high + room)


def exactly(x: np.ndarray) -> Between:
    """The numbers of an array."""
    wide = np.asarray(x.astype(Wide))
    return Between(wide, wide, wide)


def combined(function: Callable[..., Any], *operands: Between) -> Between:
    """Bounds of a function that is linear in each of its operands: its ends are at theirs."""
    ends = [function(*corner) for corner in product(*((operand.low, operand.high) for operand in operands))]
    return Between(np.minimum.reduce(ends), function(*(operand.value for operand in operands)), np.maximum.reduce(ends))


class Activation(NamedTuple):
    """A function of activations, of a number and of its scalings.

    roundings: how many of u a value may be off, from the number, the value and the scalings.
    turns:     the numbers, from the scalings, on whose two sides it rises and falls, or jumps.
    default:   of its scalings: None for one that it does not have, NaN where none is known.
    """

    function: Callable[[Any, Any, Any], Any]
    roundings: Callable[[Any, Any, Any, Any], Any]
    default: tuple[float | None, float | None] = (None, None)
    turns: Callable[[Any], tuple[Any, ...]] = lambda alpha: ()
    range: tuple[float, float] = (-np.inf, np.inf)


def _of_tanh(x: Any, y: Any) -> Any:
    of = HyperbolicTangent
    return of.of_result * np.abs(y) + of.of_argument * np.abs(x) * (1 - y**2) + of.of_one


def _of_exponential(x: Any) -> Any:
    return (Exponential.of_result + Exponential.of_argument * np.abs(x)) * np.exp(np.minimum(x, 0))


def _linear(x: Any, y: Any, alpha: Any, beta: Any) -> Any:
    return 3 * (np.abs(alpha * x) + np.abs(beta))


BELOW_ZERO = np.nextafter(Wide(0), Wide(-1))
"""The argument from which an Elu is rounded."""


def _threshold(x: Any, alpha: Any, beta: Any) -> Any:
    return np.where(x >= alpha, x, np.where(x < alpha, 0, np.nan))


ACTIVATIONS = {
    "Sigmoid": Activation(lambda x, a, b: 1 / (1 + np.exp(-x)), lambda x, y, a, b: Logistic.of_result * y +
                          Logistic.of_argument * np.abs(x) * y * (1 - y) + Logistic.of_one, range=(0, 1)),
    "Tanh": Activation(lambda x, a, b: np.tanh(x), lambda x, y, a, b: _of_tanh(x, y), range=(-1, 1)),
    "Relu": Activation(lambda x, a, b: np.maximum(x, 0), lambda x, y, a, b: 0),
    "Affine": Activation(lambda x, a, b: a * x + b, _linear, (np.nan, np.nan)),
    "LeakyRelu": Activation(lambda x, a, b: np.where(x >= 0, x, a * x), lambda x, y, a, b: 2 * np.abs(y), (0.01, None),
                            lambda alpha: (0,)),
    "ThresholdedRelu": Activation(_threshold, lambda x, y, a, b: 0, (1.0, None),
                                  lambda alpha: (np.nextafter(Wide(alpha), -np.inf), alpha)),
    "ScaledTanh": Activation(lambda x, a, b: a * np.tanh(b * x), lambda x, y, a, b: np.abs(a) * (
        _of_tanh(b * x, np.tanh(b * x)) + 2 * np.abs(b * x)) + 2 * np.abs(y), (np.nan, np.nan)),
    "HardSigmoid": Activation(lambda x, a, b: np.clip(a * x + b, 0, 1), _linear, (0.2, 0.5), range=(0, 1)),
    "Elu": Activation(lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))), lambda x, y, a, b: np.where(
        x >= 0, 0, np.abs(a) * _of_exponential(x) + 3 * np.abs(y)), (1.0, None), lambda alpha: (BELOW_ZERO, 0)),
    "Softsign": Activation(lambda x, a, b: x / (1 + np.abs(x)), lambda x, y, a, b: 6 * np.abs(y)),
    "Softplus": Activation(lambda x, a, b: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), lambda x, y, a, b:
                           Logarithm.of_result * y + Logarithm.of_one + 1 + _of_exponential(x), range=(0, np.inf))}
"""By name; at the threshold of ThresholdedRelu the number and 0 are both admitted, since alpha is rounded."""
