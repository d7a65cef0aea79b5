"""The exponential function, the logarithm, and functions made of them."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.approximations import Approximated
from plumbline.oracle.operator import Choose, Operator


class Exponential(Approximated):
    """A call of Exp."""

    operator = "Exp"
    function = staticmethod(np.exp)
    known = (-np.inf, 0, np.inf)
    range = (0, np.inf)


class Logarithm(Approximated):
    """A call of Log."""

    operator = "Log"
    function = staticmethod(np.log)
    known = (0, 1, np.inf)
    cancels = True

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are not finite, or have the sign that the logarithm has not."""
        return np.asarray(~np.isfinite(got) | np.where(self.x > 1, got < 0, got > 0))

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Magnitudes more often than numbers of both signs."""
        found = super().drawn(choose, name, shape, dtype)
        return np.asarray(np.abs(found) if choose((True, False), (4, 1)) else found)


def _near_an_end(definition: Operator, entry: Divergence) -> bool:
    """Elements are within a millionth of 0 or 1, and neither."""
    got = np.asarray(entry.got)
    off = np.minimum(np.abs(got), np.abs(1 - got))
    return bool(np.all((off > 0) & (off < 1e-6)))


class Logistic(Approximated):
    """A call of Sigmoid."""

    symptoms = {**Approximated.symptoms, "near-an-end": _near_an_end}

    operator = "Sigmoid"
    function = staticmethod(lambda x: 1 / (1 + np.exp(-x)))
    known = (-np.inf, 0, np.inf)
    range = (0, 1)
    cancels = True


class HyperbolicTangent(Approximated):
    """A call of Tanh."""

    operator = "Tanh"
    function = staticmethod(np.tanh)
    known = (-np.inf, 0, np.inf)
    range = (-1, 1)
    cancels = True

    def outside(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are above 1 in magnitude, NaN, or of the other sign than X."""
        return np.asarray(super().outside(got) | np.where(self.x > 0, got < 0, got > 0))
