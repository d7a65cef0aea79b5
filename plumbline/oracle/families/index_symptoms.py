"""Symptoms of wrong maxima (Y) and of wrong indices (Indices).

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide


def _index_never_set(definition: Any, entry: Any) -> bool:
    """Indices is what the coordinate -1 on every spatial axis comes to, in its plane, row by row or column by column:
    -4 for the first plane of 3x3."""
    if entry.output != "Indices" or entry.where is None:
        return False
    sizes = definition.x.shape[2:]
    planes = entry.where[:, 0] * definition.x.shape[1] + entry.where[:, 1]
    inside = entry.got - planes * prod(sizes)
    rows = sum(prod(sizes[axis + 1:]) for axis in range(len(sizes)))
    columns = sum(prod(sizes[:axis]) for axis in range(len(sizes)))
    return bool(np.all(np.isin(inside, [-rows, -columns])))


def _index_zero(definition: Any, entry: Any) -> bool:
    """Indices is 0: what a search that nothing in the window exceeded began with."""
    return entry.output == "Indices" and bool(np.all(entry.got == 0))


def _index_first_of_plane(definition: Any, entry: Any) -> bool:
    """Indices is the first element of a plane: from there the search set out, and nothing exceeded it."""
    return entry.output == "Indices" and bool(np.all(entry.got % prod(definition.x.shape[2:]) == 0))


def _index_in_plane(definition: Any, entry: Any) -> bool:
    """Indices counts from the first element of each plane: with the elements of the planes before added, it points at
    what it should point at."""
    if entry.output != "Indices" or entry.where is None:
        return False
    x, plane = definition.x, prod(definition.x.shape[2:])
    index = entry.got + (entry.where[:, 0] * x.shape[1] + entry.where[:, 1]) * plane
    if not np.all((entry.got >= 0) & (entry.got < plane)):
        return False
    return bool(np.array_equal(x.ravel()[index], x.ravel()[entry.expected]))


def _index_in_batch(definition: Any, entry: Any) -> bool:
    """Indices counts row by row from the first element of each batch: with the elements of the batches before added, it
    points at a maximum of its window."""
    if entry.output != "Indices" or entry.where is None:
        return False
    batch, at, index = prod(definition.x.shape[1:]), tuple(entry.where.T), definition.maxima.indices.copy()
    index[at] = entry.got + entry.where[:, 0] * batch
    return bool((entry.got < batch).all() and definition.maxima.selects_maximum_at(index)[at].all())


def _never_set(definition: Any, entry: Any) -> bool:
    """The window holds nothing above the lowest number of float32, or nothing but NaN; Y is 0, and Indices the first
    element of a plane."""
    if entry.where is None:
        return False
    x, maxima = definition.x, definition.maxima
    with np.errstate(over="ignore"):
        right = maxima.values[tuple(entry.where.T)].astype(np.float32).reshape(-1)
    nothing = (right != right) | (right <= np.finfo(np.float32).min)
    got = entry.got if entry.output == "Y" else entry.got % prod(x.shape[2:])
    return bool(np.all(nothing & (got == 0)))


def _unfolded_by_output(definition: Any, entry: Any) -> bool:
    """Indices is the position of the maximum in its window, unfolded with the sizes of the output instead of those of
    the kernel and added to the position of the window, without batch and channel. Padding and NaN count as the smallest
    element of the window, and -inf as the lowest number. Windows may begin at the first cell of X."""
    if entry.output != "Indices" or entry.where is None or not definition.x.size:
        return False
    windows, sizes, place = definition.geometry, definition.x.shape[2:], entry.where[:, 2:].T
    start = place * np.array(windows.strides)[:, None] - np.array(windows.begin)[:, None]
    first = definition.maxima.indices[tuple(entry.where.T)] % prod(sizes)
    inside = np.array(np.unravel_index(first, sizes)) - start
    if (inside < 0).any() or (inside >= np.array(windows.kernel)[:, None]).any():
        return False
    before = 0 if definition.automatic else np.array(windows.begin)[:, None]
    steps = np.array([prod(sizes[axis + 1:]) for axis in range(len(sizes))])[:, None]

    def unfolded(position: np.ndarray) -> np.ndarray:
        folded = np.empty_like(inside)
        for axis in range(len(sizes) - 1, 0, -1):
            position, folded[axis] = np.divmod(position, definition.counts[axis])
        folded[0] = position
        return np.asarray(((folded + place - before) * steps).sum(axis=0))

    position = np.ravel_multi_index(tuple(inside), windows.kernel)
    for begin in (start, start if definition.automatic else place * np.array(windows.strides)[:, None]):
        for number in np.flatnonzero(entry.got != unfolded(position)):
            position[number] = _first_of_window(definition, entry.where[number, :2], begin[:, number])
    return bool((entry.got == unfolded(position)).all())


def _first_of_window(definition: Any, plane: np.ndarray, start: np.ndarray) -> int:
    """The position of the maximum in the window that begins at `start`, where NaN and padding count as the smallest."""
    x, kernel = definition.x[tuple(plane)], definition.geometry.kernel
    window = np.full(kernel, np.nan, x.dtype if is_float(x.dtype) else float)
    cells = x[tuple(slice(max(at, 0), max(at + size, 0)) for at, size in zip(start, kernel, strict=True))]
    window[tuple(slice(max(-at, 0), max(-at, 0) + size) for at, size in zip(start, cells.shape, strict=True))] = cells
    if np.isnan(window).all():
        return 0
    return int(np.argmax(np.nan_to_num(window, nan=np.nanmin(window))))


def _index_in_padded_plane(definition: Any, entry: Any) -> bool:
    """Indices counts within the padded plane: it points there at what it should point at, or at padding, or before the
    plane."""
    windows = definition.geometry
    sizes = [begin + size + end for begin, size, end in zip(windows.begin, windows.sizes, windows.end, strict=True)]
    if entry.output != "Indices" or entry.where is None or not 0 < prod(sizes) < 2**31:
        return False
    index = np.clip(entry.got.astype(np.int64), 0, prod(sizes) - 1)
    cells = np.array(np.unravel_index(index, sizes)) - np.array(windows.begin)[:, None]
    limits = np.array(windows.sizes)[:, None]
    inside = (entry.got >= 0) & (entry.got < prod(sizes)) & ((cells >= 0) & (cells < limits)).all(axis=0)
    pointed = definition.x[(*entry.where[:, :2].T, *np.clip(cells, 0, limits - 1))]
    wanted = definition.x.ravel()[np.clip(entry.expected.astype(np.int64), 0, definition.x.size - 1)]
    return bool(np.all(~inside & (entry.got < prod(sizes)) | inside & (pointed == wanted)))


def _nan_decides(definition: Any, entry: Any) -> bool:
    """X holds a NaN that was taken for the maximum, or made the search forget a larger number before it: Y is NaN, or
    an element of X below the maximum, or -inf or the lowest finite value, where searches start; Indices points at a
    NaN, or nowhere (negative, or the size of a plane)."""
    x = definition.x
    if not is_float(x.dtype) or not (x != x).any():
        return False
    if entry.output == "Y":
        smaller = (entry.got < entry.expected) & np.isin(entry.got, x)
        lowest = -float(PRECISION[x.dtype.name][2])
        return bool(np.all((entry.got != entry.got) | smaller | (entry.got <= lowest)))
    inside = (entry.got >= 0) & (entry.got < x.size)
    nowhere = (entry.got < 0) | (entry.got == prod(x.shape[2:]))
    at_nan = x.ravel()[np.where(inside, entry.got, 0)]
    return bool(np.all(nowhere | inside & (at_nan != at_nan)))


def _single_precision(definition: Any, entry: Any) -> bool:
    """X is float64, and Indices points at what float32 cannot tell from the maximum (nor an infinity from the end of
    its range), or at the first element of a plane where the maximum is the lowest value of float32, and so exceeds
    nothing."""
    x, limit = definition.x, np.finfo(np.float32).max
    if entry.output != "Indices" or x.dtype != np.float64 or not np.all((entry.got >= 0) & (entry.got < x.size)):
        return False
    with np.errstate(invalid="ignore"):
        flat = np.clip(x, -limit, limit).astype(np.float32).ravel()
    never_set = (flat[entry.expected] == -limit) & (entry.got % prod(x.shape[2:]) == 0)
    return bool(np.all(never_set | (flat[entry.got] == flat[entry.expected])))


def _search_from_below(definition: Any, entry: Any) -> bool:
    """Y is -16777216: what a search that nothing in the window exceeded began with."""
    return entry.output == "Y" and bool(np.all(entry.got.astype(Wide) == -2**24))


def _column_major_transposed(definition: Any, entry: Any) -> bool:
    """Indices counts row by row, and its spatial axes are in reverse order: it has that shape, or points at what it
    should point at, of float64 at what float32 cannot tell from that."""
    return _transposed(definition, entry, {})


def _column_major_nothing_before(definition: Any, entry: Any) -> bool:
    """As column-major-transposed, of windows before which auto_pad SAME pads nothing."""
    windows = definition.geometry
    totals = map(sum, zip(windows.begin, windows.end, strict=True))
    moved = replace(windows, begin=(0,) * definition.rank, end=tuple(totals))
    return definition.automatic and _transposed(definition, entry, {"geometry": moved})


def _transposed(definition: Any, entry: Any, windows: dict[str, Any]) -> bool:
    if entry.output != "Indices" or definition.attributes.get("storage_order") != 1:
        return False
    rows = definition.with_attribute("storage_order", 0).with_windows(**windows).canonical["Indices"]
    turned = rows.transpose(0, 1, *reversed(range(2, rows.ndim)))
    if not isinstance(entry.got, np.ndarray):
        return bool(entry.got == str(list(turned.shape)))
    values = definition.x.ravel()
    if entry.where is None or turned.shape != rows.shape or not np.all((entry.got >= 0) & (entry.got < len(values))):
        return False
    with np.errstate(over="ignore"):
        values = values.astype(np.float32) if values.dtype == np.float64 else values
    return bool(np.array_equal(values[entry.got], values[turned[tuple(entry.where.T)]]))


SHAPE_SYMPTOMS = {"column-major-transposed": _column_major_transposed}
SYMPTOMS = {**SHAPE_SYMPTOMS, "column-major-nothing-before": _column_major_nothing_before,
            "search-from-below": _search_from_below, "index-never-set": _index_never_set,
            "index-zero": _index_zero,
            "index-first-of-plane": _index_first_of_plane, "index-in-plane": _index_in_plane,
            "index-in-batch": _index_in_batch, "never-set": _never_set, "unfolded-by-output": _unfolded_by_output,
            "index-in-padded-plane": _index_in_padded_plane,
            "nan-decides": _nan_decides, "single-precision": _single_precision}
