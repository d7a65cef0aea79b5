"""Operators that move elements: the output holds copies, bit by bit.

A definition says which one, and in what shape; expected outputs, comparison and pictures follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.element_types import same_bits
from plumbline.oracle.operator import Allowance, Operator, Predicate, Unspecified, Wrong
from plumbline.oracle.response import Response, other_shape, wrong_type
from plumbline.oracle.size_classes import (
    DTYPE,
    LARGE,
    ROWS,
    TALL,
    TALL_ROWS,
    WIDE_ROWS,
    SizeClass,
    a_large_output,
    a_tall_input,
    is_large,
    is_tall,
)
from plumbline.oracle.type_names import name_of


class Movement(Operator):
    """A call whose one output, `output`, holds elements of the `sources`; a definition may have more such outputs."""

    output: ClassVar[str] = "output"
    turns, rises, takes_strings = (), True, True
    wide: ClassVar[Mapping[str, Any]] = WIDE_ROWS
    """Choices of `make` that lead to a large output."""

    tall: ClassVar[Mapping[str, Any] | None] = TALL_ROWS
    """Choices of `make` that lead to a first input with many rows; None where there are none."""

    flag_notes = {
        "scalar": "what is moved has no axes. Kernels often take it for a vector of one element, or were never run "
                  "on one."}

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The inputs whose elements are moved: by default the first."""
        return dict(list(self.inputs.items())[:1])

    @property
    def source(self) -> np.ndarray:
        """The first of them."""
        return next(iter(self.inputs.values()))

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, and a tall input."""
        tall = () if cls.tall is None else (a_tall_input(cls.tall),)
        return SizeClass({"columns": ROWS}), a_large_output(cls.wide), *tall

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis of the first input, whether it is tall, and whether the output is large."""
        return {DTYPE: name_of(self.source.dtype), "columns": (0, *self.source.shape)[-1],
                LARGE: is_large(self.positions.shape), TALL: is_tall(self.source.shape)}

    def places(self) -> np.ndarray:
        """int64, in the shape of the output: of each element the position of the one that it copies, among the elements
        of all sources, one source after another, each row by row."""
        raise NotImplementedError

    @cached_property
    def positions(self) -> np.ndarray:
        """The `places`, computed once."""
        return self.places()

    @property
    def open_axes(self) -> frozenset[int]:
        """The axes of the output whose size the text leaves open for this call."""
        return frozenset()

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape: the declared one, or that of `positions`."""
        return super().shape_of(output) if output in self.shape_formulas else self.positions.shape

    def expected(self) -> dict[str, np.ndarray]:
        """The elements at `positions`."""
        elements = [source.reshape(-1) for source in self.sources.values()]
        flat = elements[0] if len(elements) == 1 else np.concatenate(elements)
        return {self.output: flat[self.positions.reshape(-1)].reshape(self.positions.shape)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of the same bits or characters; of another type, which another clause judges, once cast."""
        wanted = self.canonical[output]
        with np.errstate(all="ignore"):
            return same_bits(got.astype(wanted.dtype), wanted)

    def any_nan(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements of `got` with some NaN where the one to copy has one.

        Of a complex number, each part that is not NaN must be a copy."""
        wanted = self.canonical[output]
        if wanted.dtype.kind != "c":
            with np.errstate(invalid="ignore"):
                return np.asarray(got != got)
        found = np.ones(wanted.shape, dtype=bool)
        for one, other in ((got.real, wanted.real), (got.imag, wanted.imag)):
            found &= (np.isnan(one) & np.isnan(other)) | same_bits(one.astype(other.dtype), other)
        return found

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element that is copied."""
        position = int(self.positions[where])
        for name, source in self.sources.items():
            if position < source.size:
                return {name: np.array([np.unravel_index(position, source.shape)], dtype=np.int64)}
            position -= source.size
        raise AssertionError("a position beyond the elements of the sources")

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"scalar": any(source.ndim == 0 for source in self.sources.values())}


def row_by_row(shape: tuple[int, ...]) -> np.ndarray:
    """Positions of the elements of a tensor, in its shape: for definitions that take parts of it."""
    return np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)


def wrong_rank(self: Movement, response: Response) -> Wrong | None:
    """The output has another number of axes."""
    got, wanted = response.given.get(self.output), self.shape_of(self.output)
    return None if got is None or got.ndim == len(wanted) else other_shape(self.output, got.shape, wanted)


def wrong_sizes(self: Movement, response: Response, axes: Iterable[int]) -> Wrong | None:
    """The output, of the right rank, has another size on one of some axes, those aside whose size is left open."""
    got, wanted = response.given.get(self.output), self.shape_of(self.output)
    if got is None or all(got.shape[axis] == wanted[axis] for axis in axes if axis not in self.open_axes):
        return None
    return other_shape(self.output, got.shape, wanted)


def rank_of_output(clause: str) -> Predicate:
    """The output has its number of axes."""
    return Predicate("outputs", clause, wrong_rank)


def copied_shape(clause: str) -> Predicate:
    """The output has its shape, `Movement.open_axes` aside."""
    def wrong(self: Any, response: Response) -> Wrong | None:
        return wrong_rank(self, response) or wrong_sizes(self, response, range(len(self.positions.shape)))
    return Predicate("outputs", clause, wrong)


def type_of_source(clause: str) -> Predicate:
    """The output has the element type of the first input."""
    return Predicate("outputs", clause, lambda self, response: wrong_type(response, self.output, self.source.dtype))


def bits_of_nan(clause: str) -> Predicate:
    """Sign and payload of a NaN are left open."""
    def unspecified(self: Any) -> Unspecified | None:
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            masks = {name: np.asarray(wanted != wanted) for name, wanted in self.canonical.items()}
        allowances = {name: Allowance(mask, partial(self.any_nan, name)) for name, mask in masks.items() if mask.any()}
        return Unspecified(allowances) if allowances else None
    return Predicate("open", clause, unspecified)
