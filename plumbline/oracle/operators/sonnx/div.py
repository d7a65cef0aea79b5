"""Judge and generate calls of SONNX Div, by `spec/sonnx/div.md`."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.families.arithmetic import SonnxArithmetic
from plumbline.oracle.families.quotients import Quotient
from plumbline.oracle.operator import Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.sonnx.addresses import ARITHMETIC, PAIR


class Div(Quotient, SonnxArithmetic):
    """A call of Div."""

    clauses = ARITHMETIC | PAIR
    divides_by_zero = False

    @on_call("int.B.C1")
    def no_zero(self) -> str | None:
        b = self.inputs["B"]
        if self.floats or not (np.asarray(b) == 0).any():
            return None
        return f"B{np.argwhere(b == 0)[0].tolist()} is 0"

    @on_elements("float.C.F2", "C", "not an infinity, or NaN, of a division by zero")
    def special(self, got: np.ndarray) -> np.ndarray:
        a, b = self.operands
        return (b == 0) & ~np.isnan(a) if self.floats else np.zeros(got.shape, bool)

    @on_elements("float.C.F3", "C", "not the quotient of an infinity or NaN")
    def not_finite(self, got: np.ndarray) -> np.ndarray:
        return ~self.finite

    @unspecified("int.C.U1", refusal=True)
    def beyond(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.overflow, "C")

    @evidence("float.C.E1")
    @staticmethod
    def nan_among_the_zeros() -> str:
        nan = np.float64(math.nan)
        with np.errstate(all="ignore"):
            quotients = np.float64(0) / nan, nan / np.float64(0)
        assert nan != 0 and all(map(math.isnan, quotients))
        return "NaN != 0, so that 0 / NaN is 0 by the second case and NaN / 0 an infinity by the third; IEEE 754 " \
               f"has {quotients[0]} and {quotients[1]}"

    @evidence("float.C.E2")
    @staticmethod
    def sign_of_zero() -> str:
        quotient, by_b = np.float64(-0.0) / np.float64(1), 0.0
        assert math.copysign(1, quotient) != math.copysign(1, by_b)
        return f"-0 / 1 is {quotient} in IEEE 754; by the sign of B alone it is {by_b}"

    @evidence("float.C.E3")
    @staticmethod
    def nan_without_zeros() -> str:
        with np.errstate(all="ignore"):
            quotient = np.float64(math.inf) / np.float64(math.inf)
        assert math.isnan(quotient)
        return f"inf / inf is {quotient}, with neither two zeros nor NaN among the operands"

    @evidence("float.C.E4")
    @staticmethod
    def propagated_error() -> str:
        a, b, error_a, error_b = (Fraction(number) for number in (1, 2, 1, 0))
        exact = (a + error_a) / (b + error_b) - a / b
        printed = (error_a * b - error_b * a) / (b * b * (b + error_b))
        assert exact == (error_a * b - error_b * a) / (b * (b + error_b)) != printed
        return f"A = {a}, a = {error_a}, B = {b}, b = {error_b}: the error is {exact}, the note gives {printed}"

    @evidence("float.C.E5")
    @staticmethod
    def bound_on_the_propagated_error() -> str:
        a, b, error_a, error_b = (Fraction(number) for number in (1, 2, 1, 0))
        exact = abs((a + error_a) / (b + error_b) - a / b)
        terms = abs(error_a) + abs(a * error_b / b)
        printed, mended = terms / (abs(b) * abs(b + error_b)), terms / abs(b + error_b)
        assert printed < exact <= mended
        return f"A = {a}, a = {error_a}, B = {b}, b = {error_b}: the error is {exact}, the bound {printed}"

    @evidence("float.C.E6")
    @staticmethod
    def check_without_the_smallest_normal() -> str:
        a, b, u, smallest = np.float32(3 * 2.0**-149), np.float32(2), Fraction(1, 2**24), Fraction(1, 2**126)
        quotient = Fraction(float(a)) / Fraction(float(b))
        error = abs(Fraction(float(a / b)) - quotient)
        assert u * quotient < error <= u * max(quotient, smallest)
        return f"float32 3 * 2**-149 / 2 is off by {float(error):.2g}; the text allows {float(u * smallest):.2g}, " \
               f"the check {float(u * quotient):.2g}"

    @evidence("int.C.E1")
    @staticmethod
    def error_of_integers() -> str:
        error = Fraction(5, 3) - 5 // 3
        assert error > Fraction(1, 2)
        return f"5 / 3 gives {5 // 3}, which is {error} away; the note has less than 1/2"

    @evidence("float.C.E7")
    @staticmethod
    def bound_on_overflow() -> str:
        a, b = np.float32(3e38), np.float32(0.5)
        with np.errstate(over="ignore"):
            quotient = a / b
        exact = Fraction(float(a)) / Fraction(float(b))
        bound = exact / 2**24
        assert np.isinf(quotient) and bound < exact
        return f"{a} / {b} is {quotient} in float32, infinitely far from {float(exact):.3g}; the bound is " \
               f"{float(bound):.2g}"

    @evidence("float.C.E8")
    @staticmethod
    def not_defined() -> str:
        with np.errstate(all="ignore"):
            by_parts = [(np.float32(a) / np.float32(0)).item() for a in (1, -1, 0)]
        assert by_parts[:2] == [math.inf, -math.inf] and math.isnan(by_parts[2])
        return f"1, -1 and 0 divided by 0 are {by_parts} by the float part, and not defined by the note"
