"""Reductions of each plane of X: what their implementations share, and faults in what is read and written where."""

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


class AcrossTheBatch(Planes):
    """Each channel is reduced over the whole batch."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[:, channel].ravel()


class AcrossTheChannels(Planes):
    """All channels of a batch are reduced together."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch].ravel()


class FirstBatchAlone(Planes):
    """Every batch gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[0, channel].ravel()


class FirstChannelAlone(Planes):
    """Every channel gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch, 0].ravel()


class ChannelsLast(Planes):
    """X is read as if its channels came last."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        turned = x[batch].reshape(-1)[channel::x.shape[1]]
        return turned if turned.size else x[batch, channel].ravel()


class FirstRowAlone(Planes):
    """Only the last spatial axis is reduced, at the beginning of the others."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 1 and found.shape[0]:
            found = found[0]
        return found.ravel()


class TwoAxesAlone(Planes):
    """Of three spatial axes or more the first ones are not reduced."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 2 and found.shape[0]:
            found = found[0]
        return found.ravel()


class ForgetsTheLast(Planes):
    """The last element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:-1] if found.size > 1 else found


class ForgetsTheFirst(Planes):
    """The first element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[1:] if found.size > 1 else found


class ForgetsTheTail(Planes):
    """Of a plane of more than eight elements those behind the last full register are not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:found.size // 8 * 8] if found.size > 8 else found


class ForgetsTheLastChannels(Planes):
    """Of more than four channels those behind the last full block of four stay zero."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        if x.shape[1] > 4:
            y[:, x.shape[1] // 4 * 4:] = 0
        return y


class SwapsBatchAndChannel(Planes):
    """Y is laid out channel by channel."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        return np.swapaxes(y, 0, 1).reshape(y.shape)


class InSinglePrecision(Planes):
    """float64 is computed in float32."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float32) if plane.dtype == np.float64 else plane)


class InHalfPrecision(Planes):
    """float32 is computed in float16."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float16) if plane.dtype == np.float32 else plane)


class FlushesSubnormal(Planes):
    """Subnormal numbers of float32 count as zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        if plane.dtype != np.float32:
            return super().reduce(plane)
        tiny = np.finfo(np.float32).tiny
        found = np.float32(super().reduce(np.where(np.abs(plane) < tiny, np.float32(0), plane)))
        return np.float32(0) if np.abs(found) < tiny else found


class SpreadsNan(Planes):
    """A NaN in one plane reaches the next."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        lost = np.isnan(y).reshape(-1)
        y.reshape(-1)[1:][lost[:-1]] = np.nan
        return y


class DropsTheSpatialAxes(Planes):
    """Y has no spatial axes."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return x.shape[:2]


class TwoSpatialAxesAlways(Planes):
    """Y has two spatial axes, whatever X has."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (*x.shape[:2], 1, 1)


class SwapsSizes(Planes):
    """The sizes of batch and channel change places."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (x.shape[1], x.shape[0]) + (1,) * (x.ndim - 2)


class BatchGoesIntoChannels(Planes):
    """Batches are laid out as channels."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (1, x.shape[0] * x.shape[1]) + (1,) * (x.ndim - 2)


class GivesSinglePrecision(Planes):
    """Whatever the type of X, Y is float32."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return super().whole(x).astype(np.float32)


class RefusesOneSpatialAxis(Planes):
    """Two spatial axes are needed."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim < 4:
            raise ValueError("rank")


class RefusesThreeSpatialAxes(Planes):
    """More than two spatial axes are refused."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim > 4:
            raise ValueError("rank")


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
