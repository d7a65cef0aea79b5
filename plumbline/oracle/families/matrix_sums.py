"""Compute the sums in products of matrices, scaled or not, with what bounds their errors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np

from plumbline.oracle.families.products import Products, SumsByPlace
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, Sums, Wide, quantum


@dataclass(frozen=True)
class Scaling:
    """A factor of a product of matrices, `alpha`, and an addend, the product of `factors`.

    alpha:   a finite number other than 0, and not NaN.
    factors: arrays that broadcast to the product; none where nothing is added.
    roundings: that each term may carry before it is added.
    """

    alpha: np.ndarray = field(default_factory=lambda: np.ones((), np.float32))
    factors: tuple[np.ndarray, ...] = ()
    roundings: int = 1

    def addend(self) -> np.ndarray:
        """Return the product of the factors, in extended precision, 0 without any."""
        with np.errstate(invalid="ignore"):
            return np.asarray(prod((factor.astype(Wide) for factor in self.factors), start=Wide(bool(self.factors))))


def sums_of_matrices(left: np.ndarray, right: np.ndarray, dtype: np.dtype, scaling: Scaling = Scaling()) -> Products:
    """The sums of `left` (..., M, K) times `right` (..., K, N), whose stacks broadcast.

    They are computed in float64, which holds each product of two elements of a narrower type; in extended precision
    where sums are so large that the error of float64 is near the range of the type."""
    if dtype.name != "float64":
        products = _sums(left, right, dtype, np.float64, scaling)
        if (products.sums.certified < np.ldexp(Wide(float(PRECISION[dtype.name][2])), -30)).all():
            return products
    return _sums(left, right, dtype, Wide, scaling)


def _sums(left: np.ndarray, right: np.ndarray, dtype: np.dtype, computed: type[np.floating],
          scaling: Scaling) -> Products:
    """Return the sums of two stacks of matrices of element type `dtype`, computed in the type `computed`."""
    wide = left.astype(computed), right.astype(computed)
    a, b = (np.where(np.isfinite(factor), factor, 0) for factor in wide)
    total, size = np.matmul(a, b), np.matmul(np.abs(a), np.abs(b))
    nan, plus, minus = _not_finite(*wide, total.shape)
    if scaling.alpha != 1:
        alpha = computed(scaling.alpha)
        total, size = alpha * total, abs(alpha) * size
        plus, minus = (plus, minus) if alpha > 0 else (minus, plus)
    if scaling.factors:
        addend = scaling.addend()
        nan, plus, minus = nan | np.isnan(addend), plus | (addend == np.inf), minus | (addend == -np.inf)
        finite = np.where(np.isfinite(addend), addend, 0).astype(computed)
        total, size = total + finite, size + np.abs(finite)
    sums = Sums(total, size, np.asarray(a.shape[-1] + bool(scaling.factors)), scaling.roundings,
                np.full(total.shape, NO_QUANTUM), dtype, computed)

    def terms_at(place: tuple[int, ...]) -> list[Fraction]:
        row, column = _stacked(wide[0], place)[place[-2]], _stacked(wide[1], place)[:, place[-1]]
        products = [(x, y, scaling.alpha[()]) for x, y in zip(row, column, strict=True)]
        added = [tuple(np.broadcast_to(factor, total.shape)[place].astype(Wide) for factor in scaling.factors)]
        return [prod((Fraction(*factor.as_integer_ratio()) for factor in factors), start=Fraction(1))
                for factors in (*products, *(added if scaling.factors else ())) if np.isfinite(factors).all()]

    return SumsByPlace(replace(sums, quanta=partial(_quanta, sums, a, b, scaling)), nan, plus, minus, (),
                       terms_at=terms_at)


def _stacked(factor: np.ndarray, place: tuple[int, ...]) -> np.ndarray:
    """The matrix of a stack that an element at `place` of the product comes from."""
    stack = factor.shape[:-2]
    at = [0 if size == 1 else index for size, index in zip(stack, place[len(place) - factor.ndim:], strict=False)]
    return np.asarray(factor[tuple(at)])


def _quanta(sums: Sums, a: np.ndarray, b: np.ndarray, scaling: Scaling) -> np.ndarray:
    """The quanta of sums: of all terms, or of the first ones where these show that a sum is not exact."""
    of_a, of_b = quantum(a) + quantum(scaling.alpha), quantum(b)
    of_first = sums.quantum
    if scaling.factors:
        of_first = np.minimum(of_first, sum(map(quantum, scaling.factors), np.zeros((), np.int64)))
    least = of_a.min(axis=-1, initial=NO_QUANTUM)[..., :, None] + of_b.min(axis=-2, initial=NO_QUANTUM)[..., None, :]
    least = np.minimum(least, of_first)
    exact = replace(sums, quanta=least).exact
    for k in range(of_a.shape[-1]):
        if k in (1, 8, 64, 512) and not (replace(sums, quanta=of_first).exact & ~exact).any():
            break
        of_first = np.minimum(of_first, of_a[..., :, k, None] + of_b[..., None, k, :])
    return np.asarray(np.where(exact, least, of_first))


def _not_finite(a: np.ndarray, b: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """bool, thrice: where a term is NaN, an infinity, or the negative infinity."""
    if np.isfinite(a).all() and np.isfinite(b).all():
        return np.zeros(shape, bool), np.zeros(shape, bool), np.zeros(shape, bool)

    def some(of_a: np.ndarray, of_b: np.ndarray) -> np.ndarray:
        return np.asarray(np.matmul(of_a.astype(np.float64), of_b.astype(np.float64)) > 0)

    nan = (some(np.isinf(a), b == 0) | some(a == 0, np.isinf(b))
           | np.isnan(a).any(axis=-1)[..., :, None] | np.isnan(b).any(axis=-2)[..., None, :])
    plus, minus = (some(a == np.inf, sign * b > 0) | some(a == -np.inf, sign * b < 0)
                   | some(sign * a > 0, b == np.inf) | some(sign * a < 0, b == -np.inf) for sign in (1, -1))
    return nan, plus, minus
