"""ONNX GlobalAveragePool: an implementation derived from neither oracle, and faults in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.operators.contract import fault
from tests.operators.onnx._planes import Planes


class GlobalAveragePool(Planes):
    """Adds one element after another, in the type, and divides."""

    def total(self, plane: np.ndarray) -> Any:
        """The sum."""
        found = plane.dtype.type(0)
        for value in plane:
            found = found + value
        return found

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        """The sum over the number of elements."""
        return total / plane.dtype.type(plane.size) if plane.size else total

    def reduce(self, plane: np.ndarray) -> Any:
        return self.divided(self.total(plane), plane)


class InPairs(GlobalAveragePool):
    """Adds the sums of two halves."""

    def total(self, plane: np.ndarray) -> Any:
        half = plane.size // 2
        return super().total(plane) if plane.size < 2 else self.total(plane[:half]) + self.total(plane[half:])


class Backwards(GlobalAveragePool):
    """Adds the last element first."""

    def total(self, plane: np.ndarray) -> Any:
        return super().total(plane[::-1])


class Wider(GlobalAveragePool):
    """Adds in extended precision, and divides there."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.longdouble)).astype(plane.dtype)


class ByReciprocal(GlobalAveragePool):
    """Multiplies the sum by the reciprocal of the number of elements."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total * (plane.dtype.type(1) / plane.dtype.type(plane.size)) if plane.size else total


class DividesFirst(GlobalAveragePool):
    """Divides each element, and adds the quotients."""

    def reduce(self, plane: np.ndarray) -> Any:
        return self.total(plane / plane.dtype.type(plane.size)) if plane.size else 0


class RefusesEmpty(GlobalAveragePool):
    """Refuses an X without elements."""

    def accepts(self, x: np.ndarray) -> None:
        if not x.size:
            raise ValueError("empty")


@fault("Y.F1")
class AcrossTheBatch(GlobalAveragePool):
    """Each channel is reduced over the whole batch."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[:, channel].ravel()


@fault("Y.F1")
class AcrossTheChannels(GlobalAveragePool):
    """All channels of a batch are reduced together."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch].ravel()


@fault("Y.F1")
class FirstBatchAlone(GlobalAveragePool):
    """Every batch gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[0, channel].ravel()


@fault("Y.F1")
class FirstChannelAlone(GlobalAveragePool):
    """Every channel gives what the first gives."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        return x[batch, 0].ravel()


@fault("Y.F1")
class ChannelsLast(GlobalAveragePool):
    """X is read as if its channels came last."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        turned = x[batch].reshape(-1)[channel::x.shape[1]]
        return turned if turned.size else x[batch, channel].ravel()


@fault("Y.F1")
class FirstRowAlone(GlobalAveragePool):
    """Only the last spatial axis is reduced, at the beginning of the others."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 1 and found.shape[0]:
            found = found[0]
        return found.ravel()


@fault("Y.F1")
class TwoAxesAlone(GlobalAveragePool):
    """Of three spatial axes or more the first ones are not reduced."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel]
        while found.ndim > 2 and found.shape[0]:
            found = found[0]
        return found.ravel()


@fault("Y.F1")
class ForgetsTheLast(GlobalAveragePool):
    """The last element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:-1] if found.size > 1 else found


@fault("Y.F1")
class ForgetsTheFirst(GlobalAveragePool):
    """The first element of a plane is not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[1:] if found.size > 1 else found


@fault("Y.F1")
class ForgetsTheTail(GlobalAveragePool):
    """Of a plane of more than eight elements those behind the last full register are not read."""

    def plane(self, x: np.ndarray, batch: int, channel: int) -> np.ndarray:
        found = x[batch, channel].ravel()
        return found[:found.size // 8 * 8] if found.size > 8 else found


@fault("Y.F1")
class ForgetsTheLastChannels(GlobalAveragePool):
    """Of more than four channels those behind the last full block of four stay zero."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        if x.shape[1] > 4:
            y[:, x.shape[1] // 4 * 4:] = 0
        return y


@fault("Y.F1")
class SwapsBatchAndChannel(GlobalAveragePool):
    """Y is laid out channel by channel."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        return np.swapaxes(y, 0, 1).reshape(y.shape)


@fault("Y.F1")
class InSinglePrecision(GlobalAveragePool):
    """float64 is computed in float32."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float32) if plane.dtype == np.float64 else plane)


@fault("Y.F1")
class InHalfPrecision(GlobalAveragePool):
    """float32 is computed in float16."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane.astype(np.float16) if plane.dtype == np.float32 else plane)


@fault("Y.F1")
class FlushesSubnormal(GlobalAveragePool):
    """Subnormal numbers of float32 count as zero."""

    def reduce(self, plane: np.ndarray) -> Any:
        if plane.dtype != np.float32:
            return super().reduce(plane)
        tiny = np.finfo(np.float32).tiny
        found = np.float32(super().reduce(np.where(np.abs(plane) < tiny, np.float32(0), plane)))
        return np.float32(0) if np.abs(found) < tiny else found


@fault("Y.F1")
class SpreadsNan(GlobalAveragePool):
    """A NaN in one plane reaches the next."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        y = super().whole(x)
        lost = np.isnan(y).reshape(-1)
        y.reshape(-1)[1:][lost[:-1]] = np.nan
        return y


@fault("Y.C2")
class DropsTheSpatialAxes(GlobalAveragePool):
    """Y has no spatial axes."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return x.shape[:2]


@fault("Y.C2")
class TwoSpatialAxesAlways(GlobalAveragePool):
    """Y has two spatial axes, whatever X has."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (*x.shape[:2], 1, 1)


@fault("Y.C1")
class SwapsSizes(GlobalAveragePool):
    """The sizes of batch and channel change places."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (x.shape[1], x.shape[0]) + (1,) * (x.ndim - 2)


@fault("Y.C1")
class BatchGoesIntoChannels(GlobalAveragePool):
    """Batches are laid out as channels."""

    def shape(self, x: np.ndarray) -> tuple[int, ...]:
        return (1, x.shape[0] * x.shape[1]) + (1,) * (x.ndim - 2)


@fault("Y.C3")
class GivesSinglePrecision(GlobalAveragePool):
    """Whatever the type of X, Y is float32."""

    def whole(self, x: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return super().whole(x).astype(np.float32)


@fault("refusal")
class RefusesOneSpatialAxis(GlobalAveragePool):
    """Two spatial axes are needed."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim < 4:
            raise ValueError("rank")


@fault("refusal")
class RefusesThreeSpatialAxes(GlobalAveragePool):
    """More than two spatial axes are refused."""

    def accepts(self, x: np.ndarray) -> None:
        if x.ndim > 4:
            raise ValueError("rank")


@fault("Y.F1")
class Total(GlobalAveragePool):
    """The sum, not divided."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total


@fault("Y.F1")
class OneTooMany(GlobalAveragePool):
    """The divisor is one too large."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(plane.size + 1)


@fault("Y.F1")
class OneTooFew(GlobalAveragePool):
    """The divisor is one too small, as of a sample's variance."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(max(plane.size - 1, 1))


@fault("Y.F1")
class CountsWhatIsNotZero(GlobalAveragePool):
    """The divisor counts the elements other than zero."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return total / plane.dtype.type(max(np.count_nonzero(plane), 1))


@fault("Y.F1")
class Maximum(GlobalAveragePool):
    """The maximum, not the mean."""

    def reduce(self, plane: np.ndarray) -> Any:
        return plane.max() if plane.size else 0


@fault("Y.F1")
class MeanOfMagnitudes(GlobalAveragePool):
    """The mean of the absolute values."""

    def total(self, plane: np.ndarray) -> Any:
        return super().total(np.abs(plane))


@fault("Y.F1")
class MeanOfMeans(GlobalAveragePool):
    """Blocks of four are averaged, and then their means, the last block like a full one."""

    def reduce(self, plane: np.ndarray) -> Any:
        means = [super(MeanOfMeans, self).reduce(plane[at:at + 4]) for at in range(0, plane.size, 4)]
        return super().reduce(np.array(means, plane.dtype))


@fault("Y.F1")
class RoundsDown(GlobalAveragePool):
    """The quotient is rounded to an integer."""

    def divided(self, total: Any, plane: np.ndarray) -> Any:
        return np.floor(super().divided(total, plane))


@fault("Y.F1")
class PassesOverNan(GlobalAveragePool):
    """The mean of the elements that are not NaN."""

    def reduce(self, plane: np.ndarray) -> Any:
        return super().reduce(plane[~np.isnan(plane)])


@fault("Y.F1")
class ClampsInfinity(GlobalAveragePool):
    """An infinity gives the end of the finite range."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        largest = np.finfo(plane.dtype).max if plane.dtype.kind == "f" else np.inf
        return np.clip(found, -largest, largest)


@fault("Y.F1")
class TurnsInfinity(GlobalAveragePool):
    """An infinity comes out with the other sign."""

    def reduce(self, plane: np.ndarray) -> Any:
        found = super().reduce(plane)
        return -found if np.isinf(found) else found
