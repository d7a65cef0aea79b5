"""Symptoms of operators whose windows may be padded.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide

COUNTS, ELEMENTS = 1024, 256
"""Numbers of cells that a mean may be over, and how many of its elements are looked at where there are more."""

CLOSE, NEAR = 64, 16
"""Roundings that an element may be off by where another count is asked for, and where it is known."""


def from_begin(definition: Any, entry: Any, begin: Sequence[int], counts: bool = False, cut: Sequence[int] = ()
               ) -> bool:
    """Return True if all wrong elements of `entry` are those of windows that begin elsewhere.

    `begin` is how far before X windows begin on each axis, and `cut` how many last cells of X count as padding. With
    `counts`, means and norms may be over another number of cells."""
    if entry.where is None:
        return False
    windows, x = definition.geometry, definition.x
    sizes = [max(size - less, 0) for size, less in zip(windows.sizes, cut or [0] * len(windows.sizes), strict=True)]
    if 0 in sizes:
        return False
    inputs = {**definition.inputs, next(iter(definition.inputs)): x[(..., *map(slice, sizes))]}
    other = type(definition)(replace(definition.call, inputs=inputs), definition.version)
    other.counts = definition.counts
    totals = definition.same_totals if definition.automatic else map(sum, zip(windows.begin, windows.end, strict=True))
    other.geometry = replace(windows, sizes=tuple(sizes), begin=tuple(begin), end=tuple(
        max(total - before, 0) + size - left
        for total, before, size, left in zip(totals, begin, windows.sizes, sizes, strict=True)))
    wanted, at = other.canonical[entry.output], tuple(entry.where.T)
    got = wanted.copy()
    with np.errstate(over="ignore", invalid="ignore"):
        got[at] = entry.got
    fits = other.conforms(entry.output, got)[at] | (got == wanted)[at] | ((got != got) & (wanted != wanted))[at]
    if fits.all() or not counts:
        return bool(fits.all())
    some = np.flatnonzero(~fits)
    some = some[::max(1, len(some) // ELEMENTS)]
    return bool(_over_another_count(other, entry.output, entry.got[some], wanted[at][some]).all())


def _over_another_count(definition: Any, output: str, got: np.ndarray, right: np.ndarray) -> np.ndarray:
    """bool (n,): which means or norms, of windows without weights, are those of the same sum over another number of the
    cells of the kernel."""
    cells, power = np.arange(1, min(prod(definition.geometry.kernel), COUNTS) + 1), float(getattr(definition, "p", 1))
    if definition.values != "sum" or len(definition.inputs) > 1 or not is_float(right.dtype) or not is_float(got.dtype):
        return np.zeros(len(got), bool)
    with np.errstate(all="ignore"):
        wide = right.astype(Wide)
        ratios = (got.astype(Wide) / wide) ** power
        over = np.rint(cells / ratios[:, None])
        precision, allowed = float(PRECISION[right.dtype.name][0]), definition.tolerance().get(output, 0)
        off = CLOSE * precision + allowed / np.abs(wide[:, None])
        near = np.abs(over * ratios[:, None] - cells) <= power * off * cells
    return np.asarray((near & (over >= 1) & (over <= len(cells))).any(axis=1) | (got == right))


def _another_count(definition: Any, entry: Any) -> bool:
    """Elements are the mean or the norm of their window over another number of cells of the kernel."""
    return from_begin(definition, entry, definition.geometry.begin, counts=True)


def _over_cells_within(definition: Any, entry: Any) -> bool:
    """Elements are the norm of their window from the mean over its cells within the padded X, times all of its
    cells."""
    windows, right = definition.geometry, definition.canonical[entry.output]
    power = getattr(definition, "p", 0)
    if not power or entry.where is None or not is_float(right.dtype):
        return False
    within = np.ones(len(entry.where), Wide)
    for axis, (stride, cells, dilation, room) in enumerate(zip(
            windows.strides, windows.kernel, windows.dilations,
            map(sum, zip(windows.sizes, windows.begin, windows.end, strict=True)), strict=True)):
        left = room - entry.where[:, 2 + axis] * stride
        within *= np.clip(-(-left // dilation), 1, cells)
    precision, allowed = float(PRECISION[right.dtype.name][0]), definition.tolerance().get(entry.output, 0)
    with np.errstate(all="ignore"):
        wanted = right[tuple(entry.where.T)].astype(Wide) * (prod(windows.kernel) / within) ** (1 / power)
        off = np.abs(entry.got.astype(Wide) - wanted)
    most = float(PRECISION[right.dtype.name][2])
    return bool(np.all((off <= NEAR * precision * np.abs(wanted) + allowed) | (wanted > most) & np.isinf(entry.got)))


def _padding_counted(definition: Any, entry: Any) -> bool:
    """Elements are means over all cells of their window, padding as zeros, but for cells that are NaN."""
    if entry.where is None or not is_float(definition.x.dtype) or len(definition.inputs) > 1:
        return False  # channels of a convolution are not those of X
    precision, tiny, _ = map(float, PRECISION[definition.x.dtype.name])
    for number in range(0, len(entry.where), max(1, len(entry.where) // ELEMENTS)):
        place = tuple(entry.where[number].tolist())
        values = np.array([definition.x[(*place[:2], *cell)] if all(
            0 <= at < size for at, size in zip(cell, definition.sizes, strict=True)) else 0
                           for cell in definition.window(place[2:])], Wide)
        values = values[values == values]
        if not len(values):
            return False
        with np.errstate(all="ignore"):
            off = np.abs(Wide(entry.got[number]) - values.mean())
            is_near = off <= CLOSE * precision * np.abs(values).mean() + CLOSE * tiny and np.isfinite(off)
            if not is_near and not (
                    np.isinf(entry.got[number]) and entry.got[number] == values.sum().astype(definition.x.dtype)):
                return False
    return True


def _strides_before_padding(definition: Any, entry: Any) -> bool:
    """The output is that of X of which the strides left every so many cells, padded then."""
    name, steps = next(iter(definition.inputs)), (slice(None, None, stride) for stride in definition.strides)
    call = replace(definition.call, inputs={**definition.inputs, name: definition.x[(..., *steps)]},
                   attributes={**definition.attributes, "strides": [1] * definition.rank})
    other = type(definition)(call, definition.version)
    if not isinstance(entry.got, np.ndarray):
        return bool(entry.got == str(list(other.shape)))
    return other.shape == definition.shape and _given_by(other, entry)


def _given_by(other: Any, entry: Any) -> bool:
    """Return True if another call with an output of the same shape may give all wrong elements."""
    got, at = other.canonical[entry.output].copy(), tuple(entry.where.T)
    got[at] = entry.got
    return bool(other.conforms(entry.output, got)[at].all())


def _half_the_kernel(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME (kernel_shape - 1)/2 cells are padded at the beginning, whatever stride and dilation are."""
    begin = [(size - 1) // 2 for size in definition.geometry.kernel]
    return definition.automatic and from_begin(definition, entry, begin)


def _nothing_before(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME nothing is padded at the beginning."""
    return definition.automatic and from_begin(definition, entry, [0] * definition.rank)


def _without_dilation(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME the padding is that of the kernel without its dilation; where that is below zero, cells
    are left out, or none are padded. Elements for which no window is left may be 0; a mean may be over another number
    of cells."""
    windows, more = definition.geometry, definition.auto_pad == "SAME_LOWER"
    if entry.where is None or not definition.automatic:
        return False
    totals = [(count - 1) * stride + cells - size for count, stride, cells, size in
              zip(definition.counts, windows.strides, windows.kernel, windows.sizes, strict=True)]
    left = [(size + total - extent) // stride + 1 for size, total, extent, stride in
            zip(windows.sizes, totals, windows.extents, windows.strides, strict=True)]
    zero = (entry.where[:, 2:] >= left).any(axis=1) & (entry.got == 0)
    begins = [int((total + more) / 2) for total in totals]
    rest = replace(entry, where=entry.where[~zero], expected=entry.expected[~zero], got=entry.got[~zero])
    return bool(zero.all()) or any(from_begin(definition, rest, begin, counts=True)
                                   for begin in (begins, [max(before, 0) for before in begins]))


def _without_dilation_nor_nan(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME the padding is that of the kernel without its dilation, and a norm is that of the cells that
    are no NaN, by their mean."""
    x = definition.x
    if not is_float(x.dtype) or not np.isnan(x).any():
        return False
    inputs = {**definition.inputs, next(iter(definition.inputs)): np.where(np.isnan(x), x.dtype.type(0), x)}
    return _without_dilation(type(definition)(replace(definition.call, inputs=inputs), definition.version), entry)


def _unpadded(definition: Any, entry: Any) -> bool:
    """X is not padded, and windows begin at its first cell."""
    return not definition.automatic and from_begin(definition, entry, [0] * definition.rank)


def _same_made_even(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME padding below zero is a cell less, with SAME_LOWER two, and its half rounded towards zero."""
    lower = definition.auto_pad == "SAME_LOWER"
    begin = [int((total + (total < 0) + lower) / 2) for total in definition.same_totals] if definition.automatic else []
    return definition.automatic and from_begin(definition, entry, begin)


def _lower_as_upper(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME_LOWER the odd cell of the padding is at the end, as with SAME_UPPER."""
    begin = [total // 2 for total in definition.same_totals]
    return definition.auto_pad == "SAME_LOWER" and from_begin(definition, entry, begin)


def _nothing_before_in_batch(definition: Any, entry: Any) -> bool:
    """With auto_pad SAME nothing is padded at the beginning, and Indices counts from the first element of each
    batch."""
    if entry.output != "Indices" or entry.where is None:
        return False
    batch = prod(definition.x.shape[1:])
    return bool((entry.got < batch).all()) and _nothing_before(
        definition, replace(entry, got=entry.got + entry.where[:, 0] * batch))


def _room_before(definition: Any, entry: Any) -> bool:
    """The room that the last window lacks is added at the beginning too, whole or a half of it, and windows move; as
    many of the last cells of X may never be read. A mean or a norm may be over another number of cells."""
    windows = definition.geometry
    rooms = [max((count - 1) * stride + extent - size - begin - end, 0) for count, stride, extent, size, begin, end in
             zip(definition.counts, windows.strides, windows.extents, windows.sizes, windows.begin, windows.end,
                 strict=True)]
    return any(rooms) and any(
        from_begin(definition, entry, [sum(pair) for pair in zip(windows.begin, moved, strict=True)], True, cut)
        for moved in ([room // 2 for room in rooms], rooms) for cut in ((), moved))


def _behind_the_first_row(definition: Any, entry: Any) -> bool:
    """Elements stand behind the first row of their plane."""
    return entry.where is not None and entry.where.shape[1] > 3 and bool((entry.where[:, -2] > 0).all())


def _channels_last(definition: Any, entry: Any) -> bool:
    """Elements are those of an output with its channels last, read as if they were its second axis."""
    right = definition.canonical[entry.output]
    read = np.moveaxis(right, 1, -1).reshape(right.shape)
    return entry.where is not None and np.array_equal(read[tuple(entry.where.T)], entry.got)


def _dilations_lost(definition: Any, entry: Any) -> bool:
    """The output has the shape that dilations of 1 give; where that is the right shape, elements have those values."""
    if max(definition.dilations) < 2:
        return False
    other = definition.with_attribute("dilations", [1] * definition.rank)
    if not isinstance(entry.got, np.ndarray):
        return bool(entry.got == str(list(other.shape)))
    return entry.where is not None and other.shape == definition.shape and _given_by(other, entry)


SHAPE_SYMPTOMS = {"dilations-lost": _dilations_lost, "strides-before-padding": _strides_before_padding}
SYMPTOMS = {**SHAPE_SYMPTOMS, "behind-the-first-row": _behind_the_first_row, "same-without-dilation": _without_dilation,
            "same-without-dilation-nor-nan": _without_dilation_nor_nan,
            "same-made-even": _same_made_even, "same-half-the-kernel": _half_the_kernel,
            "same-nothing-before": _nothing_before, "same-nothing-before-in-batch": _nothing_before_in_batch,
            "same-lower-as-upper": _lower_as_upper, "room-before": _room_before, "another-count": _another_count,
            "over-cells-within": _over_cells_within, "padding-counted": _padding_counted,
            "channels-last": _channels_last, "windows-unpadded": _unpadded}
