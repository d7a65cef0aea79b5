"""Judge many calls at once, stacked along the first axis of one input.

What a specification says of a call of several batches it says of each batch, but for positions that count through the
whole input: these rise by the same number from one call to the next (`Operator.stack_offset`). A stack only accepts:
what it does not is judged by itself, so nothing depends on how its findings would be divided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.specification import Spec

Outputs = Mapping[str, np.ndarray]


class Stack:
    """`count` calls as one, `call`, whose stacked input holds theirs. Its outputs asked for are theirs.

    judged: the one call. Raises OutsideDomain."""

    def __init__(self, spec: Spec, call: Call, count: int) -> None:
        self.judged = spec.judged(call)
        self._count = count

    def accepts(self, outputs: Sequence[Outputs]) -> np.ndarray:
        """bool (calls,): whose outputs conform, with something of them judged. The others are to be judged by
        themselves."""
        laid = self._laid(outputs)
        if laid is None:
            return np.zeros(self._count, dtype=bool)
        if self.judged.observes(laid) or self.judged.disputed(laid):
            return np.zeros(self._count, dtype=bool)
        accepted: np.ndarray = ~self._free() & self._within(outputs)
        for entry in self.judged.divergences(laid):
            if entry.where is None:
                return np.zeros(self._count, dtype=bool)
            accepted[entry.where[:, 0] * self._count // laid[entry.output].shape[0]] = False
        return accepted

    def _laid(self, outputs: Sequence[Outputs]) -> dict[str, np.ndarray] | None:
        """Return the outputs of each call as outputs of the stacked call, by name; None if they do not fit together."""
        laid = {}
        for name in self.judged.asked:
            parts = [np.asarray(other[name]) for other in outputs if name in other]
            offset = self.judged.definition.stack_offset(name, self._count)
            if offset is None or len(parts) < self._count:
                return None
            first = parts[0]
            if first.ndim == 0 or any(part.shape != first.shape or part.dtype != first.dtype for part in parts):
                return None
            laid[name] = np.concatenate(parts)
            if offset:
                places = np.repeat(np.arange(self._count) * offset, first.shape[0])
                laid[name] = (laid[name] + places.reshape(-1, *(1,) * (first.ndim - 1))).astype(first.dtype)
        return laid

    def _within(self, outputs: Sequence[Outputs]) -> np.ndarray:
        """bool (calls,): whose positions are inside their own part of the input, and not in a neighbour's."""
        within = np.ones(self._count, dtype=bool)
        for name in self.judged.asked:
            if offset := self.judged.definition.stack_offset(name, self._count):
                within &= [bool(np.all((part[name] >= 0) & (part[name] < offset))) for part in outputs]
        return within

    def _free(self) -> np.ndarray:
        """bool (calls,): of which any value conforms, so that nothing would be judged."""
        free = np.ones(self._count, dtype=bool)
        for name in self.judged.asked:
            shape = self.judged.definition.shape_of(name)
            mask = np.zeros(shape, dtype=bool)
            for allowance in self.judged.allowances.get(name, ()):
                if allowance.shape:
                    return np.ones(self._count, dtype=bool)
                if allowance.admits is None:
                    mask |= allowance.where
            free &= mask.reshape(self._count, -1).all(axis=1)
        return free
