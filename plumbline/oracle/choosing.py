"""Enumerate every call that choices of few bits make, the plainest first.

A maker is a function of `choose` (`oracle.operator.Choose`), which gives one of several options, the plainest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from math import ceil, log2
from typing import TypeVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.definition import Choose
from plumbline.oracle.response import is_float
from plumbline.oracle.terms import Terms
from plumbline.oracle.type_names import STRING, is_of_strings

Option = TypeVar("Option")
Maker = Callable[[Choose], Call | None]


class Replay:
    """Chooses by a list of places, and the plainest option where the list has ended.

    taken: the place of each choice so far.
    of:    the number of options of each, and their weights."""

    def __init__(self, places: Sequence[int] = ()) -> None:
        self._places = places
        self.taken: list[int] = []
        self.of: list[tuple[int, Sequence[float] | None]] = []

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """The option at the next place of the list, or the last one where there are fewer."""
        number = len(self.taken)
        place = min(self._places[number], len(options) - 1) if number < len(self._places) else 0
        self.taken.append(place)
        self.of.append((len(options), weights))
        return options[place]

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Falling negative values (rising ones of an unsigned type); the same with a NaN, where the type has one."""
        count = int(np.prod(shape, dtype=np.int64))
        element = element_type(dtype)
        values = 1 + np.arange(count) % 100
        if is_of_strings(element):
            return np.array([str(value) for value in values], element).reshape(tuple(shape))
        found = (values if element.kind in "ub" else -values).astype(element).reshape(tuple(shape))
        if is_float(element) and self((False, True)) and count:
            found.flat[0] = np.nan
        return found


def element_type(name: str) -> np.dtype:
    """The numpy type of a name, those of ml_dtypes included."""
    import ml_dtypes  # here, since most commands never ask for a type by its name
    return np.dtype(object if name == STRING else getattr(ml_dtypes, name, name))


def cost(place: int, weights: Sequence[float] | None = None) -> int:
    """Return the bits that a choice costs: those of its place, so that the plainest option is free; of an option drawn
    rarely the bits of its rarity, where these are more."""
    if not place or weights is None or not weights[place]:
        return place.bit_length()
    return max(place.bit_length(), ceil(log2(max(weights) / weights[place])))


def every(make: Maker, budget: int) -> Iterator[tuple[int, Call]]:
    """Yield every call whose choices cost at most `budget` bits, the cheapest first, each with its number.

    `make` makes a call from choices, or returns None; choices without a call have a number too."""
    number = 0
    pending: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
    pushed = 1
    while pending:
        spent, _, places = heappop(pending)
        replay = Replay(places)
        call = make(replay)
        if call is not None:
            yield number, call
        number += 1
        for at in range(len(places), len(replay.taken)):
            count, weights = replay.of[at]
            for place in range(1, min(count, 1 << (budget - spent))):
                if spent + (more := cost(place, weights)) <= budget:
                    heappush(pending, (spent + more, pushed, (*replay.taken[:at], place)))
                    pushed += 1
