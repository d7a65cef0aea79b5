"""Base class of Add, Sub, Mul and Div: one operation on two operands.

A definition names the operation twice: as a function of numpy, which rounds floating-point results to nearest and wraps
integers (float16 and bfloat16 are computed in float32, whose digits suffice for the second rounding to do no harm:
Figueroa, When is double rounding innocuous?, 1995), and as a function of exact numbers.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.accuracy import RealValues, in_range
from plumbline.oracle.answers import Divergence
from plumbline.oracle.ends import Ends, of_one_operation
from plumbline.oracle.families.broadcasting import Binary
from plumbline.oracle.families.clauses import (
    any_nan,
    elements_of,
    type_of_output,
)
from plumbline.oracle.families.elementwise import Elementwise, beyond, nearest
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.families.profile import Pair, last_index
from plumbline.oracle.families.reading_symptoms import OF_PAIRS, SHAPES_OF_PAIRS
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide, overflown

FLOATS = ("float16", "float32", "float64")
LONG = ("int32", "int64", "uint32", "uint64")
SHORT = ("int8", "int16", "uint8", "uint16")
OTHER = "not the result of the operation"


def _negation_held(definition: Any, entry: Divergence) -> bool:
    """Elements are what integers give where the second operand is negated before it is added, and both results are held
    at the ends of the type: that of -128 in int8 is 127."""
    dtype = definition.inputs["A"].dtype
    if entry.where is None or dtype.kind != "i" or dtype.itemsize > 4:
        return False
    a, b = (operand[tuple(entry.where.T)].reshape(-1).astype(np.int64) for operand in definition.operands)
    ends = np.iinfo(dtype)
    return bool(np.all(np.clip(a + np.clip(-b, ends.min, ends.max), ends.min, ends.max) == entry.got))


def _negated_constants_held(definition: Any, entry: Any) -> bool:
    """Elements are the lower 32 bits of A and of -B together, which is limited to int32."""
    if entry.where is None or definition.inputs["A"].dtype != np.int64:
        return False
    a, b = (operand[tuple(entry.where.T)].reshape(-1) for operand in definition.operands)
    with np.errstate(over="ignore"):
        negated = np.clip(np.negative(b), np.iinfo(np.int32).min, np.iinfo(np.int32).max)
    return bool(np.all(lower_bits(lower_bits(a) + negated) == entry.got))


OF_DIFFERENCES = {"negation-held": _negation_held, "negated-constants-held": _negated_constants_held}
"""What wrong differences can look like."""


class Arithmetic(Elementwise):
    """A call of one operation."""

    output = "C"
    symptoms, shape_symptoms = {**Elementwise.symptoms, **OF_PAIRS}, SHAPES_OF_PAIRS
    turns: ClassVar[tuple[float, ...] | None] = ()

    operation: ClassVar[Any]
    """A function of numpy on two arrays."""

    exactly: ClassVar[Any]
    """The same on two fractions, or two arrays of exact integers."""

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The operation, in the type of the operands."""
        return np.asarray(self.operation(*operands))

    @property
    def c(self) -> np.ndarray:
        """The canonical output."""
        return self.canonical[self.output]

    @property
    def floats(self) -> bool:
        """True if the operands are floating-point numbers."""
        return is_float(next(iter(self.inputs.values())).dtype)

    @cached_property
    def finite(self) -> np.ndarray:
        """bool: where both operands are finite."""
        a, b = self.operands
        return np.asarray(np.isfinite(a) & np.isfinite(b))

    @cached_property
    def defined(self) -> np.ndarray:
        """bool: where both operands are finite and the operation has an exact result."""
        return self.finite

    def exact_at(self, place: tuple[int, ...]) -> Fraction:
        """The exact result at a place where it is defined."""
        a, b = (Fraction(float(operand[place])) for operand in self.operands)
        return Fraction(self.exactly(a, b))

    @cached_property
    def overflow(self) -> np.ndarray:
        """bool: where the type does not have the exact result, since it is too large or too small."""
        if not self.floats:
            return self.beyond_integers()
        return beyond(self.c, self.operands, self.exact_at, self.defined)

    def real_values(self) -> RealValues | None:
        """The results of floating-point numbers, rounded once to extended precision."""
        if not self.floats:
            return None
        with np.errstate(all="ignore"):
            exact = np.asarray(self.operation(*(operand.astype(Wide) for operand in self.operands)))
        return RealValues(exact, in_range(exact, self.defined, self.c.dtype), self.operands[-len(self.inputs):], 1)

    def enclosure(self) -> dict[str, Ends]:
        """Return ends within the rounding of one operation, unless its result is exact.

        Of types of 16 bits `nearest` also admits the number below a power of two in magnitude. Extended precision does
        not show every rounding of float64."""
        if not self.floats:
            return super().enclosure()
        with np.errstate(all="ignore"):
            exact = np.asarray(self.operation(*(operand.astype(Wide) for operand in self.operands)))
            rounded = (self.c.astype(Wide) != exact) | (np.abs(np.frexp(exact)[0]) == 0.5) | (
                self.c.dtype.itemsize == 8)
        return {self.output: of_one_operation(self.c, self.defined & rounded)}

    def enclosure_near(self) -> dict[str, Ends]:
        """Return the enclosure with rounding everywhere."""
        if not self.floats:
            return super().enclosure()
        return {self.output: of_one_operation(self.c, np.ones(self.c.shape, bool))}

    def beyond_integers(self) -> np.ndarray:
        """bool: where the exact result of integers differs from the wrapped one."""
        wide = np.int64 if self.c.dtype.itemsize < 4 else object
        a, b = (operand.astype(wide) for operand in self.operands)
        return np.asarray(self.exactly(a, b) != self.c, dtype=bool)


class OnnxOperation(Arithmetic):
    """Under a text of ONNX, which says nothing of the arithmetic of floating-point numbers: a result conforms if it is
    what IEEE 754 requires of one operation, and what numbers do not decide is open."""

    correct: ClassVar[tuple[str, ...]] = ("float32", "float64")
    """Types in which results are rounded correctly, as IEEE 754 requires; in others within the error of a rounding."""

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Numbers that are rounded correctly in the formats of IEEE 754 that implementations compute in, else within
        the rounding error of one operation; integers that are equal."""
        if not self.floats:
            return super().conforms(output, got)
        return nearest(got, self.c, self.exact_at, self.defined, is_correct=self.c.dtype.name in self.correct)

    @on_elements(UNBOUND, "", "not what the operation tends to where an operand is an infinity")
    def infinities(self, got: np.ndarray) -> np.ndarray:
        return ~self.finite

    any_other = elements_of(UNBOUND, "", OTHER)

    @unspecified(UNBOUND)
    def overflow_of_integers(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.overflow, self.output)

    @unspecified(UNBOUND)
    def overflow_of_floats(self) -> Unspecified | None:
        if not self.floats:
            return None
        return Unspecified.of(self.overflow, self.output, admits=lambda got: overflown(got, self.c))

    @unspecified(UNBOUND)
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.c) | self.finite & ~self.defined, self.output)

    @unspecified(UNBOUND)
    def sign_of_zero(self) -> Unspecified | None:
        return Unspecified.of(self.c == 0, self.output, admits=lambda got: got == 0) if self.floats else None


class OnnxArithmetic(OnnxOperation, Binary):
    """An operation on A and B, of which the first versions broadcast B alone."""

    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13,
             **dict.fromkeys(LONG, 6), **dict.fromkeys(SHORT, 14)}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes of a call, and the shapes of A and B; version 1 has a hint besides."""
        attributes, shapes = super().form(choose, version)
        hint = choose(({}, {"consumed_inputs": [0, 0]}), (4, 1)) if version == 1 else {}
        return {**attributes, **hint}, shapes


class SonnxArithmetic(Arithmetic, Pair):
    """Under a text of SONNX: IEEE 754, and integers modulo 2**n."""

    type_of_c = type_of_output(UNBOUND, "C", lambda self: self.inputs["A"].dtype)

    @on_elements(UNBOUND, "C", "not what IEEE 754 gives for special values")
    def special(self, got: np.ndarray) -> np.ndarray:
        return ~self.finite | (self.c == 0) if self.floats else np.zeros(got.shape, bool)

    @on_elements(UNBOUND, "C", OTHER)
    def any_float(self, got: np.ndarray) -> bool:
        return self.floats

    any_integer = elements_of(UNBOUND, "C", OTHER)
    bits = any_nan(UNBOUND, "C")
    index = evidence(UNBOUND)(last_index)
