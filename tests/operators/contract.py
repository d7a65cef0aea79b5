"""What a module of `tests/operators/FAMILY/OPERATOR.py` holds: an implementation of the operator that is derived from
neither oracle, and variants of it that the specification allows. `tests/faults` plants faults in the first by program.
A module of several operators lists them in `OPERATORS`, by name.

    class Gemm(Implementation):
        def product(self, a, b): return a @ b
        def run(self, request): ...

    class ScalesA(Gemm):
        \"\"\"alpha is multiplied with A before the product.\"\"\"

Modules import numpy, `plumbline.backends` (for `Request`) and this one, and nothing else of the suite; a test sees to
that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

import numpy as np

from plumbline.backends import Request

Outputs = Mapping[str, np.ndarray]


class Implementation:
    """An implementation of one operator under every version of its specification. It refuses a call by raising."""

    def run(self, request: Request) -> Outputs:
        """The outputs asked for."""
        raise NotImplementedError


def variants(base: type[Implementation], shelves: Sequence[ModuleType], names: str) -> list[type[Implementation]]:
    """Return an implementation, and one variant of it for each name of a mixin, which stands in front of it.

    The mixins, which several operators share, are looked for in the modules `shelves`."""
    known = {name: value for shelf in shelves for name, value in vars(shelf).items()}
    return [base, *(type(name, (known[name], base), {"__doc__": known[name].__doc__, "__module__": base.__module__})
                    for name in names.split())]


def plant(module: dict[str, object], base: type[Implementation], shelves: Sequence[ModuleType], names: str) -> None:
    """Add the variants of an implementation to a module, its `globals()`."""
    module |= {kind.__name__: kind for kind in variants(base, shelves, names)[1:]}


def version_of(request: Request) -> int:
    """The version of the text that a request is judged under; 0 for a text without versions."""
    return int(request.specification.partition("@")[2] or 0)
