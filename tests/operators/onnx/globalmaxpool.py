"""ONNX GlobalMaxPool: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import fault
from tests.operators.onnx._planes import Planes


class GlobalMaxPool(Planes):
    """Sorts a plane; numpy puts NaN last."""

    def reduce(self, plane: np.ndarray) -> Any:
        return np.sort(plane.astype(np.float64))[-1] if plane.size else -np.inf


class PassesOverNan(GlobalMaxPool):
    """NaN takes no part."""

    def reduce(self, plane: np.ndarray) -> Any:
        largest = plane.dtype.type(-np.inf)
        for value in plane:
            if value > largest:
                largest = value
        return largest


class RestartsAtNan(GlobalMaxPool):
    """A comparison with NaN is false, and starts the search again behind it."""

    def reduce(self, plane: np.ndarray) -> Any:
        if not plane.size:
            return 0
        largest = plane[0]
        for value in plane[1:]:
            if not largest >= value:
                largest = value
        return largest


class RefusesEmpty(GlobalMaxPool):
    """Refuses an X without elements."""

    def accepts(self, x: np.ndarray) -> None:
        if not x.size:
            raise ValueError("empty")


@fault("Y.F1")
class AcrossTheBatch(GlobalMaxPool):
    """Each channel is reduced over the whole batch."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[:, channel].ravel()


@fault("Y.F1")
class AcrossTheChannels(GlobalMaxPool):
    """All channels of a batch are reduced together."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch].ravel()


@fault("Y.F1")
class FirstBatchAlone(GlobalMaxPool):
    """Every batch gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[0, channel].ravel()


@fault("Y.F1")
class FirstChannelAlone(GlobalMaxPool):
    """Every channel gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch, 0].ravel()


@fault("Y.F1")
class ChannelsLast(GlobalMaxPool):
    """X is read as if its channels came last."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        turned = x[batch].reshape(-1)[channel::x.shape[1]]
        return turned if turned.size else x[batch, channel].ravel()


@fault("Y.F1")
class FirstRowAlone(GlobalMaxPool):
    """Only the last spatial axis is reduced, at the beginning of the others."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 1 and found.shape[0]:
            found = found[0]
        return found.ravel()


@fault("Y.F1")
class TwoAxesAlone(GlobalMaxPool):
    """Of three spatial axes or more the first ones are not reduced."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 2 and found.shape[0]:
            found = found[0]
        return found.ravel()


@fault("Y.F1")
class ForgetsTheLast(GlobalMaxPool):
    """The last element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:-1] if found.size > 1 else found


@fault("Y.F1")
class ForgetsTheFirst(GlobalMaxPool):
    """The first element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[1:] if found.size > 1 else found


@fault("Y.F1")
class ForgetsTheTail(GlobalMaxPool):
    """Of a plane of more than eight elements those behind the last full register are not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:found.size // 8 * 8] if found.size > 8 else found


@fault("Y.F1")
class ForgetsTheLastChannels(GlobalMaxPool):
    """Of more than four channels those behind the last full block of four stay zero."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        if x.shape[1] > 4:
            y[:, x.shape[1] // 4 * 4:] = 0
        return y


@fault("Y.F1")
class SwapsBatchAndChannel(GlobalMaxPool):
    """Y is laid out channel by channel."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        return np.swapaxes(y, 0, 1).reshape(y.shape)


@fault("Y.F1")
class InSinglePrecision(GlobalMaxPool):
    """float64 is computed in float32."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float32) if plane.dtype == np.float64 else plane)


@fault("Y.F1")
class InHalfPrecision(GlobalMaxPool):
    """float32 is computed in float16."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float16) if plane.dtype == np.float32 else plane)


@fault("Y.F1")
class FlushesSubnormal(GlobalMaxPool):
    """Subnormal numbers of float32 count as zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        if plane.dtype != np.float32:
            return super().reduce(plane)
        tiny = np.finfo(np.float32).tiny
        found = np.float32(super().reduce(np.where(np.abs(plane) < tiny, np.float32(0), plane)))
        return np.float32(0) if np.abs(found) < tiny else found


@fault("Y.F1")
class SpreadsNan(GlobalMaxPool):
    """A NaN in one plane reaches the next."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        lost = np.isnan(y).reshape(-1)
        y.reshape(-1)[1:][lost[:-1]] = np.nan
        return y


@fault("Y.C2")
class DropsTheSpatialAxes(GlobalMaxPool):
    """Y has no spatial axes."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return x.shape[:2]


@fault("Y.C2")
class TwoSpatialAxesAlways(GlobalMaxPool):
    """Y has two spatial axes, whatever X has."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (*x.shape[:2], 1, 1)


@fault("Y.C1")
class SwapsSizes(GlobalMaxPool):
    """The sizes of batch and channel change places."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (x.shape[1], x.shape[0]) + (1,) * (x.ndim - 2)


@fault("Y.C1")
class BatchGoesIntoChannels(GlobalMaxPool):
    """Batches are laid out as channels."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (1, x.shape[0] * x.shape[1]) + (1,) * (x.ndim - 2)


@fault("Y.C3")
class GivesSinglePrecision(GlobalMaxPool):
    """Whatever the type of X, Y is float32."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return super().whole(x).astype(np.float32)


@fault("refusal")
class RefusesOneSpatialAxis(GlobalMaxPool):
    """Two spatial axes are needed."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim < 4:
            raise ValueError("rank")


@fault("refusal")
class RefusesThreeSpatialAxes(GlobalMaxPool):
    """More than two spatial axes are refused."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim > 4:
            raise ValueError("rank")


@fault("Y.F1")
class Minimum(GlobalMaxPool):
    """The smallest element."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.min() if plane.size else 0


@fault("Y.F1")
class LargestMagnitude(GlobalMaxPool):
    """The element of the largest absolute value."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane[np.abs(plane).argmax()] if plane.size else 0


@fault("Y.F1")
class Mean(GlobalMaxPool):
    """The mean, not the maximum."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.mean() if plane.size else 0


@fault("Y.F1")
class StartsAtZero(GlobalMaxPool):
    """The search starts at zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        return np.maximum(super().reduce(plane), plane.dtype.type(0))


@fault("Y.F1")
class StartsAtTheLowestFinite(GlobalMaxPool):
    """The search starts at the lowest finite number, which -inf is not above."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.finfo(plane.dtype).min if plane.dtype.kind == "f" and found == -np.inf else found


@fault("Y.F1")
class StartsAtTheSmallestPositive(GlobalMaxPool):
    """The search starts at the smallest positive normal number."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.maximum(found, np.finfo(plane.dtype).tiny) if plane.dtype.kind == "f" else found


@fault("Y.F1")
class ClampsInfinity(GlobalMaxPool):
    """+inf gives the largest finite number."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return np.finfo(plane.dtype).max if plane.dtype.kind == "f" and found == np.inf else found


@fault("Y.F1")
class NanIsZero(GlobalMaxPool):
    """A plane with a NaN gives zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        return 0 if np.isnan(plane).any() else super().reduce(plane)
