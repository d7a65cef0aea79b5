"""An implementation of ONNX Reshape, and faults in it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import fault, version_of
from tests.operators.onnx._movement import Mover, copies


class Reshape(Mover):
    """Fills in the sizes from left to right, and the inferred one last."""

    output = "reshaped"

    def target(self, request: Request) -> Sequence[int]:
        """The shape asked for."""
        if "shape" in request.inputs:
            return [int(entry) for entry in request.inputs["shape"]]
        return list(request.attributes["shape"])

    def keeps_zero(self, request: Request) -> bool:
        """Whether a 0 is a size of zero."""
        return request.attributes.get("allowzero", 0) == 1

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        """The shape asked for with zeros filled in."""
        return [entry or sizes[place] for place, entry in enumerate(target)]

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        """The shape with -1 filled in."""
        if -1 not in target:
            return target
        others = prod(entry for entry in target if entry != -1)
        return [(prod(sizes) // others if others else 0) if entry == -1 else entry for entry in target]

    def data(self, request: Request) -> np.ndarray:
        """The input."""
        return request.inputs["data"]

    def move(self, request: Request) -> np.ndarray:
        """The input in its new shape."""
        data, target = self.data(request), self.target(request)
        if not self.keeps_zero(request):
            target = self.copied(target, data.shape)
        target = self.inferred(target, data.shape)
        return np.ascontiguousarray(data).ravel().reshape(target)


class FilledIn(Reshape):
    """Divides the number of elements by each size in turn, and fills an output, which gives the same."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        left = prod(sizes)
        for entry in target:
            left = left // entry if entry > 0 else 0 if entry == 0 else left
        return [left if entry == -1 else entry for entry in target]

    def move(self, request: Request) -> np.ndarray:
        found = np.empty_like(super().move(request))
        found.reshape(-1)[:] = self.data(request).ravel()
        return found


@fault("reshaped.C1", "refusal")
class ZeroIsKept(Reshape):
    """An entry of 0 is always a size of zero."""

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        return target


@fault("reshaped.C1", "refusal")
class ZeroIsAlwaysCopied(Reshape):
    """allowzero is not read."""

    def keeps_zero(self, request: Request) -> bool:
        return False


@fault("reshaped.C1", "refusal")
class DefaultIsOne(Reshape):
    """An absent allowzero is taken for 1."""

    def keeps_zero(self, request: Request) -> bool:
        return request.attributes.get("allowzero", 1) == 1


@fault("reshaped.C1", "refusal")
class FirstSizeIsCopied(Reshape):
    """Every entry of 0 takes the first size."""

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        return [entry or sizes[0] for entry in target]


@fault("reshaped.C1", "refusal")
class ZerosAreCounted(Reshape):
    """The k-th entry of 0 takes the k-th size."""

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        left = list(sizes)
        return [entry or left.pop(0) for entry in target]


@fault("reshaped.C1", "refusal")
class CopiedFromTheBack(Reshape):
    """An entry of 0 takes the size of the axis as far from the last one."""

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        shift = len(sizes) - len(target)
        return [entry or sizes[(place + shift) % len(sizes)] for place, entry in enumerate(target)]


@fault("reshaped.C1", "refusal")
class OnlyOneZeroIsCopied(Reshape):
    """Entries of 0 after the first count as 1."""

    def copied(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        first = list(target).index(0) if 0 in target else 0
        return [entry or (sizes[place] if place == first else 1) for place, entry in enumerate(target)]


@fault("reshaped.C1", "refusal")
class CopiedSizeIsNotDivided(Reshape):
    """The inferred size is computed before sizes are copied, with 1 in their place."""

    def move(self, request: Request) -> np.ndarray:
        data, target = self.data(request), list(self.target(request))
        ones = [entry if entry or self.keeps_zero(request) else 1 for entry in target]
        return data.reshape([size if entry == -1 else entry or (0 if self.keeps_zero(request) else data.shape[place])
                             for place, (entry, size) in enumerate(zip(target, self.inferred(ones, data.shape),
                                                                       strict=True))])


@fault("reshaped.C1", "refusal")
class InferredIsTheFirst(Reshape):
    """The entry that is inferred takes the size of data on its axis."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        return [sizes[place] if entry == -1 else entry for place, entry in enumerate(target)]


@fault("reshaped.C1", "refusal")
class InferredIsOne(Reshape):
    """An inferred size is 1."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        return [1 if entry == -1 else entry for entry in target]


@fault("refusal")
class InferredIsRefused(Reshape):
    """An entry of -1 is refused."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        if -1 in target:
            raise ValueError("shape")
        return target


@fault("refusal")
class InferredOnlyAtTheEnd(Reshape):
    """An entry of -1 is refused but at the end."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        if -1 in target[:-1]:
            raise ValueError("shape")
        return super().inferred(target, sizes)


@fault("refusal")
class ScalarIsRefused(Reshape):
    """A tensor without axes is refused."""

    def data(self, request: Request) -> np.ndarray:
        if not request.inputs["data"].ndim:
            raise ValueError("rank")
        return request.inputs["data"]


@fault("refusal")
class NoEntriesAreRefused(Reshape):
    """A shape without entries is refused."""

    def target(self, request: Request) -> Sequence[int]:
        if not super().target(request):
            raise ValueError("shape")
        return super().target(request)


@fault("reshaped.C1")
class ScalarIsAVector(Reshape):
    """A shape without entries gives a vector of one element."""

    def target(self, request: Request) -> Sequence[int]:
        return super().target(request) or [1]


@fault("reshaped.C1")
class TargetIsReversed(Reshape):
    """The sizes are taken from the last to the first."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        return list(super().inferred(target, sizes))[::-1]


@fault("reshaped.C1")
class PadsToFour(Reshape):
    """The output always has at least four axes, the first of size 1."""

    def inferred(self, target: Sequence[int], sizes: Sequence[int]) -> Sequence[int]:
        found = list(super().inferred(target, sizes))
        return [1] * (4 - len(found)) + found


@fault("reshaped.F1")
class FirstAxisFastest(Reshape):
    """The input is read and the output written with the first axis fastest."""

    def move(self, request: Request) -> np.ndarray:
        found = super().move(request)
        return self.data(request).ravel(order="F").reshape(found.shape, order="F")


@fault("reshaped.F1")
class InputIsTransposed(Reshape):
    """The input is read with the first axis fastest."""

    def move(self, request: Request) -> np.ndarray:
        return self.data(request).ravel(order="F").reshape(super().move(request).shape)


@fault("reshaped.C1", "refusal")
class VersionsBefore14KeepZero(Reshape):
    """Before version 14, where there is no allowzero, a 0 is a size of zero."""

    def keeps_zero(self, request: Request) -> bool:
        return version_of(request) < 14 or super().keeps_zero(request)


vars().update(copies(Reshape, {"value": "reshaped.F1", "type": "reshaped.F2", "shape": "reshaped.C1",
                               "given": "signature.F1"}))
