"""SONNX Tanh: the home of `spec/sonnx/tanh.md`."""

from __future__ import annotations

import math

import numpy as np

from plumbline.oracle.families.approximated import SonnxApproximated
from plumbline.oracle.families.exponentials import HyperbolicTangent
from plumbline.oracle.operator import evidence


class Tanh(HyperbolicTangent, SonnxApproximated):
    """A call of Tanh."""

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
