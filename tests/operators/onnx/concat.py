"""An implementation of ONNX Concat, and faults in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import fault
from tests.operators.onnx._movement import Mover, copies


class Concat(Mover):
    """Allocates the output and writes each input into its slab."""

    output = "concat_result"

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", 1)
        return axis + rank if axis < 0 else axis

    def data(self, request: Request) -> Sequence[np.ndarray]:
        """The inputs."""
        return list(request.inputs.values())

    def size(self, data: Sequence[np.ndarray], axis: int) -> int:
        """Of the output along the axis."""
        return sum(part.shape[axis] for part in data)

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        """Write the slabs."""
        start = 0
        turned = np.moveaxis(found, axis, 0)
        for part in data:
            turned[start:start + part.shape[axis]] = np.moveaxis(part, axis, 0)
            start += part.shape[axis]

    def move(self, request: Request) -> np.ndarray:
        """The slabs, one after another."""
        data = self.data(request)
        axis = self.axis(request, data[0].ndim)
        shape = list(data[0].shape)
        shape[axis] = self.size(data, axis)
        found = np.zeros(shape, data[0].dtype)
        self.fill(found, data, axis)
        return found


class TwoByTwo(Concat):
    """Puts the last two inputs together first, which gives the same."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        data = list(request.inputs.values())
        if len(data) < 3:
            return data
        axis = self.axis(request, data[0].ndim)
        shape = list(data[-1].shape)
        shape[axis] += data[-2].shape[axis]
        last = np.zeros(shape, data[-1].dtype)
        super().fill(last, data[-2:], axis)
        return [*data[:-2], last]


@fault("concat_result.C1")
class DefaultIsZero(Concat):
    """An absent axis is taken for 0."""

    def axis(self, request: Request, rank: int) -> int:
        return super().axis(request, rank) if "axis" in request.attributes else 0


@fault("concat_result.C1", "refusal")
class DefaultIsTheLast(Concat):
    """An absent axis is taken for the last one."""

    def axis(self, request: Request, rank: int) -> int:
        return super().axis(request, rank) if "axis" in request.attributes else rank - 1


@fault("refusal")
class NegativeIsRefused(Concat):
    """A negative axis is refused, as before version 11."""

    def axis(self, request: Request, rank: int) -> int:
        if request.attributes.get("axis", 1) < 0:
            raise ValueError("axis")
        return super().axis(request, rank)


@fault("concat_result.C1", "refusal")
class NegativeIsOffByOne(Concat):
    """A negative axis counts from behind the last."""

    def axis(self, request: Request, rank: int) -> int:
        axis = request.attributes.get("axis", 1)
        return min(axis + rank + 1, rank - 1) if axis < 0 else axis


@fault("concat_result.C1", "refusal")
class AlwaysTheFirstAxis(Concat):
    """axis is not read."""

    def axis(self, request: Request, rank: int) -> int:
        return 0


@fault("concat_result.C1", "refusal")
class AlwaysTheLastAxis(Concat):
    """The axis is taken for the last one."""

    def axis(self, request: Request, rank: int) -> int:
        return rank - 1


@fault("concat_result.C1")
class TwoInputsAtMost(Concat):
    """Inputs after the second are not looked at."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        return super().data(request)[:2]


@fault("concat_result.C1")
class EightInputsAtMost(Concat):
    """Inputs after the eighth are not looked at."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        return super().data(request)[:8]


@fault("refusal")
class OneInputIsRefused(Concat):
    """A single input is refused."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        if len(request.inputs) == 1:
            raise ValueError("one input")
        return super().data(request)


@fault("concat_result.F1")
class InputsByName(Concat):
    """From the tenth input on, inputs come in the order of their names, 10 before 2; here in the reverse order."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        data = super().data(request)
        return data if len(data) < 9 else data[::-1]


@fault("concat_result.F1")
class LastInputFirst(Concat):
    """The inputs are laid out from the last to the first."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        return super().data(request)[::-1]


@fault("concat_result.F1")
class FirstInputTwice(Concat):
    """Where the first two inputs have one shape, the first is written twice."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        same = len(data) > 1 and data[0].shape == data[1].shape
        super().fill(found, [data[0], data[0], *data[2:]] if same else data, axis)


@fault("refusal")
class EmptyInputIsRefused(Concat):
    """An input without elements is refused, whatever the others are."""

    def data(self, request: Request) -> Sequence[np.ndarray]:
        data = super().data(request)
        if any(not part.size for part in data):
            raise ValueError("empty")
        return data


@fault("concat_result.C1")
class EmptyInputCountsOne(Concat):
    """A size of zero on the axis is taken for one."""

    def size(self, data: Sequence[np.ndarray], axis: int) -> int:
        return sum(max(part.shape[axis], 1) for part in data)


@fault("concat_result.C1", "refusal")
class AllOfTheFirstSize(Concat):
    """Every input is taken to be as large on the axis as the first."""

    def size(self, data: Sequence[np.ndarray], axis: int) -> int:
        return len(data) * data[0].shape[axis]


@fault("concat_result.F1")
class StepsOfTheFirstSize(Concat):
    """Slab k begins at k times the size of the first, where there is room."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        turned, step = np.moveaxis(found, axis, 0), data[0].shape[axis]
        for number, part in enumerate(data):
            room = turned[number * step:number * step + part.shape[axis]]
            room[...] = np.moveaxis(part, axis, 0)[:len(room)]


@fault("concat_result.F1")
class OneAfterAnother(Concat):
    """The buffers are laid end to end, as for axis 0, whatever axis says."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        found.reshape(-1)[:] = np.concatenate([part.ravel() for part in data])


@fault("concat_result.F1")
class OnlyTheFirstBatch(Concat):
    """With an axis after the first, the first slice of the output is written, and the others stay zero."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        super().fill(found, data, axis)
        if axis:
            found[1:] = np.zeros(1, found.dtype)


@fault("concat_result.F1")
class SlabsOverlap(Concat):
    """Each slab after the first begins one place early."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        start, turned = 0, np.moveaxis(found, axis, 0)
        for number, part in enumerate(data):
            at = max(start - (number > 0), 0)
            turned[at:at + part.shape[axis]] = np.moveaxis(part, axis, 0)
            start += part.shape[axis]


@fault("concat_result.F1")
class Interleaved(Concat):
    """Two inputs of one size are dealt out in turn, as by a stack."""

    def fill(self, found: np.ndarray, data: Sequence[np.ndarray], axis: int) -> None:
        if len(data) != 2 or data[0].shape != data[1].shape:
            super().fill(found, data, axis)
            return
        turned = np.moveaxis(found, axis, 0)
        turned[::2], turned[1::2] = np.moveaxis(data[0], axis, 0), np.moveaxis(data[1], axis, 0)


vars().update(copies(Concat, {"value": "concat_result.F1", "type": "concat_result.F2", "shape": "concat_result.C1",
                              "given": "signature.F1"}, ("NibbleLosesItsSign", "OctetIsRounded")))
