"""Products of vectors, matrices and stacks, as numpy.matmul forms them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.oracle.families.matrices import StackedProduct
from plumbline.oracle.operator import UNBOUND, Choose, Wrong, on_call, on_outputs
from plumbline.oracle.response import Response, other_shape
from plumbline.oracle.size_classes import BATCHES, Named, SizeClass


class NumpyMatmul(StackedProduct):
    """The product of A and B, of any ranks but 0."""

    @on_call(UNBOUND)
    def axes_of_a(self) -> str | None:
        return None if self.inputs["A"].ndim else "A has no axis"

    @on_call(UNBOUND)
    def axes_of_b(self) -> str | None:
        return None if self.inputs["B"].ndim else "B has no axis"

    @on_call(UNBOUND, needs=("axes_of_a", "axes_of_b"))
    def inner_size(self) -> str | None:
        of_a, of_b = self.inputs["A"].shape[-1], self.inputs["B"].shape[-2:][0]
        return None if of_a == of_b else f"K is {of_a} in A and {of_b} in B"

    @on_call(UNBOUND, needs=("axes_of_a", "axes_of_b"))
    def stacks(self) -> str | None:
        of_a, of_b = (self.inputs[name].shape[:-2] for name in "AB")
        pairs = zip(of_a[::-1], of_b[::-1], strict=False)
        fit = all(one == other or 1 in (one, other) for one, other in pairs)
        return None if fit else f"stacks of {list(of_a)} and {list(of_b)} do not broadcast together"

    @on_outputs(UNBOUND)
    def stacked_sizes(self, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or self.kept(got.shape)[0] else other_shape("Y", got.shape, self.shape_of("Y"))

    @on_outputs(UNBOUND)
    def other_sizes(self, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or self.kept(got.shape)[1] else other_shape("Y", got.shape, self.shape_of("Y"))

    def kept(self, shape: tuple[int, ...]) -> tuple[bool, bool]:
        """Return which axes of the result a shape keeps: stacked sizes, rows, columns. With fewer axes, or more,
        what stands in its place at one end is kept, and the other end is not."""
        stacked, last = len(self.stack), len(self.rows_and_columns)
        if len(shape) == stacked + last:
            return shape[:stacked] == self.stack, shape[stacked:] == self.rows_and_columns
        ends = 0 < last <= len(shape) and shape[len(shape) - last:] == self.rows_and_columns
        return shape[:stacked] == self.stack and not ends, ends

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return the size classes of the family, and of stacks."""
        return (*super().size_classes(version), SizeClass({"batches": BATCHES}, {"kind": "stack"}))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes of the family, and the first stacked size."""
        return {**super().named_sizes(), "batches": (0, *self.stack)[:2][-1]}

    @classmethod
    def shapes(cls, choose: Choose, m: int, k: int, n: int) -> tuple[list[int], list[int]]:
        """Draw the shapes of A and B from M, K and N: matrices, vectors, or stacks that broadcast."""
        kind = choose(Named("kind", ("matrices", "stack", "row", "column", "both")), (5, 4, 1, 1, 1))
        one, other = [m, k], [k, n]
        if kind == "stack":
            sizes = [(2, 1, 3, 0)] * (choose((1, 2, 3), (6, 3, 1)) - 1)
            stack = [choose(each, (6, 3, 2, 1)) for each in (Named("batches", (2, 1, 3, 0)), *sizes)]
            dropped = tuple(range(len(stack) + 1))
            weights = (8, 2, 1, 1)[:len(dropped)]
            parts = [[size if choose((True, False), (4, 1)) else 1 for size in stack][choose(dropped, weights):]
                     for _ in range(2)]
            one, other = parts[0] + one, parts[1] + other
        if kind in ("row", "both"):
            one = [k]
        if kind in ("column", "both"):
            other = [k]
        return one, other
