"""Judge and generate calls of SONNX Tanh, by `spec/sonnx/tanh.md`."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.families.approximations import SonnxApproximated
from plumbline.oracle.families.exponentials import HyperbolicTangent
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import APPROXIMATED, PROFILE, UNARY
from plumbline.oracle.rounding import PRECISION

U = float(PRECISION["float32"][0])


class Tanh(HyperbolicTangent, SonnxApproximated):
    """A call of Tanh."""

    clauses = PROFILE | APPROXIMATED | UNARY
    zeros = SonnxApproximated.zero_is_open("Y.U3")

    @evidence("X.E1")
    @staticmethod
    def formula_gives_nan() -> str:
        x = np.float32(-50)
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.exp(-2 * x)
            found = (1 - power) / (1 + power)
        assert np.isnan(found) and math.tanh(x) == -1
        return f"in float32 the formula gives {found} for an X of {x}"

    @evidence("accuracy.E1")
    @staticmethod
    def factor_of_two() -> str:
        x, general, printed = 0.25, _general(0.25, 4), _inserted(0.25, 4, outer=2)
        assert printed < general and math.isclose(_inserted(x, 4), general)
        return f"X = {x}: the formula printed gives {printed:.2f}*u, the general one {general:.2f}*u"

    @evidence("accuracy.E2")
    @staticmethod
    def half_of_each_step() -> str:
        x, n = 1.5, 1
        general, printed = _general(x, 4 + n), _inserted(x, 4 + n / 2)
        assert printed < general and 2 * (4 + n) != 8 + n and 2 * 5 != 9
        return f"X = {x}, n = {n}, with 1 + q: the formula printed gives {printed:.2f}*u, the general one " \
               f"{general:.2f}*u"

    @evidence("accuracy.E3")
    @staticmethod
    def squares() -> str:
        eps = 2 * U
        square, printed = ((1 + 2 * eps)**2 * (1 + eps / 2) - 1) / eps, 2 + 1 / 2
        assert square > 4 > printed
        return f"a number with an error of 2 * eps, squared and rounded, has one of {square:.2f} * eps, and not " \
               f"{printed} * eps"

    @evidence("accuracy.E4")
    @staticmethod
    def exponential_of_twice_x() -> str:
        x = 0.75
        by_definition, printed = _general(x, 5), _inserted(x, 4)
        assert 0 <= x <= 1 and -2 * x < -1 and printed < by_definition
        return f"X = {x}: the exponential is of {-2 * x}; with 1 + q the bound is {by_definition:.2f}*u, printed " \
               f"{printed:.2f}*u"

    @evidence("accuracy.E5")
    @staticmethod
    def check_of_other_formulas() -> str:
        x, text, check = 0.25, _inserted(0.25, 4, outer=2), _inserted(0.25, 4, outer=2, inner=2)
        below, exponent = -1.5, math.frexp(-1.5)[1] - 1
        assert check < text and not -2**exponent <= below
        return f"X = {x}: the check has {check:.2f}*u, the text {text:.2f}*u; the exponent of {below} is {exponent}, " \
               f"and {below} is below {-2**exponent}"

    @evidence("accuracy.E6")
    @staticmethod
    def limits_and_overflow() -> str:
        x = np.float32(50)
        with np.errstate(over="ignore", invalid="ignore"):
            power = np.exp(2 * x)
            found = (power - 1) / (power + 1)
        assert x < 1e7 and np.isnan(found) and np.exp(-x) > np.finfo(np.float32).smallest_normal
        return f"in float32 the second algorithm gives {found} for an X of {x}, where e**(2*X) is {power}"


def _general(x: float, r: float) -> float:
    """The note's general bound in units of u, where the exponential has the relative error ``r*u``."""
    q, relative = math.exp(-2 * abs(x)), r * U
    above = relative * 2 * q * (1 + U) + 2 * U * (1 - q**2)
    below = (1 + q) * ((1 + q) * (1 - U) - relative * q * (1 + U))
    return (above / below * (1 + U) + U * (1 - q) / (1 + q)) / U


def _inserted(x: float, r: float, outer: int = 1, inner: int = 1) -> float:
    """The form of the note's bounds for a given error, in units of u; as printed, ``1 + outer*q`` and ``1 + inner*q``
    have a 2 for a 1."""
    q = math.exp(-2 * abs(x))
    above, below = 2 + 2 * r * (1 + U) * q - 2 * q**2, (1 + inner * q) * (1 - U) - r * U * (1 + U) * q
    return (above / below * (1 + U) + 1 - q) / (1 + outer * q)
