"""SONNX Clip: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _intervals
from tests.operators._intervals import Interval
from tests.operators.contract import plant


class Clip(Interval):
    """By cases."""

    def limited(self, x, low, high):
        """The maximum, even for NaN, where the bounds are the wrong way round; a bound that is NaN does nothing."""
        return np.full_like(x, high) if low > high else super().limited(x, low, high)


plant(globals(), Clip, (_intervals,), "ByDefaults")
