"""Flags: features of a call that tell causes apart. Each is defined once; all are computed, none is declared.

A known divergence names a flag to say which generated cases it explains.
"""

from __future__ import annotations

from collections.abc import Callable

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


FLAGS: dict[str, tuple[str, Callable[[Call], bool]]] = {
    "nan": (
        "X holds a NaN. Runtimes pass it over, spread it, or let the order of comparisons decide.",
        lambda call: _is_float(call) and bool(np.isnan(_x(call)).any())),
    "lowest": (
        "X holds -inf, the lowest finite value or the lowest integer, from which a search for a maximum often starts. "
        "A search that starts too high, or sets the index only for a larger value, then answers something else.",
        _holds_lowest),
    "padded": (
        "Some pad is above zero. Runtimes differ in the constant, the origin of windows and the index.",
        lambda call: isinstance(call.attributes.get("pads"), (list, tuple)) and any(call.attributes["pads"])),
    "dilated": (
        "Some dilation is above one. Fast kernels often ignore it or refuse it together with pads.",
        lambda call: isinstance(call.attributes.get("dilations"), (list, tuple))
        and any(value != 1 for value in call.attributes["dilations"])),
}


def flags_of(call: Call) -> tuple[str, ...]:
    """The flags that hold for a call, in the order of their definition."""
    return tuple(name for name, (_, holds) in FLAGS.items() if holds(call))
