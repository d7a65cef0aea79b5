"""Shared parts of the later revisions of SONNX MaxPool."""

from __future__ import annotations

from itertools import product

from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operators.sonnx.maxpool import MaxPool


class Revision(MaxPool):
    """A call of MaxPool in a later revision: no sentence on NaN, and no note on pads."""

    at_ends = ("stride", "dilation")  # pads are below the kernel


def empty_window_all_the_same(dilated: bool) -> tuple[str, int]:
    """Return the smallest call with an empty window though pads are below the kernel, in words, and the window.

    `dilated`: the dilated kernel is compared with the pads. Raises AssertionError if there is none."""
    for size, k, d, begin, end in product(range(1, 3), range(1, 4), range(1, 4), range(4), range(4)):
        windows = Geometry((size,), (k,), (1,), (d,), (begin,), (end,))
        kernel = windows.extents[0] if dilated else k
        empty = windows.empty_window(windows.floor_sizes) if windows.floor_sizes[0] > 0 else None
        if kernel > max(begin, end) and empty:
            assert d > 1
            return f"dX = {size}, k = {k}, d = {d}, pads {begin} and {end}", empty[1]
    raise AssertionError("the condition suffices within the bound")
