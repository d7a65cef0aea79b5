"""What makes an implementation a mutant: one fault, and the clauses that it is expected to break.

Clauses are named by local address (``Y.F1``), or with their text where another text has the same address for something
else (``sonnx/maxpool#Y.C3``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.power.implementation import Pooling

MAX = ("MaxPool",)
MEAN = ("AveragePool",)


@dataclass(frozen=True)
class Fault:
    """What is known of a fault.

    clauses:   those that the suite must find broken. A fault that refuses valid calls names clauses that a refused case
               is there for.
    operators: the operators that have the fault.
    source:    where a runtime had it, or what invites it; "" when nothing but the code does.
    """

    clauses: tuple[str, ...]
    operators: tuple[str, ...]
    source: str


def breaks(*clauses: str, of: tuple[str, ...] = MAX + MEAN,
           source: str = "") -> Callable[[type[Pooling]], type[Pooling]]:
    """Makes a mutant of a class; see `Fault`. Twice where the operators break different clauses."""
    def mark(pooling: type[Pooling]) -> type[Pooling]:
        pooling.faults = (Fault(clauses, of, source), *vars(pooling).get("faults", ()))
        return pooling
    return mark
