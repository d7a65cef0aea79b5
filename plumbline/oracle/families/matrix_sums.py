"""Compute the sums in products of matrices, with what bounds their errors."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from plumbline.oracle.families.products import Products, SumsByPlace
from plumbline.oracle.rounding import NO_QUANTUM, PRECISION, Sums, Wide, quantum


def sums_of_matrices(left: np.ndarray, right: np.ndarray, dtype: np.dtype) -> Products:
    """The sums of `left` (..., M, K) times `right` (..., K, N), whose stacks broadcast.

    They are computed in float64, which holds each product of two elements of a narrower type; in extended precision
    where sums are so large that the error of float64 is near the range of the type."""
    if dtype.name != "float64":
        products = _sums(left, right, dtype, np.float64)
        if (products.sums.certified < np.ldexp(Wide(float(PRECISION[dtype.name][2])), -30)).all():
            return products
    return _sums(left, right, dtype, Wide)


def _sums(left: np.ndarray, right: np.ndarray, dtype: np.dtype, computed: type[np.floating]) -> Products:
    """Return the sums of two stacks of matrices of element type `dtype`, computed in the type `computed`."""
    wide = left.astype(computed), right.astype(computed)
    a, b = (np.where(np.isfinite(factor), factor, 0) for factor in wide)
    total, size = np.matmul(a, b), np.matmul(np.abs(a), np.abs(b))
    sums = Sums(total, size, np.asarray(a.shape[-1]), 1, np.full(total.shape, NO_QUANTUM), dtype, computed)
    quanta = partial(_quanta, sums, a, b)

    def terms_at(place: tuple[int, ...]) -> list[Fraction]:
        row, column = _stacked(wide[0], place)[place[-2]], _stacked(wide[1], place)[:, place[-1]]
        return [Fraction(*x.as_integer_ratio()) * Fraction(*y.as_integer_ratio())
                for x, y in zip(row, column, strict=True) if np.isfinite(x) and np.isfinite(y)]

    return SumsByPlace(replace(sums, quanta=quanta), *_not_finite(*wide, total.shape), (), terms_at=terms_at)


def _stacked(factor: np.ndarray, place: tuple[int, ...]) -> np.ndarray:
    """The matrix of a stack that an element at `place` of the product comes from."""
    stack = factor.shape[:-2]
    at = [0 if size == 1 else index for size, index in zip(stack, place[len(place) - factor.ndim:], strict=False)]
    return np.asarray(factor[tuple(at)])


def _quanta(sums: Sums, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quanta of sums: of all terms, or of the first ones where these show that a sum is not exact."""
    of_a, of_b = quantum(a), quantum(b)
    least = of_a.min(axis=-1, initial=NO_QUANTUM)[..., :, None] + of_b.min(axis=-2, initial=NO_QUANTUM)[..., None, :]
    exact, found = replace(sums, quanta=least).exact, sums.quantum
    for k in range(of_a.shape[-1]):
        if k in (1, 8, 64, 512) and not (replace(sums, quanta=found).exact & ~exact).any():
            break
        found = np.minimum(found, of_a[..., :, k, None] + of_b[..., None, k, :])
    return np.where(exact, least, found)


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
