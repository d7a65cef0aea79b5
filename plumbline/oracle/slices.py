"""Large outputs are judged a slice at a time: what the oracle computes of an element takes some 250 bytes, so that a
whole output would need many times the memory of the tensors.

A home says along which axes a slice of its output is what the call gives with slices of inputs (`Operator.slices`). A
call is cut along the longest of them, and its parts once more where they are still large. A clause is blamed for the
elements of a slice by what that slice shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.answers import Divergence, TooLarge

if TYPE_CHECKING:
    from plumbline.oracle.judgement import JudgedCall
    from plumbline.oracle.operator import Operator
    from plumbline.oracle.specification import Spec

LARGEST = 2**18
"""Elements, of the output or of an input that is cut with it, that are judged at once."""

SMALL = 2**9
"""Elements of all inputs up to which an output is not asked for its size: it is hardly ever large."""

WHOLE = 2**28
"""Elements of the largest output that is judged, where it cannot be cut."""

ANY = 2**30
"""Elements of the largest output that is judged at all: no answer is read that has more bytes."""

AXES = 64
"""Of an array."""

KEPT = 2**20
"""Wrong elements of one clause that are kept with their places."""


class Slices:
    """A call inside the domain that is asked for one output, as calls that each give a slice of it. (Where a silence
    admits whole answers, one is not admitted slice by slice.)"""

    def __init__(self, whole: JudgedCall, axis: int, step: int) -> None:
        self.name = whole.asked[0]
        self._spec, self._call, self._judged = whole.spec, whole.call.asking_for(self.name), type(whole)
        self._axis, self._step = axis, step
        self._shape = whole.home.shape_of(self.name)
        self._origin = whole.origin or (0,) * len(self._shape)
        self._inputs = whole.home.slices()[axis]

    @classmethod
    def of(cls, whole: JudgedCall) -> Slices | None:
        """None where the call is not large, or cannot be cut."""
        if len(whole.asked) != 1 or _size_of_inputs(whole.call) <= SMALL:
            return None
        axes = whole.home.slices()
        shape = whole.home.shape_of(whole.asked[0]) if axes else ()
        axis = max(axes, key=lambda axis: shape[axis], default=0)
        size = max([prod(shape), *(whole.call.inputs[name].size for name in axes.get(axis, ()))])
        if size <= LARGEST or not axes or shape[axis] < 2:
            return None
        found = cls(whole, axis, max(LARGEST * shape[axis] // size, 1))
        _, first = next(iter(found))
        return None if first.disputes or any(silence.readings for silence in first.silences.values()) else found

    def __iter__(self) -> Iterator[tuple[tuple[slice, ...], JudgedCall]]:
        """Each slice of the output, with the call that gives it."""
        for start in range(0, self._shape[self._axis], self._step):
            cut = slice(start, start + self._step)
            origin = list(self._origin)
            origin[self._axis] += start
            yield _along(self._axis, cut), self._judged(self._spec, _cut(self._call, self._inputs, cut),
                                                        origin=tuple(origin))

    @cached_property
    def expected(self) -> np.ndarray:
        """The canonical output."""
        parts = [part.expected[self.name] for _, part in self]
        return np.concatenate(parts, axis=self._axis)

    def fits(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Whether an output can be cut as the call is."""
        return self.name in outputs and np.shape(outputs[self.name]) == self._shape

    def divergences(self, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """Those of all slices, one for each clause."""
        found: dict[str, Divergence] = {}
        for where, part in self:
            for entry in part.divergences({self.name: outputs[self.name][where]}):
                found[entry.clause] = _joined(found.get(entry.clause), entry)
        return [found[address] for address in self._spec.clauses if address in found]

    def homes(self, entry: Divergence) -> Iterator[tuple[Operator, Divergence]]:
        """Of a divergence with places, what of it falls into each slice, which has a home of its own."""
        assert entry.where is not None
        for where, part in self:
            start = where[self._axis].start
            inside = (entry.where[:, self._axis] >= start) & (entry.where[:, self._axis] < start + self._step)
            if inside.any():
                local = entry.where[inside]
                local[:, self._axis] -= start
                found = replace(entry, where=local, expected=entry.expected[inside], got=entry.got[inside])
                yield from part.slices.homes(found) if part.slices else [(part.home, found)]

    @property
    def tolerance(self) -> dict[str, float]:
        """The largest of all slices."""
        parts = [part.tolerance for _, part in self]
        return {name: max(part[name] for part in parts) for name in parts[0]}

    def measures(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """The largest figures of all slices."""
        found: dict[str, float] = {}
        for where, part in self:
            for name, figure in part.measures({self.name: outputs[self.name][where]}).items():
                found[name] = max(figure, found.get(name, figure))
        return found


def held(home: Operator, outputs: Sequence[str]) -> Operator:
    """The home of a call inside the domain, of which these outputs are asked for. Raises TooLarge."""
    for name in outputs:
        shape = home.shape_of(name)
        few = prod(filter(None, shape)) <= WHOLE or len(outputs) > 1 or _size_of_inputs(home.call) <= SMALL
        holdable(name, shape, WHOLE if few or all(shape[axis] < 2 for axis in home.slices()) else ANY)
    return home


def holdable(name: str, shape: Sequence[int], most: int = WHOLE) -> None:
    """Raises TooLarge for an output with more than `most` elements along the axes that are not empty, which count where
    others are, since what is computed on the way may have them; or with more axes than an array has."""
    if len(shape) > AXES:
        raise TooLarge(f"{name} has {len(shape)} axes, and at most {AXES} are judged")
    size = prod(filter(None, shape))
    if size > most:
        counted = "elements, were no axis empty" if 0 in shape else "elements"
        raise TooLarge(f"{name} has shape {list(shape)}: {size:,} {counted}, and at most {most:,} are judged")


def _size_of_inputs(call: Call) -> int:
    return sum(tensor.size for tensor in call.inputs.values())


def narrowed(spec: Spec, call: Call, place: tuple[int, ...]) -> tuple[Call, tuple[slice, ...]]:
    """Of a call inside the domain that is asked for one output, the smallest part that gives the element at a place;
    and where in the output its own stands. The call itself where it cannot be cut."""
    where = [slice(None)] * len(place)
    for axis in sorted(spec.home(call, spec.opset).slices()):
        inputs = spec.home(call, spec.opset).slices()[axis]
        where[axis] = slice(place[axis], place[axis] + 1)
        call = _cut(call, inputs, where[axis])
    cropped = spec.home(call, spec.opset).cropped(place)
    if cropped is not None and not spec.violations(cropped):
        alone = tuple(slice(at, at + 1) for at in place)
        within = tuple(slice(0, 1) if cut != slice(None) else one for cut, one in zip(where, alone, strict=True))
        (name, wanted), = spec.expected(call).items()
        if spec.expected(cropped)[name].tobytes() == wanted[within].tobytes():
            return cropped, alone
    return call, tuple(where)


def begun(spec: Spec, call: Call, most: int) -> Call:
    """Of a call inside the domain that has tensors of more elements, a part that gives the beginning of its outputs, at
    least two along each axis that is cut; the call itself where it cannot be cut."""
    for axis in sorted(spec.home(call, spec.opset).slices()):
        home = spec.home(call, spec.opset)
        inputs, shape = home.slices()[axis], home.shape_of(spec.outputs[0])
        size = max([prod(shape), *(call.inputs[name].size for name in inputs)])
        if size > most and shape[axis] > 2:
            call = _cut(call, inputs, slice(0, max(most * shape[axis] // size, 2)))
    return call


def _cut(call: Call, axes: Mapping[str, int], cut: slice) -> Call:
    """With a slice of some inputs, along an axis of each."""
    return replace(call, inputs={name: tensor[_along(axes[name], cut)] if name in axes else tensor
                                 for name, tensor in call.inputs.items()})


def _along(axis: int, cut: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, cut)


def _joined(one: Divergence | None, other: Divergence) -> Divergence:
    """What two slices break of a clause."""
    if one is None or one.where is None or other.where is None:
        return one or other
    if len(one.where) >= KEPT:
        return replace(one, beyond=one.beyond + len(other.where) + other.beyond)
    return replace(one, beyond=one.beyond + other.beyond, where=np.concatenate([one.where, other.where]),
                   expected=np.concatenate([one.expected, other.expected]), got=np.concatenate([one.got, other.got]))
