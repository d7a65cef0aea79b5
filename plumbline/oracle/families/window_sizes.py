"""Draw the sizes of calls with sliding windows: spatial axes, size classes.

Each axis is chosen by itself, so that axes are unequal. Nearly all calls are small; the others have sizes at which
kernels change their path: channels and widths around the blocks of vector units, long reductions, global windows,
layers of well-known networks, and strides and dilations at the ends of their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil
from typing import NamedTuple

import numpy as np

from plumbline.oracle.operator import Choose
from plumbline.oracle.size_classes import BATCHES, Named


class Axis(NamedTuple):
    """A spatial axis of X and of the windows over it."""

    size: int
    kernel: int
    stride: int
    dilation: int
    begin: int
    end: int
    added: int = 0
    """Cells that are added at the end of an output that is larger than X."""


LARGEST = Axis(9, 4, 4, 3, 3, 3)
"""The bound within which a small axis is chosen."""

GROUPS = {"plain": 0.3, "dilated": 0.2, "padded": 0.3, "dilated and padded": 0.17, "pad reaches the kernel": 0.03,
          "nothing selected": 0.0, "no window fits": 0.0}
"""How often each group of axes is drawn: by their numbers alone, hardly any axis would be plain. The last two are left
open by most texts, and left to exhaustive searches."""

SIZE_CLASSES = {"small": 0.912, "many channels": 0.05, "wide": 0.016, "batches": 0.006, "long": 0.006, "global": 0.006,
                "blocks": 0.0, "network": 0.001, "ends": 0.003, "large": 0.0}
"""How often each size class is drawn."""

BLOCKS = (15, 16, 17, 31, 32, 33, 64, 65, 128, 1, 3, 4, 7, 8)
"""Sizes at and around the blocks of kernels."""

WIDE = (15, 16, 17, 31, 32, 33, 64, 65, 128, 257)
LONG = (7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 1000)
ENDS = (2**31 - 1, 2**31, 2**32, 2**62)
"""Widths, kernels of one axis, and strides, dilations and pads."""

AT_ENDS = {"stride": 0.45, "dilation": 0.45, "padding": 0.1, "kernel": 1e-5}
"""How often each is drawn. A kernel that large hardly ever is: code that goes from cell to cell never ends. A campaign
in contexts draws one in some 16,000 calls."""

MANY_WINDOWS = 70_000
"""About how many there are where the output is large."""

NETWORKS = (
    # size, kernel, stride, pad of each of two axes; channels
    (7, 7, 1, 0, 512), (13, 3, 2, 0, 256), (56, 2, 2, 0, 16), (28, 3, 1, 1, 32), (112, 3, 2, 1, 64))
"""Global pooling and the pooling layers of AlexNet, VGG, Inception and ResNet."""

HALVED = (27, 2, 2, 0, 16)
"""A layer that is tried in every mode."""


@dataclass(frozen=True)
class Sizes:
    """The sizes that a size class chooses."""

    axes: tuple[Axis, ...]
    batches: int
    channels: int


@cache
def axes(dilated: bool) -> dict[str, tuple[Axis, ...]]:
    """Every axis within the bound by group, the smallest numbers first; undilated ones alone where so wanted."""
    ranges = [range(low, high + 1) for low, high in zip((1, 1, 1, 1, 0, 0), LARGEST[:6], strict=True)]
    grid = np.array(sorted(product(*ranges), key=lambda row: (sum(row), row)))
    size, kernel, stride, dilation, begin, end = grid.T
    counts = (size + begin + end - dilation * (kernel - 1) - 1) // stride + 1
    window, tap = np.arange(counts.max())[:, None, None], np.arange(LARGEST.kernel)[:, None]
    places = window * stride + tap * dilation - begin
    selects = ((places >= 0) & (places < size) & (tap < kernel)).any(axis=1)
    kind = np.select(
        [counts < 1, ~(selects | (window[:, 0] >= counts)).all(axis=0), np.maximum(begin, end) >= kernel,
         (dilation > 1) & (begin + end > 0), begin + end > 0, dilation > 1],
        ["no window fits", "nothing selected", "pad reaches the kernel", "dilated and padded", "padded", "dilated"],
        "plain")
    kept = (dilation == 1) | dilated
    return {name: tuple(Axis(*row) for row in grid[(kind == name) & kept].tolist()) for name in GROUPS}


@cache
def _groups(dilated: bool, padded: bool) -> tuple[tuple[tuple[Axis, ...], ...], tuple[float, ...]]:
    """The groups of axes to choose from, and how often each is drawn."""
    known = axes(dilated)
    names = [name for name in GROUPS if known[name] and (padded or name in ("plain", "dilated", "no window fits"))]
    return tuple(known[name] for name in names), tuple(GROUPS[name] for name in names)


def axis(choose: Choose, dilated: bool, padded: bool) -> Axis:
    """A small axis."""
    return choose(choose(*_groups(dilated, padded)))


SMALL, FEW = (1, 2, 3), (0.33, 0.33, 0.33, 0.006)


def sizes(choose: Choose, ranks: tuple[int, ...], at_ends: Sequence[str], dilated: bool, padded: bool) -> Sizes:
    """Draw the spatial axes, batches and channels of a call with a rank in `ranks`.

    at_ends: what of `AT_ENDS` may be at an end of its type; dilated, padded: whether axes may have dilations, and need
    their padding."""
    rank = choose(ranks, RANKS[len(ranks)])
    size_class = choose(Named("stratum", SIZE_CLASSES), tuple(SIZE_CLASSES.values()))
    drawn = [axis(choose, dilated, padded) for _ in range(rank)]
    batches, channels = choose((*SMALL, 0), FEW), choose((*SMALL, 0), FEW)
    if size_class == "many channels":
        channels = choose(BLOCKS + tuple(range(9, 41)))
    elif size_class == "wide":
        drawn[-1] = drawn[-1]._replace(size=choose(WIDE))
    elif size_class == "batches":
        batches = choose(Named("batches", BATCHES))
    elif size_class == "blocks":
        channels = choose(Named("channels", BLOCKS))
        drawn[-1] = drawn[-1]._replace(size=choose(Named("columns", WIDE)))
    elif size_class in ("long", "global"):
        length = choose(Named(size_class, LONG[:-3] if rank > 1 else LONG))
        most = length - 1 if size_class == "long" else 0
        drawn[-1] = drawn[-1]._replace(size=length + (choose((1, 3)) if size_class == "long" else 0), kernel=length,
                                       dilation=1, begin=min(drawn[-1].begin, most), end=min(drawn[-1].end, most))
        if size_class == "global":
            drawn[:-1] = [Axis(one.size, one.size, 1, 1, 0, 0) for one in drawn[:-1]]
    elif size_class == "network":
        size, kernel, stride, pad, channels = choose(Named("layer", NETWORKS))
        drawn, batches = [Axis(size, kernel, stride, 1, pad, pad)] * (2 if 2 in ranks else rank), 1
    elif size_class == "ends":
        kept = [name for name in at_ends if padded or name not in ("padding", "kernel")]
        name = choose(Named("at end", kept), [AT_ENDS[name] for name in kept])
        drawn[-1] = _at_end(drawn[-1], name, choose(Named(name, ENDS)))
    elif size_class == "large":
        size = ceil(MANY_WINDOWS ** (1 / rank))
        drawn, batches, channels = [Axis(size + 1, 2, 1, 1, 0, 0)] * rank, 1, 1
    if not padded:
        drawn = [one._replace(begin=0, end=0) for one in drawn]
    return Sizes(tuple(drawn), batches, channels)


def _at_end(axis: Axis, name: str, value: int) -> Axis:
    """Return an axis with a number at an end of its type; no window is in padding alone. Of so much padding each
    window has one cell, as far behind X: without it no window fits."""
    if name == "stride":
        return axis._replace(stride=value)
    if name == "dilation":
        return axis._replace(kernel=1, dilation=value, begin=0, end=0)
    if name == "kernel":
        return axis._replace(kernel=value, dilation=1, begin=0, end=value - 1)
    return axis._replace(kernel=2, dilation=value, begin=0, end=value)


RANKS: dict[int, Sequence[float]] = {1: (1.0,), 3: (0.3, 0.6, 0.1)}
"""How often each number of spatial axes is drawn, of one or of three."""
