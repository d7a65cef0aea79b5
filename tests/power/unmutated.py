"""The implementation without a fault as a backend, for campaigns that must find nothing.

    plumbline campaign --spec onnx/maxpool@22 --backend tests.power.unmutated:Unmutated --host in-process \\
        --calls 1000000 --workers 2
"""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.power.implementation import Pooling
from tests.power.suite import SPECIFICATIONS


class Unmutated:
    """It claims every text that mutants are put to, and every call inside them."""

    name = "unmutated"
    specifications = SPECIFICATIONS

    def version(self) -> str:
        """It does not change."""
        return "1"

    def run(self, request: Request) -> dict[str, np.ndarray]:
        """The outputs by name."""
        return Pooling.run(request)
