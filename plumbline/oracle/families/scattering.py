"""Base class of operators that write updates into a copy of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from math import gcd
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.element_types import a_type, same_bits
from plumbline.oracle.families.indices import INDEX_FLAGS, a_list_of_indices
from plumbline.oracle.families.movement import Movement, row_by_row
from plumbline.oracle.families.reductions import OUTPUT, Reduction
from plumbline.oracle.families.set_extrema import Product, SetExtremum
from plumbline.oracle.families.totals import Total
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Unspecified, on_call, unspecified
from plumbline.oracle.terms import Terms
from plumbline.oracle.type_names import STRING


class _Largest(SetExtremum):
    pick = np.maximum
    sign = -1


class _Smallest(SetExtremum):
    pick = np.minimum
    sign = 1


REDUCERS: Mapping[str, type[Reduction]] = {"add": Total, "mul": Product, "max": _Largest, "min": _Smallest}
"""By reduction what the set of an element of data and its updates is reduced by, in any order."""

SINCE = {"add": 16, "mul": 16, "max": 18, "min": 18}
"""The version that brought each."""

VALUES = {"none": "bits", "add": "sum", "mul": "sum", "max": "order", "min": "order"}
"""By reduction the recipes by which data and updates are drawn."""


class Scattering(Movement):
    """A call with data, updates, and for each update a target."""

    exact = False
    output: ClassVar[str] = "output"

    @property
    def turns(self) -> tuple[float, ...] | None:  # type: ignore[override]
        """() where elements are copied or compared."""
        return () if self.reduction in ("none", "max", "min") else None

    flag_notes = {**INDEX_FLAGS, "reduced": "Updates are combined with data.",
                  "duplicates": "An element of data has several updates."}

    @property
    def targets(self) -> np.ndarray:
        """int64, in the shape of updates: the position in data that each is written to, row by row."""
        raise NotImplementedError

    @property
    def updates(self) -> np.ndarray:
        """The input."""
        return self.inputs["updates"]

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The tensors that elements are copied from."""
        return {name: self.inputs[name] for name in ("data", "updates")}

    @property
    def reduction(self) -> str:
        """The name of the reduction; "none" in versions without."""
        value = self.attribute("reduction") or "none"
        return value.decode() if isinstance(value, bytes) else str(value)

    @property
    def is_computed(self) -> bool:
        """True if the text says what a reduction does with the element type."""
        dtype = self.source.dtype
        return self.reduction in REDUCERS and dtype.kind not in "bO" and (dtype.kind != "c" or self.reduction == "add")

    def numbers(self, array: np.ndarray) -> np.ndarray:
        """The elements in the type of data, of complex numbers the parts."""
        flat = np.ascontiguousarray(array, self.source.dtype).reshape(-1)
        return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat

    def whole(self, mask: np.ndarray, both: bool = True) -> np.ndarray:
        """A mask of `numbers` in the shape of data: of complex numbers of both parts, or of one."""
        parts = mask.reshape(*self.source.shape, 2 if self.source.dtype.kind == "c" else 1)
        return np.asarray(parts.all(axis=-1) if both else parts.any(axis=-1))

    def groups(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the positions among `numbers` of data with as many updates as each other, and those of the updates."""
        parts = 2 if self.source.dtype.kind == "c" else 1
        targets = (self.targets.reshape(-1, 1) * parts + np.arange(parts)).reshape(-1)
        order = np.argsort(targets, kind="stable")
        places, starts, counts = np.unique(targets[order], return_index=True, return_counts=True)
        for count in np.unique(counts):
            which = counts == count
            yield places[which], order[starts[which][:, None] + np.arange(count)]

    @cached_property
    def sets(self) -> list[tuple[np.ndarray, Reduction]]:
        """Yield for each group its positions and the reduction of the sets of an element and its updates."""
        if not self.is_computed:
            return []
        data, updates = self.numbers(self.source), self.numbers(self.updates)
        attributes = {"axes": [1], "keepdims": 0}
        return [(places, REDUCERS[self.reduction](Call("", attributes, {
            "data": np.concatenate([data[places][:, None], updates[rows]], axis=1)}), self.version))
            for places, rows in self.groups()]

    def places(self) -> np.ndarray:
        """Return for each element its own position, or that of an update."""
        positions = row_by_row(self.source.shape).reshape(-1)
        positions[self.targets.reshape(-1)] = self.source.size + np.arange(self.updates.size)
        return positions.reshape(self.source.shape)

    def expected(self) -> dict[str, np.ndarray]:
        """Return the output: copies, and what sets are reduced to."""
        moved = super().expected()
        flat = self.numbers(moved[self.output]).copy()
        for places, sets in self.sets:
            flat[places] = sets.canonical[OUTPUT]
        return {self.output: flat.view(self.source.dtype).reshape(self.source.shape)}

    def right(self, got: np.ndarray) -> np.ndarray:
        """bool: which of `numbers` are the same bits, or, of sets, within the rounding error of some order."""
        correct = same_bits(got, self.numbers(self.canonical[self.output]))
        for places, sets in self.sets:
            correct[places] = sets.conforms(OUTPUT, got[places])
        return correct

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """See `right`."""
        with np.errstate(all="ignore"):
            return self.whole(self.right(self.numbers(got)))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sets."""
        return {self.output: max([sets.tolerance().get(OUTPUT, 0.0) for _, sets in self.sets], default=0.0)}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        flat, where = self.numbers(got), np.repeat(judged.reshape(-1), 2 if self.source.dtype.kind == "c" else 1)
        figures_of_sets = [sets.measure(OUTPUT, flat[places], where[places]) for places, sets in self.sets]
        largest = [error for figures in figures_of_sets for error in figures.values()]
        return {"largest error in ulp": max(largest)} if largest else {}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The updates of the element, and the element where it counts."""
        cells = np.argwhere(self.targets == np.ravel_multi_index(where, self.source.shape))
        read = {"updates": cells} if len(cells) else {}
        return read if len(cells) and self.reduction == "none" else {"data": np.array([where], np.int64), **read}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        indices = self.inputs["indices"]
        return {"negative-index": bool((indices < 0).any()), "reduced": self.reduction != "none"}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"duplicates": len(np.unique(self.targets)) < self.targets.size}

    @classmethod
    def operands(cls, choose: Choose, version: int, shape: tuple[int, ...], updates: tuple[int, ...],
                 most: int) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
        """Draw a reduction, data and updates, at most `most` of which have one target."""
        names = ["none", *(name for name, since in SINCE.items() if since <= version)]
        reduction = choose(names, [4.0, *[1.0] * (len(names) - 1)])
        dtype = a_type(choose, cls.types_of("data", version))
        kind = "bits" if dtype in ("bool", STRING) else "any" if dtype.startswith("complex") else VALUES[reduction]
        terms = Terms(1 + most)
        attributes = {} if reduction == "none" and (version < 16 or choose((True, False))) else {"reduction": reduction}
        return attributes, choose.tensor(shape, dtype, kind, terms), choose.tensor(updates, dtype, kind, terms)

    @staticmethod
    def positions_of(choose: Choose, shape: tuple[int, ...], size: int, several: bool) -> np.ndarray:
        """Draw positions below `size`, each once unless `several`."""
        count = int(np.prod(shape))
        drawn = a_list_of_indices(choose, shape, "int64", size, back=False)
        if several or count > size:
            return drawn
        step = choose([step for step in (1, size - 1, 7) if gcd(step, size) == 1])
        start = int(drawn.reshape(-1)[0]) if count else 0
        return np.asarray((start + step * np.arange(count, dtype=np.int64)) % max(size, 1)).reshape(shape)

    @on_call(UNBOUND)
    def known_reduction(self) -> str | None:
        known = ["none", *(name for name, since in SINCE.items() if since <= self.version)]
        return None if self.reduction in known else f"reduction is {self.reduction!r}, none of {', '.join(known)}"

    def _of_sets(self, *names: str) -> Unspecified | None:
        """Return the unspecified values of sets, by the `Unspecified` methods of reductions with these names."""
        allowances: list[tuple[np.ndarray, Allowance]] = []
        for places, sets in self.sets:
            for name in names:
                effect: Unspecified | None = getattr(sets, name)() if hasattr(sets, name) else None
                if effect is not None:
                    allowances.append((places, effect.outputs[OUTPUT]))
        if not allowances:
            return None
        where = np.zeros(self.numbers(self.source).shape, bool)
        for places, allowance in allowances:
            where[places] |= allowance.where

        def admits(got: np.ndarray) -> np.ndarray:
            flat = self.numbers(got)
            right = self.right(flat)
            for places, allowance in allowances:
                right[places] |= allowance.allows(flat[places])
            return self.whole(right)

        is_any = all(allowance.admits is None for _, allowance in allowances) and self.source.dtype.kind != "c"
        return Unspecified({self.output: Allowance(self.whole(where, both=False), None if is_any else admits)})

    @unspecified(UNBOUND, refusal=True)
    def duplicates(self) -> Unspecified | None:
        if self.reduction != "none":
            return None
        updates, several = self.numbers(self.updates), [(places, rows) for places, rows in self.groups()
                                                        if rows.shape[1] > 1]
        where = np.zeros(self.numbers(self.source).shape, bool)
        for places, _ in several:
            where[places] = True

        def admits(got: np.ndarray) -> np.ndarray:
            flat = self.numbers(got)
            right = self.right(flat)
            for places, rows in several:
                one, written = flat[places][:, None], updates[rows]
                right[places] |= ((one != one) & (written != written) | same_bits(
                    np.broadcast_to(one, written.shape), written)).any(axis=1)
            return self.whole(right)

        return Unspecified.of(self.whole(where, both=False), self.output, admits=_quiet(admits))

    @unspecified(UNBOUND, refusal=True)
    def no_arithmetic(self) -> Unspecified | None:
        if self.reduction == "none" or self.is_computed:
            return None
        where = np.zeros(self.source.size, bool)
        where[self.targets.reshape(-1)] = True
        return Unspecified({self.output: Allowance(where.reshape(self.source.shape))})

    @unspecified(UNBOUND)
    def overflow_of_integers(self) -> Unspecified | None:
        return self._of_sets("overflow_of_integers")

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        return self._of_sets("not_finite")

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        return self._of_sets("overflow")

    @unspecified(UNBOUND)
    def underflow(self) -> Unspecified | None:
        return self._of_sets("underflow")

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        return self._of_sets("nan")


def _quiet(admits: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
    def silently(got: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):  # a NaN of bfloat16 signals
            return admits(got)
    return silently
