"""ReduceMax, ReduceMin and ReduceProd: extrema and products of sets."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.narrower_types import gives_where
from plumbline.oracle.families.reductions import OUTPUT, Reduction
from plumbline.oracle.families.totals import Total
from plumbline.oracle.operator import UNBOUND, Unspecified, unspecified
from plumbline.oracle.rounding import (
    NO_QUANTUM,
    PRECISION,
    SLACK,
    Wide,
    growth,
    overflown,
    quantum,
    smallest_normal,
    ulps,
)


def _largest_as_lowest(definition: Any, entry: Any) -> bool:
    """Elements are what the inputs give where integers that float32 rounds to 2**31 are the lowest int32."""
    data = definition.inputs["data"]
    ends = np.iinfo(np.int32)
    beyond = (data > ends.max - 64) & (data <= ends.max)
    return data.dtype in (np.int32, np.int64) and gives_where(definition, entry, {
        **definition.inputs, "data": np.where(beyond, data.dtype.type(ends.min), data)})


class SetExtremum(Reduction):
    """A call of ReduceMax or ReduceMin."""

    symptoms = {**Reduction.symptoms, "largest-as-lowest": _largest_as_lowest}
    values = "order"
    turns, rises = (), True
    pick: ClassVar[Any]
    """A function of numpy on two elements."""

    sign: ClassVar[int]
    """1 where an empty set gives the upper end of the type, -1 where it gives the lower one."""

    def expected(self) -> dict[str, np.ndarray]:
        """The elements picked; of empty sets the end of the type."""
        dtype = self.data.dtype
        if self.size:
            return super().expected()
        end: Any = self.sign * np.inf
        if self.is_integer:
            lowest, highest = (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            end = highest if self.sign > 0 else lowest
        return {OUTPUT: np.full(self.shape_of(OUTPUT), end, dtype)}

    def reduced(self) -> np.ndarray:
        """The elements picked, NaN before all others."""
        return np.asarray(self.pick.reduce(self.sets, axis=1))

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        sets = self.sets
        return self.where((sets != sets).any(axis=1), lambda got: (got != got) | (got[:, None] == sets).any(axis=1))


class Product(Total):
    """A call of ReduceProd: each multiplication rounds, in any order, and may leave the range of the type."""

    of_nothing = 1

    @property
    def sizes(self) -> np.ndarray:
        """The magnitudes of the products of integers."""
        return np.asarray(np.abs(self.total))

    @cached_property
    def total(self) -> np.ndarray:
        """The exact products of integers."""
        return np.asarray(np.multiply.reduce(self.sets.astype(object), axis=1))

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: which products of integers, or parts of them in some order, are beyond the type."""
        ends = np.iinfo(self.data.dtype)
        sizes = np.abs(self.sets.astype(object))
        sizes = np.where(sizes < 1, 1, sizes)
        is_within = (self.total >= ends.min) & (self.total <= ends.max)
        return np.asarray((np.multiply.reduce(sizes, axis=1) > ends.max) & ~((self.size == 1) & is_within), bool)

    @cached_property
    def magnitudes(self) -> np.ndarray:
        """The magnitudes of floating-point numbers, in extended precision."""
        return np.abs(self.sets.astype(Wide))

    @cached_property
    def product(self) -> np.ndarray:
        """The products of floating-point numbers, in extended precision."""
        with np.errstate(all="ignore"):
            return np.asarray(np.multiply.reduce(self.sets.astype(Wide), axis=1))

    @cached_property
    def finite(self) -> np.ndarray:
        """bool: which sets have neither NaN nor an infinity."""
        return np.asarray(np.isfinite(self.magnitudes).all(axis=1))

    @cached_property
    def most(self) -> np.ndarray:
        """The largest magnitude that a product of some elements has, 1 at least."""
        with np.errstate(all="ignore"):
            return np.asarray(np.multiply.reduce(np.maximum(self.magnitudes, 1), axis=1))

    @cached_property
    def may_overflow(self) -> np.ndarray:
        """bool: where a product of some elements may be above the largest number."""
        factors = 1 + growth(self.size, self.data.dtype)
        return np.asarray(self.finite & (self.size > 1) & ~(self.most * factors <= float(
            PRECISION[self.data.dtype.name][2])))

    @cached_property
    def may_underflow(self) -> np.ndarray:
        """bool: where a product of some elements, none of them zero, may be below the smallest normal number."""
        small = np.where(self.magnitudes > 0, np.minimum(self.magnitudes, 1), 1)
        with np.errstate(all="ignore"):
            least = np.multiply.reduce(small, axis=1)
        return np.asarray(self.finite & (self.size > 1)
                          & ~(least >= smallest_normal(self.data.dtype) * (1 + growth(self.size, self.data.dtype))))

    @cached_property
    def bound(self) -> np.ndarray:
        """The largest error of a product; 0 where no order rounds, since its digits fit the type."""
        digits = np.where((self.magnitudes > 0) & np.isfinite(self.magnitudes),
                          np.ldexp(self.magnitudes, -np.where(quantum(self.sets) == NO_QUANTUM, 0,
                                                              quantum(self.sets)).astype(np.int32)), 1)
        with np.errstate(all="ignore"):
            is_exact = np.multiply.reduce(digits, axis=1) <= float(1 / PRECISION[self.data.dtype.name][0])
            relative = growth(self.size - 1, self.data.dtype) * (1 + SLACK) + self.size * np.finfo(Wide).eps
            return np.asarray(np.where(is_exact, 0, relative * np.abs(self.product)))

    def reduced(self) -> np.ndarray:
        """The products, rounded once."""
        return self.wrapped(self.total) if self.is_integer else self.product.astype(self.data.dtype)

    def wrong(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of products farther from the exact one than the bound."""
        with np.errstate(invalid="ignore"):
            return np.asarray(~(self.finite & (np.abs(got.astype(Wide) - self.product) <= self.bound)))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sets."""
        if self.is_integer or not self.sets.size:
            return {}
        eta = float(PRECISION[self.data.dtype.name][1])
        bound = np.where(self.finite & ~self.may_overflow, self.bound + growth(1, self.data.dtype)
                         * np.abs(self.product), 0)
        return {OUTPUT: float(bound.max()) + eta}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if self.is_integer or not self.sets.size:
            return {}
        where = judged.reshape(-1) & self.finite & ~self.may_overflow
        return {"largest error in ulp": ulps(np.asarray(got).reshape(-1)[where],
                                             self.canonical[OUTPUT].reshape(-1)[where], self.product[where])}

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return None if self.is_integer or not self.size else self.where(~self.finite)

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        zero = (self.magnitudes == 0).any(axis=1) | self.may_underflow
        with np.errstate(over="ignore"):
            reduced = self.reduced()
        return self.where(self.may_overflow, lambda got: (
            np.isnan(got) & zero | np.isinf(got) & (zero | (np.signbit(got) == np.signbit(self.product)))
            | np.isinf(reduced) & overflown(got, reduced)))

    @unspecified(UNBOUND)
    def underflow(self) -> Unspecified | None:
        if self.is_integer or not self.size:
            return None
        small = smallest_normal(self.data.dtype)
        with np.errstate(all="ignore"):
            off = self.bound + self.size * small * self.most
        return self.where(self.may_underflow, lambda got: np.abs(got.astype(Wide) - self.product) <= off)
