"""An implementation of ONNX Unsqueeze, and faults in it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import fault
from tests.operators.onnx._movement import Mover, copies


class Unsqueeze(Mover):
    """Walks through the axes of the output and takes a 1 or the next size."""

    output = "expanded"

    def given(self, request: Request) -> Sequence[int]:
        """The axes as they are given."""
        axes = request.inputs["axes"].reshape(-1) if "axes" in request.inputs else request.attributes["axes"]
        return [int(axis) for axis in axes]

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        """The axes, counted from the front, of an output of that rank."""
        return [axis % rank for axis in self.given(request)]

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        """The sizes with ones among them."""
        left, found = list(sizes), []
        for axis in range(len(sizes) + len(axes)):
            found.append(1 if axis in axes else left.pop(0))
        return found

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The input in its new shape."""
        data = self.data(request)
        axes = self.axes(request, data.ndim + len(self.given(request)))
        return data.reshape(self.shape(data.shape, axes))


class OneByOne(Unsqueeze):
    """Inserts one axis after another, from the lowest on, which gives the same."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        found = list(sizes)
        for axis in sorted(axes):
            found[axis:axis] = [1]
        return found


class _Ordered(Unsqueeze):
    """Inserts axes in the order in which they are given."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        found = list(sizes)
        for axis in axes:
            found[axis:axis] = [1]
        return found


@fault("expanded.C1")
class InTheOrderGiven(_Ordered):
    """Axes are inserted one after another in the order in which they are given."""


@fault("expanded.C1")
class FromTheLast(Unsqueeze):
    """Axes are inserted one after another from the highest on."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        found = list(sizes)
        for axis in sorted(axes, reverse=True):
            found[axis:axis] = [1]
        return found


@fault("expanded.C1")
class CountedInTheInput(Unsqueeze):
    """A negative axis counts from the rank of the input."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        of_input = rank - len(self.given(request))
        return [max(axis + of_input, 0) if axis < 0 else axis for axis in self.given(request)]

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return OneByOne().shape(sizes, axes)


@fault("expanded.C1")
class CountedOneByOne(Unsqueeze):
    """A negative axis counts from the rank of the input and one more, as if it were the only one."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        of_one = rank - len(self.given(request)) + 1
        return [max(axis + of_one, 0) if axis < 0 else axis for axis in self.given(request)]

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return OneByOne().shape(sizes, axes)


@fault("refusal")
class NegativeIsRefused(Unsqueeze):
    """A negative axis is refused, as before version 11."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        if any(axis < 0 for axis in self.given(request)):
            raise ValueError("axes")
        return super().axes(request, rank)


@fault("expanded.C1")
class NegativeIsClamped(Unsqueeze):
    """A negative axis counts as the first."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        return [max(axis, 0) for axis in self.given(request)]

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return OneByOne().shape(sizes, axes)


@fault("expanded.C1")
class OnlyTheFirstAxis(Unsqueeze):
    """Axes after the first are not looked at."""

    def given(self, request: Request) -> Sequence[int]:
        return super().given(request)[:1]


@fault("expanded.C1")
class TwoAxesAtMost(Unsqueeze):
    """Axes after the second are not looked at."""

    def given(self, request: Request) -> Sequence[int]:
        return super().given(request)[:2]


@fault("refusal")
class UnorderedIsRefused(Unsqueeze):
    """Axes that do not rise are refused."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        found = super().axes(request, rank)
        if found != sorted(found):
            raise ValueError("axes")
        return found


@fault("refusal")
class NoAxesAreRefused(Unsqueeze):
    """An empty list of axes is refused."""

    def given(self, request: Request) -> Sequence[int]:
        if not super().given(request):
            raise ValueError("axes")
        return super().given(request)


@fault("expanded.C1")
class NoAxesAreTheFirst(Unsqueeze):
    """An empty list of axes is taken for the first axis."""

    def given(self, request: Request) -> Sequence[int]:
        return super().given(request) or [0]


@fault("refusal")
class ScalarIsRefused(Unsqueeze):
    """A tensor without axes is refused."""

    def data(self, request: Request) -> np.ndarray:
        if not request.inputs["data"].ndim:
            raise ValueError("rank")
        return request.inputs["data"]


@fault("refusal")
class LastIsRefused(Unsqueeze):
    """An axis behind the last of the input is refused."""

    def axes(self, request: Request, rank: int) -> Sequence[int]:
        found = super().axes(request, rank)
        if rank - 1 in found:
            raise ValueError("axes")
        return found


@fault("expanded.C1")
class AtTheEnd(Unsqueeze):
    """All new axes are appended."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return [*sizes, *[1] * len(axes)]


@fault("expanded.C1")
class AtTheBeginning(Unsqueeze):
    """All new axes come first."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return [*[1] * len(axes), *sizes]


@fault("expanded.C1")
class BehindTheAxis(Unsqueeze):
    """Each axis is inserted behind the one that it names."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        return _Ordered().shape(sizes, [axis + 1 for axis in sorted(axes)])


@fault("expanded.C1")
class OnesAreNotDoubled(Unsqueeze):
    """No axis is inserted beside one of size 1."""

    def shape(self, sizes: Sequence[int], axes: Sequence[int]) -> Sequence[int]:
        found = super().shape(sizes, axes)
        return [size for place, size in enumerate(found) if not (place and size == 1 == found[place - 1])]


vars().update(copies(Unsqueeze, {"value": "expanded.F1", "type": "expanded.F2", "shape": "expanded.C1",
                                 "given": "signature.F1"}))
