"""Symptoms of transposed convolutions: other sizes, and mixed groups.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements,
or the shape, are as its docstring says.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.families.window_symptoms import from_begin


def _has_sizes(definition: Any, entry: Any, sizes: Iterable[int]) -> bool:
    return bool(entry.got == str([*definition.shape[:2], *sizes])) if isinstance(entry.got, str) else False


def _same_between_cells(definition: Any, entry: Any) -> bool:
    """With SAME the output ends at the last cell of X: stride * (in - 1) + 1, and output_padding."""
    return definition.automatic and not definition.sized and _has_sizes(definition, entry, (
        stride * (size - 1) + 1 + more
        for size, stride, more in zip(definition.sizes, definition.strides, definition.added, strict=True)))


def _given_size_left_aside(definition: Any, entry: Any) -> bool:
    """The output has the size of a call without output_shape, with an output_padding of 1 along each axis."""
    rank = definition.rank
    return definition.sized and not definition.automatic and _has_sizes(definition, entry, (
        whole - more + 1 - definition.pads[axis] - definition.pads[rank + axis]
        for axis, (whole, more) in enumerate(zip(definition.whole, definition.added, strict=True))))


def _nan_of_other_groups(definition: Any, entry: Any) -> bool:
    """Elements are NaN, as where the cells of other groups, which are not finite, count zero times."""
    return bool(definition.group > 1 and np.all(entry.got != entry.got) and not np.isfinite(definition.x).all())


def _bias_of_the_first_group(definition: Any, entry: Any) -> bool:
    """Elements have, of each group, what B has for the first; padding that is negative may be split."""
    b, group = definition.b, definition.group
    if b is None or group == 1:
        return False
    call = replace(definition.call, inputs={**definition.inputs, "B": np.tile(b[:len(b) // group], group)})
    other = type(definition)(call, definition.version)
    begins = [definition.geometry.begin, definition.begins(definition.same_totals), definition.pads[:definition.rank]]
    return any(from_begin(other, entry, begin) for begin in begins)


def _pads_kept(definition: Any, entry: Any) -> bool:
    """Beside output_shape pads are not ignored: so much is cut off at the beginning."""
    return definition.sized and from_begin(definition, entry, definition.pads[:definition.rank])


def _other_split(definition: Any, entry: Any) -> bool:
    """An odd padding has its odd cell at the other end."""
    totals = [max(total, 0) for total in definition.same_totals]
    return from_begin(definition, entry, [total - begin for total, begin in
                                          zip(totals, definition.begins(totals), strict=True)])


def _cut_at_the_end(definition: Any, entry: Any) -> bool:
    """All of the padding that output_shape needs is cut off at the end."""
    return definition.sized and from_begin(definition, entry, [0] * definition.rank)


def _nothing_added(definition: Any, entry: Any) -> bool:
    """Elements are those of B alone, or zero without it."""
    if entry.where is None:
        return False
    alone = 0 if definition.b is None else definition.b[entry.where[:, 1]]
    return bool(np.all(entry.got == alone))


def _padding_added_is_cut(definition: Any, entry: Any) -> bool:
    """The output lacks as many cells as output_padding adds."""
    return _has_sizes(definition, entry, (
        max(size - more, 0) for size, more in zip(definition.counts, definition.added, strict=True)))


TRANSPOSED_SHAPES = {"same-between-cells": _same_between_cells, "given-size-left-aside": _given_size_left_aside,
                     "output-padding-cut": _padding_added_is_cut}
"""Symptoms of another shape of Y."""

TRANSPOSED = {"bias-of-the-first-group": _bias_of_the_first_group, "pads-kept": _pads_kept, "other-split": _other_split,
              "cut-at-the-end": _cut_at_the_end, "nothing-added": _nothing_added,
              "nan-of-other-groups": _nan_of_other_groups}
