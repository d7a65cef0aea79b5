"""What a running program is kept within, and watched for."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np


class Runaway(Exception):
    """A program did far more than the right one does: it would not end, or fill the memory."""


class Guard:
    """What keeps a changed program within bounds: steps of loops, sizes of powers and of arrays."""

    def __init__(self) -> None:
        self.steps = 0
        self.limit = 0

    def step(self) -> bool:
        """Count one step of a loop. Raises Runaway."""
        self.steps += 1
        if self.steps > self.limit:
            raise Runaway("more steps than the program may take")
        return True

    @staticmethod
    def power(base: Any, exponent: Any) -> Any:
        """A power, unless it would be a number of millions of digits. Raises Runaway."""
        is_whole = isinstance(exponent, int) or isinstance(exponent, Fraction) and exponent.denominator == 1
        if isinstance(base, int | Fraction) and is_whole and not isinstance(base, np.generic):
            digits = max(abs(base.numerator), base.denominator).bit_length()
            if digits * abs(exponent) > 1 << 20 and abs(base) != 1:
                raise Runaway("a power of millions of digits")
        return base ** exponent

    @staticmethod
    def shift(number: Any, places: Any) -> Any:
        """A shift to the left, likewise."""
        if isinstance(places, int) and places > 1 << 20:
            raise Runaway("a power of millions of digits")
        return number << places

    @staticmethod
    def blank(shape: Any, dtype: Any = float) -> np.ndarray:
        """An array that is to be written, with the same junk each time, so that what is never written shows."""
        sizes = [*map(int, shape if isinstance(shape, tuple | list) else [shape])]
        if max(prod(sizes), *sizes, 0) > 1 << 22:  # also beside a size of 0, since loops go through each axis
            raise Runaway("an array of millions of elements")
        array = np.empty(shape, dtype)
        if array.dtype.hasobject:
            return np.full(shape, "junk", dtype)
        return np.frombuffer(bytearray(b"U" * array.nbytes if array.dtype != bool else b"\1" * array.nbytes),
                             dtype=array.dtype).reshape(array.shape)


class Watch:
    """What the changes of a program would alter while the right one runs: `altered` since the last `clear`."""

    def __init__(self) -> None:
        self.alive: set[int] = set()
        self.altered: set[int] = set()
        self.always: set[int] = set()
        """Changes that alter what is computed when the modules are loaded."""

    def value(self, right: Any, *others: tuple[int, Callable[[], Any]]) -> Any:
        """The value of an expression, compared with that of its replacements."""
        for number, other in others:
            if number in self.alive and number not in self.altered:
                try:
                    same = same_value(right, other())
                except Exception:
                    same = False
                if not same:
                    self.altered.add(number)
        return right

    def reached(self, *numbers: int) -> None:
        """A statement is about to be executed that changes would drop."""
        self.altered.update(number for number in numbers if number in self.alive)


def same_value(one: Any, other: Any) -> bool:
    """Whether two values are certainly the same, to the bit."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, float | Decimal):
        return repr(one) == repr(other)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same_value, one, other))
    if isinstance(one, dict):
        return same_value([*one.items()], [*other.items()])
    return isinstance(one, int | str | bytes | Fraction | range) and one == other
