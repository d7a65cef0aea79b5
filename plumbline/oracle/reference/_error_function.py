"""Compute the error function of exact numbers, in decimals with spare digits."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from math import factorial

from plumbline.oracle.reference._circular import PI, polynomial

EDGE = 7
"""From here on the function is 1 to 22 digits, which no type tells from 1."""

CONTEXT = Context(prec=80, Emin=-10**6, Emax=10**6)
"""Digits beside those that terms of alternating signs lose up to the edge, which are 22."""

SERIES = [CONTEXT.divide(Decimal((-1) ** n), factorial(n) * (2 * n + 1)) for n in range(240, -1, -1)]
"""The coefficients of Maclaurin's series in the square of the number, but for the factor before it."""


ASYMPTOTIC = 49
"""Terms of the asymptotic series: at the edge, where it is least exact, the first one left out is below 10**-20."""


def error_function(value: Decimal) -> Decimal:
    """Return the error function of a finite number."""
    if abs(value) >= EDGE:
        return Decimal(1).copy_sign(value)
    with localcontext(CONTEXT):
        return 2 / PI.sqrt() * value * polynomial(SERIES, value * value)


def complement(value: Decimal) -> Decimal:
    """Return 1 less the function of a finite number beyond the edge, to 20 digits (DLMF 7.12.1)."""
    with localcontext(CONTEXT):
        term = total = Decimal(1)
        for m in range(1, ASYMPTOTIC):
            term = -term * (2 * m - 1) / (2 * value * value)
            total += term
        return (-value * value).exp() / (PI.sqrt() * value) * total
