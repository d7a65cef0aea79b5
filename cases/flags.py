"""Flags: features of a call that tell causes apart. Each is defined once; all are computed, none is declared.

A known divergence names a flag to say which generated cases it explains.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from oracle import Call


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


def _pad_reaches_kernel(call: Call) -> bool:
    kernel, pads = _integers(call, "kernel_shape"), _integers(call, "pads")
    return len(pads) == 2 * len(kernel) and any(pad >= size for pad, size in zip(pads, kernel * 2, strict=True))


def _ceil_window_beyond(call: Call) -> bool:
    """With explicit padding and ceil_mode the plain formula gives a last window that starts at or behind the end of X
    and the padding before it."""
    x, kernel = _x(call), _integers(call, "kernel_shape")
    rank = len(kernel)
    if call.attributes.get("auto_pad", "NOTSET") != "NOTSET" or call.attributes.get("ceil_mode") != 1 \
            or rank != x.ndim - 2:
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
    "several-planes": (
        "X has more than one plane (batches times channels). Indices are often counted in each plane by itself.",
        lambda call: prod(_x(call).shape[:2]) > 1),
    "column-major": (
        "storage_order is 1. Engines often leave the index row by row, or turn its tensor instead.",
        lambda call: call.attributes.get("storage_order") == 1),
    "padded": (
        "Some pad is above zero. Runtimes differ in the constant, the origin of windows and the index.",
        lambda call: any(_integers(call, "pads"))),
    "dilated": (
        "Some dilation is above one. Fast kernels often ignore it or refuse it together with pads.",
        lambda call: any(value != 1 for value in _integers(call, "dilations"))),
    "same-dilated": (
        "auto_pad is SAME and some dilation above one. Sizes and padding are then often computed without the dilation.",
        lambda call: _is_same(call) and any(value != 1 for value in _integers(call, "dilations"))),
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
}


def flags_of(call: Call) -> tuple[str, ...]:
    """The flags that hold for a call, in the order of their definition."""
    return tuple(name for name, (_, holds) in FLAGS.items() if holds(call))
