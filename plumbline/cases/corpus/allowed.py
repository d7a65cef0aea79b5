"""Find the conforming values of each element of an output, by queries to the oracle.

Where no U clause applies, the conforming values are an interval around the canonical value, or that value alone. A U
clause may admit others, in further intervals. These are searched around special values, elements of the inputs, small
integers and values of the definition (`Allowance.seeds`), and everywhere in types of 8 bits. A test compares the result
with the oracle, for types of 16 bits on every value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plumbline.cases.generate.value_order import Row
from plumbline.oracle.judgement import JudgedCall
from plumbline.oracle.operator import Allowance, Operator
from plumbline.oracle.response import Response, is_float

SEEDS = 4096
"""Most values around which intervals of an output are searched."""

Interval = tuple[int, int, int]
"""A part of an output, its first and its last conforming place."""


@dataclass(frozen=True, eq=False)
class Allowed:
    """The conforming values of an output, as places of `Row`; parts of elements are numbered.

    canonical:  the canonical output.
    low, high:  uint64 (parts,): the interval around it.
    also:       further intervals, in the order of parts and places.
    anything:   parts with every value conforming.
    unsettled:  parts with conforming values that may not be listed.
    open_shape: whether any array of another shape, of as many axes, conforms.
    """

    canonical: np.ndarray
    low: np.ndarray
    high: np.ndarray
    also: tuple[Interval, ...]
    anything: tuple[int, ...]
    unsettled: tuple[int, ...]
    open_shape: bool


def allowed(judged: JudgedCall, name: str, definition: Operator) -> Allowed:
    """Return the conforming values of an output of a valid call; `definition` is a reading of the call."""
    search = _Search(judged, name, definition)
    low, high = (search.edge(search.start, up) for up in (False, True))
    return Allowed(search.canonical, low, high, tuple(sorted(search.further(low, high))),
                   tuple(np.flatnonzero(search.free).tolist()), tuple(np.flatnonzero(search.unsettled).tolist()),
                   any(allowance.shape for allowance in search.allowances))


class _Search:
    """A search for the conforming values of an output.

    start:      the canonical places: uint64 (parts,).
    free:       bool (parts,): every value conforms.
    searched:   bool (parts,): further intervals are searched.
    seeds:      places around which they are searched.
    everywhere: places that are examined for every part.
    """

    def __init__(self, judged: JudgedCall, name: str, definition: Operator) -> None:
        self.judged, self.name, self.definition = judged, name, definition
        self.canonical = definition.canonical[name]
        self.row = Row(self.canonical.dtype.newbyteorder("="))
        self.start = self.row.places(self.canonical)
        self.allowances = judged.allowances.get(name, ())
        self.free = self._where(allowance for allowance in self.allowances if allowance.admits is None)
        admitting = self._where(allowance for allowance in self.allowances if allowance.admits is not None
                                and not allowance.observed)
        alternatives = np.broadcast_to(definition.alternatives().get(name, np.False_), self.canonical.shape).reshape(-1)
        places_rise = self.row.is_float or self.row.dtype.kind in "biu"
        self.searched = (admitting | alternatives.repeat(self.row.parts) | (not places_rise)) & ~self.free
        self.seeds = list(self._seeds()) if self.searched.any() else []
        if self.row.is_float:  # infinities and largest numbers, where an interval may end or another begin
            low, high = self.row.ends
            self.everywhere = np.array([low, low + 1, high - 1, high], np.uint64)
        else:
            self.everywhere = np.array([], np.uint64)
        self.unsettled = np.zeros_like(self.free)
        if self.row.parts == 2:  # in a complex number with a NaN, each part decides what conforms of the other
            self.unsettled = (self.canonical != self.canonical).reshape(-1).repeat(2)
        if len(self.seeds) > SEEDS:
            self.seeds, self.unsettled = [], self.unsettled | self.searched

    def _where(self, allowances: Iterator[Allowance]) -> np.ndarray:
        mask = np.zeros(self.canonical.shape, bool)
        for allowance in allowances:
            mask |= allowance.where
        return mask.reshape(-1).repeat(self.row.parts)

    def accepts(self, places: np.ndarray) -> np.ndarray:
        """Return which parts conform at these places, with the canonical value of the other part: bool (parts,)."""
        conforming = np.ones(len(places), bool)
        for part in range(self.row.parts):
            changed = self.start.copy()
            changed[part::self.row.parts] = places[part::self.row.parts]
            output = self.row.elements(self.row.values(changed)).reshape(self.canonical.shape)
            response = Response(self.definition, {self.name: output}, (self.name,), self.judged.allowances)
            with np.errstate(all="ignore"):  # predicates meet values that no implementation gives
                wrong = response.wrong(self.name)
            if wrong is not None:
                conforming[part::self.row.parts] = ~wrong.reshape(-1)
        return conforming

    def edge(self, start: np.ndarray, up: bool, active: np.ndarray | None = None) -> np.ndarray:
        """Return the last conforming place up or down from `start`, for each part.

        All arrays have the shape (parts,). Steps double, then halve. Parts that are not `active` (by default all are),
        or free, stay at `start`, which conforms, as do NaN and infinities."""
        low, high = self.row.ends
        low, high = (low + 1, high - 1) if self.row.is_float else (low, high)
        active = (~self.free if active is None else active & ~self.free) & (start >= low) & (start <= high)
        with np.errstate(over="ignore"):
            room = np.where(active, np.uint64(high) - start if up else start - np.uint64(low), 0).astype(np.uint64)
        good, step = np.zeros_like(start), np.ones_like(start)
        bad = room + np.uint64(1)  # overflows to 0 where `room` is the largest number of 64 bits
        bad[bad == 0] = room[bad == 0]

        def reached(distance: np.ndarray) -> np.ndarray:
            return self.accepts(start + distance if up else start - distance)

        going = room > 0
        while going.any():
            right = reached(np.where(going, step, good))
            bad = np.where(going & ~right, step, bad)
            good = np.where(going & right, step, good)
            going = going & right & (good < room)
            step = np.where(good > room // np.uint64(2), room, good * np.uint64(2))
        whole = False  # becomes True when no gap is noticed below `good`
        while not whole:
            while (halving := bad - good > 1).any():
                middle = np.where(halving, good + (bad - good) // np.uint64(2), good)
                right = reached(middle)
                good, bad = np.where(halving & right, middle, good), np.where(halving & ~right, middle, bad)
            whole = True
            for eighth in range(1, 8) if (good > 8).any() else ():  # a step may have skipped a gap
                between = good // np.uint64(8) * np.uint64(eighth)
                gap = (between > 0) & ~reached(between)
                good, bad = np.where(gap, 0, good).astype(np.uint64), np.where(gap, between, bad)
                whole &= not gap.any()
        return np.asarray(start + good if up else start - good)

    def further(self, low: np.ndarray, high: np.ndarray) -> Iterator[Interval]:
        """Yield the intervals that do not contain the canonical value."""
        intervals: list[list[tuple[int, int]]] = [[] for _ in self.start]
        for number, seed in enumerate([*self.everywhere, *self.seeds]):
            places = np.broadcast_to(seed, self.start.shape)
            fresh = (places < low) | (places > high)
            fresh &= ~self.free if number < len(self.everywhere) else self.searched
            for part in np.flatnonzero(fresh).tolist():
                fresh[part] = not any(low_end <= places[part] <= high_end for low_end, high_end in intervals[part])
            if not fresh.any():
                continue
            fresh &= self.accepts(np.where(fresh, places, self.start))
            if not fresh.any():
                continue
            within = np.where(fresh, places, self.start)
            first, last = (self.edge(within, up, fresh) for up in (False, True))
            for part in np.flatnonzero(fresh).tolist():
                intervals[part].append((int(first[part]), int(last[part])))
        for part, of_part in enumerate(intervals):
            yield from ((part, low_end, high_end) for low_end, high_end in of_part)

    def _seeds(self) -> Iterator[np.ndarray]:
        """Yield places to search around: one for all parts, or an array with one for each."""
        row, inputs = self.row, list(self.definition.inputs.values())
        if row.width == 8:
            yield from map(np.asarray, np.arange(row.ends[0], row.ends[1] + 1, dtype=np.uint64))
            return
        values: set[int] = set() if row.is_float else set(row.ends)
        with np.errstate(all="ignore"):
            if row.is_float:
                values |= set(row.places(np.array([np.nan, 0.0, -0.0, 1.0, -1.0]).astype(row.number)).tolist())
            else:
                count = max([array.size for array in inputs], default=0)
                values |= set(row.places(np.arange(-1, min(count, SEEDS) + 1).astype(row.number)).tolist())
            for array in inputs:
                if is_float(array.dtype) == row.is_float and array.dtype.kind != "c":
                    values |= set(row.places(array.astype(row.number)).tolist())
        yield from map(np.asarray, np.array(sorted(values), dtype=np.uint64))
        with np.errstate(all="ignore"):
            seeds = [array for allowance in self.allowances for array in allowance.seeds()]
            if row.is_float and self.name in self.definition.alternatives():  # the lowest and the highest of them
                ends = self.definition.enclosure().get(self.name, ())
                seeds += [np.asarray(end.astype(self.canonical.dtype)) for end in ends]
                seeds += [np.nextafter(end.astype(self.canonical.dtype), self.canonical) for end in ends]
            for array in (*seeds, *self.definition.wrong_outputs(self.name)):
                if array.shape == self.canonical.shape:
                    yield row.places(array.astype(row.number))
