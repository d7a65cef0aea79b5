"""ONNX Where: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _selection
from tests.operators._selection import Selection
from tests.operators.contract import plant


class Where(Selection):
    """One of two elements."""

    def chosen(self, condition, x, y):
        """X where the condition is true."""
        return np.where(condition, x, y)


plant(globals(), Where, (_selection,), "OtherNan")
