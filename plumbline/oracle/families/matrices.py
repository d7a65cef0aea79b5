"""Products of matrices, and of stacks of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.matrix_sums import sums_of_matrices
from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.families.surroundings import OF_ANY, OF_SUMS
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Unspecified, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide, quantum
from plumbline.oracle.size_classes import DTYPE, LARGE, LINES, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms

FLOATS = ("float32", "float16", "float64")
INTEGERS = ("int32", "int64", "uint32", "uint64")

SMALL = (1, 2, 3, 4, 5)
LONG = (7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65)
"""Sizes around the blocks of kernels."""

NAMES = ("rows", "inner", "columns")
"""What M, K and N are the numbers of."""


def types_since(version: int) -> tuple[str, ...]:
    """The element types of a version, the plainest first."""
    return (*FLOATS, *(INTEGERS if version >= 9 else ()), *(("bfloat16",) if version >= 13 else ()))


def sizes(choose: Choose) -> tuple[int, int, int]:
    """M, K and N: small, one or two of them sometimes long, one sometimes zero."""
    found = [choose(SMALL), choose(SMALL), choose(SMALL)]
    for long in choose(Named("long", ((), (1,), (0,), (2,), (0, 1), (1, 2))), (12, 4, 1, 1, 1, 1)):
        found[long] = choose(Named(NAMES[long], LONG))
    if choose((False, True), (19, 1)):
        found[choose((1, 0, 2))] = 0
    return found[0], found[1], found[2]


def tensor(choose: Choose, shape: Sequence[int], dtype: str, terms: Terms) -> np.ndarray:
    """Values that are added and multiplied; of integers any, so that sums leave the type."""
    return choose.tensor(shape, dtype, "any" if "int" in dtype else "sum", terms)


class MatrixProduct(Operator):
    """A call with a product of matrices: `left` (..., M, K) times `right` (..., K, N), of stacks that broadcast."""

    family = "Matrix products"
    exact = False
    multiplied: ClassVar[tuple[str, ...]] = ("A", "B")
    room_of_inputs = 1 / 4  # some copies in float64
    surroundings = OF_SUMS[1:] + OF_ANY
    saturation_is_open: ClassVar[bool] = False
    """True where a sum beyond the range may be the largest finite number too."""

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return size classes of each of the three sizes, the largest of one with the smallest of another."""
        return (SizeClass({"rows": LONG, "inner": LINES[::-1], "columns": LONG}, {"long": (0, 1, 2)}),
                a_large_output({"kind": "matrices", "long": (0, 1, 2), "rows": 265, "inner": 2, "columns": 265}))

    def named_sizes(self) -> Mapping[str, Any]:
        """M, K and N, and whether the output is large."""
        (rows, inner), columns = self.left.shape[-2:], self.right.shape[-1]
        return {DTYPE: self.inputs["A"].dtype.name, LARGE: is_large(self.whole),
                **dict(zip(NAMES, (rows, inner, columns), strict=True))}

    @property
    def left(self) -> np.ndarray:
        """The first factor, as matrices."""
        raise NotImplementedError

    @property
    def right(self) -> np.ndarray:
        """The second factor, as matrices."""
        raise NotImplementedError

    @cached_property
    def dtype(self) -> np.dtype:
        """The element type of the inputs and of the output."""
        return self.inputs["A"].dtype

    @cached_property
    def floating(self) -> bool:
        """True if the element type is floating-point."""
        return is_float(self.dtype)

    @cached_property
    def stack(self) -> tuple[int, ...]:
        """The stacked sizes, broadcast together."""
        return np.broadcast_shapes(self.left.shape[:-2], self.right.shape[:-2])

    @cached_property
    def whole(self) -> tuple[int, ...]:
        """The shape of the products, as matrices."""
        return (*self.stack, self.left.shape[-2], self.right.shape[-1])

    def terms(self, *more: np.ndarray) -> list[Step]:
        """The terms of the product, each times `more`."""
        left, right = self.left.astype(Wide), self.right.astype(Wide, order="C")
        of_left, of_right, of_more = quantum(left), quantum(right), tuple(map(quantum, more))
        return [Step((left[..., :, k, None], right[..., None, k, :], *more),
                     quanta=(of_left[..., :, k, None], of_right[..., None, k, :], *of_more))
                for k in range(left.shape[-1])]

    @cached_property
    def products(self) -> Products:
        """The sums of floating-point numbers, in the shape `whole`."""
        return sums_of_matrices(self.left, self.right, self.dtype)

    @property
    def as_sums(self) -> Products | None:
        """The `products`, for floating-point numbers."""
        return self.products if self.floating else None

    def of_integers(self) -> np.ndarray:
        """The product modulo 2 to the number of bits, in the shape `whole`."""
        wide = np.matmul(self.left.astype(np.uint64), self.right.astype(np.uint64))
        return np.asarray(wide.astype(self.dtype))

    def expected(self) -> dict[str, np.ndarray]:
        """Y, of the type of A."""
        values = self.products.values if self.floating else self.of_integers()
        return {"Y": values.reshape(self.shape_of("Y"))}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the bound of the sum of products; integers are equal."""
        if not self.floating:
            return super().conforms(output, got)
        return ~self.products.wrong(got.reshape(self.whole)).reshape(got.shape)

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all elements."""
        return {"Y": self.products.tolerance if self.floating else 0.0}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of the judged elements, in ulp."""
        if not self.floating:
            return {}
        error = self.products.largest_error(got.reshape(self.whole), judged.reshape(self.whole))
        return {"largest error in ulp": error}

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        """Leave infinities and NaN open where sums of terms of one sign may overflow.

        See `saturation_is_open`."""
        if not self.floating:
            return None
        shape = self.shape_of("Y")
        products = self.products

        def admits(got: np.ndarray) -> np.ndarray:
            elements = got.reshape(self.whole)
            return (products.admits_overflow(elements)
                    | self.saturation_is_open & products.admits_largest(elements)).reshape(shape)

        return Unspecified.of(products.may_overflow.reshape(shape), "Y", admits=admits)

    @property
    def not_finite(self) -> np.ndarray:
        """bool, in the shape of Y: which elements have a term that is not finite."""
        return ~self.products.finite.reshape(self.shape_of("Y")) if self.floating else np.zeros((), bool)

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Y without the last term."""
        if self.left.shape[-1]:
            with np.errstate(all="ignore"):
                last = self.left[..., :, -1, None] * self.right[..., None, -1, :]
                yield np.asarray(self.canonical["Y"] - last.reshape(self.shape_of("Y")))

    @classmethod
    def boundary_modes(cls, version: int) -> tuple[frozenset[str], ...]:
        return (frozenset(),)

    @classmethod
    def bounds(cls, version: int, mode: frozenset[str]) -> Mapping[str, tuple[int, int]]:
        """Return the bounds of the sizes of one product."""
        return {"M": (0, 3), "N": (0, 3), "K": (0, 3)}

    def boundary_symbols(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """The sizes M, N and K."""
        yield frozenset(), {"M": self.whole[-2], "N": self.whole[-1], "K": self.left.shape[-1]}

    @classmethod
    def make_at_boundary(cls, choose: Choose, version: int, mode: frozenset[str],
                         axes: Sequence[Mapping[str, int]]) -> Call | None:
        """Return a call with the sizes of one product; two have no sizes of their own."""
        if len(axes) != 1:
            return None
        m, n, k = (axes[0][symbol] for symbol in ("M", "N", "K"))
        return cls.of_sizes(choose, version, m, k, n)

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        """A call with these sizes."""
        raise NotImplementedError

    flag_notes = {"no-inner-size": "K is 0: every element is an empty sum, which kernels that start with the first "
                                   "product never write."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether there is nothing to add."""
        inner = (self.left.shape[-1], self.right.shape[-2])
        return {"no-inner-size": inner == (0, 0) and self.left.shape[-2] * self.right.shape[-1] > 0}


class StackedProduct(MatrixProduct):
    """The product of A and B alone."""

    operator: ClassVar[str]
    """The ONNX operator."""

    flag_notes = {**MatrixProduct.flag_notes, "vector": "A or B has one axis.",
                  "stack": "A or B has more than two axes.",
                  "broadcast": "The stacked sizes of A and B differ, or one has more of them.",
                  "zero-against-one": "A stacked size of 0 stands against one of 1, or none; or A has no rows, and B, "
                                      "which counts as one column, is a vector."}

    @cached_property
    def left(self) -> np.ndarray:
        """A, a vector as one row."""
        a = self.inputs["A"]
        return a[None, :] if a.ndim == 1 else a

    @cached_property
    def right(self) -> np.ndarray:
        """B, a vector as one column."""
        b = self.inputs["B"]
        return b[:, None] if b.ndim == 1 else b

    def flags(self) -> dict[str, bool]:
        """Ranks and stacks."""
        a, b = self.inputs["A"], self.inputs["B"]
        if 0 in (a.ndim, b.ndim):
            return {}
        return {**super().flags(), "vector": 1 in (a.ndim, b.ndim), "stack": max(a.ndim, b.ndim) > 2,
                "broadcast": a.shape[:-2] != b.shape[:-2], "zero-against-one": self._zero_against_one}

    @property
    def _zero_against_one(self) -> bool:
        a, b = self.left.shape, self.right.shape
        return 0 in (*a[:-2], *b[:-2]) and a[:-2] != b[:-2] or self.inputs["B"].ndim == 1 and 0 in a[:-1]

    @property
    def rows_and_columns(self) -> tuple[int, ...]:
        """M and N, as far as Y has them."""
        rows = (self.whole[-2],) if self.inputs["A"].ndim > 1 else ()
        return (*rows, self.whole[-1]) if self.inputs["B"].ndim > 1 else rows

    def shape_of(self, output: str) -> tuple[int, ...]:
        """The stack, and M and N as far as A and B have them."""
        return (*self.stack, *self.rows_and_columns)

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along rows and columns."""
        rows, columns = self.inputs["A"].ndim > 1, self.inputs["B"].ndim > 1
        first = len(self.stack)
        return {**({first: {"A": self.inputs["A"].ndim - 2}} if rows else {}),
                **({first + rows: {"B": self.inputs["B"].ndim - 1}} if columns else {})}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """A row of A and a column of B, from the first K on."""
        found: dict[str, Any] = {}
        above, inside = where[:len(self.stack)], list(where[len(self.stack):])
        row = [inside.pop(0)] if self.inputs["A"].ndim > 1 else []
        for name, before, after in (("A", row, []), ("B", [], inside)):
            shape = self.inputs[name].shape
            stacked = shape[:len(shape) - 1 - len(before) - len(after)]
            place = [0 if size == 1 else at for at, size in
                     zip(above[len(above) - len(stacked):], stacked, strict=True)]
            found[name] = np.array([[*place, *before, k, *after] for k in range(self.left.shape[-1])],
                                   np.int64).reshape(-1, len(shape))
        return found

    @classmethod
    def shapes(cls, choose: Choose, m: int, k: int, n: int) -> tuple[list[int], list[int]]:
        """The shapes of A and B."""
        return [m, k], [k, n]

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        dtype = choose(Named(DTYPE, types_since(version)))
        one, other = cls.shapes(choose, m, k, n)
        return Call(cls.operator, {}, {"A": tensor(choose, one, dtype, Terms(k, (-1,))),
                                       "B": tensor(choose, other, dtype, Terms(k, (-min(len(other), 2),)))})

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call, mostly of small sizes."""
        return cls.of_sizes(choose, version, *sizes(choose))

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without the last term; without the first stacked axis."""
        a, b = self.inputs["A"], self.inputs["B"]
        if self.left.shape[-1] > 1:
            yield Call(self.operator, {}, {"A": a[..., :-1], "B": b[:-1] if b.ndim == 1 else b[..., :-1, :]})
        if a.ndim > 2 and b.ndim > 2 and a.shape[0] and b.shape[0]:
            yield Call(self.operator, {}, {"A": a[0], "B": b[0]})
