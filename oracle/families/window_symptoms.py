"""What wrong outputs of windows look like: symptoms of every operator whose windows may be padded automatically.

Each is asked of the home of a call and of one broken clause whose elements are at hand: do all wrong elements look so?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any


def _begins(home: Any, entry: Any, begin: Sequence[int]) -> bool:
    """Whether wrong elements are what windows give that begin so far before X, as many as there are to be."""
    if not home.automatic or entry.where is None:
        return False
    windows, other = home.geometry, type(home)(home.call, home.version)
    other.geometry = replace(windows, begin=tuple(begin), end=tuple(
        max(total - before, 0) for total, before in zip(home.same_totals, begin, strict=True)))
    got, at = other.canonical[entry.output].copy(), tuple(entry.where.T)
    got[at] = entry.got
    return bool(other.conforms(entry.output, got)[at].all())


def _half_the_kernel(home: Any, entry: Any) -> bool:
    """With auto_pad SAME (kernel_shape - 1)/2 cells are padded at the beginning, whatever stride and dilation are."""
    return _begins(home, entry, [(size - 1) // 2 for size in home.geometry.kernel])


def _nothing_before(home: Any, entry: Any) -> bool:
    """With auto_pad SAME nothing is padded at the beginning."""
    return _begins(home, entry, [0] * home.rank)


def _without_dilation(home: Any, entry: Any) -> bool:
    """With auto_pad SAME the padding is that of the kernel without its dilation; where that is below zero, cells
    are left out, or none are padded."""
    windows, more = home.geometry, home.auto_pad == "SAME_LOWER"
    begins = [int(((count - 1) * stride + size - cells + more) / 2) for count, stride, size, cells in
              zip(home.counts, windows.strides, windows.kernel, windows.sizes, strict=True)]
    return any(_begins(home, entry, begin) for begin in (begins, [max(before, 0) for before in begins]))


def _behind_the_first_row(home: Any, entry: Any) -> bool:
    """Elements stand behind the first row of their plane."""
    return entry.where is not None and entry.where.shape[1] > 3 and bool((entry.where[:, -2] > 0).all())


SYMPTOMS = {"behind-the-first-row": _behind_the_first_row, "same-without-dilation": _without_dilation,
            "same-half-the-kernel": _half_the_kernel, "same-nothing-before": _nothing_before}
