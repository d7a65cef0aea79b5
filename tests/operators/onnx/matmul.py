"""ONNX MatMul: an implementation, and faults in it."""

from __future__ import annotations

import numpy as np

import tests.operators._matrices as shared
from plumbline.backends import Request
from tests.operators.contract import Outputs, fault, plant


class MatMul(shared.Product):
    """Goes through the stack, and multiplies matrix by matrix."""

    def place(self, at: tuple[int, ...], stack: tuple[int, ...]) -> tuple[int, ...]:
        """The matrix of an input with this stack that is read at a place of the stack of Y."""
        return tuple(0 if size == 1 else one for one, size in zip(at[len(at) - len(stack):], stack, strict=True))

    def stack(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        """The stacked sizes of Y."""
        return np.broadcast_shapes(one, other)

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        """Of Y, which has a row for an A of one axis and a column for such a B."""
        kept = list(y.shape)
        if b.ndim == 1:
            del kept[-1]
        if a.ndim == 1:
            del kept[-1 if b.ndim == 1 else -2]
        return tuple(kept)

    def run(self, request: Request) -> Outputs:
        """Y."""
        a, b = (np.asarray(request.inputs[name]) for name in ("A", "B"))
        left, right = a[None] if a.ndim == 1 else a, b[:, None] if b.ndim == 1 else b
        stack = self.stack(left.shape[:-2], right.shape[:-2])
        y = np.zeros((*stack, left.shape[-2], right.shape[-1]), a.dtype)
        with np.errstate(all="ignore"):
            for at in np.ndindex(*stack):
                y[at] = self.multiply(left[self.place(at, left.shape[:-2])], right[self.place(at, right.shape[:-2])])
        return {"Y": y.reshape(self.shape(a, b, y))}


plant(globals(), MatMul, (shared,), {
    "": shared.HONEST,
    "Y.F1": shared.SUMS,
    "Y.F2": shared.INTEGERS,
    "Y.F3 Y.F1": shared.SPECIALS,
    "Y.F1 Y.F2": "BeginsAtOne",
    "Y.C3": "WidensHalf WidensIntegers",
    "Y.C1 Y.C2": "DropsUnitAxes",
    "refusal": "RefusesEmptySums"
})


@fault("Y.F1")
class FirstOfTheStack(MatMul):
    """Every matrix of the stack is the product of the first two."""

    def place(self, at: tuple[int, ...], stack: tuple[int, ...]) -> tuple[int, ...]:
        return (0,) * len(stack)


@fault("Y.F1")
class LastAxisOfTheStackAlone(MatMul):
    """Of several stacked axes the first ones are not moved along."""

    def place(self, at: tuple[int, ...], stack: tuple[int, ...]) -> tuple[int, ...]:
        found = super().place(at, stack)
        return (*(0,) * (len(found) - 1), *found[-1:])


@fault("Y.F1")
class StackBackwards(MatMul):
    """The stacked axes are gone through in the other direction."""

    def place(self, at: tuple[int, ...], stack: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(size - 1 - one for one, size in zip(super().place(at, stack), stack, strict=True))


@fault("refusal")
class NeedsEqualStacks(MatMul):
    """Stacks are not broadcast."""

    def stack(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        if one and other and one != other:
            raise ValueError("stacks")
        return super().stack(one, other)


@fault("refusal")
class NeedsEqualRanks(MatMul):
    """A stack with fewer axes is not broadcast."""

    def stack(self, one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        if len(one) != len(other):
            raise ValueError("ranks")
        return super().stack(one, other)


@fault("Y.C2")
class KeepsTheRow(MatMul):
    """An A of one axis leaves its row in Y."""

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        return y.shape[:-1] if b.ndim == 1 else y.shape


@fault("Y.C2")
class KeepsTheColumn(MatMul):
    """A B of one axis leaves its column in Y."""

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        return (*y.shape[:-2], y.shape[-1]) if a.ndim == 1 else y.shape


@fault("Y.C2")
class ScalarsHaveAnAxis(MatMul):
    """The product of two vectors comes out with one axis."""

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        return super().shape(a, b, y) or (1,)


@fault("Y.C1")
class FlattensTheStack(MatMul):
    """Several stacked axes come out as one."""

    def shape(self, a: np.ndarray, b: np.ndarray, y: np.ndarray) -> tuple[int, ...]:
        found = super().shape(a, b, y)
        depth = y.ndim - 2
        return (int(np.prod(found[:depth])), *found[depth:]) if depth > 1 else found
