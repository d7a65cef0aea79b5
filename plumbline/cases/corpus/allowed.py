"""Which values of an output conform, element by element, found by asking the oracle.

Where the text alone decides, what conforms of an element is an interval around the canonical value, or that value. A
unspecified clause may admit others, in several intervals: these are looked for around special values, elements of the
inputs, small integers, what the definition says (`Allowance.seeds`), and in small types everywhere. A test holds all of
it to the oracle, for types of sixteen bits on every value there is.
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
"""Values around which intervals of one output are looked for, at most."""

Interval = tuple[int, int, int]
"""A part of an output, the first place that conforms and the last."""


@dataclass(frozen=True, eq=False)
class Allowed:
    """What conforms of one output; places are those of `Row`, of parts of elements by their number.

    canonical: the canonical output.
    low, high: uint64 (parts,): what conforms around it.
    also:      further intervals, in the order of parts and places.
    anything:  parts of which every value conforms.
    unsettled: parts of which values may conform that are not listed.
    open_shape: whether another shape of as many axes conforms, whatever it holds.
    """

    canonical: np.ndarray
    low: np.ndarray
    high: np.ndarray
    also: tuple[Interval, ...]
    anything: tuple[int, ...]
    unsettled: tuple[int, ...]
    open_shape: bool


def allowed(judged: JudgedCall, name: str, definition: Operator) -> Allowed:
    """Of the output `name` under one reading of a call inside the domain, of which `definition` is that reading."""
    search = _Search(judged, name, definition)
    low, high = (search.edge(search.start, up) for up in (False, True))
    return Allowed(search.canonical, low, high, tuple(sorted(search.further(low, high))),
                   tuple(np.flatnonzero(search.free).tolist()), tuple(np.flatnonzero(search.unsettled).tolist()),
                   any(allowance.shape for allowance in search.allowances))


class _Search:
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
        if self.row.is_float:  # at which something may come to an end, or begin again
            low, high = self.row.ends
            self.everywhere = np.array([low, low + 1, high - 1, high], np.uint64)
        else:
            self.everywhere = np.array([], np.uint64)
        self.unsettled = np.zeros_like(self.free)
        if self.row.parts == 2:  # of a complex number with a NaN, what conforms of one part depends on the other
            self.unsettled = (self.canonical != self.canonical).reshape(-1).repeat(2)
        if len(self.seeds) > SEEDS:
            self.seeds, self.unsettled = [], self.unsettled | self.searched

    def _where(self, allowances: Iterator[Allowance]) -> np.ndarray:
        found = np.zeros(self.canonical.shape, bool)
        for allowance in allowances:
            found |= allowance.where
        return found.reshape(-1).repeat(self.row.parts)

    def accepts(self, places: np.ndarray) -> np.ndarray:
        """bool: which parts conform at these places, each with the canonical value of the other part."""
        found = np.ones(len(places), bool)
        for part in range(self.row.parts):
            mine = self.start.copy()
            mine[part::self.row.parts] = places[part::self.row.parts]
            got = self.row.elements(self.row.values(mine)).reshape(self.canonical.shape)
            given = Response(self.definition, {self.name: got}, (self.name,), self.judged.allowances)
            with np.errstate(all="ignore"):  # values are tried that nothing was expected to be
                wrong = given.wrong(self.name)
            if wrong is not None:
                found[part::self.row.parts] = ~wrong.reshape(-1)
        return found

    def edge(self, start: np.ndarray, up: bool, active: np.ndarray | None = None) -> np.ndarray:
        """The last place that conforms, going up or down from `start`, which conforms: in steps that double, then
        halve. Parts that are not `active`, or of which anything conforms, stay, and so do NaN and infinities."""
        low, high = self.row.ends
        low, high = (low + 1, high - 1) if self.row.is_float else (low, high)
        active = (~self.free if active is None else active & ~self.free) & (start >= low) & (start <= high)
        with np.errstate(over="ignore"):
            room = np.where(active, np.uint64(high) - start if up else start - np.uint64(low), 0).astype(np.uint64)
        good, step = np.zeros_like(start), np.ones_like(start)
        bad = room + np.uint64(1)  # of 64 bits, all of them are at most room for all but one place
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
        whole = False
        while not whole:
            while (halving := bad - good > 1).any():
                middle = np.where(halving, good + (bad - good) // np.uint64(2), good)
                right = reached(middle)
                good, bad = np.where(halving & right, middle, good), np.where(halving & ~right, middle, bad)
            whole = True
            for eighth in range(1, 8) if (good > 8).any() else ():  # steps may have gone over a gap
                between = good // np.uint64(8) * np.uint64(eighth)
                gap = (between > 0) & ~reached(between)
                good, bad = np.where(gap, 0, good).astype(np.uint64), np.where(gap, between, bad)
                whole &= not gap.any()
        return start + good if up else start - good

    def further(self, low: np.ndarray, high: np.ndarray) -> Iterator[Interval]:
        """The intervals apart from that around the canonical value."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.start]
        for number, seed in enumerate([*self.everywhere, *self.seeds]):
            places = np.broadcast_to(seed, self.start.shape)
            fresh = (places < low) | (places > high)
            fresh &= ~self.free if number < len(self.everywhere) else self.searched
            for part in np.flatnonzero(fresh):
                fresh[part] = not any(first <= places[part] <= last for first, last in found[part])
            if not fresh.any():
                continue
            fresh &= self.accepts(np.where(fresh, places, self.start))
            if not fresh.any():
                continue
            begun = np.where(fresh, places, self.start)
            first, last = (self.edge(begun, up, fresh) for up in (False, True))
            for part in np.flatnonzero(fresh).tolist():
                found[part].append((int(first[part]), int(last[part])))
        for part, intervals in enumerate(found):
            yield from ((part, first, last) for first, last in intervals)

    def _seeds(self) -> Iterator[np.ndarray]:
        """Places to look around, for all parts or for each."""
        row, inputs = self.row, list(self.definition.inputs.values())
        if row.width == 8:
            yield from np.arange(row.ends[0], row.ends[1] + 1, dtype=np.uint64)
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
        yield from np.array(sorted(values), dtype=np.uint64)
        with np.errstate(all="ignore"):
            others = [array for allowance in self.allowances for array in allowance.seeds()]
            for array in (*others, *self.definition.wrong_outputs(self.name)):
                if array.shape == self.canonical.shape:
                    yield row.places(array.astype(row.number))
