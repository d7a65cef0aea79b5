"""Symptoms of transposed convolutions: other sizes, and mixed groups.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements,
or the shape, are as its docstring says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def _has_sizes(definition: Any, entry: Any, sizes: Iterable[int]) -> bool:
    return bool(entry.got == str([*definition.shape[:2], *sizes])) if isinstance(entry.got, str) else False


def same_between_cells(definition: Any, entry: Any) -> bool:
    """With SAME the output ends at the last cell of X: stride * (in - 1) + 1, and output_padding."""
    return definition.automatic and not definition.sized and _has_sizes(definition, entry, (
        stride * (size - 1) + 1 + more
        for size, stride, more in zip(definition.sizes, definition.strides, definition.added, strict=True)))


def given_size_left_aside(definition: Any, entry: Any) -> bool:
    """The output has the size of a call without output_shape, with an output_padding of 1 along each axis."""
    rank = definition.rank
    return definition.sized and not definition.automatic and _has_sizes(definition, entry, (
        whole - more + 1 - definition.pads[axis] - definition.pads[rank + axis]
        for axis, (whole, more) in enumerate(zip(definition.whole, definition.added, strict=True))))


def nan_of_other_groups(definition: Any, entry: Any) -> bool:
    """Elements are NaN, as where the cells of other groups, which are not finite, count zero times."""
    return bool(definition.group > 1 and np.all(entry.got != entry.got) and not np.isfinite(definition.x).all())


SHAPES = {"same-between-cells": same_between_cells, "given-size-left-aside": given_size_left_aside}
"""Symptoms of another shape of Y, by their names."""
