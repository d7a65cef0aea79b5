"""Judge large outputs a slice at a time.

Judging takes some 250 bytes for each element, so that a whole output would need many times the memory of the tensors.
A definition says along which axes a slice of its output is what the call gives with slices of inputs
(`Operator.slices`), and along which it is what another call gives with slices that overlap (`Operator.strips`). A call
is cut along the longest of the latter, else of the former, and its parts once more where they are still large. A clause
is blamed for the elements of a slice by what that slice shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.definition import Operator
from plumbline.oracle.limits import SMALL, size_of_inputs

LARGEST = 2**18
"""Elements of the output that are judged at once; or of an input that is cut with it, by `Operator.room_of_inputs`."""

KEPT = 2**20
"""Wrong elements of one clause that are kept with their places."""

REMEMBERED = 2**20
"""Elements up to which a call keeps its slices until an output is compared: each question would make them anew."""


@dataclass(frozen=True)
class PartAnswers:
    """The answers of a judged call about itself and about outputs, named as the methods of `JudgedCall`."""

    divergences: list[Divergence]
    observes: bool
    decided_elements: tuple[int, int]
    measures: dict[str, float]
    errors: dict[str, float]
    tolerance: dict[str, float]
    unspecified_clauses: tuple[str, ...]
    decides_nothing: bool


class Part(Protocol):
    """A judged call (`JudgedCall`) that gives a slice of the output of another."""

    @property
    def definition(self) -> Operator:
        """The call as its operator reads it."""

    @property
    def slices(self) -> Slices[Any] | None:
        """The slices of this part, if it is still large."""

    @property
    def expected(self) -> dict[str, np.ndarray]:
        """The canonical outputs of this part."""

    @property
    def tolerance(self) -> dict[str, float]:
        """The distance from the canonical values within which others conform, by output."""

    def answers(self, outputs: Mapping[str, np.ndarray]) -> PartAnswers:
        """Return all answers about the part and about outputs."""


PartOfCall = TypeVar("PartOfCall", bound=Part)


class Slices(Generic[PartOfCall]):
    """A call inside the domain that is asked for one output, as calls that each give a slice of it.

    part: judges a call that gives a slice, which begins at a place of the whole output, and may be a strip of a call.
    """

    def __init__(self, definition: Operator, name: str, axis: int, size: int, origin: tuple[int, ...] | None,
                 part: Callable[[Call, tuple[int, ...], Operator | None], PartOfCall]) -> None:
        self.name, self._definition, self._part = name, definition, part
        self._shape = definition.shape_of(name)
        self._axis, self._step = axis, max(LARGEST * self._shape[axis] // size, 1)
        self._origin = origin or (0,) * len(self._shape)
        self._inputs = None if axis in definition.strips() else definition.slices()[axis]
        self._output: np.ndarray | None = None
        self._answers: list[PartAnswers] = []
        self._remembers, self._parts = size <= REMEMBERED, dict[int, PartOfCall]()

    @classmethod
    def of(cls, definition: Operator, asked: tuple[str, ...], origin: tuple[int, ...] | None,
           part: Callable[[Call, tuple[int, ...], Operator | None], PartOfCall]) -> Slices[PartOfCall] | None:
        """Return the slices of a call; None if it is not large, or cannot be cut.

        `asked` are the outputs, and `origin` is where the call's output begins in that of a larger call, if in one."""
        if len(asked) != 1 or size_of_inputs(definition.call) <= SMALL:
            return None
        for axes in filter(None, (definition.strips(), definition.slices())):
            shape = definition.shape_of(asked[0])
            axis = max(axes, key=lambda axis: shape[axis])
            size = max([prod(shape), *(int(definition.call.inputs[name].size * definition.room_of_inputs)
                                       for name in axes[axis])])
            if size > LARGEST and shape[axis] > 1:
                return cls(definition, asked[0], axis, size, origin, part)
        return None

    def __iter__(self) -> Iterator[tuple[tuple[slice, ...], PartOfCall]]:
        """Yield each slice of the output, with the call that gives it."""
        for start in range(0, self._shape[self._axis], self._step):
            cut = slice(start, start + self._step)
            part = self._parts.get(start)
            if part is None:
                origin = list(self._origin)
                origin[self._axis] += start
                part = self._cut(cut, tuple(origin))
                if self._remembers:
                    self._parts[start] = part
            yield _along(self._axis, cut), part

    def _cut(self, cut: slice, origin: tuple[int, ...]) -> PartOfCall:
        """Return the call that gives a slice, which begins at a place of the whole output."""
        definition = self._definition
        if self._inputs is None:
            return self._part(definition.strip(self._axis, cut).asking_for(self.name), origin, definition)
        return self._part(cut_inputs(definition.call, self._inputs, cut).asking_for(self.name), origin,
                          definition.strip_of)

    @cached_property
    def expected(self) -> np.ndarray:
        """The canonical output."""
        parts = [part.expected[self.name] for _, part in self]
        return np.concatenate(parts, axis=self._axis)

    def fits(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """Return True if an output can be cut as the call is."""
        return self.name in outputs and np.shape(outputs[self.name]) == self._shape

    def answers(self, outputs: Mapping[str, np.ndarray]) -> list[PartAnswers]:
        """Return the answers of each slice about its part of the output, all at once: then slices are forgotten."""
        output = outputs[self.name]
        if self._output is not output:
            self._output, self._answers, expected = output, [], []
            for where, part in self:
                self._answers.append(part.answers({self.name: output[where]}))
                if self._remembers:
                    expected.append(part.expected[self.name])
                    self._parts.pop(where[self._axis].start, None)
            if expected:
                self.expected = np.concatenate(expected, axis=self._axis)
        return self._answers

    @property
    def each(self) -> Iterable[PartOfCall | PartAnswers]:
        """The answers of each slice, or the slices where none were asked for."""
        return self._answers or (part for _, part in self)

    def divergences(self, outputs: Mapping[str, np.ndarray]) -> list[Divergence]:
        """Return the divergences of all slices, one for each clause, in any order."""
        by_clause: dict[str, Divergence] = {}
        for part in self.answers(outputs):
            for entry in part.divergences:
                by_clause[entry.clause] = joined(by_clause.get(entry.clause), entry)
        return list(by_clause.values())

    def definitions(self, entry: Divergence) -> Iterator[tuple[Operator, Divergence]]:
        """Yield the part of a divergence with places in each slice, with the definition of the slice."""
        assert entry.where is not None
        for where, part in self:
            start = where[self._axis].start
            inside = (entry.where[:, self._axis] >= start) & (entry.where[:, self._axis] < start + self._step)
            if inside.any():
                local = entry.where[inside]
                local[:, self._axis] -= start
                cut = replace(entry, where=local, expected=entry.expected[inside], got=entry.got[inside])
                yield from part.slices.definitions(cut) if part.slices else [(part.definition, cut)]

    @property
    def tolerance(self) -> dict[str, float]:
        """The largest of all slices."""
        return _largest(part.tolerance for part in self.each)

    def measures(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """The largest figures of all slices."""
        return _largest(part.measures for part in self.answers(outputs))

    def errors(self, outputs: Mapping[str, np.ndarray]) -> dict[str, float]:
        """The largest errors of all slices."""
        return _largest(part.errors for part in self.answers(outputs))


def _largest(figures: Iterable[dict[str, float]]) -> dict[str, float]:
    """Return the largest number by name."""
    largest: dict[str, float] = {}
    for of_part in figures:
        for name, figure in of_part.items():
            largest[name] = max(figure, largest.get(name, figure))
    return largest


def cut_inputs(call: Call, axes: Mapping[str, int], cut: slice) -> Call:
    """Return a call with a slice of some inputs, along an axis of each."""
    return replace(call, inputs={name: tensor[_along(axes[name], cut)] if name in axes else tensor
                                 for name, tensor in call.inputs.items()})


def _along(axis: int, cut: slice) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, cut)


def joined(one: Divergence | None, other: Divergence) -> Divergence:
    """Join the divergences of two slices from one clause."""
    if one is None or one.where is None or other.where is None:
        return one or other
    if len(one.where) >= KEPT:
        return replace(one, beyond=one.beyond + len(other.where) + other.beyond)
    return replace(one, beyond=one.beyond + other.beyond, where=np.concatenate([one.where, other.where]),
                   expected=np.concatenate([one.expected, other.expected]), got=np.concatenate([one.got, other.got]))
