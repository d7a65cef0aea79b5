"""Symptoms: what wrong elements look like. A known divergence names those it explains, so that it excuses nothing else.

Each is asked of one broken clause: do all its wrong elements look so? X is at hand, as are expected and got.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from plumbline.oracle import Call, Divergence, Spec


def _lowest_finite(call: Call, entry: Divergence) -> bool:
    """Y is the lowest finite value where it should be -inf."""
    dtype = call.inputs["X"].dtype
    return (entry.output == "Y" and dtype.kind == "f" and bool(np.all(entry.expected == -np.inf))
            and bool(np.all(entry.got == np.finfo(dtype).min)))


def _index_never_set(call: Call, entry: Divergence) -> bool:
    """Indices is what the coordinate -1 on every spatial axis comes to, in its plane, row by row or column by column:
    -4 for the first plane of 3x3."""
    x = call.inputs["X"]
    if entry.output != "Indices" or entry.where is None:
        return False
    sizes = x.shape[2:]
    planes = entry.where[:, 0] * x.shape[1] + entry.where[:, 1]
    inside = entry.got - planes * prod(sizes)
    rows = sum(prod(sizes[axis + 1:]) for axis in range(len(sizes)))
    columns = sum(prod(sizes[:axis]) for axis in range(len(sizes)))
    return bool(np.all(np.isin(inside, [-rows, -columns])))


def _index_zero(call: Call, entry: Divergence) -> bool:
    """Indices is 0: what a search that nothing in the window exceeded began with."""
    return entry.output == "Indices" and bool(np.all(entry.got == 0))


def _index_first_of_plane(call: Call, entry: Divergence) -> bool:
    """Indices is the first element of a plane: from there the search set out, and nothing exceeded it."""
    return entry.output == "Indices" and bool(np.all(entry.got % prod(call.inputs["X"].shape[2:]) == 0))


def _index_in_plane(call: Call, entry: Divergence) -> bool:
    """Indices counts from the first element of each plane: with the elements of the planes before added, it points at
    what it should point at."""
    x = call.inputs["X"]
    if entry.output != "Indices" or entry.where is None:
        return False
    plane = prod(x.shape[2:])
    index = entry.got + (entry.where[:, 0] * x.shape[1] + entry.where[:, 1]) * plane
    if not np.all((entry.got >= 0) & (entry.got < plane)):
        return False
    return bool(np.array_equal(x.ravel()[index], x.ravel()[entry.expected]))


def _nan_decides(call: Call, entry: Divergence) -> bool:
    """X holds a NaN that was taken for the maximum, or made the search forget a larger number before it: Y is NaN, or
    an element of X below the maximum, or -inf or the lowest finite value, where searches start; Indices points at a
    NaN, or nowhere (negative, or the size of a plane)."""
    x = call.inputs["X"]
    if x.dtype.kind != "f" or not np.isnan(x).any():
        return False
    if entry.output == "Y":
        smaller = (entry.got < entry.expected) & np.isin(entry.got, x)
        return bool(np.all(np.isnan(entry.got) | smaller | (entry.got <= np.finfo(x.dtype).min)))
    inside = (entry.got >= 0) & (entry.got < x.size)
    nowhere = (entry.got < 0) | (entry.got == prod(x.shape[2:]))
    return bool(np.all(nowhere | inside & np.isnan(x.ravel()[np.where(inside, entry.got, 0)])))


def _infinite_as_finite(call: Call, entry: Divergence) -> bool:
    """Y is the end of the finite range where it should be the infinity beyond it."""
    dtype = call.inputs["X"].dtype
    return (entry.output == "Y" and dtype.kind == "f" and bool(np.all(np.isinf(entry.expected)))
            and bool(np.all(entry.got == np.sign(entry.expected) * np.finfo(dtype).max)))


def _subnormal_as_zero(call: Call, entry: Divergence) -> bool:
    """Y is off by less than the smallest normal number, as when subnormal ones are taken for zero."""
    dtype = call.inputs["X"].dtype
    if entry.output != "Y" or dtype.kind != "f" or not np.all(np.isfinite(entry.expected) & np.isfinite(entry.got)):
        return False
    return bool(np.all(np.abs(entry.expected - entry.got) < np.finfo(dtype).smallest_normal))


def _single_precision(call: Call, entry: Divergence) -> bool:
    """X is float64, and what is wrong is right for X rounded to float32: Y holds values of float32 alone, Indices
    points at what float32 cannot tell from the maximum (nor an infinity from the end of its range), or at the first
    element of a plane where the maximum is the lowest value of float32, and so exceeds nothing."""
    x = call.inputs["X"]
    if x.dtype != np.float64:
        return False
    limit = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        if entry.output == "Y":
            return bool(np.all((entry.got == entry.got.astype(np.float32)) | np.isnan(entry.got)))
        flat = np.clip(x, -limit, limit).astype(np.float32).ravel()
    inside = (entry.got >= 0) & (entry.got < x.size)
    if not np.all(inside):
        return False
    never_set = (flat[entry.expected] == -limit) & (entry.got % prod(x.shape[2:]) == 0)
    return bool(np.all(never_set | (flat[entry.got] == flat[entry.expected])))


SYMPTOMS: dict[str, Callable[[Call, Divergence], bool]] = {
    "lowest-finite": _lowest_finite, "index-never-set": _index_never_set, "index-zero": _index_zero,
    "index-first-of-plane": _index_first_of_plane, "index-in-plane": _index_in_plane, "nan-decides": _nan_decides,
    "infinite-as-finite": _infinite_as_finite, "subnormal-as-zero": _subnormal_as_zero,
    "single-precision": _single_precision}


def symptoms_of(spec: Spec, call: Call, divergences: Sequence[Divergence]) -> tuple[str, ...]:
    """Those that every broken clause shows, restatements aside."""
    parts = [part for part in divergences if not spec.clauses[part.clause].restates]
    return tuple(name for name in SYMPTOMS if parts and all(shows([name], call, part) for part in parts))


def shows(names: list[str], call: Call, entry: Divergence) -> bool:
    """Whether a broken clause shows one of the symptoms named; any does when none is named."""
    elements = isinstance(entry.got, np.ndarray) and isinstance(entry.expected, np.ndarray)
    return not names or elements and any(SYMPTOMS[name](call, entry) for name in names)
