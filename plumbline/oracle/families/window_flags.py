"""Flags of calls with sliding windows, which distinguish root causes.

Each function takes the definition of a call (`oracle.families.pooling.Windowed`). Those of `OF_WINDOWS` need windows
that can be laid out; the others hold for malformed calls too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Flag = tuple[str, Callable[[Any], bool]]


def well_formed(windows: Any) -> bool:
    """Return True if windows (a `Windowed` definition) can be laid out over the spatial axes of X."""
    lists = (windows.kernel, windows.strides, windows.dilations)
    return (windows.rank >= 1 and all(values is not None and len(values) == windows.rank for values in lists)
            and windows.pads is not None and len(windows.pads) == 2 * windows.rank and min(windows.strides) > 0)


def _same(windows: Any) -> bool:
    return windows.auto_pad in ("SAME_UPPER", "SAME_LOWER")


def _switch(name: str) -> Callable[[Any], bool]:
    return lambda windows: windows.attributes.get(name) == 1


def _dilated(windows: Any) -> bool:
    return any(value != 1 for value in windows.dilations or ())


def _axes(windows: Any) -> Any:
    """Size, kernel, stride, dilated kernel and both pads, as given, of each spatial axis."""
    return zip(windows.sizes, windows.kernel, windows.strides, windows.extents, windows.pads[:windows.rank],
               windows.pads[windows.rank:], strict=True)


def _beyond(windows: Any) -> bool:
    return windows.auto_pad == "NOTSET" and windows.attributes.get("ceil_mode") == 1 and any(
        -(-room // s) * s >= size + begin for room, (size, _, s, _, begin, _) in zip(windows.rooms, _axes(windows),
                                                                                     strict=True))


OF_ATTRIBUTES: dict[str, Flag] = {
    "padded": (
        "Some pad is above zero. Runtimes differ in the constant, the origin of windows and the index.",
        lambda windows: any(windows.pads or ())),
    "dilated": (
        "Some dilation is above one. Fast kernels often ignore it or refuse it together with pads.", _dilated),
    "dilations-given": (
        "dilations is given, be it 1. Operators that a node is turned into may have no such attribute.",
        lambda windows: "dilations" in windows.attributes),
    "31-bits": (
        "A kernel, stride, dilation or pad is 2**31 - 1 or more. Engines hold it in 32 bits, or leave them on the way.",
        lambda windows: any(value >= 2**31 - 1 for values in (windows.kernel, windows.strides, windows.dilations,
                                                              windows.pads) for value in values or ())),
    "far-kernel": (
        "A kernel has 2**31 - 1 cells or more along an axis. What goes from cell to cell does not come to an end.",
        lambda windows: any(size >= 2**31 - 1 for size in windows.kernel or ())),
    "same-dilated": (
        "auto_pad is SAME and some dilation above one. Sizes and padding are then often computed without the dilation.",
        lambda windows: _same(windows) and _dilated(windows)),
    "valid-ceil": (
        "auto_pad is VALID and ceil_mode 1. The formula for VALID has no window beyond X; engines often add one.",
        lambda windows: windows.auto_pad == "VALID" and windows.attributes.get("ceil_mode") == 1),
    "counts-padding": (
        "count_include_pad is 1. Kernels lose the pads of one end, or count cells beyond the padding.",
        _switch("count_include_pad")),
    "unit-steps": (
        "Every stride and dilation is 1. Implementations that came by strides later kept their first path for these.",
        lambda windows: {*(windows.strides or ()), *(windows.dilations or ())} <= {1}),
    "same": (
        "auto_pad is SAME_UPPER or SAME_LOWER. The padding is then computed, or forgotten, by the engine itself.",
        _same),
    "same-lower": (
        "auto_pad is SAME_LOWER. Few models use it: sizes are rounded down, odd padding goes to the wrong end.",
        lambda windows: windows.auto_pad == "SAME_LOWER"),
    "valid-dilated": (
        "auto_pad is VALID and some dilation above one. Sizes are then often computed without the dilation.",
        lambda windows: windows.auto_pad == "VALID" and _dilated(windows)),
    "auto-pad-ceil": (
        "auto_pad is SAME or VALID, and ceil_mode 1, which then has nothing to say. Some engines refuse the pair.",
        lambda windows: windows.auto_pad != "NOTSET" and windows.attributes.get("ceil_mode") == 1),
    "ceil": (
        "ceil_mode is 1. A last window may reach beyond the padded input; engines make room for it in various ways.",
        _switch("ceil_mode")),
    "column-major": (
        "storage_order is 1. Engines count indices row by row all the same, or transpose the result.",
        _switch("storage_order")),
    "one-axis": (
        "X has one spatial axis. Engines made for images take another path, or none.",
        lambda windows: windows.rank == 1),
    "three-axes": (
        "X has three spatial axes. Engines made for images take another path, or none.",
        lambda windows: windows.rank == 3),
    "several-batches": (
        "X has more than one batch. Indices are then often counted within the batch.",
        lambda windows: windows.rank >= -1 and windows.x.shape[0] > 1),
    "several-planes": (
        "X has more than one batch or channel. Indices are then often counted within the plane.",
        lambda windows: windows.x.shape[:2] != (1, 1) and 0 not in windows.x.shape[:2]),
}

OF_WINDOWS: dict[str, Flag] = {
    "same-padded": (
        "auto_pad is SAME and gives some axis padding. Where it begins, and what indices count from, goes wrong.",
        lambda windows: _same(windows) and max(windows.same_totals) > 0),
    "same-negative": (
        "auto_pad is SAME and the padding that it needs negative. Engines cut X, or leave cells over.",
        lambda windows: _same(windows) and min(windows.same_totals) < 0),
    "same-lower-rest": (
        "auto_pad is SAME_LOWER and some stride does not divide its axis. The size is to be rounded up.",
        lambda windows: windows.auto_pad == "SAME_LOWER" and any(
            count * s != size for count, (size, _, s, *_) in zip(windows.same_counts, _axes(windows), strict=True))),
    "pad-reaches-kernel": (
        "Some pad is at least the kernel on its axis. Runtimes often refuse it, whatever the dilated kernel is.",
        lambda windows: any(max(begin, end) >= kernel for _, kernel, _, _, begin, end in _axes(windows)
                            if "pads" in windows.attributes)),
    "ceil-window-beyond": (
        "With ceil_mode 1 the plain formula has a last window that starts behind X; texts differ on whether it stays.",
        _beyond),
    "one-window-and-rest": (
        "On some axis a single window fits and leaves some of the axis out. Compilers drop its stride, and the rest.",
        lambda windows: not _same(windows) and any(0 < room < s for room, s in
                                                   zip(windows.rooms, windows.strides, strict=True))),
    "kernel-above-x": (
        "On some axis the dilated kernel is larger than X. It fits by the padding alone, or no window fits.",
        lambda windows: any(extent > size for size, _, _, extent, _, _ in _axes(windows))),
}

SLIDING = ("ceil", "column-major", "ceil-window-beyond", "one-window-and-rest", "same-lower-rest")
"""Flags of windows that slide over X, and do not move with its cells."""


def _without(flags: dict[str, Flag], names: tuple[str, ...]) -> dict[str, Flag]:
    return {name: flag for name, flag in flags.items() if name not in names}


TRANSPOSED_ATTRIBUTES = _without(OF_ATTRIBUTES, SLIDING) | {
    "output-padded": (
        "Some element of output_padding is above zero. Kernels add zeros behind what is cut off.",
        lambda windows: any(windows.added or ())),
    "shape-given": (
        "output_shape is given. The padding that it needs is split in different ways.",
        lambda windows: windows.sized),
}

TRANSPOSED_WINDOWS = _without(OF_WINDOWS, SLIDING) | {
    "stride-above-kernel": (
        "Some stride is above the dilated kernel, and elements of Y lie between cells.",
        lambda windows: any(stride > extent for _, _, stride, extent, _, _ in _axes(windows))),
}


def notes_of(*tables: dict[str, Flag]) -> dict[str, str]:
    """Return the notes of flags by their names."""
    return {name: note for table in tables for name, (note, _) in table.items()}
