"""Flags: features of a call that tell causes apart. Each is defined once; all are computed, none is declared.

A known divergence names a flag to say which generated cases it explains.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plumbline.oracle import Call


def _x(call: Call) -> np.ndarray:
    return next(iter(call.inputs.values()))


def _is_float(call: Call) -> bool:
    return _x(call).dtype.kind == "f"


def _holds_lowest(call: Call) -> bool:
    x = _x(call)
    if x.dtype.kind == "f":
        return bool((x <= np.finfo(x.dtype).min).any())
    return x.dtype.kind in "iu" and bool((x == np.iinfo(x.dtype).min).any())


def _holds_subnormal(call: Call) -> bool:
    x = _x(call)
    return _is_float(call) and bool(((x != 0) & (np.abs(x) < np.finfo(x.dtype).smallest_normal)).any())


def _integers(call: Call, name: str) -> list[int]:
    """A list attribute; [] where it is absent or no list of ints."""
    value = call.attributes.get(name, [])
    ints = isinstance(value, (list, tuple)) and all(isinstance(item, int) for item in value)
    return list(value) if ints else []


def _is_same(call: Call) -> bool:
    return call.attributes.get("auto_pad") in ("SAME_UPPER", "SAME_LOWER")


def _is_explicit(call: Call) -> bool:
    return call.attributes.get("auto_pad", "NOTSET") == "NOTSET"


def _steps_are_one(call: Call) -> bool:
    return all(value == 1 for name in ("strides", "dilations") for value in _integers(call, name))


def _kernel_above_x(call: Call) -> bool:
    sizes, kernel = _x(call).shape[2:], _integers(call, "kernel_shape")
    dilations = _integers(call, "dilations") or [1] * len(kernel)
    return any(d * (k - 1) + 1 > size for size, k, d in zip(sizes, kernel, dilations, strict=False))


def _same_axes(call: Call) -> list[tuple[int, int, int]]:
    """Size, dilated kernel and stride of each spatial axis where auto_pad is SAME; [] otherwise."""
    x, kernel = _x(call), _integers(call, "kernel_shape")
    rank = len(kernel)
    if not _is_same(call) or rank != x.ndim - 2:
        return []
    strides, dilations = _integers(call, "strides") or [1] * rank, _integers(call, "dilations") or [1] * rank
    return [(size, d * (k - 1) + 1, s)
            for size, k, d, s in zip(x.shape[2:], kernel, dilations, strides, strict=False) if s > 0]


def _pad_reaches_kernel(call: Call) -> bool:
    kernel, pads = _integers(call, "kernel_shape"), _integers(call, "pads")
    return len(pads) == 2 * len(kernel) and any(pad >= size for pad, size in zip(pads, kernel * 2, strict=True))


def _one_window_and_rest(call: Call) -> bool:
    """On some axis without automatic padding one window fits, and some of the padded axis is left."""
    x, kernel = _x(call), _integers(call, "kernel_shape")
    rank = len(kernel)
    if _is_same(call) or rank != x.ndim - 2:
        return False
    strides, dilations = _integers(call, "strides") or [1] * rank, _integers(call, "dilations") or [1] * rank
    pads = _integers(call, "pads") or [0] * 2 * rank
    return any(0 < size + begin + end - d * (k - 1) - 1 < s for size, k, s, d, begin, end
               in zip(x.shape[2:], kernel, strides, dilations, pads[:rank], pads[rank:], strict=False))


def _ceil_window_beyond(call: Call) -> bool:
    """With explicit padding and ceil_mode the plain formula gives a last window that starts at or behind the end of X
    and the padding before it."""
    x, kernel = _x(call), _integers(call, "kernel_shape")
    rank = len(kernel)
    if not _is_explicit(call) or call.attributes.get("ceil_mode") != 1 or rank != x.ndim - 2:
        return False
    strides, dilations = _integers(call, "strides") or [1] * rank, _integers(call, "dilations") or [1] * rank
    pads = _integers(call, "pads") or [0] * 2 * rank
    axes = zip(x.shape[2:], kernel, strides, dilations, pads[:rank], pads[rank:], strict=False)
    return any(s > 0 and -(-(size + begin + end - d * (k - 1) - 1) // s) * s >= size + begin
               for size, k, s, d, begin, end in axes)


FLAGS: dict[str, tuple[str, Callable[[Call], bool]]] = {
    "nan": (
        "X holds a NaN. Runtimes pass it over, spread it, or let the order of comparisons decide.",
        lambda call: _is_float(call) and bool(np.isnan(_x(call)).any())),
    "lowest": (
        "X holds -inf, the lowest finite value or the lowest integer, from which a search for a maximum often starts. "
        "A search that starts too high, or sets the index only for a larger value, then answers something else.",
        _holds_lowest),
    "infinite": (
        "X holds an infinity. Kernels that clamp what they give, or start at a finite value, give the finite end.",
        lambda call: _is_float(call) and bool(np.isinf(_x(call)).any())),
    "subnormal": (
        "X holds a subnormal number. A processor set to flush them, or a library built so, reads and writes zero.",
        _holds_subnormal),
    "padded": (
        "Some pad is above zero. Runtimes differ in the constant, the origin of windows and the index.",
        lambda call: any(_integers(call, "pads"))),
    "dilated": (
        "Some dilation is above one. Fast kernels often ignore it or refuse it together with pads.",
        lambda call: any(value != 1 for value in _integers(call, "dilations"))),
    "same-dilated": (
        "auto_pad is SAME and some dilation above one. Sizes and padding are then often computed without the dilation.",
        lambda call: _is_same(call) and any(value != 1 for value in _integers(call, "dilations"))),
    "same-padded": (
        "auto_pad is SAME and gives some axis padding. Where it begins, and what indices count from, goes wrong.",
        lambda call: any(-(-size // s) * s - s + extent > size for size, extent, s in _same_axes(call))),
    "same-lower-rest": (
        "auto_pad is SAME_LOWER and some stride does not divide its axis. The size is to be rounded up.",
        lambda call: call.attributes.get("auto_pad") == "SAME_LOWER"
        and any(size % s for size, _, s in _same_axes(call))),
    "valid-ceil": (
        "auto_pad is VALID and ceil_mode 1. The formula for VALID has no window beyond X; engines often add one.",
        lambda call: call.attributes.get("auto_pad") == "VALID" and call.attributes.get("ceil_mode") == 1),
    "pad-reaches-kernel": (
        "Some pad is at least the kernel on its axis. Runtimes often refuse it, whatever the dilated kernel is.",
        _pad_reaches_kernel),
    "counts-padding": (
        "count_include_pad is 1. Kernels lose the pads of one end, or count cells beyond the padding.",
        lambda call: call.attributes.get("count_include_pad") == 1),
    "ceil-window-beyond": (
        "With ceil_mode 1 the plain formula has a last window that starts behind X; texts differ on whether it stays.",
        _ceil_window_beyond),
    "one-window-and-rest": (
        "On some axis a single window fits and leaves some of the axis out. Compilers drop its stride, and the rest.",
        _one_window_and_rest),
    "unit-steps": (
        "Every stride and dilation is 1. Implementations that came by strides later kept their first path for these.",
        _steps_are_one),
    "same": (
        "auto_pad is SAME_UPPER or SAME_LOWER. The padding is then computed, or forgotten, by the engine itself.",
        _is_same),
    "same-lower": (
        "auto_pad is SAME_LOWER. Few models use it: sizes are rounded down, odd padding goes to the wrong end.",
        lambda call: call.attributes.get("auto_pad") == "SAME_LOWER"),
    "valid-dilated": (
        "auto_pad is VALID and some dilation above one. Sizes are then often computed without the dilation.",
        lambda call: call.attributes.get("auto_pad") == "VALID" and not all(
            value == 1 for value in _integers(call, "dilations"))),
    "auto-pad-ceil": (
        "auto_pad is SAME or VALID, and ceil_mode 1, which then has nothing to say. Some engines refuse the pair.",
        lambda call: not _is_explicit(call) and call.attributes.get("ceil_mode") == 1),
    "ceil": (
        "ceil_mode is 1. A last window may reach beyond the padded input; engines make room for it in various ways.",
        lambda call: call.attributes.get("ceil_mode") == 1),
    "column-major": (
        "storage_order is 1. Engines count indices row by row all the same, or transpose the result.",
        lambda call: call.attributes.get("storage_order") == 1),
    "kernel-above-x": (
        "On some axis the dilated kernel is larger than X. It fits by the padding alone, or no window fits.",
        _kernel_above_x),
    "one-axis": (
        "X has one spatial axis. Engines made for images take another path, or none.",
        lambda call: _x(call).ndim == 3),
    "three-axes": (
        "X has three spatial axes. Engines made for images take another path, or none.",
        lambda call: _x(call).ndim == 5),
    "several-batches": (
        "X has more than one batch. Indices are then often counted within the batch.",
        lambda call: _x(call).shape[0] > 1),
    "several-planes": (
        "X has more than one batch or channel. Indices are then often counted within the plane.",
        lambda call: _x(call).shape[:2] != (1, 1) and 0 not in _x(call).shape[:2]),
}


def flags_of(call: Call) -> tuple[str, ...]:
    """The flags that hold for a call, in the order of their definition."""
    return tuple(name for name, (_, holds) in FLAGS.items() if holds(call))
