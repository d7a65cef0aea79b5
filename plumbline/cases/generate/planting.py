"""Plant values into drawn tensors: those that code loses on the way through another type, or at one place.

A draw plants into calls that it makes anyway, so that no input depends on the luck of a seed, or on a call of its own.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle.response import is_float
from plumbline.oracle.type_names import is_of_strings

ROOM = 4
"""Elements that a tensor must have, so that most of its values stay as they were drawn."""

PERIOD = 2
"""One call in so many has planted floating-point numbers, one in each tensor."""

STRIDE = 3
"""How many values further the next tensor of a call is, so that no planted value hides another."""

MOST = 5
"""Tensors that a call may have, of which one has a larger number than the next."""


@cache
def planted(dtype: np.dtype) -> dict[str, np.ndarray]:
    """Return the special values of a type by name; `near overflow` overflows when doubled.

    Of integers these are the ends and those that no float of as many bits, and no integer of the other sign, holds; of
    strings those that C strings, fields of a fixed size and tables of characters do not hold."""
    if is_of_strings(dtype):
        return {name: np.array(text, dtype) for name, text in {
            "empty": "", "nul at the end": "a\0", "nul inside": "a\0b", "accents": "\u00fc\u20ace\u0301",
            "astral": "\U0001f600", "long": "\u00fc" * 1000}.items()}
    if not is_float(dtype):
        ends = np.iinfo(dtype)
        digits = {8: 3, 16: 11, 32: 24, 64: 53}[ends.bits]
        odd = {"beyond a float": 2 ** digits + 1} if ends.max > 2 ** digits else {}
        signless = {"beyond its sign": 2 ** (ends.bits - 1) + 1} if not ends.min else {}
        return {name: np.array(value, dtype) for name, value in {
            "largest": ends.max, "lowest": ends.min, **odd, **signless}.items()}
    info = finfo(dtype)
    values = {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "zero": 0.0, "minus zero": -0.0,
              "subnormal": info.smallest_subnormal, "largest": info.max, "lowest": info.min,
              "near overflow": info.max / dtype.type(1.5)}
    return {name: np.array(value, dtype) for name, value in values.items()}


def plant_integers(x: np.ndarray, number: int) -> None:
    """Write integers that other types lose into a tensor.

    `number` is its place among the tensors of the call. No float of as many bits and no integer of the other sign holds
    these integers. Each stands at a place of its own, where it is the largest; and at the end, where another tensor of
    the same shape has a larger one of the kind if it comes before, so that a minimum shows it too."""
    if x.size < ROOM or x.dtype.kind not in "iu" or x.dtype.itemsize not in (1, 2, 4, 8):
        return
    values = [value for name, value in planted(x.dtype).items() if name.startswith("beyond")]
    for place, value in enumerate(values, 1 + number * len(values)):
        if x.size >= 2 * ROOM:
            x.flat[-place + number * len(values)] = value + x.dtype.type(2 * max(MOST - number, 0))
        x.flat[place % x.size] = value


def plant_floats(x: np.ndarray, number: int, turn: int) -> None:
    """Write one special value into a tensor.

    `number` is its place among the tensors of the call. NaN stands first, last or at the last odd place, by the turn of
    the call; each other value in the middle."""
    if turn % PERIOD != 1 or x.size < ROOM or not is_float(x.dtype):
        return
    middle = x.size // 2 + number
    values = (("nan", -1), ("nan", 0), ("nan", x.size // 2 * 2 - 1), ("minus zero", middle), ("inf", middle),
              ("subnormal", middle), ("near overflow", middle), ("minus inf", middle))
    name, place = values[(turn // PERIOD + STRIDE * number) % len(values)]
    x.flat[place % x.size] = planted(x.dtype)[name]
