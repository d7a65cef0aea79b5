"""An implementation of ONNX Slice, and faults in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import fault, version_of
from tests.operators.onnx._movement import Mover, copies

Window = tuple[int, int, int]


class Slice(Mover):
    """Clamps each pair of bounds, and walks from one to the other."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        """A list that is given as an input or an attribute."""
        given = request.inputs.get(name, request.attributes.get(name))
        return None if given is None else [int(value) for value in given]

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        """The axis of each entry, counted from the front."""
        given = self.values(request, "axes")
        return list(range(count)) if given is None else [axis % rank for axis in given]

    def steps(self, request: Request, count: int) -> Sequence[int]:
        """The step of each entry."""
        return self.values(request, "steps") or [1] * count

    def start(self, start: int, step: int, size: int) -> int:
        """A start, clamped."""
        start = start + size if start < 0 else start
        return min(max(start, 0), size if step > 0 else size - 1)

    def end(self, end: int, step: int, size: int) -> int:
        """An end, clamped."""
        end = end + size if end < 0 else end
        return min(max(end, 0), size) if step > 0 else min(max(end, -1), size - 1)

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        """The indices from one to the other."""
        found, at = [], start
        while 0 <= at < size and (at < end if step > 0 else at > end):
            found.append(at)
            at += step
        return found

    def cut(self, data: np.ndarray, axis: int, start: int, end: int, step: int) -> np.ndarray:
        """The elements along one axis."""
        size = data.shape[axis]
        indices = self.walk(self.start(start, step, size), self.end(end, step, size), step, size)
        return data[(slice(None),) * axis + (list(indices),)]

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The part of the input."""
        data = self.data(request)
        starts, ends = self.values(request, "starts"), self.values(request, "ends")
        assert starts is not None and ends is not None
        axes, steps = self.axes(request, data.ndim, len(starts)), self.steps(request, len(starts))
        for entry in zip(axes, starts, ends, steps, strict=True):
            data = self.cut(data, *entry)
        return data


class BySlices(Slice):
    """Takes views with NumPy's slices, once the bounds are clamped, which gives the same."""

    def cut(self, data: np.ndarray, axis: int, start: int, end: int, step: int) -> np.ndarray:
        size = data.shape[axis]
        if not size:
            return data
        low, high = self.start(start, step, size), self.end(end, step, size)
        step = min(max(step, -size), size)
        if low >= size:
            low = high = 0
        return data[(slice(None),) * axis + (slice(low, None if high < 0 else high, step),)]


class IntMaxGoesToTheFirst(Slice):
    """In version 10, INT_MAX goes backward to the first element, as its recommendation can be read."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        found = super().values(request, name)
        if name != "ends" or found is None or version_of(request) != 10:
            return found
        return [-2**63 if step < 0 and end in (2**31 - 1, 2**63 - 1) else end
                for end, step in zip(found, self.steps(request, len(found)), strict=True)]


@fault("output.F1", "output.C1")
class IntMaxIsTheEndBackward(Slice):
    """INT_MAX goes to the end in either direction: backward, to the first element."""

    def end(self, end: int, step: int, size: int) -> int:
        return -1 if step < 0 and end in (2**31 - 1, 2**63 - 1) else super().end(end, step, size)


@fault("output.F1", "output.C1")
class BackwardFromBelowIsNothing(Slice):
    """Going backward, a start before the first element selects nothing, as in NumPy."""

    def start(self, start: int, step: int, size: int) -> int:
        return -1 if step < 0 and start < -size else super().start(start, step, size)


@fault("output.F2", "output.C1", "output.F1", "refusal")
class AxesAreNotRead(Slice):
    """axes is not read: entries are for the first axes."""

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        return list(range(count))


@fault("output.C1", "output.F1", "output.F2")
class StepsAreNotRead(Slice):
    """steps is not read."""

    def steps(self, request: Request, count: int) -> Sequence[int]:
        return [1] * count


@fault("output.C1", "output.F1", "output.F2")
class StepsByAxis(Slice):
    """The step of axis i is the i-th, whatever axis the entry is for."""

    def move(self, request: Request) -> np.ndarray:
        data = self.data(request)
        starts, ends = self.values(request, "starts"), self.values(request, "ends")
        axes, steps = self.axes(request, data.ndim, len(starts)), self.steps(request, len(starts))
        for axis, start, end in zip(axes, starts, ends, strict=True):
            data = self.cut(data, axis, start, end, steps[min(axis, len(steps) - 1)])
        return data


@fault("refusal")
class NegativeAxisIsRefused(Slice):
    """A negative axis is refused, as before version 11."""

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        if any(axis < 0 for axis in self.values(request, "axes") or ()):
            raise ValueError("axes")
        return super().axes(request, rank, count)


@fault("output.C1", "output.F1", "output.F2")
class NegativeAxisIsTheFirst(Slice):
    """A negative axis counts as the first."""

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        given = self.values(request, "axes")
        return super().axes(request, rank, count) if given is None else [max(axis, 0) for axis in given]


@fault("refusal")
class UnorderedAxesAreRefused(Slice):
    """Axes that do not rise are refused."""

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        found = super().axes(request, rank, count)
        if list(found) != sorted(found):
            raise ValueError("axes")
        return found


@fault("output.C1", "output.F1")
class OnlyTheFirstEntry(Slice):
    """Entries after the first are not looked at."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        found = super().values(request, name)
        return found if found is None else found[:1]


@fault("refusal")
class BackwardIsRefused(Slice):
    """A negative step is refused."""

    def steps(self, request: Request, count: int) -> Sequence[int]:
        found = super().steps(request, count)
        if any(step < 0 for step in found):
            raise ValueError("steps")
        return found


@fault("output.C1", "output.F1", "output.F2")
class BackwardIsForward(Slice):
    """The sign of a step is dropped."""

    def steps(self, request: Request, count: int) -> Sequence[int]:
        return [abs(step) for step in super().steps(request, count)]


@fault("output.F2")
class BackwardIsTurned(Slice):
    """Elements selected backward come in rising order."""

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        return sorted(super().walk(start, end, step, size))


@fault("output.F2", "output.C1", "output.F1")
class BackwardStepsAreTwo(Slice):
    """Going backward, every step is -1."""

    def steps(self, request: Request, count: int) -> Sequence[int]:
        return [max(step, -1) for step in super().steps(request, count)]


@fault("output.F1", "output.C1")
class BackwardEndAtZero(Slice):
    """Going backward, an end is brought to 0 and not to -1, so that the first element is never reached."""

    def end(self, end: int, step: int, size: int) -> int:
        return max(super().end(end, step, size), 0)


@fault("output.F1", "output.C1")
class BackwardEndIsCountedTwice(Slice):
    """Going backward, an end of -1 after clamping is counted from the back once more."""

    def end(self, end: int, step: int, size: int) -> int:
        found = super().end(end, step, size)
        return found + size if found < 0 else found


@fault("output.F1", "output.C1")
class BackwardStartIsDropped(Slice):
    """Going backward, a start of n or above selects nothing."""

    def start(self, start: int, step: int, size: int) -> int:
        return size if step < 0 and start >= size else super().start(start, step, size)


@fault("output.F1", "output.C1")
class EndIsIncluded(Slice):
    """The element at end is selected too."""

    def end(self, end: int, step: int, size: int) -> int:
        return super().end(end, step, size) + (1 if step > 0 else -1)


@fault("output.F1", "output.C1", "output.F2")
class StartIsLeftOut(Slice):
    """The element at start is not selected."""

    def start(self, start: int, step: int, size: int) -> int:
        return super().start(start, step, size) + (1 if step > 0 else -1)


@fault("output.F1", "output.C1")
class NegativeEndIsOffByOne(Slice):
    """A negative end counts from behind the last element, so that -1 is the end."""

    def end(self, end: int, step: int, size: int) -> int:
        return super().end(end + 1 if -size <= end < -1 else size if end == -1 else end, step, size)


@fault("output.F1", "output.C1", "output.F2")
class NegativeStartIsZero(Slice):
    """A negative start counts as 0."""

    def start(self, start: int, step: int, size: int) -> int:
        return super().start(max(start, 0), step, size)


@fault("output.F1", "output.C1", "refusal")
class EndIsNotClamped(Slice):
    """An end beyond the size is refused."""

    def end(self, end: int, step: int, size: int) -> int:
        if end > size:
            raise ValueError("ends")
        return super().end(end, step, size)


@fault("output.F1", "output.C1")
class LargeEndWraps(Slice):
    """Bounds are kept in 32 bits: an end of 2**63 - 1 becomes -1."""

    def end(self, end: int, step: int, size: int) -> int:
        return super().end((end + 2**31) % 2**32 - 2**31, step, size)


@fault("output.C1", "output.F1")
class SizesAreFloored(Slice):
    """A division that leaves a remainder is rounded down: the last element is left out."""

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        found = super().walk(start, end, step, size)
        return found[:max((end - start) // step, 0)] if step > 0 else found[:max((start - end) // -step, 0)]


@fault("output.C1", "output.F1", "output.F2")
class StepsAreCountedFromZero(Slice):
    """Every k-th element of the axis is selected, and not every k-th from start on."""

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        return [at for at in range(start, min(end, size)) if at % step == 0] if step > 0 else \
            super().walk(start, end, step, size)


@fault("refusal")
class NothingIsRefused(Slice):
    """A selection of no elements is refused."""

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        found = super().walk(start, end, step, size)
        if not found:
            raise ValueError("empty")
        return found


@fault("output.C1", "output.F1")
class AtLeastOne(Slice):
    """A selection of no elements gives the first one."""

    def walk(self, start: int, end: int, step: int, size: int) -> Sequence[int]:
        return super().walk(start, end, step, size) or [0][:size]


@fault("refusal")
class LongIndicesAlone(Slice):
    """Lists of int32 are refused."""

    def values(self, request: Request, name: str) -> Sequence[int] | None:
        if name in request.inputs and request.inputs[name].dtype == np.int32:
            raise ValueError("int32")
        return super().values(request, name)


@fault("output.C1", "output.F1", "output.F2")
class LastEntriesFirst(Slice):
    """Omitted axes are the last ones, where there are fewer starts than axes; otherwise in falling order."""

    def axes(self, request: Request, rank: int, count: int) -> Sequence[int]:
        given = self.values(request, "axes")
        return list(range(rank))[::-1][:count] if given is None else super().axes(request, rank, count)


vars().update(copies(Slice, {"value": "output.F2", "type": "output.F3", "shape": "output.C1", "given": "signature.F1"},
                     ("NibbleLosesItsSign", "OctetIsRounded")))
