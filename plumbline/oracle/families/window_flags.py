"""Features of calls with sliding windows by which causes are told apart, each with why it tells something.

Each is asked of the home of a call (`oracle.families.pooling.Windowed`). Those of `OF_WINDOWS` need windows that can be
laid out; the others hold for malformed calls too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Flag = tuple[str, Callable[[Any], bool]]


def well_formed(home: Any) -> bool:
    """Whether windows can be laid out over the spatial axes of X."""
    lists = (home.kernel, home.strides, home.dilations)
    return (home.rank >= 1 and all(values is not None and len(values) == home.rank for values in lists)
            and home.pads is not None and len(home.pads) == 2 * home.rank and min(home.strides) > 0)


def _same(home: Any) -> bool:
    return home.auto_pad in ("SAME_UPPER", "SAME_LOWER")


def _switch(name: str) -> Callable[[Any], bool]:
    return lambda home: home.attributes.get(name) == 1


def _dilated(home: Any) -> bool:
    return any(value != 1 for value in home.dilations or ())


def _axes(home: Any) -> Any:
    """Size, kernel, stride, dilated kernel and both pads, as given, of each spatial axis."""
    return zip(home.sizes, home.kernel, home.strides, home.extents, home.pads[:home.rank], home.pads[home.rank:],
               strict=True)


def _beyond(home: Any) -> bool:
    return home.auto_pad == "NOTSET" and home.attributes.get("ceil_mode") == 1 and any(
        -(-(size + begin + end - extent) // s) * s >= size + begin for size, _, s, extent, begin, end in _axes(home))


OF_ATTRIBUTES: dict[str, Flag] = {
    "padded": (
        "Some pad is above zero. Runtimes differ in the constant, the origin of windows and the index.",
        lambda home: any(home.pads or ())),
    "dilated": (
        "Some dilation is above one. Fast kernels often ignore it or refuse it together with pads.", _dilated),
    "dilations-given": (
        "dilations is given, be it 1. Operators that a node is turned into may have no such attribute.",
        lambda home: "dilations" in home.attributes),
    "31-bits": (
        "A kernel, stride, dilation or pad is 2**31 - 1 or more. Engines hold it in 32 bits, or leave them on the way.",
        lambda home: any(value >= 2**31 - 1 for values in (home.kernel, home.strides, home.dilations, home.pads)
                         for value in values or ())),
    "far-kernel": (
        "A kernel has 2**31 - 1 cells or more along an axis. What goes from cell to cell does not come to an end.",
        lambda home: any(size >= 2**31 - 1 for size in home.kernel or ())),
    "same-dilated": (
        "auto_pad is SAME and some dilation above one. Sizes and padding are then often computed without the dilation.",
        lambda home: _same(home) and _dilated(home)),
    "valid-ceil": (
        "auto_pad is VALID and ceil_mode 1. The formula for VALID has no window beyond X; engines often add one.",
        lambda home: home.auto_pad == "VALID" and home.attributes.get("ceil_mode") == 1),
    "counts-padding": (
        "count_include_pad is 1. Kernels lose the pads of one end, or count cells beyond the padding.",
        _switch("count_include_pad")),
    "unit-steps": (
        "Every stride and dilation is 1. Implementations that came by strides later kept their first path for these.",
        lambda home: {*(home.strides or ()), *(home.dilations or ())} <= {1}),
    "same": (
        "auto_pad is SAME_UPPER or SAME_LOWER. The padding is then computed, or forgotten, by the engine itself.",
        _same),
    "same-lower": (
        "auto_pad is SAME_LOWER. Few models use it: sizes are rounded down, odd padding goes to the wrong end.",
        lambda home: home.auto_pad == "SAME_LOWER"),
    "valid-dilated": (
        "auto_pad is VALID and some dilation above one. Sizes are then often computed without the dilation.",
        lambda home: home.auto_pad == "VALID" and _dilated(home)),
    "auto-pad-ceil": (
        "auto_pad is SAME or VALID, and ceil_mode 1, which then has nothing to say. Some engines refuse the pair.",
        lambda home: home.auto_pad != "NOTSET" and home.attributes.get("ceil_mode") == 1),
    "ceil": (
        "ceil_mode is 1. A last window may reach beyond the padded input; engines make room for it in various ways.",
        _switch("ceil_mode")),
    "column-major": (
        "storage_order is 1. Engines count indices row by row all the same, or transpose the result.",
        _switch("storage_order")),
    "one-axis": (
        "X has one spatial axis. Engines made for images take another path, or none.", lambda home: home.rank == 1),
    "three-axes": (
        "X has three spatial axes. Engines made for images take another path, or none.", lambda home: home.rank == 3),
    "several-batches": (
        "X has more than one batch. Indices are then often counted within the batch.",
        lambda home: home.rank >= -1 and home.x.shape[0] > 1),
    "several-planes": (
        "X has more than one batch or channel. Indices are then often counted within the plane.",
        lambda home: home.x.shape[:2] != (1, 1) and 0 not in home.x.shape[:2]),
}

OF_WINDOWS: dict[str, Flag] = {
    "same-padded": (
        "auto_pad is SAME and gives some axis padding. Where it begins, and what indices count from, goes wrong.",
        lambda home: _same(home) and any(-(-size // s) * s - s + extent > size
                                         for size, _, s, extent, _, _ in _axes(home))),
    "same-negative": (
        "auto_pad is SAME and the padding that it needs negative. Engines cut X, or leave cells over.",
        lambda home: _same(home) and any(-(-size // s) * s - s + extent < size
                                         for size, _, s, extent, _, _ in _axes(home))),
    "same-lower-rest": (
        "auto_pad is SAME_LOWER and some stride does not divide its axis. The size is to be rounded up.",
        lambda home: home.auto_pad == "SAME_LOWER" and any(size % s for size, _, s, *_ in _axes(home))),
    "pad-reaches-kernel": (
        "Some pad is at least the kernel on its axis. Runtimes often refuse it, whatever the dilated kernel is.",
        lambda home: any(max(begin, end) >= kernel for _, kernel, _, _, begin, end in _axes(home)
                         if "pads" in home.attributes)),
    "ceil-window-beyond": (
        "With ceil_mode 1 the plain formula has a last window that starts behind X; texts differ on whether it stays.",
        _beyond),
    "one-window-and-rest": (
        "On some axis a single window fits and leaves some of the axis out. Compilers drop its stride, and the rest.",
        lambda home: not _same(home) and any(0 < size + begin + end - extent < s
                                             for size, _, s, extent, begin, end in _axes(home))),
    "kernel-above-x": (
        "On some axis the dilated kernel is larger than X. It fits by the padding alone, or no window fits.",
        lambda home: any(extent > size for size, _, _, extent, _, _ in _axes(home))),
}
