"""Arithmetic and logic that mean the same on Python's integers and on terms of the solver, so that a formula is written
once: a theorem is about the terms, a test ties the integers to the oracle."""

from __future__ import annotations

import math
from fractions import Fraction

import z3

Term = int | z3.ArithRef
Truth = bool | z3.BoolRef


def symbolic(*values: Term | Truth) -> bool:
    """Whether any of the values belongs to the solver."""
    return any(isinstance(value, z3.ExprRef) for value in values)


def floor(numerator: Term, denominator: Term) -> Term:
    """The quotient rounded down; `denominator` is positive. The solver's division leaves a remainder that is not
    negative, which for positive denominators is rounding down."""
    return numerator / denominator if symbolic(numerator, denominator) else numerator // denominator


def ceil(numerator: Term, denominator: Term) -> Term:
    """The quotient rounded up; `denominator` is positive."""
    return -floor(-numerator, denominator)


def rational(numerator: Term, denominator: Term) -> Fraction | z3.ArithRef:
    """The exact quotient; `denominator` is not zero."""
    if not symbolic(numerator, denominator):
        return Fraction(numerator, denominator)
    return z3.ToReal(numerator) / z3.ToReal(denominator)


def round_down(value: Fraction | z3.ArithRef) -> Term:
    """The greatest integer that is not above a rational."""
    return z3.ToInt(value) if symbolic(value) else math.floor(value)


def round_up(value: Fraction | z3.ArithRef) -> Term:
    """The smallest integer that is not below a rational."""
    return -round_down(-value)


def all_of(*conditions: Truth) -> Truth:
    """Their conjunction."""
    return z3.And(*conditions) if symbolic(*conditions) else all(conditions)


def any_of(*conditions: Truth) -> Truth:
    """Their disjunction."""
    return z3.Or(*conditions) if symbolic(*conditions) else any(conditions)


def choose(condition: Truth, this: Term, that: Term) -> Term:
    """`this` where the condition holds, else `that`."""
    if symbolic(condition):
        return z3.If(condition, this, that)
    return this if condition else that


def smaller(one: Term, other: Term) -> Term:
    """The smaller of the two."""
    return choose(one <= other, one, other)


def larger(one: Term, other: Term) -> Term:
    """The larger of the two."""
    return choose(one >= other, one, other)
