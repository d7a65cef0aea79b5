"""An implementation of ONNX Shape, and faults in it."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs, fault


class Shape(Implementation):
    """Counts the axes, and writes down those that lie between the bounds."""

    def start(self, request: Request, rank: int) -> int:
        """The first axis, counted from the front."""
        return self.bound(request.attributes.get("start", 0), rank)

    def end(self, request: Request, rank: int) -> int:
        """The axis after the last, counted from the front."""
        return self.bound(request.attributes.get("end", rank), rank)

    def bound(self, value: int, rank: int) -> int:
        """A bound, counted from the front."""
        return value + rank if value < 0 else value

    def sizes(self, data: np.ndarray) -> list[int]:
        """The sizes of all axes."""
        return list(data.shape)

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        """Those between the bounds."""
        return [size for axis, size in enumerate(sizes) if start <= axis < end]

    def finish(self, found: list[int]) -> np.ndarray:
        """The output."""
        return np.array(found, dtype=np.int64)

    def run(self, request: Request) -> Outputs:
        """The run of sizes."""
        data = request.inputs["data"]
        bounds = self.start(request, data.ndim), self.end(request, data.ndim)
        return {"shape": self.finish(self.between(self.sizes(data), *bounds))}


class Sliced(Shape):
    """Clamps the bounds and cuts, which gives the same."""

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        return sizes[max(start, 0):max(end, 0)]


@fault("start.F1", "shape.C2", "shape.F1")
class StartIsNotRead(Shape):
    """start is not read."""

    def start(self, request: Request, rank: int) -> int:
        return 0


@fault("end.F1", "shape.C2", "shape.F1")
class EndIsNotRead(Shape):
    """end is not read."""

    def end(self, request: Request, rank: int) -> int:
        return rank


@fault("end.F1", "shape.C2", "shape.F1")
class EndIsIncluded(Shape):
    """The axis at end belongs to the run."""

    def end(self, request: Request, rank: int) -> int:
        return super().end(request, rank) + 1


@fault("start.F1", "shape.C2", "shape.F1")
class StartIsLeftOut(Shape):
    """The axis at start does not belong to the run."""

    def start(self, request: Request, rank: int) -> int:
        return super().start(request, rank) + 1


@fault("end.F1", "shape.C2", "shape.F1")
class EndIsACount(Shape):
    """end counts the axes of the run."""

    def end(self, request: Request, rank: int) -> int:
        return self.start(request, rank) + super().end(request, rank)

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        return super().between(sizes, start, min(end, len(sizes)))


@fault("end.F1", "shape.C2", "shape.F1")
class DefaultEndIsMinusOne(Shape):
    """An absent end is taken for -1."""

    def end(self, request: Request, rank: int) -> int:
        return super().end(request, rank) if "end" in request.attributes else rank - 1


@fault("start.F1", "shape.C2", "shape.F1")
class DefaultStartIsOne(Shape):
    """Where end alone is given, start is taken for 1."""

    def start(self, request: Request, rank: int) -> int:
        return 1 if "end" in request.attributes and "start" not in request.attributes else super().start(request, rank)


@fault("end.F1", "shape.C2", "shape.F1")
class EndZeroIsAbsent(Shape):
    """An end of 0 counts as absent."""

    def end(self, request: Request, rank: int) -> int:
        return super().end(request, rank) if request.attributes.get("end") else rank


@fault("start.F1", "end.F1", "shape.C2", "shape.F1")
class NegativeCountsAsZero(Shape):
    """A negative bound counts as 0."""

    def bound(self, value: int, rank: int) -> int:
        return max(value, 0)


@fault("start.F1", "end.F1", "shape.C2", "shape.F1")
class NegativeIsOffByOne(Shape):
    """A negative bound counts from behind the last axis."""

    def bound(self, value: int, rank: int) -> int:
        return value + rank + 1 if value < 0 else value


@fault("start.F1", "shape.C2", "shape.F1")
class WrapsTwice(Shape):
    """A bound below -r is counted from the back once more, as by a remainder."""

    def bound(self, value: int, rank: int) -> int:
        return value % rank if value < 0 and rank else value


@fault("refusal")
class BeyondIsRefused(Shape):
    """A bound beyond the rank is refused."""

    def bound(self, value: int, rank: int) -> int:
        if value > rank:
            raise ValueError("bound")
        return super().bound(value, rank)


@fault("refusal")
class BelowIsRefused(Shape):
    """A bound below minus the rank is refused."""

    def bound(self, value: int, rank: int) -> int:
        if value < -rank:
            raise ValueError("bound")
        return super().bound(value, rank)


@fault("refusal")
class CrossedIsRefused(Shape):
    """A start behind the end is refused."""

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        if max(start, 0) > max(end, 0):
            raise ValueError("start")
        return super().between(sizes, start, end)


@fault("start.F1", "end.F1", "shape.C2", "shape.F1")
class CrossedIsSwapped(Shape):
    """A start behind the end changes places with it."""

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        return super().between(sizes, min(start, end), max(start, end))


@fault("refusal")
class EmptyRunIsRefused(Shape):
    """A run of no axes is refused."""

    def finish(self, found: list[int]) -> np.ndarray:
        if not found:
            raise ValueError("empty")
        return super().finish(found)


@fault("signature.F1")
class EmptyRunIsNotGiven(Shape):
    """A run of no axes is not given."""

    def run(self, request: Request) -> Outputs:
        found = super().run(request)
        return found if found["shape"].size else {}


@fault("shape.C1", "shape.C2")
class ScalarHasOne(Shape):
    """A tensor without axes has the shape [1]."""

    def between(self, sizes: list[int], start: int, end: int) -> list[int]:
        return super().between(sizes, start, end) if sizes else [1]


@fault("shape.C1", "shape.C2")
class ScalarForOneAxis(Shape):
    """A run of one axis is a scalar."""

    def finish(self, found: list[int]) -> np.ndarray:
        return np.array(found[0] if len(found) == 1 else found, dtype=np.int64)


@fault("shape.F1")
class EmptyAxesCountOne(Shape):
    """A size of 0 is given as 1."""

    def sizes(self, data: np.ndarray) -> list[int]:
        return [max(size, 1) for size in data.shape]


@fault("shape.F1")
class EmptyTensorsHaveNone(Shape):
    """All sizes of a tensor without elements are 0."""

    def sizes(self, data: np.ndarray) -> list[int]:
        return list(data.shape) if data.size else [0] * data.ndim


@fault("shape.F1")
class FromTheBack(Shape):
    """The sizes come from the last to the first."""

    def finish(self, found: list[int]) -> np.ndarray:
        return super().finish(found[::-1])


@fault("shape.F1")
class CutFromTheBack(Shape):
    """The bounds are applied to the sizes from the last to the first."""

    def sizes(self, data: np.ndarray) -> list[int]:
        return list(data.shape)[::-1]


@fault("shape.F1")
class InSingleOctets(Shape):
    """Sizes are counted in six bits."""

    def sizes(self, data: np.ndarray) -> list[int]:
        return [size % 64 for size in data.shape]


@fault("shape.F1")
class InBytes(Shape):
    """The last size counts octets."""

    def sizes(self, data: np.ndarray) -> list[int]:
        return [*data.shape[:-1], *(size * data.itemsize for size in data.shape[-1:])]


@fault("shape.C1", "shape.C2")
class OnesAreDropped(Shape):
    """Axes of size 1 are left out."""

    def finish(self, found: list[int]) -> np.ndarray:
        return super().finish([size for size in found if size != 1])


@fault("shape.C1", "shape.C2")
class AtLeastFour(Shape):
    """A shape has at least four axes, the first of size 1."""

    def finish(self, found: list[int]) -> np.ndarray:
        return super().finish([1] * (4 - len(found)) + found)


@fault("shape.F2")
class OfInt32(Shape):
    """Sizes are int32."""

    def finish(self, found: list[int]) -> np.ndarray:
        return super().finish(found).astype(np.int32)


@fault("shape.F2")
class OfFloat(Shape):
    """An empty run has the type that no list of numbers has, float64."""

    def finish(self, found: list[int]) -> np.ndarray:
        return np.array(found) if not found else super().finish(found)
