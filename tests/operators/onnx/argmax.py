"""An implementation of ONNX ArgMax, and faults in it."""

from __future__ import annotations

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs, fault


class ArgMax(Implementation):
    """Sorts nothing and compares each element of a line with the best so far."""

    default_axis, default_keepdims = 0, 1

    def axis(self, request: Request, rank: int) -> int:
        """Counted from the front."""
        axis = request.attributes.get("axis", self.default_axis)
        return axis + rank if axis < 0 else axis

    def keeps(self, request: Request) -> bool:
        """Whether the axis is kept."""
        return request.attributes.get("keepdims", self.default_keepdims) == 1

    def last(self, request: Request) -> bool:
        """Whether the last of equal elements is wanted."""
        return request.attributes.get("select_last_index", 0) == 1

    def data(self, request: Request) -> np.ndarray:
        """The input, in a type that numpy compares."""
        data = request.inputs["data"]
        return data.astype(np.float32) if data.dtype.kind == "V" else data

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Whether elements are above others, NaN above every number."""
        return (one > other) | (np.isnan(one) & ~np.isnan(other)) if one.dtype.kind == "f" else one > other

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        """The indices in an array whose first axis is that of the lines."""
        best, found = lines[0], np.zeros(lines.shape[1:], np.int64)
        for index in range(1, len(lines)):
            better = ~self.above(best, lines[index]) if last else self.above(lines[index], best)
            best, found = np.where(better, lines[index], best), np.where(better, index, found)
        return found

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        """The output."""
        return found.reshape([*found.shape[:axis], 1, *found.shape[axis:]]) if keeps else found

    def run(self, request: Request) -> Outputs:
        """The indices."""
        data = self.data(request)
        axis = self.axis(request, data.ndim)
        found = self.search(np.rollaxis(data, axis), self.last(request))
        return {"reduced": self.finish(np.asarray(found, np.int64), axis, self.keeps(request))}


class Backward(ArgMax):
    """Searches from the end, which gives the same."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return len(lines) - 1 - super().search(lines[::-1], not last)


@fault("reduced.C1", "reduced.F1")
class DefaultAxisIsOne(ArgMax):
    """An absent axis is taken for the last one."""

    default_axis = -1


@fault("reduced.C1")
class DefaultKeepsNothing(ArgMax):
    """An absent keepdims is taken for 0."""

    default_keepdims = 0


@fault("reduced.C1")
class AlwaysKeeps(ArgMax):
    """keepdims is not read."""

    def keeps(self, request: Request) -> bool:
        return True


@fault("reduced.C1")
class NeverKeeps(ArgMax):
    """The axis is always dropped."""

    def keeps(self, request: Request) -> bool:
        return False


@fault("reduced.C1")
class KeptAtTheFront(ArgMax):
    """A kept axis comes first."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return found[None] if keeps else found


@fault("reduced.C1")
class KeptAtTheEnd(ArgMax):
    """A kept axis comes last."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return found[..., None] if keeps else found


@fault("reduced.C1", "reduced.F1")
class AlwaysTheFirstAxis(ArgMax):
    """axis is not read."""

    def axis(self, request: Request, rank: int) -> int:
        return 0


@fault("reduced.C1", "reduced.F1")
class AlwaysTheLastAxis(ArgMax):
    """The axis is taken for the last one."""

    def axis(self, request: Request, rank: int) -> int:
        return rank - 1


@fault("refusal")
class NegativeIsRefused(ArgMax):
    """A negative axis is refused, as before version 11."""

    def axis(self, request: Request, rank: int) -> int:
        if request.attributes.get("axis", 0) < 0:
            raise ValueError("axis")
        return super().axis(request, rank)


@fault("reduced.C1", "reduced.F1")
class NegativeIsClamped(ArgMax):
    """A negative axis counts as 0."""

    def axis(self, request: Request, rank: int) -> int:
        return max(request.attributes.get("axis", 0), 0)


@fault("select_last_index.F1")
class AlwaysTheFirst(ArgMax):
    """select_last_index is not read."""

    def last(self, request: Request) -> bool:
        return False


@fault("select_last_index.F1")
class AlwaysTheLast(ArgMax):
    """The last of equal elements is always given."""

    def last(self, request: Request) -> bool:
        return True


@fault("select_last_index.F1")
class Swapped(ArgMax):
    """select_last_index is taken the other way round."""

    def last(self, request: Request) -> bool:
        return not super().last(request)


@fault("reduced.F1")
class Least(ArgMax):
    """The index of the minimum is given."""

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return super().above(other, one)


@fault("reduced.F1")
class ByMagnitude(ArgMax):
    """Elements are compared without their sign."""

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return super().above(np.abs(one), np.abs(other))


@fault("select_last_index.F1")
class ZerosDiffer(ArgMax):
    """+0 is above -0, as in a comparison of bits."""

    def above(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        if one.dtype.kind != "f":
            return super().above(one, other)
        both = (one == 0) & (other == 0)
        return super().above(one, other) | both & ~np.signbit(one) & np.signbit(other)


@fault("reduced.F1")
class UnsignedAsSigned(ArgMax):
    """Unsigned integers are compared as signed ones."""

    def data(self, request: Request) -> np.ndarray:
        data = super().data(request)
        return data.view(f"i{data.itemsize}") if data.dtype.kind == "u" else data


@fault("reduced.F1")
class DoubleAsSingle(ArgMax):
    """float64 is compared in float32."""

    def data(self, request: Request) -> np.ndarray:
        data = super().data(request)
        with np.errstate(over="ignore"):
            return data.astype(np.float32) if data.dtype == np.float64 else data


@fault("reduced.F1")
class LongAsDouble(ArgMax):
    """int64 and uint64 are compared in float64."""

    def data(self, request: Request) -> np.ndarray:
        data = super().data(request)
        return data.astype(np.float64) if data.dtype in (np.int64, np.uint64) else data


@fault("reduced.F1")
class SingleAsHalf(ArgMax):
    """float32 is compared in float16, where more is equal; the first is given."""

    def data(self, request: Request) -> np.ndarray:
        data = super().data(request)
        with np.errstate(over="ignore"):
            return data.astype(np.float16) if data.dtype == np.float32 else data


@fault("reduced.F1")
class StartsAtZero(ArgMax):
    """The search starts at the value zero: in a line below it nothing is found, and the index stays 0."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return np.where((lines <= 0).all(axis=0), 0, super().search(lines, last))


@fault("reduced.F1")
class FirstIsSkipped(ArgMax):
    """The search begins at the second element of lines that have one."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return super().search(lines[1:], last) + 1 if len(lines) > 1 else super().search(lines, last)


@fault("reduced.F1")
class LastIsSkipped(ArgMax):
    """The search ends before the last element."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return super().search(lines[:-1] if len(lines) > 1 else lines, last)


@fault("reduced.F1")
class EightAtMost(ArgMax):
    """Elements after the sixteenth are not looked at."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return super().search(lines[:16], last)


@fault("reduced.F1")
class TailIsSkipped(ArgMax):
    """Of more than 16 elements those after the last full block of four are not looked at."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return super().search(lines[:len(lines) // 4 * 4] if len(lines) > 16 else lines, last)


@fault("reduced.F1")
class PositionsCount(ArgMax):
    """Positions in the whole tensor are given."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return super().finish(found + np.arange(found.size).reshape(found.shape), axis, keeps)


@fault("reduced.F1")
class CountedFromOne(ArgMax):
    """Indices count from 1."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return super().finish(found + 1, axis, keeps)


@fault("reduced.F1")
class CountedFromTheBack(ArgMax):
    """Indices count from the back, as negative numbers."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        return super().search(lines, last) - len(lines)


@fault("reduced.F2")
class IndicesOfInt32(ArgMax):
    """Indices are int32."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return super().finish(found, axis, keeps).astype(np.int32)


@fault("reduced.F2")
class IndicesOfFloat(ArgMax):
    """Indices are float32."""

    def finish(self, found: np.ndarray, axis: int, keeps: bool) -> np.ndarray:
        return super().finish(found, axis, keeps).astype(np.float32)


@fault("refusal")
class EmptyIsRefused(ArgMax):
    """Lines of which there are none are refused."""

    def search(self, lines: np.ndarray, last: bool) -> np.ndarray:
        if not lines.size:
            raise ValueError("empty")
        return super().search(lines, last)


@fault("signature.F1")
class EmptyIsNotGiven(ArgMax):
    """Where there are no lines, there is no output."""

    def run(self, request: Request) -> Outputs:
        found = super().run(request)
        return found if found["reduced"].size else {}
