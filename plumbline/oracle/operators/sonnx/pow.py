"""Judge and generate calls of SONNX Pow, by `spec/sonnx/pow.md`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.families.approximations import OTHER
from plumbline.oracle.families.clauses import element_type, elements_of, type_of_output
from plumbline.oracle.families.powers import FLOATS, SIGNED, Power
from plumbline.oracle.families.profile import Pair, first_order, last_index
from plumbline.oracle.operator import Allowance, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.sonnx.addresses import PAIR


class Pow(Power, Pair):
    """A call of Pow."""

    clauses = PAIR
    types = dict.fromkeys((*FLOATS, *SIGNED), 1)
    negative_exponents = False

    types_of_a = element_type("A.C3", "A", (*FLOATS, *SIGNED))
    type_of_c = type_of_output("C.C2", "C", lambda self: self.inputs["A"].dtype)
    index = evidence("restrictions.E2")(last_index)

    @on_call("int.B.C3")
    def not_negative(self) -> str | None:
        b = self.inputs["B"]
        return "an element of B is below zero" if b.dtype.kind == "i" and (b < 0).any() else None

    @on_elements("float.C.F2", "C", "not what the cases have")
    def special(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(~self.approximated & ~self.beyond & self.floats)

    @on_elements("float.C.F3", "C", "not a number, or of the other sign")
    def sign(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.wrong_sign(got) & self.floats)

    @on_elements("float.C.F1", "C", OTHER)
    def any_float(self, got: np.ndarray) -> bool:
        return self.floats

    any_integer = elements_of("int.C.F1", "C", "not the power")

    @unspecified("float.C.U1")
    def accuracy(self) -> Unspecified | None:
        where = self.approximated
        return Unspecified({"C": Allowance(where, self.explains, observed=True)}) if where.any() else None

    @unspecified("float.C.U2")
    def bits(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.canonical["C"]), "C", admits=np.isnan) if self.floats else None

    @unspecified("float.C.U3")
    def one_by_nan(self) -> Unspecified | None:
        return Unspecified.of(np.isnan(self.b) & (self.a == 1), "C",
                              admits=lambda got: np.isnan(got) | (got == 1))

    @unspecified("float.C.U4")
    def overflow_of_floats(self) -> Unspecified | None:
        return Unspecified.of(self.beyond, "C", admits=self.explains) if self.floats else None

    @unspecified("int.C.U1", refusal=True)
    def overflow_of_integers(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.beyond, "C")

    @unspecified("int.C.U2")
    def zero_by_zero(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of((self.a == 0) & (self.b == 0), "C")

    @evidence("float.C.E1")
    @staticmethod
    def two_cases_hold() -> str:
        a, b = 1.0, np.nan
        assert np.isnan(b) and a == 1
        return f"for a base of {a} and an exponent of {b} the first case gives NaN and the sixth gives 1"

    @evidence("float.C.E2")
    @staticmethod
    def infinity_is_not_an_integer() -> str:
        a, b = -1.0, np.inf
        assert a < 0 and np.isfinite(a) and not float(b).is_integer() and np.power(a, b) == 1
        return f"for a base of {a} and an exponent of {b} the first case gives NaN, the sixth and Example 3 give 1"

    @evidence("float.C.E4")
    @staticmethod
    def logarithm_below_zero() -> str:
        a, b, printed = -2.0, 3.0, -8.0
        with np.errstate(invalid="ignore"):
            by_logarithm = np.exp(b * np.log(np.float64(a)))
        assert np.isnan(by_logarithm) and a**b == printed
        return f"for a base of {a} and an exponent of {b} e^(b ln a) is {by_logarithm}, and Example 3 prints {printed}"

    @evidence("A.E1")
    @staticmethod
    def zero_by_zero_is_printed() -> str:
        a, b, printed = 0, 0, 1
        assert a == 0 and b <= 0
        return f"{a} to the power of {b} is printed as {printed}, and is not defined"

    @evidence("B.E1")
    @staticmethod
    def parity_of_the_wrong_number() -> str:
        printed = ((9, Fraction(2), 81), (-5, Fraction(0), 1))
        assert all(a**b == power and b.numerator % 2 == 0 and b.denominator % 2 for a, b, power in printed)
        return "; ".join(f"{a} to the power of {b.numerator}/{b.denominator} is printed as {power}, and is not defined"
                         for a, b, power in printed)

    @evidence("accuracy.E1")
    @staticmethod
    def bound_of_first_order() -> str:
        return first_order(lambda a: a**2, lambda a: 2 * a, 1, 1)
