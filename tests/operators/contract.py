"""What a module of `tests/operators/FAMILY/OPERATOR.py` holds: an implementation of the operator that is derived from
neither oracle, and faults in it.

The implementation is a class, split into methods small enough to be wrong one at a time; a fault is a subclass that
overrides one of them, marked with the clauses of which at least one must be found broken:

    class Gemm(Implementation):
        def product(self, a, b): return a @ b
        def run(self, request): ...

    @fault("Y.F1")
    class ForgetsTheBias(Gemm):
        \"\"\"C is not added.\"\"\"

Modules import numpy, `plumbline.backends` (for `Request`) and this one, and nothing else of the suite; a test sees to
that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np

from plumbline.backends import Request

Outputs = Mapping[str, np.ndarray]
Fault = TypeVar("Fault", bound="type[Implementation]")


class Implementation:
    """An implementation of one operator under every version of its text. It refuses a call by raising."""

    breaks: tuple[str, ...] = ()
    """Of a fault: local addresses of clauses, of which at least one must be found broken; ``refusal`` where the fault
    is that a valid call is refused."""

    def run(self, request: Request) -> Outputs:
        """The outputs asked for."""
        raise NotImplementedError


def fault(*clauses: str) -> Callable[[Fault], Fault]:
    """Mark a subclass of an implementation as a fault that breaks these clauses; its docstring says what is wrong."""
    def mark(found: Fault) -> Fault:
        found.breaks = clauses
        return found
    return mark


def plant(module: dict[str, object], base: type[Implementation], faults: Mapping[type, tuple[str, ...]]) -> None:
    """Add to a module (its `globals()`) one class for each of these mixins, in front of an implementation: a fault
    where clauses are given, an honest variant where there are none. For what several operators share."""
    for mixin, clauses in faults.items():
        made = type(mixin.__name__, (mixin, base), {"__doc__": mixin.__doc__, "__module__": module["__name__"]})
        module[mixin.__name__] = fault(*clauses)(made)


def version_of(request: Request) -> int:
    """The version of the text that a request is judged under; 0 for a text without versions."""
    return int(request.specification.partition("@")[2] or 0)
