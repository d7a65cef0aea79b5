"""Bound the rounding errors of conforming sums of floating-point numbers.

Notation: u is half the distance from 1 to the next number of the type, eta its smallest subnormal. Every operation
rounds its exact result z to z(1 + d) + a, with |d| <= u and |a| <= eta/2, and a = 0 unless the result is a product or
quotient below the normal range (Higham, Accuracy and Stability of Numerical Algorithms, section 2.2; Hauser, Handling
floating-point exceptions in numeric programs, for sums being exact below the normal range).

A sum of n terms, added in any order, carries at most n - 1 such factors on each term, and r more where each term has
been rounded r times before: once for a product that is not fused with its addition. Hence |computed - exact| <=
((1 + u)**(n - 1 + r) - 1) * size + r*n*eta, with size the sum of the absolute values of the terms (Higham, sections 3.1
and 4.2), exactly, also where n*u is near 1. Sums in blocks or pairs obey it. So do accumulators wider than the type,
whose unit roundoff w is at most u/2: they have factors 1 + w for all these, and one factor 1 + u at the end, which is
no more than (1 + u)**2 allows. Only a single operation, rounded to a wider type and then to its own, exceeds 1 + u.

A sum is *exact* in every order where every term is a multiple of some power of two q >= eta, and size <= q/u: every
partial sum is then a multiple of q below q/u in magnitude, hence a number of the type, and so is every product.

An algorithm that is not a summation of these terms (Winograd's, or a fast Fourier transform) obeys a bound in the norm
of the inputs alone (Higham, section 24.2, for the transform); it is given by the definitions that allow for one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from plumbline.oracle.type_names import name_of

PRECISION = {
    # element type: (u, eta, largest finite value)
    "bfloat16": (Fraction(1, 2**8), Fraction(1, 2**133), Fraction(255 * 2**120)),
    "float16": (Fraction(1, 2**11), Fraction(1, 2**24), Fraction(65504)),
    "float32": (Fraction(1, 2**24), Fraction(1, 2**149), Fraction((2**24 - 1) * 2**104)),
    "float64": (Fraction(1, 2**53), Fraction(1, 2**1074), Fraction((2**53 - 1) * 2**971)),
}
SLACK = 1e-9
"""Relative room left around a bound, which is itself computed in floating point: what falls within it, or within the
certified error of the sum, is decided with exact fractions."""

Wide = np.longdouble
PI = Wide("3.14159265358979323846264338327950288")

NO_QUANTUM = 2**20
"""The quantum, as an exponent, of zero: a multiple of every power of two."""


WIDER = {"bfloat16": Fraction(1, 2**24), "float16": Fraction(1, 2**24), "float32": Fraction(1, 2**53),
         "float64": Fraction(1, 2**64)}
"""The u of the next wider type in use, by element type: x87's extended precision for float64."""


def smallest_normal(dtype: np.dtype) -> Wide:
    """Return the smallest normal number of a floating-point type."""
    u, eta, _ = PRECISION[name_of(dtype)]
    return Wide(float(eta / (2 * u)))


def is_normal(x: np.ndarray) -> np.ndarray:
    """bool: which elements are finite and not below the normal range."""
    return np.asarray(np.isfinite(x) & (np.abs(x).astype(Wide) >= smallest_normal(x.dtype)))


def growth(factors: np.ndarray | int, dtype: np.dtype) -> np.ndarray:
    """Return ``(1 + u)**factors - 1``, in extended precision; for a single factor, ``(1 + u)*(1 + w) - 1``."""
    return _growth_of_one(factors, dtype) if isinstance(factors, int) else _growth(factors, dtype)


@cache
def _growth_of_one(factors: int, dtype: np.dtype) -> np.ndarray:
    return _growth(np.asarray(factors), dtype)


def _growth(factors: np.ndarray, dtype: np.dtype) -> np.ndarray:
    if factors.size > (most := int(factors.max(initial=0)) + 1):
        return np.asarray(_growth(np.arange(most), dtype)[factors])
    u, wider = Wide(float(PRECISION[name_of(dtype)][0])), Wide(float(WIDER[name_of(dtype)]))
    return np.asarray(np.expm1(factors * np.log1p(u) + np.where(factors == 1, np.log1p(wider), 0)))


def grown(factors: int, dtype: np.dtype) -> Fraction:
    """Return ``growth(factors) + 1``, exactly."""
    return (1 + PRECISION[name_of(dtype)][0]) ** factors * (1 + (WIDER[name_of(dtype)] if factors == 1 else 0))


def quantum(x: np.ndarray) -> np.ndarray:
    """int64: the exponent of the largest power of two of which each finite element of `x` (any type of at most 53 bits)
    is a multiple; `NO_QUANTUM` for zero and for what is not finite."""
    fraction, exponent = np.frexp(np.where(np.isfinite(x), x, 0).astype(Wide))
    mantissa = np.ldexp(fraction, 53).astype(np.int64)
    lowest = np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1
    return np.where(mantissa == 0, NO_QUANTUM, exponent.astype(np.int64) - 53 + lowest)


@dataclass(frozen=True, eq=False)
class Sums:
    """Sums of floating-point terms, one for each element of an output; all arrays have the shape of the output.

    total:   of the terms, and `size` of their absolute values, in extended precision; terms that are not finite count
             as zero.
    terms:   how many there are.
    roundings: that each term may carry before it is added: 0 for an element, 1 for a product, 2 for one that is scaled.
    quanta:  of the terms, the least (see `quantum`), as exponents; or what finds them, where few are ever asked for.
    dtype:   the element type of the output.
    computed: the type that `total` and `size` were computed in, which holds every product of two elements, or rounds it
             once.
    """

    total: np.ndarray
    size: np.ndarray
    terms: np.ndarray
    roundings: int
    quanta: np.ndarray | Callable[[], np.ndarray]
    dtype: np.dtype
    computed: type[np.floating] = Wide

    @cached_property
    def quantum(self) -> np.ndarray:
        """See `quanta`."""
        return self.quanta() if callable(self.quanta) else self.quanta

    @property
    def exact(self) -> np.ndarray:
        """bool: which sums have no rounding error in any order. The total of each is a number of the type."""
        u, eta, _ = PRECISION[name_of(self.dtype)]
        with np.errstate(over="ignore"):
            room = np.ldexp(self.computed(1), np.minimum(self.quantum, 10_000).astype(np.int32)) / self.computed(u)
        return np.asarray((self.quantum >= exponent(eta)) & (self.size <= room))

    @property
    def inexact_bound(self) -> np.ndarray:
        """The largest distance of a conforming sum from the exact one where orders differ."""
        factors = np.maximum(self.terms - 1, 0) + self.roundings
        eta = self.computed(PRECISION[name_of(self.dtype)][1])
        grown = np.minimum(growth(factors, self.dtype), np.finfo(self.computed).max).astype(self.computed)
        with np.errstate(over="ignore"):
            return np.asarray(grown * self.size + self.roundings * self.terms * eta)

    @property
    def bound(self) -> np.ndarray:
        """The largest distance of a conforming sum from the exact one."""
        return np.asarray(np.where(self.exact, 0, self.inexact_bound))

    @property
    def certified(self) -> np.ndarray:
        """The largest distance of `total` from the exact sum."""
        return np.asarray((self.terms + 3) * np.finfo(self.computed).eps * self.size)

    @property
    def may_overflow(self) -> np.ndarray:
        """bool: where the sum of absolute values exceeds the largest finite value of the type, or comes so near that
        its rounding may."""
        u, _, largest = PRECISION[name_of(self.dtype)]
        return np.asarray(self.size > Wide(float(largest)))

    def overflow(self, allowance: np.ndarray | float = 0) -> tuple[np.ndarray, np.ndarray]:
        """bool, twice: where the sum of the positive terms, computed in some order, can exceed the range of the type;
        and where that of the negative ones can. `allowance` is how much farther off than by rounding they may be."""
        u, _, largest = PRECISION[name_of(self.dtype)]
        limit = Wide(float(largest)) * (1 + Wide(float(u)) / 2)  # at most halfway to the next number, were there one
        factors = growth(np.maximum(self.terms - 1, 0) + self.roundings, self.dtype)
        if not np.any(allowance) and factors.max(initial=0) <= 0.5 and Wide(self.size.max(initial=0)) <= limit / 4:
            return np.zeros(self.size.shape, bool), np.zeros(self.size.shape, bool)  # as nearly always
        up, down = (((self.size + side * self.total) / 2 * (1 + factors) + self.certified + allowance >= limit)
                    for side in (1, -1))
        return np.asarray(up), np.asarray(down)

    @property
    def values(self) -> np.ndarray:
        """The sums, rounded to the type."""
        with np.errstate(over="ignore"):
            return self.total.astype(self.dtype)


def exponent(power_of_two: Fraction) -> int:
    """Return the exponent to which 2 is raised."""
    return power_of_two.numerator.bit_length() - power_of_two.denominator.bit_length()


def ulps(got: np.ndarray, wanted: np.ndarray, exact: np.ndarray) -> float:
    """Return the largest distance of `got` from `exact` among finite elements, in ulp; 0.0 without any.

    All have one shape; `exact` is of a wider type, and `wanted`, whose ulps count, is `exact` rounded to the type."""
    places = np.isfinite(got) & np.isfinite(exact)
    if not places.any():
        return 0.0
    if not places.all():
        got, wanted, exact = np.asarray(got)[places], wanted[places], exact[places]
    magnitude = np.abs(wanted)
    if magnitude.dtype.kind == "f":  # the spacing at the largest value would reach beyond it
        magnitude = np.minimum(magnitude, np.nextafter(np.finfo(magnitude.dtype).max, magnitude.dtype.type(0)))
    with np.errstate(over="ignore"):
        distances = np.abs(np.asarray(got).astype(exact.dtype) - exact)
        largest = np.max(distances / np.spacing(magnitude).astype(exact.dtype))
    return float(np.minimum(largest, np.finfo(np.float64).max))  # extended precision reaches beyond float64


def overflown(got: np.ndarray, canonical: np.ndarray) -> np.ndarray:
    """bool: which elements are the infinity, or the largest finite number, of the sign of the canonical ones."""
    largest = np.copysign(canonical.dtype.type(float(PRECISION[name_of(canonical.dtype)][2])), canonical)
    with np.errstate(invalid="ignore"):
        return np.asarray((got == largest) | np.isinf(got) & (got * np.sign(largest) > 0))
