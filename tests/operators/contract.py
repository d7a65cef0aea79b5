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

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
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

    contexts: tuple[str, ...] = ()
    """Of a fault: the contexts that it shows in, one of which `request.label` then names; none where it shows alone."""

    def run(self, request: Request) -> Outputs:
        """The outputs asked for."""
        raise NotImplementedError


def fault(*clauses: str) -> Callable[[Fault], Fault]:
    """Mark a subclass of an implementation as a fault that breaks these clauses; its docstring says what is wrong."""
    def mark(found: Fault) -> Fault:
        found.breaks = clauses
        return found
    return mark


def plant(module: dict[str, object], base: type[Implementation], kept: Sequence[ModuleType],
          faults: Mapping[str, str]) -> None:
    """Add to a module (its `globals()`) one class for each mixin, in front of an implementation, by the clauses that
    the mixins break: ``{"Y.F1 Y.F4": "LeavesTheTail OfTwice", "": "OtherZeros"}``. Without a clause it is an honest
    variant. The mixins, which several operators share, are looked for in the modules `kept`."""
    known = {name: value for shelf in kept for name, value in vars(shelf).items()}
    for clauses, names in faults.items():
        for name in names.split():
            made = type(name, (known[name], base), {"__doc__": known[name].__doc__, "__module__": module["__name__"]})
            module[name] = fault(*clauses.split())(made)


def under(module: ModuleType, name: str, clauses: Mapping[str, str | tuple[str, ...]], without: tuple[str, ...] = ()
          ) -> dict[str, type]:
    """The implementation, honest variants and faults of a module as classes of the module of that name, with the
    addresses of another text, which may have several clauses for one."""
    found = {}
    for known, value in vars(module).items():
        if inspect.isclass(value) and issubclass(value, Implementation) and value.__module__ == module.__name__ \
                and not known.startswith("_") and known not in without:
            renamed = [clauses.get(clause, clause) for clause in value.breaks]
            breaks = tuple(part for entry in renamed for part in ([entry] if isinstance(entry, str) else entry))
            found[known] = type(known, (value,), {"__module__": name, "__doc__": value.__doc__, "breaks": breaks})
    return found


def version_of(request: Request) -> int:
    """The version of the text that a request is judged under; 0 for a text without versions."""
    return int(request.specification.partition("@")[2] or 0)
