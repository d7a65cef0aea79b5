"""Pow: which powers are exact, limits, approximated, or no number.

The exact value E is computed in extended precision. An answer in floating point may differ from it by 32 roundings of
E, which are the 16 units in the last place of OpenCL C 3.0 (7.4), and by what roundings make of a logarithm, of a
product, and of each of b factors: ``|E| * (e**(u * (2 |ln E| + |b|)) * (1 + 32 u) - 1)``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.accuracy import RealValues
from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import Approximated, explained
from plumbline.oracle.families.elementwise import Elementwise, a_type
from plumbline.oracle.families.exponentials import EXP_OF_MOST
from plumbline.oracle.families.narrower_types import gives_where
from plumbline.oracle.operator import Choose, Operator
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps

RESULT = 32
"""Roundings of the result."""

FLOATS = ("float32", "float64", "float16")
SIGNED = ("int32", "int64")
INTEGERS = (*SIGNED, "int8", "uint8", "int16", "uint16", "uint32", "uint64")


def _exponential_held(definition: Operator, entry: Divergence) -> bool:
    """Elements are e to the power of 88.376, as where exp(b log(a)) ends there and is that of NaN, too."""
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.abs(np.asarray(entry.got).astype(Wide) / EXP_OF_MOST - 1) < 1e-6))


def _unsigned_exponents(definition: Any, entry: Divergence) -> bool:
    """Elements are powers, modulo 2 to their bits, by the lower 32 bits of exponents, read as unsigned numbers."""
    got = np.asarray(entry.got)
    if entry.where is None or any(x.dtype.kind not in "iu" for x in (got, *definition.operands)):
        return False
    modulo, at = 2 ** (8 * got.dtype.itemsize), tuple(entry.where.T)
    pairs = zip(*(x[at].reshape(-1).tolist() for x in definition.operands), strict=True)
    return [number % modulo for number in got.tolist()] == [pow(a, b % 2**32, modulo) for a, b in pairs]


def _one_subnormal_base(definition: Any, entry: Any) -> bool:
    """Elements are the power of 2**-1075, whichever subnormal number of float64 the base is."""
    a, b = definition.inputs.values()
    if entry.where is None or a.dtype != np.float64:
        return False
    base, exponent = (x[tuple(entry.where.T)].astype(float).reshape(-1) for x in np.broadcast_arrays(a, b))
    with np.errstate(all="ignore"):
        near = np.abs(entry.got / np.exp2(-1075 * exponent) - 1) < ALIKE
    return bool(np.all((np.abs(base) < np.finfo(float).smallest_normal) & (base != 0) & near))


def _nan_for_a_large_exponent(definition: Any, entry: Any) -> bool:
    """Elements are NaN, and the exponent is one number of 2**31 or more, of either sign."""
    _, b = definition.inputs.values()
    return b.size == 1 and bool((np.abs(b.astype(float)) >= 2.0**31).all() and (entry.got != entry.got).all())


def _exponent_near_an_integer(definition: Any, entry: Any) -> bool:
    """Elements are the power of an integer, from which the exponent, one number, is less than 2**-52 away."""
    a, b = definition.inputs.values()
    whole = np.rint(b.astype(float))
    near = b.size == 1 and bool(((whole != b) & (np.abs(b - whole) < 2.0**-52)).all())
    return near and gives_where(definition, entry, {"A": a, "B": whole.astype(b.dtype)})


ALIKE = 1e-6
"""The relative error of such a power."""


class Power(Elementwise):
    """A call on a base A and an exponent B."""

    symptoms = {**Elementwise.symptoms, "exponential-held": _exponential_held,
                "unsigned-exponents": _unsigned_exponents, "one-subnormal-base": _one_subnormal_base,
                "nan-for-a-large-exponent": _nan_for_a_large_exponent,
                "exponent-near-an-integer": _exponent_near_an_integer}

    operator = "Pow"
    output = "C"
    names = ("A", "B")
    exact = False
    turns, monotone_in = (0.0,), ("A",)
    negative_exponents: ClassVar[bool] = True
    """Whether integers have negative exponents, where a call is made."""

    flag_notes = {**Elementwise.flag_notes,
                  "integer-base": "Elements of A are integers, and so are the results.",
                  "other-exponent-type": "A and B have different types.",
                  "negative-exponents": "A has integers, and an integer exponent is below zero.",
                  "beyond-53-bits": "A power of integers is above 2**53, beyond which float64 does not have them all.",
                  "beyond-integers": "A power of integers is not an integer of its type."}

    @property
    def floats(self) -> bool:
        """True if the results are floating-point numbers."""
        return is_float(self.inputs["A"].dtype)

    @property
    def whole_exponents(self) -> bool:
        """True if the exponents are of an integer type."""
        return not is_float(self.inputs["B"].dtype)

    @cached_property
    def a(self) -> np.ndarray:
        """The bases, in extended precision."""
        return np.asarray(self.operands[0].astype(Wide))

    @cached_property
    def b(self) -> np.ndarray:
        """The exponents, in extended precision."""
        return np.asarray(self.operands[1].astype(Wide))

    @cached_property
    def value_of(self) -> np.ndarray:
        """E, in extended precision; where it is not a number, what IEEE 754-2019 has for pow (9.2.1). The sign is put
        to the power of a magnitude, since that of -inf by -2**63 is wrong in some libraries (+inf)."""
        with np.errstate(all="ignore"):
            size = np.power(np.abs(self.a), self.b)
            odd = self.whole & (np.fmod(self.b, 2) != 0)
        signed = np.where(odd & np.signbit(self.a), -size, size)
        return np.asarray(np.where(self.unreal | np.isnan(self.b) & (self.a == -1), Wide(np.nan), signed))

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """E, rounded; of integers exactly, modulo 2 to the number of bits, and toward zero."""
        dtype = self.inputs["A"].dtype
        if self.floats:
            return np.asarray(self.value_of.astype(dtype))
        inside = np.isfinite(self.value_of) & (np.abs(self.value_of) < 2.0**62)
        truncated = np.trunc(np.where(inside, self.value_of, 0)).astype(np.int64).astype(dtype)
        return np.where(self.b >= 0, self._product(), truncated) if self.whole_exponents else truncated

    def _product(self) -> np.ndarray:
        """Return the product of as many bases as the exponent says; 62 or 63 stand for larger ones, since only 0, 1 and
        -1 then have a power."""
        base, exponent = (np.array(operand) for operand in self.operands)
        large = exponent > 63
        exponent = np.where(exponent < 0, 0, np.where(large, 62 + exponent % 2, exponent)).astype(np.int64)
        found = np.ones_like(base)
        for bit in range(6):
            found = np.where(exponent >> bit & 1, found * base, found)
            base = base * base
        return found

    # What is known of each element; bool, in the shape of the output

    @cached_property
    def finite(self) -> np.ndarray:
        """Both operands are finite."""
        return np.asarray(np.isfinite(self.a) & np.isfinite(self.b))

    @cached_property
    def whole(self) -> np.ndarray:
        """The exponent is an integer."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.isfinite(self.b) & (self.b == np.floor(self.b)))

    @cached_property
    def unreal(self) -> np.ndarray:
        """No number is the power: that of a negative number by one that is not an integer. (A floating-point number
        that is not an integer has an even denominator.)"""
        return np.asarray(self.finite & (self.a < 0) & ~self.whole)

    @cached_property
    def defined(self) -> np.ndarray:
        """The power is a number."""
        return np.asarray(self.finite & ~self.unreal & ((self.a != 0) | (self.b > 0)))

    @cached_property
    def known(self) -> np.ndarray:
        """The power is 0, 1 or -1 whatever is computed: of 0, 1 and -1, and by 0."""
        return np.asarray(self.defined & ((self.b == 0) | (np.abs(self.a) == 1) | (self.a == 0)))

    @cached_property
    def limits(self) -> np.ndarray:
        """An operand is infinite, and every sequence that tends to both has powers with one limit."""
        a, b = self.a, self.b
        by_infinity = np.isinf(b) & (a > 0) & (a != 1) | np.isposinf(b) & (a == 0)
        of_infinity = np.isinf(a) & np.isfinite(b) & (b != 0) & ((a > 0) | self.whole)
        return np.asarray(by_infinity | of_infinity)

    @cached_property
    def beyond(self) -> np.ndarray:
        """The power is a number that is above the largest of the type in magnitude."""
        size = np.where(self.defined, self.value_of, 0)
        if self.floats:
            return np.asarray(np.abs(size) > Wide(float(PRECISION[self.inputs["A"].dtype.name][2])))
        ends = np.iinfo(self.inputs["A"].dtype)
        return np.asarray((size >= Wide(2.0)**(ends.bits - 1)) | (size < ends.min))

    @cached_property
    def approximated(self) -> np.ndarray:
        """The power is a floating-point number that is computed."""
        return np.asarray(self.defined & ~self.known & ~self.beyond & self.floats)

    @cached_property
    def cut(self) -> np.ndarray:
        """The results are integers, and the power is not, or is computed with an exponent of floating point."""
        computed = self.b < 0 if self.whole_exponents else True
        return np.asarray(self.defined & ~self.known & ~self.beyond & (not self.floats) & computed)

    @cached_property
    def relative(self) -> np.ndarray:
        """The relative error that some rounding explains."""
        u = Wide(float(max(PRECISION[tensor.dtype.name][0] for tensor in self.inputs.values()
                           if is_float(tensor.dtype)))) if self.floats or not self.whole_exponents else Wide(2.0)**-24
        size = np.abs(np.where(self.defined & np.isfinite(self.value_of), self.value_of, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            roundings = 2 * np.abs(np.log(size)) + np.where(self.defined, np.abs(self.b), 0)
            return np.asarray((1 + RESULT * u) * np.exp(np.minimum(u * roundings, 40)) - 1)

    def wrong_sign(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of NaN, and of numbers of the other sign than the power."""
        given = np.asarray(got).astype(Wide)
        return np.asarray(~np.where(self.value_of < 0, given <= 0, given >= 0))

    def explains(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of powers that some rounding explains; integers may be one more off, cut off."""
        exact = np.where(self.defined, self.value_of, 0)
        if self.floats:
            with np.errstate(over="ignore"):
                room = np.abs(exact) * self.relative
            near = explained(got, exact, self.inputs["A"].dtype, room)
            return np.asarray(near & ~self.wrong_sign(got))
        room = np.maximum(np.abs(exact) * self.relative, 1)
        return np.asarray(np.abs(np.asarray(got).astype(Wide) - exact) <= room)

    def enclosure(self) -> dict[str, Ends]:
        """Return ends as far from the exact powers as `explains` admits; integers that are cut are within 1."""
        return self._enclosed(self.approximated)

    def enclosure_near(self) -> dict[str, Ends]:
        """Return the `enclosure` with roundings where the power is known whatever is computed."""
        return self._enclosed(np.asarray(self.defined & ~self.beyond & self.floats))

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return None for types of 16 bits, whose ends need not rise with the power."""
        if all(tensor.dtype.itemsize > 2 or not is_float(tensor.dtype) for tensor in self.inputs.values()):
            return None
        return {"C": Ends.around(self.canonical["C"]).where(np.zeros(self.canonical["C"].shape, bool))}

    def _enclosed(self, computed: np.ndarray) -> dict[str, Ends]:
        canonical = self.canonical["C"]
        if not self.floats:
            return {"C": Ends.around(canonical, np.where(self.cut, 1 + np.abs(self.value_of) * self.relative, 0))}
        least, exact = smallest_normal(canonical.dtype), np.where(computed, self.value_of, canonical.astype(Wide))
        room = np.abs(exact) * self.relative
        rises = ~computed | (self.relative < 1) | (room <= least)  # else the lower end does not fall with the power
        ends = Ends.around(exact, np.where(computed, np.maximum(room, least), 0))
        largest = Wide(float(PRECISION[canonical.dtype.name][2]))
        ends = Ends(*(np.where(np.abs(end) > largest, np.copysign(Wide(np.inf), end), end) for end in ends))
        return {"C": ends.where(~self.beyond & rises)}

    def real_values(self) -> RealValues | None:
        """The powers, of operands of one type of floating-point numbers."""
        alike = self.floats and self.inputs["A"].dtype == self.inputs["B"].dtype
        return RealValues(self.value_of, self.approximated, self.operands, Approximated.extended_ulps) \
            if alike else None

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        where = self.approximated & np.isfinite(np.asarray(got).astype(Wide))
        if not where.any():
            return {}
        return {"largest error in ulp": ulps(np.asarray(got)[where], self.canonical["C"][where], self.value_of[where])}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        negative = not self.floats and self.whole_exponents and bool((self.inputs["B"] < 0).any())
        return {**super().flags(), "integer-base": not self.floats, "negative-exponents": negative,
                "other-exponent-type": self.inputs["A"].dtype != self.inputs["B"].dtype}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if self.floats:
            return {}
        large = self.defined & ~self.beyond & (np.abs(self.value_of) > 2.0**53)
        return {"beyond-integers": bool((self.beyond | self.cut | ~self.defined).any()),
                "beyond-53-bits": bool(large.any())}

    @classmethod
    def exponent_types(cls, base: str, version: int) -> tuple[str, ...]:
        """Return the types that B may have beside an A of a type, the plainest first."""
        return (base,)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any bases, or some near 1; any exponents, or small ones."""
        base = a_type(choose, cls.types, version)
        kinds = cls.exponent_types(base, version)
        exponent = choose(kinds, [4.0] + [1.0] * (len(kinds) - 1))
        attributes, shapes = cls.form(choose, version)
        a, b = (choose.tensor(shape, dtype, "any") for shape, dtype in zip(shapes, (base, exponent), strict=True))
        if choose((True, False), (3, 1)):
            b = small(b)
        if is_float(a.dtype) and choose((False, True)):
            a = np.asarray(a / a.dtype.type(16))
        if not is_float(a.dtype) and choose((True, False), (3, 1)):
            a = small(a)
        if b.dtype.kind == "i" and not is_float(a.dtype) and not cls.negative_exponents:
            b = np.where(b < 0, -(b + 1), b).astype(b.dtype)
        return Call(cls.operator, attributes, {"A": a, "B": b})


def small(x: np.ndarray) -> np.ndarray:
    """Integers from -4 to 7; numbers that are not finite stay, and floating-point ones keep every third as it is."""
    if not is_float(x.dtype):
        low = 0 if x.dtype.kind == "u" else -4
        return np.asarray(x % x.dtype.type(12) + x.dtype.type(low) if low else x % x.dtype.type(12)).astype(x.dtype)
    wide = x.astype(Wide)
    kept = ~np.isfinite(wide) | (np.arange(x.size).reshape(x.shape) % 3 == 2)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(kept, wide, np.fmod(np.trunc(np.where(kept, 0, wide)), 8))).astype(x.dtype)
