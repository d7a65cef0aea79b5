"""Products of two matrices: an implementation, honest variants, and faults that any operator with such a product can
have. Each is put in front of an implementation with `plant`."""

from __future__ import annotations

from typing import Any

import numpy as np

from plumbline.backends import Request
from tests.operators.contract import Implementation, Outputs


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


class ForgetsTheLastTerm(Product):
    """The last of several terms is not added."""

    def order(self, count: int) -> list[int]:
        return list(range(count - 1 if count > 1 else count))


class ForgetsTheTail(Product):
    """Of more than eight terms those behind the last full register are not added."""

    def order(self, count: int) -> list[int]:
        return list(range(count // 8 * 8 if count > 8 else count))


class RepeatsTheFirstTerm(Product):
    """The first of several terms is added twice, and the last is not."""

    def order(self, count: int) -> list[int]:
        return [0, *range(count - 1)] if count > 1 else list(range(count))


class KeepsTheLastTerm(Product):
    """Each term takes the place of the one before."""

    def order(self, count: int) -> list[int]:
        return [count - 1] if count else []


class BeginsAtOne(Product):
    """The sum of no terms is one."""

    def begin(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().begin(a, b) + a.dtype.type(0 if a.shape[1] else 1)


class ForgetsRows(Product):
    """Of more than four rows those behind the last full block stay zero."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        if y.shape[0] > 4:
            y[y.shape[0] // 4 * 4:] = 0
        return y


class ForgetsColumns(Product):
    """Of more than four columns those behind the last full block stay zero."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        if y.shape[1] > 4:
            y[:, y.shape[1] // 4 * 4:] = 0
        return y


class TurnsSquareA(Product):
    """A first factor of as many rows as columns is transposed."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().multiply(a.T if a.shape[0] == a.shape[1] else a, b)


class TurnsSquareB(Product):
    """A second factor of as many rows as columns is transposed."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().multiply(a, b.T if b.shape[0] == b.shape[1] else b)


class TurnsTheResult(Product):
    """The product is laid out column by column."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        return y.T.reshape(y.shape)


class ReadsBByColumns(Product):
    """The second factor is read column by column."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return super().multiply(a, b.reshape(b.shape[::-1]).T)


class DoubleInSingle(Product):
    """float64 is computed in float32."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        narrow = np.float32 if a.dtype == np.float64 else a.dtype
        return super().multiply(a.astype(narrow), b.astype(narrow)).astype(a.dtype)


class SingleInHalf(Product):
    """float32 is computed in float16."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        narrow = np.float16 if a.dtype == np.float32 else a.dtype
        return super().multiply(a.astype(narrow), b.astype(narrow)).astype(a.dtype)


class TruncatedFactors(Product):
    """float32 factors lose the lower half of their digits, as in reduced-precision matrix units."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype != np.float32:
            return super().multiply(a, b)
        cut = [(x.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32) for x in map(np.ascontiguousarray, (a, b))]
        return super().multiply(*cut)


class FlushesSubnormals(Product):
    """Subnormal numbers of float32 count as zero."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype != np.float32:
            return super().multiply(a, b)
        tiny = np.finfo(np.float32).tiny
        a, b = (np.where(np.abs(x) < tiny, np.float32(0), x) for x in (a, b))
        y = super().multiply(a, b)
        return np.where(np.abs(y) < tiny, np.float32(0), y)


class LongsAsDoubles(Product):
    """int64 and uint64 pass through float64."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype not in (np.int64, np.uint64):
            return super().multiply(a, b)
        return super().multiply(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype)


class IntsAsSingles(Product):
    """int32 and uint32 pass through float32."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if a.dtype not in (np.int32, np.uint32):
            return super().multiply(a, b)
        return super().multiply(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)


class LongsIn32Bits(Product):
    """int64 and uint64 are added up in 32 bits."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        narrow: Any = {"int64": np.int32, "uint64": np.uint32}.get(a.dtype.name, a.dtype)
        return super().multiply(a.astype(narrow), b.astype(narrow)).astype(a.dtype)


class Saturates(Product):
    """Integers stop at the end of the type."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if is_float(a):
            return super().multiply(a, b)
        limits = np.iinfo(a.dtype)
        exact = a.astype(object) @ b.astype(object) if a.shape[1] else super().multiply(a, b)
        return np.clip(exact, limits.min, limits.max).astype(a.dtype)


class UnsignedAsSigned(Product):
    """Products of unsigned numbers of 32 bits stop at the largest signed one."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        return np.minimum(y, np.uint32(2**31 - 1)) if a.dtype == np.uint32 else y


class ZeroForNan(Product):
    """NaN counts as zero."""

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        found = left * right
        return np.where(np.isnan(found), found.dtype.type(0), found) if is_float(found) else found


class SkipsZeros(Product):
    """A term with a zero factor is not computed: zero times infinity gives nothing."""

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.where((left == 0) | (right == 0), left.dtype.type(0), left * right)


class ClampsInfinity(Product):
    """An infinity gives the end of the finite range."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        return np.clip(y, np.finfo(y.dtype).min, np.finfo(y.dtype).max) if y.dtype.kind == "f" else y


class SpreadsNan(Product):
    """A NaN in one row reaches every other."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        y = super().multiply(a, b)
        return np.full_like(y, np.nan) if is_float(y) and np.isnan(y).any() else y


class AbsoluteFactors(Product):
    """The sign of the second factor is lost."""

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left * np.abs(right)


class AddsFactors(Product):
    """Factors are added, not multiplied."""

    def term(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return left + right


class RefusesEmptySums(Product):
    """A product without terms is refused."""

    def multiply(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        if not a.shape[1]:
            raise ValueError("empty")
        return super().multiply(a, b)


class WidensHalf(Product):
    """float16 and bfloat16 come out as float32."""

    def run(self, request: Request) -> Outputs:
        return {name: y.astype(np.float32) if y.dtype.itemsize == 2 else y for name, y in super().run(request).items()}


class WidensIntegers(Product):
    """32 bits come out as 64."""

    def run(self, request: Request) -> Outputs:
        wide = {"int32": np.int64, "uint32": np.uint64}
        return {name: y.astype(wide.get(y.dtype.name, y.dtype)) for name, y in super().run(request).items()}


class DropsUnitAxes(Product):
    """A row or a column alone comes out as a vector."""

    def run(self, request: Request) -> Outputs:
        return {name: y.reshape([size for size in y.shape if size != 1]) for name, y in super().run(request).items()}


SUMS = ("ForgetsTheLastTerm ForgetsTheTail RepeatsTheFirstTerm KeepsTheLastTerm ForgetsRows ForgetsColumns "
        "TurnsSquareA TurnsSquareB TurnsTheResult ReadsBByColumns DoubleInSingle SingleInHalf TruncatedFactors "
        "FlushesSubnormals AbsoluteFactors AddsFactors")
"""Faults in sums of products of floating-point numbers."""

INTEGERS = "LongsAsDoubles IntsAsSingles LongsIn32Bits Saturates UnsignedAsSigned"
"""Faults in those of integers."""

SPECIALS = "ZeroForNan SkipsZeros ClampsInfinity SpreadsNan"
"""Faults where a factor is not finite."""

HONEST = "Backwards Wider InHalves Fused"
"""Other orders and precisions."""
