"""Define Div: quotients, those of integers cut off towards zero, and divisors of zero."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.arithmetic import Arithmetic
from plumbline.oracle.families.maxima import lowest_finite
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.operator import Choose
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import is_normal


def _pair(a: np.ndarray, b: np.ndarray) -> None:
    """Pair values that code loses with operands that show it.

    Of each kind the first is paired, in the place where it stands. An integer that the floating-point type of as many
    bits does not hold divides the one below it, and one is divided by 1. A quotient by a subnormal number is 3, one of
    a subnormal number lies between two of them; a number near overflow gives an infinity, and as the divisor a
    subnormal number that is rounded."""
    three = a.dtype.type(3)
    if is_float(a.dtype):
        tiny, most = np.nextafter(three - three, three), -lowest_finite(a.dtype) / a.dtype.type(1.5)
        pairs = [(b == tiny, three * tiny, tiny), (b == most, 1.7, most), (a == tiny, three * tiny, 2),
                 (a == most, most, 0.5)]
    else:
        pairs = [(_in_no_float(b), b - b.dtype.type(1), b), (_in_no_float(a), a, 1)]
    for where, dividend, divisor in pairs:
        place = np.flatnonzero(where)[:1]
        for x, value in ((a, dividend), (b, divisor)):
            x.flat[place] = np.broadcast_to(value, x.shape).flat[place]


def _in_no_float(x: np.ndarray) -> np.ndarray:
    """bool: the integers that the floating-point type of as many bits does not hold."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(x.dtype.itemsize > 1 and x.astype(f"f{x.dtype.itemsize}").astype(x.dtype) != x)


def _by_a_rounded_reciprocal(definition: Any, entry: Any) -> bool:
    """Elements are products with a reciprocal that is rounded to their type, or to float32, as products are."""
    if entry.where is None or not is_float(entry.got.dtype):
        return False
    shape, at, got = definition.shape_of(entry.output), tuple(entry.where.T), entry.got.reshape(-1)
    with np.errstate(all="ignore"):
        a, b = (np.broadcast_to(x, shape)[at].reshape(-1).astype(np.float32) for x in definition.inputs.values())
        products = (a * (1 / b).astype(narrow).astype(np.float32) for narrow in (got.dtype, np.float32))
        return any(bool(np.array_equal(product.astype(got.dtype), got)) for product in products)


def _of_lower_bits(definition: Any, entry: Any) -> bool:
    """Elements are quotients of the lower 32 bits, as signed numbers; that by zero is the lowest."""
    if definition.inputs["A"].dtype != np.int64 or entry.where is None:
        return False
    a, b = (lower_bits(x[tuple(entry.where.T)].reshape(-1)) for x in definition.operands)
    right = np.where(b == 0, np.iinfo(np.int32).min, Quotient.operation(a, np.where(b == 0, 1, b)))
    return bool((entry.got == right).all())


class Quotient(Arithmetic):
    """A call of Div."""

    symptoms = {**Arithmetic.symptoms, "quotients-of-lower-bits": _of_lower_bits,
                "by-a-rounded-reciprocal": _by_a_rounded_reciprocal}

    operator = "Div"
    turns = (0.0,)
    divides_by_zero: ClassVar[bool] = True
    """Whether integers are divided by zero too, where a call is made."""

    flag_notes = {**Arithmetic.flag_notes,
                  "lowest-by-minus-one": "The lowest integer is divided by -1. The quotient is one above the highest; "
                                         "the instruction of some processors raises a signal.",
                  "integer-by-zero": "An integer is divided by zero. The instruction of some processors raises a "
                                     "signal.",
                  "reciprocal-out-of-range": "1/B is subnormal or too large, where A/B is a normal number. A product "
                                             "with the reciprocal then loses digits, or is zero where subnormal "
                                             "numbers are flushed."}

    @staticmethod
    def operation(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Return a / b, rounded to nearest; of integers towards zero (0 for a divisor of zero)."""
        if is_float(a.dtype):
            return np.asarray(np.divide(a, b))
        down = np.floor_divide(a, b)
        return np.asarray(down + ((down * b != a) & ((a < 0) != (b < 0)) & (b != 0)), dtype=a.dtype)

    @staticmethod
    def exactly(a: Any, b: Any) -> Any:
        """Return the exact quotient, as a fraction."""
        return Fraction(a) / Fraction(b)

    @cached_property
    def defined(self) -> np.ndarray:
        """bool: where both operands are finite and the divisor is not zero."""
        return np.asarray(self.finite & (self.operands[1] != 0))

    def beyond_integers(self) -> np.ndarray:
        """bool: where the lowest integer is divided by -1, one above the highest (which no other quotient exceeds)."""
        a, b = self.operands
        if a.dtype.kind != "i":
            return np.zeros(a.shape, dtype=bool)
        return np.asarray((a == np.iinfo(a.dtype).min) & (b == -1))

    def reciprocal(self) -> tuple[np.ndarray, np.ndarray]:
        """Return 1/B in its floating-point type, and the mask of those that are normal numbers."""
        b = self.operands[1]
        with np.errstate(all="ignore"):
            found = np.divide(np.ones_like(b), b)
        return found, is_normal(found)

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        beyond = is_float(self.c.dtype) and self.defined & is_normal(self.c) & ~self.reciprocal()[1]
        return {"lowest-by-minus-one": bool(self.beyond_integers().any()),
                "integer-by-zero": not is_float(self.c.dtype) and not self.operands[1].all(),
                "reciprocal-out-of-range": bool(np.any(beyond))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call; see `_pair`."""
        call = super().make(choose, version)
        a, b = (call.inputs.get(name) for name in "AB") if call else (None, None)
        if a is not None and b is not None and a.shape == b.shape:
            _pair(a, b)
        return call

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Draw input `name`, "A" or "B"; an integer divisor has no zero where the specification excludes it."""
        found = super().drawn(choose, name, shape, dtype)
        if name == "B" and found.dtype.kind in "iu" and not cls.divides_by_zero:
            found[...] = np.where(found == 0, 1, found)
        return found
