"""Compute the evidence for the errata of SONNX in `spec/sonnx/general.md`."""

from __future__ import annotations

from plumbline.oracle.operator import evidence
from plumbline.oracle.rounding import PRECISION


@evidence("guidelines.E1")
def rows_for_terms() -> str:
    """Return the bound of float32, as a factor of a * b, with `- n` and with `- p`, as evidence."""
    u = PRECISION["float32"][0]
    tall, long = ((1 + u)**2 * ((1 + u)**terms - 1) / u - rows for rows, terms in ((3, 1), (1, 3)))
    derived = (1 + u)**2 * ((1 + u)**3 - 1) / u - 3
    assert tall < -1 and long > 2 and 0 < derived < 20 * u
    return f"3 rows and 1 term: {float(tall):.3g}; 1 row and 3 terms: {float(long):.3g}, and with - p " \
           f"{float(derived):.2g}"
