"""Scaled products of matrices, as in Gemm: `alpha * A' * B' + beta * C`.

Floating-point numbers: beside the rounding of a sum of products, alpha and beta may be rounded to the type, and alpha
may be multiplied in anywhere. Where that brings an intermediate product below the normal range, what is lost there is
multiplied by the third factor afterwards. Integers are summed exactly.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import trunc
from typing import Any

import numpy as np

from plumbline.oracle.families.matrices import MatrixProduct
from plumbline.oracle.families.matrix_sums import Scaling, sums_of_matrices
from plumbline.oracle.families.products import Products, Step
from plumbline.oracle.rounding import PRECISION, Wide, growth


class ScaledProduct(MatrixProduct):
    """A call with `alpha`, `beta` and perhaps C, which broadcasts to (M, N)."""

    addends = ("C",)

    @property
    def c(self) -> np.ndarray | None:
        """C, where it is given."""
        return self.inputs.get("C")

    @property
    def addend(self) -> np.ndarray | None:
        """C; where it is not given, the scalar 0 that stands for it, if beta is not finite: else that 0 has no
        effect."""
        return self.c if self.c is not None or np.isfinite(self.factor("beta")) else np.zeros((), self.dtype)

    def factor(self, name: str) -> np.ndarray:
        """Return `alpha` or `beta`, a float32 of no axis; defaults to 1."""
        with np.errstate(over="ignore"):
            return np.asarray(self.attributes.get(name, 1.0), np.float32)

    def part(self, products: bool, c: bool) -> Products:
        """The sum of the products alone, of C alone, of both or of neither, with what rounded factors allow."""
        alpha, beta = self.factor("alpha"), self.factor("beta")
        added = (self.addend, beta) if c and self.addend is not None else ()
        roundings = 1 if abs(np.frexp(alpha)[0]) == 0.5 else 2
        if products and np.isfinite(alpha) and alpha != 0:
            sums = sums_of_matrices(self.left, self.right, self.dtype, Scaling(alpha, added, roundings))
        else:
            steps = [*(self.terms(alpha) if products else []), *([Step(added)] if added else [])]
            sums = Products.of(steps, self.whole, self.dtype, roundings)
        return replace(sums, allowance=self._allowance(sums, products, c))

    def _allowance(self, found: Products, products: bool, c: bool) -> np.ndarray:
        """Return how much farther off elements may be, by rounding alpha and beta, and by underflow.

        `found` are the sums; `products` and `c` say whether these, and C, take part. Where alpha is multiplied in early
        or late, products below the normal range are multiplied once more."""
        alpha, beta = self.factor("alpha"), self.factor("beta")
        room = np.zeros(self.whole, Wide)
        if products and (rounding := self._rounding_of(alpha)):
            room = room + rounding * self._sizes[1]
        if products and alpha != 1:
            room = room + self._underflow
        if c and self.addend is not None and np.isfinite(beta):
            room = room + self._rounding_of(beta) * self._size_of_c
        factors = np.maximum(found.sums.terms - 1, 0) + found.sums.roundings
        return np.asarray(room * (1 + growth(factors, self.dtype)))

    def _rounding_of(self, factor: np.ndarray) -> Any:
        """Return the relative change of a factor when it is rounded to the type."""
        with np.errstate(over="ignore"):
            rounded = factor.astype(self.dtype).astype(Wide)
        exact = factor.astype(Wide)
        return Wide(0) if rounded == exact or not np.isfinite(rounded) else abs(rounded - exact) / abs(exact)

    @cached_property
    def _finite(self) -> tuple[np.ndarray, np.ndarray, Wide]:
        """|A'|, |B'| and |alpha|, with 0 for what is not finite."""
        a, b, alpha = (np.abs(x.astype(Wide)) for x in (self.left, self.right, self.factor("alpha")))
        return (np.where(np.isfinite(a), a, 0), np.where(np.isfinite(b), b, 0),
                Wide(alpha) if np.isfinite(alpha) else Wide(0))

    @cached_property
    def _sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """The sums of |products|, and of |alpha * products|."""
        a, b, alpha = self._finite
        sums = a @ b
        return sums, sums * alpha

    @cached_property
    def _size_of_c(self) -> np.ndarray:
        if self.addend is None:
            return np.zeros(self.whole, Wide)
        with np.errstate(invalid="ignore"):
            size = np.abs(self.addend.astype(Wide) * self.factor("beta").astype(Wide))
        return np.broadcast_to(np.where(np.isfinite(size), size, 0), self.whole)

    @cached_property
    def _underflow(self) -> np.ndarray:
        """The loss by rounding the product of two factors below the normal range, times the third."""
        u, eta, _ = (Wide(float(value)) for value in PRECISION[self.dtype.name])
        normal = eta / (2 * u) * (1 + 4 * u) * 2
        lost = np.zeros(self.whole, Wide)
        of_a, of_b, alpha = (_least(x) for x in (self.left, self.right, self.factor("alpha")))
        if min(of_a * of_b, alpha * of_a, alpha * of_b) >= normal:  # as nearly always
            return lost
        a, b, alpha = self._finite
        for k in range(a.shape[1]):
            one, other = a[:, k, None], b[None, k]
            for pair, third in ((one * other, alpha), (alpha * one, other), (alpha * other, one)):
                lost = lost + np.where((pair > 0) & (pair < normal), third, 0)
        return np.asarray(lost * eta)

    @cached_property
    def products(self) -> Products:
        """The sums of all terms."""
        return self.part(True, True)

    @cached_property
    def overflows(self) -> np.ndarray:
        """bool: where some intermediate result can overflow."""
        u, _, largest = (Wide(float(value)) for value in PRECISION[self.dtype.name])
        beyond = [np.isinf(self.factor(name).astype(self.dtype)) & np.isfinite(self.factor(name))
                  for name in ("alpha", "beta")]
        inner, factors = self.left.shape[1], growth(self.left.shape[1] + 3, self.dtype)
        of_a, of_b, alpha = (_largest(x) for x in (self.left, self.right, self.factor("alpha")))
        of_products = max(of_a * of_b * max(inner, 1) * max(alpha, 1), alpha * of_a, alpha * of_b)
        if not any(beyond) and factors <= 0.5 and of_products + self._size_of_c.max(initial=0) <= largest / 4:
            return np.zeros(self.whole, bool)  # as nearly always
        a, b, alpha = self._finite
        products, scaled = self._sizes
        single = alpha * np.maximum(a.max(axis=1, initial=0)[:, None], b.max(axis=0, initial=0)[None])
        top = np.maximum(np.maximum(products, scaled) + self._size_of_c, single)
        return np.asarray(top * (1 + factors) >= largest * (1 + u / 2)) | any(beyond)

    @cached_property
    def nan_by_zero(self) -> tuple[np.ndarray, np.ndarray]:
        """bool: where alpha is 0 and a product is not finite; where beta is 0 and C is not finite."""
        none = np.zeros(self.whole, bool)
        of_products, of_c = none, none
        if self.factor("alpha") == 0:
            of_products = ~Products.of(self.terms(), self.whole, self.dtype).finite
        if self.factor("beta") == 0 and self.addend is not None:
            of_c = np.broadcast_to(~np.isfinite(self.addend.astype(Wide)), self.whole)
        return of_products, of_c

    def fits(self, products: bool, c: bool, got: np.ndarray) -> np.ndarray:
        """Return the mask of values that a part alone gives."""
        return ~self.part(products, c).wrong(got) | self.overflows & ~np.isfinite(got.astype(Wide))

    def exactly(self, rounded: bool = False) -> np.ndarray:
        """The sums of the terms of integers, as Python numbers; with factors `rounded` toward zero first."""
        alpha, beta = (Fraction(float(self.factor(name))) for name in ("alpha", "beta"))
        if rounded:
            alpha, beta = Fraction(trunc(alpha)), Fraction(trunc(beta))
        by_alpha, by_beta = (int(one) if one.denominator == 1 else one for one in (alpha, beta))  # integers are fast
        found = np.zeros(self.whole, object)
        for k in range(self.left.shape[1]):
            found = found + self.left[:, k, None].astype(object) * self.right[None, k].astype(object)
        found = found * by_alpha
        return np.asarray(found if self.addend is None else found + self.addend.astype(object) * by_beta)

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: where the exact sum of the terms of integers is no value of the type."""
        exact, limits = self.exactly(), np.iinfo(self.dtype)
        return np.asarray((exact < limits.min) | (exact > limits.max), bool)

    @property
    def finite_factors(self) -> bool:
        return bool(np.isfinite(self.factor("alpha")) and np.isfinite(self.factor("beta")))

    @property
    def whole_factors(self) -> bool:
        """True if the factors that count are integers."""
        counting = ["alpha"] if self.addend is None else ["alpha", "beta"]
        return all(float(self.factor(name)).is_integer() for name in counting)

    def _wrapped(self, exact: np.ndarray) -> np.ndarray:
        """Integers modulo 2 to the number of bits."""
        limits = np.iinfo(self.dtype)
        span = limits.max - limits.min + 1
        return np.asarray((exact - limits.min) % span + limits.min)

    def admits(self, exact: np.ndarray, got: np.ndarray) -> np.ndarray:
        """Return the mask of `got` equal to integers, modulo 2 to the number of bits or held at an end of the type."""
        limits, found = np.iinfo(self.dtype), got.astype(object)
        held = np.minimum(np.maximum(exact, limits.min), limits.max)
        return np.asarray((found == self._wrapped(exact)) | (found == held), bool)

    def of_integers(self) -> np.ndarray:
        """The sums of the terms toward zero, modulo 2 to the number of bits; 0 with a factor that is not finite."""
        if not self.finite_factors:
            return np.zeros(self.whole, self.dtype)
        return np.asarray(self._wrapped(each_of(trunc, self.exactly())), self.dtype)


def _largest(x: np.ndarray) -> Wide:
    """The largest magnitude of the finite elements, 0 without any."""
    return Wide(np.abs(x).max(initial=0, where=np.isfinite(x)))


def _least(x: np.ndarray) -> Wide:
    """The least magnitude other than 0 of the finite elements, an infinity without any."""
    return Wide(np.abs(x).min(initial=np.inf, where=np.isfinite(x) & (x != 0)))


def each_of(function: Any, numbers: np.ndarray) -> np.ndarray:
    """An object array of what a function gives of each number."""
    found = np.empty(numbers.shape, object)
    for place in np.ndindex(*numbers.shape):
        found[place] = function(numbers[place])
    return found
