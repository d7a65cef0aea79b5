"""Many calls judged at once: calls that differ in the values of X alone, laid one after another along the batch axis.

What a specification says of a call of several batches it says of each batch, but for positions that count through the
whole X: these rise by the same number from one call to the next. `Bindings.stacked` gives the number, or says that the
calls of a specification cannot be laid together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.findings import Divergence
from plumbline.oracle.specification import Spec

Outputs = Mapping[str, np.ndarray]


class Stack:
    """`count` calls as one: `call`, whose X holds theirs along the first axis. Its outputs asked for are theirs.

    reading: of the one call. Raises OutsideDomain."""

    def __init__(self, spec: Spec, call: Call, count: int) -> None:
        self.reading = spec.reading(call)
        self._count = count
        self._batches = call.inputs["X"].shape[0] // count
        self._rises = self.reading.stacked(count)

    def judged(self, outputs: Sequence[Outputs]) -> list[list[Divergence] | None]:
        """For the outputs of each call what `Spec.divergences` gives, but for the words, which may name another call's
        element, or the shape of all; None where the call is to be judged by itself: its outputs are not of the shape
        and type of the others', nothing of them is judged, or what they break depends on the whole of its X."""
        alone: list[list[Divergence] | None] = [None] * self._count
        laid = self._laid(outputs)
        if laid is None or self._rises is None:
            return alone
        found = self.reading.divergences(laid)
        parts: list[list[Divergence]] = [[] for _ in range(self._count)]
        for entry in found:
            for place in self._places(entry):
                parts[place].append(self._part(place, entry))
        by_itself = self.reading.charged_by_all_of_x
        return [None if not part and opened or part and by_itself else part
                for part, opened in zip(parts, self._open(), strict=True)]

    def _places(self, entry: Divergence) -> list[int]:
        """The calls that break a clause: all of them where the whole output is meant."""
        if entry.where is None:
            return list(range(self._count))
        return list(map(int, np.unique(entry.where[:, 0] // self._batches)))

    def _laid(self, outputs: Sequence[Outputs]) -> dict[str, np.ndarray] | None:
        """The outputs as those of the one call; None where they are not alike."""
        if self._rises is None or any(outputs[0].keys() != other.keys() for other in outputs):
            return None
        laid = {}
        for name in outputs[0]:
            parts = [np.asarray(other[name]) for other in outputs]
            first = parts[0]
            if first.ndim == 0 or first.shape[0] != self._batches or any(
                    part.shape != first.shape or part.dtype != first.dtype for part in parts):
                return None
            laid[name] = np.concatenate(parts)
            if self._rises.get(name):
                laid[name] = (laid[name] + self._rise(name, laid[name].ndim)).astype(first.dtype)
        return laid

    def _rise(self, name: str, rank: int) -> np.ndarray:
        """By how much the positions of each batch count on from those of the call itself."""
        assert self._rises is not None
        places = np.repeat(np.arange(self._count) * self._rises.get(name, 0), self._batches)
        return places.reshape(-1, *(1,) * (rank - 1))

    def _open(self) -> np.ndarray:
        """bool (calls,): of which nothing is judged."""
        opened = self.reading.unspecified
        found = np.ones(self._count, dtype=bool)
        for name in self.reading.asked:
            if name not in opened:
                return np.zeros(self._count, dtype=bool)
            mask = opened[name].mask
            if not isinstance(mask, str):
                found &= mask.reshape(self._count, -1).all(axis=1)
        return found

    def _part(self, place: int, entry: Divergence) -> Divergence:
        """What is of one call in a finding, told as if it were alone."""
        if entry.where is None:
            return entry
        assert self._rises is not None
        assert isinstance(entry.expected, np.ndarray) and isinstance(entry.got, np.ndarray)
        theirs = entry.where[:, 0] // self._batches == place
        where = entry.where[theirs] - np.array([place * self._batches, *[0] * (entry.where.shape[1] - 1)])
        rise = place * self._rises.get(entry.output, 0)
        return Divergence(entry.clause, entry.output, entry.why, where, entry.expected[theirs] - rise if rise
                          else entry.expected[theirs], entry.got[theirs] - rise if rise else entry.got[theirs])
