"""Products of two matrices: an implementation, and honest variants of it that any operator with such a product can
have. Each is put in front of an implementation with `plant`."""

from __future__ import annotations

import numpy as np

from tests.operators.contract import Implementation


def is_float(x: np.ndarray) -> bool:
    """Whether elements are floating-point numbers, bfloat16 among them."""
    return x.dtype.kind not in "iu"


class Product(Implementation):
    """Adds one term after another, in the type."""

    def begin(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """What the first term is added to."""
        return np.zeros((a.shape[0], b.shape[1]), a.dtype)

    def order(self, count: int) -> list[int]:
        """The terms, in the order in which they are added."""
        return list(range(count))

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """A column times a row."""
        return left * right

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Of two matrices of one type."""
        y = self.begin(a, b)
        for k in self.order(a.shape[1]):
            y = y + self.term(a[:, k, None], b[None, k])
        return y


class Backwards(Product):
    """The last term first."""

    def order(self, count: int) -> list[int]:
        return list(range(count))[::-1]


class Wider(Product):
    """In extended precision; integers modulo 2 to the 64."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        wide = np.longdouble if is_float(a) else np.uint64
        return super().multiply(a.astype(wide), b.astype(wide)).astype(a.dtype)


class InHalves(Product):
    """The first half of the terms, and the second."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        half = a.shape[1] // 2
        if not half:
            return super().multiply(a, b)
        return self.multiply(a[:, :half], b[:half]) + self.multiply(a[:, half:], b[half:])


class Fused(Product):
    """Product and addition are rounded once."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if not is_float(a):
            return super().multiply(a, b)
        y = self.begin(a, b)
        for k in self.order(a.shape[1]):
            y = (y.astype(np.longdouble) + a[:, k, None].astype(np.longdouble) * b[None, k]).astype(a.dtype)
        return y


class DoubleInSingle(Product):
    """float64 is computed in float32."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        narrow = np.float32 if a.dtype == np.float64 else a.dtype
        return super().multiply(a.astype(narrow), b.astype(narrow)).astype(a.dtype)


class FlushesSubnormals(Product):
    """Subnormal numbers of float32 count as zero."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype != np.float32:
            return super().multiply(a, b)
        tiny = np.finfo(np.float32).tiny
        a, b = (np.where(np.abs(x) < tiny, np.float32(0), x) for x in (a, b))
        y = super().multiply(a, b)
        return np.where(np.abs(y) < tiny, np.float32(0), y)


class Saturates(Product):
    """Integers stop at the end of the type."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if is_float(a):
            return super().multiply(a, b)
        limits = np.iinfo(a.dtype)
        exact = a.astype(object) @ b.astype(object) if a.shape[1] else super().multiply(a, b)
        return np.clip(exact, limits.min, limits.max).astype(a.dtype)


class ZeroForNan(Product):
    """NaN counts as zero."""

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        found = left * right
        return np.where(np.isnan(found), found.dtype.type(0), found) if is_float(found) else found
