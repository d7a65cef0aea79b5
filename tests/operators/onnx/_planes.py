"""Reductions of each plane of X: what their implementations share."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs


class Planes(Implementation):
    """Goes through batches and channels, and reduces the elements of each plane, in their order, to one."""

    def reduce(self, plane: np.ndarray) -> Any:
        """One element, of the elements of a plane as one axis."""
        raise NotImplementedError

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        """The elements of a plane."""
        return x[batch, channel].ravel()

    def accepts(self, x: np.ndarray) -> None:
        """Raises where X is refused."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        """Of Y."""
        return x.shape[:2] + (1,) * (x.ndim - 2)

    def whole(self, x: np.ndarray) -> np.ndarray:
        """Y."""
        y = np.zeros(x.shape[:2], x.dtype)
        for batch, channel in np.ndindex(*x.shape[:2]):
            with np.errstate(all="ignore"):
                y[batch, channel] = self.reduce(self.plane(x, batch, channel))
        return y.reshape(self.shape(x))

    def run(self, request: Request) -> Outputs:
        """Y."""
        x = np.asarray(request.inputs["X"])
        self.accepts(x)
        return {"Y": self.whole(x)}


class RefusesEmpty(Planes):
    """Refuses an X without elements."""

    def accepts(self, x: np.ndarray) -> None:
        if not x.size:
            raise ValueError("empty")

FAULTS = {
    "": "RefusesEmpty",
    "Y.F1":
        "AcrossTheBatch AcrossTheChannels FirstBatchAlone FirstChannelAlone ChannelsLast FirstRowAlone TwoAxesAlone "
        "ForgetsTheLast ForgetsTheFirst ForgetsTheTail ForgetsTheLastChannels SwapsBatchAndChannel InSinglePrecision "
        "InHalfPrecision FlushesSubnormal SpreadsNan",
    "Y.C2": "DropsTheSpatialAxes TwoSpatialAxesAlways",
    "Y.C1": "SwapsSizes BatchGoesIntoChannels",
    "Y.C3": "GivesSinglePrecision",
    "refusal": "RefusesOneSpatialAxis RefusesThreeSpatialAxes"
}
"""By the clauses that they break the faults that any such operator can have; without a clause, an honest variant."""
