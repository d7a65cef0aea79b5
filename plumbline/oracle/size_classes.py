"""Declare size classes: sizes at which kernels change their code path.

A family of definitions declares them (`Operator.size_classes`), names the choices of its maker that lead there
(`Named`), and says which sizes a call has (`Operator.named_sizes`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeVar

import numpy as np

Option = TypeVar("Option")

DTYPE = "dtype"
"""The name of the choice of the element type, and of that type among the sizes of a call."""

ROWS = (8, 16, 17, 33, 65)
"""Elements along the last axis, at the blocks of vector units and beyond them."""


LINES = (7, 8, 9, 16, 17, 31, 32, 33, 65, 1000)
"""Elements that are reduced to one, at the blocks of kernels, with tails."""

BATCHES = (4, 5, 8, 33, 65, 257)
"""Sizes of the first axis of a batch."""

LARGE_OUTPUT = 1 << 16
"""Elements of an output above which it is large: places no longer fit in 16 bits, and work is shared by threads."""

LARGE, LARGE_BROADCAST = "large", "large and broadcast"
"""The names of the sizes that calls with such an output have."""

WIDE_ROWS: Mapping[str, Any] = {"rank": 2, "rows": 2, "columns": 35_000, "alike": True}
"""Choices of a shape that is large."""

FAR = "far"
"""The name of the size that calls with an index beyond 16 bits have."""

LONG_AXIS: Mapping[str, Any] = {"rank": 1, "columns": 70_000}
"""Choices of a shape whose last place has an index beyond 16 bits."""

TALL = "tall"
"""The name of the size that calls with more rows than 16 bits count have."""

TALL_ROWS: Mapping[str, Any] = {"rank": 2, "rows": 65_600, "columns": 2, "equal axes": False, "alike": True}
"""Choices of a shape that is tall."""


class Named(tuple[Option, ...]):
    """Options of a choice that has a name, by which it can be decided beforehand."""

    name: str

    def __new__(cls, name: str, options: Iterable[Option]) -> Named[Option]:
        """Return the options as a tuple with a `name`, that of the choice."""
        found = super().__new__(cls, options)
        found.name = name
        return found


@dataclass(frozen=True)
class SizeClass:
    """Sizes that calls can have at once.

    sizes:      by name the sizes that are to be met.
    given:      by name what else is chosen for that.
    every_type: whether each is to be met with every element type, or with the plainest alone.
    large:      whether the tensors are large, whatever else is chosen.
    """

    sizes: Mapping[str, Sequence[Any]]
    given: Mapping[str, Any] = field(default_factory=dict)
    every_type: bool = True
    large: bool = False


def a_large_output(given: Mapping[str, Any] = WIDE_ROWS) -> SizeClass:
    """Return the class of a large output with every element type, by some choices."""
    return SizeClass({LARGE: [True]}, given, large=True)


def a_far_index(given: Mapping[str, Any] = LONG_AXIS) -> SizeClass:
    """Return the class of an index beyond 16 bits with one type, by some choices."""
    return SizeClass({FAR: [True]}, given, every_type=False, large=True)


def a_tall_input(given: Mapping[str, Any] = TALL_ROWS) -> SizeClass:
    """Return the class of more rows than 16 bits count with one type, by some choices."""
    return SizeClass({TALL: [True]}, given, every_type=False, large=True)


def is_tall(shape: Sequence[int]) -> bool:
    """Return True if a shape has more rows than 16 bits count."""
    return len(shape) > 1 and shape[0] > 1 << 16


def is_far(indices: np.ndarray) -> bool:
    """Return True if one of some indices is beyond 16 bits."""
    return bool(indices.max(initial=0) >= 1 << 16)


def is_large(shape: Sequence[int]) -> bool:
    """Return True if an output of that shape is large."""
    return prod(shape) > LARGE_OUTPUT


def a_broadcast_output() -> SizeClass:
    """Return the class of a large output with one type, of broadcast inputs."""
    return SizeClass({LARGE_BROADCAST: [True]}, {**WIDE_ROWS, "alike": False}, every_type=False, large=True)
