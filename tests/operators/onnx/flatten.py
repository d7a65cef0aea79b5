"""An implementation of ONNX Flatten, and faults in it."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import fault
from tests.operators.onnx._movement import Mover, copies


class Flatten(Mover):
    """Counts rows and columns by multiplying sizes, and reshapes."""

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", 1)
        return axis + rank if axis < 0 else axis

    def sizes(self, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
        """Rows and columns."""
        rows = columns = 1
        for size in shape[:axis]:
            rows *= size
        for size in shape[axis:]:
            columns *= size
        return rows, columns

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["input"]

    def move(self, request: Request) -> np.ndarray:
        """The matrix."""
        data = self.data(request)
        return data.reshape(self.sizes(data.shape, self.axis(request, data.ndim)))


class RowByRow(Flatten):
    """Copies one row after another, which gives the same."""

    def move(self, request: Request) -> np.ndarray:
        """The matrix, filled."""
        data = self.data(request)
        rows, columns = self.sizes(data.shape, self.axis(request, data.ndim))
        found, flat = np.empty((rows, columns), data.dtype), data.ravel()
        for row in range(rows):
            found[row] = flat[row * columns:(row + 1) * columns]
        return found


@fault("output.C1")
class DefaultIsZero(Flatten):
    """An absent axis is taken for 0."""

    def axis(self, request: Request, rank: int) -> int:
        return super().axis(request, rank) if "axis" in request.attributes else 0


@fault("output.C1")
class DefaultIsTheLast(Flatten):
    """An absent axis is taken for the last one."""

    def axis(self, request: Request, rank: int) -> int:
        return super().axis(request, rank) if "axis" in request.attributes else rank - 1


@fault("output.C1")
class AxisIsAlwaysOne(Flatten):
    """axis is not read."""

    def axis(self, request: Request, rank: int) -> int:
        return min(1, rank)


@fault("output.C1")
class AxisIsAfter(Flatten):
    """The axis itself belongs to the rows."""

    def axis(self, request: Request, rank: int) -> int:
        return min(super().axis(request, rank) + 1, rank)


@fault("output.C1")
class NegativeIsClamped(Flatten):
    """A negative axis counts as 0."""

    def axis(self, request: Request, rank: int) -> int:
        return max(request.attributes.get("axis", 1), 0)


@fault("output.C1")
class NegativeIsOffByOne(Flatten):
    """A negative axis counts from behind the last, as that of Unsqueeze."""

    def axis(self, request: Request, rank: int) -> int:
        axis = request.attributes.get("axis", 1)
        return axis + rank + 1 if axis < 0 else axis


@fault("refusal")
class NegativeIsRefused(Flatten):
    """A negative axis is refused, as before version 11."""

    def axis(self, request: Request, rank: int) -> int:
        if request.attributes.get("axis", 1) < 0:
            raise ValueError("axis")
        return super().axis(request, rank)


@fault("refusal")
class RankIsRefused(Flatten):
    """An axis equal to the rank is refused."""

    def axis(self, request: Request, rank: int) -> int:
        if super().axis(request, rank) == rank:
            raise ValueError("axis")
        return super().axis(request, rank)


@fault("refusal")
class ScalarIsRefused(Flatten):
    """A tensor without axes is refused."""

    def data(self, request: Request) -> np.ndarray:
        if not request.inputs["input"].ndim:
            raise ValueError("rank")
        return request.inputs["input"]


@fault("output.C1")
class EmptyProductIsZero(Flatten):
    """The product of no sizes is 0, as for axis 0."""

    def sizes(self, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
        rows, columns = super().sizes(shape, axis)
        return (rows if axis else 0), (columns if axis < len(shape) else 0)

    def move(self, request: Request) -> np.ndarray:
        data = self.data(request)
        return np.resize(data, self.sizes(data.shape, self.axis(request, data.ndim)))


@fault("output.C1")
class RowsAreCounted(Flatten):
    """The number of columns is inferred from the number of elements, which no rows give."""

    def sizes(self, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
        rows, _ = super().sizes(shape, axis)
        return rows, int(np.prod(shape)) // rows if rows else 0


@fault("output.C1")
class Swapped(Flatten):
    """Rows and columns are swapped."""

    def sizes(self, shape: tuple[int, ...], axis: int) -> tuple[int, int]:
        rows, columns = super().sizes(shape, axis)
        return columns, rows


@fault("output.C1")
class KeepsTheLastAxis(Flatten):
    """All axes but the last become rows, whatever axis says."""

    def axis(self, request: Request, rank: int) -> int:
        return max(rank - 1, 0)


@fault("output.F1")
class RowsAreTransposed(Flatten):
    """The axes of the rows are walked through in the other order."""

    def move(self, request: Request) -> np.ndarray:
        data = self.data(request)
        axis = self.axis(request, data.ndim)
        turned = data.transpose([*range(axis - 1, -1, -1), *range(axis, data.ndim)])
        return turned.reshape(self.sizes(data.shape, axis))


@fault("output.F1")
class ColumnsAreTransposed(Flatten):
    """The axes of the columns are walked through in the other order."""

    def move(self, request: Request) -> np.ndarray:
        data = self.data(request)
        axis = self.axis(request, data.ndim)
        turned = data.transpose([*range(axis), *range(data.ndim - 1, axis - 1, -1)])
        return turned.reshape(self.sizes(data.shape, axis))


@fault("output.F1")
class OnlyTheFirstBatch(Flatten):
    """Every row is the first one."""

    def move(self, request: Request) -> np.ndarray:
        found = super().move(request)
        return np.repeat(found[:1], len(found), axis=0)


vars().update(copies(Flatten, {"value": "output.F1", "type": "output.F2", "shape": "output.C1",
                               "given": "signature.F1"}))
