"""ONNX Clip: an implementation."""

from __future__ import annotations

import numpy as np

from tests.operators import _intervals
from tests.operators._intervals import Interval
from tests.operators.contract import plant, version_of


class Clip(Interval):
    """The maximum prevails."""

    def finished(self, found):
        """As it was found."""
        return np.asarray(found)


class ByMinAndMax(_intervals.ByMinAndMax, Clip):
    """The minimum of the maximum, before the function body of version 13 says which zero that is."""

    def run(self, request):
        """By comparisons from version 13 on."""
        return super().run(request) if version_of(request) < 13 else Clip().run(request)


plant(globals(), Clip, (_intervals,), "ByDefaults NanSpreads NanStaysAlways")
