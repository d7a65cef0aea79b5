"""Judge and generate calls of ONNX ArgMax and ArgMin, by `spec/onnx/argmax.md` and `spec/onnx/argmin.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.axes import axis_of, axis_within, either_end
from plumbline.oracle.families.clauses import (
    elements_of,
    shape_of_output,
)
from plumbline.oracle.families.element_types import FLOATS, INTEGERS, Types, a_type, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Allowance, Choose, Operator, Unspecified, on_call, on_elements, unspecified
from plumbline.oracle.size_classes import (
    DTYPE,
    FAR,
    LARGE,
    LINES,
    WIDE_ROWS,
    Named,
    SizeClass,
    a_far_index,
    a_large_output,
    is_far,
    is_large,
)

NUMBERS = (*FLOATS, *INTEGERS)


class _Search(Operator):
    """The part that ONNX and SONNX share: NaN above every number, which ONNX leaves open."""

    types: ClassVar[Types] = {1: NUMBERS}
    operator: ClassVar[str] = "ArgMax"
    largest: ClassVar[bool] = True
    """True if the largest elements are looked for, False for the smallest."""

    has_defaults = True
    counts_back_from = 11
    flag_notes = {"negative-axis": "axis counts from the back.",
                  "ties": "some line holds its maximum twice. Which is given shows the order of the search, and "
                          "whether it replaces what is equal."}

    @property
    def data(self) -> np.ndarray:
        """The input."""
        return self.inputs["data"]

    @property
    def axis(self) -> int:
        """The axis, counted from the front; the default is 0."""
        axis = int(axis_of(self, 0))
        return axis + self.data.ndim if axis < 0 else axis

    @property
    def size(self) -> int:
        """The number of elements of a line."""
        return int(self.data.shape[self.axis])

    @property
    def keeps(self) -> bool:
        """True if the axis is kept, with size 1."""
        return bool(self.attributes.get("keepdims", 1) == 1)

    @property
    def last(self) -> bool:
        """True if the last of several indices is given."""
        return bool(self.attributes.get("select_last_index", 0) == 1)

    @cached_property
    def lines(self) -> np.ndarray:
        """The lines along the last axis: (lines, size), of types that numpy compares."""
        wide = self.data.astype(np.float32) if self.data.dtype.kind == "V" else self.data
        return np.moveaxis(wide, self.axis, -1)

    @cached_property
    def with_nan(self) -> np.ndarray:
        """bool, in the shape of the output: whose lines hold a NaN."""
        return self.shaped((self.lines != self.lines).any(axis=-1))

    @cached_property
    def maxima(self) -> np.ndarray:
        """bool (lines, size): which elements are the largest of their line, or the smallest; a NaN before others."""
        lines = self.lines
        furthest = (np.max if self.largest else np.min)(lines, axis=-1, keepdims=True) if self.size else lines
        return np.asarray((lines == furthest) | (lines != lines))

    @cached_property
    def several_maxima(self) -> np.ndarray:
        """bool, in the shape of the output: whose lines hold their maximum more than once."""
        return self.shaped(self.maxima.sum(axis=-1) > 1)

    def shaped(self, found: np.ndarray) -> np.ndarray:
        """Return results of lines in the shape of the output."""
        return np.expand_dims(found, self.axis) if self.keeps else found

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of data without the axis, or with 1 for it."""
        shape = self.data.shape
        return (*shape[:self.axis], *(1,) * self.keeps, *shape[self.axis + 1:])

    def expected(self) -> dict[str, np.ndarray]:
        """The index of the first maximum of each line, or of the last; 0 for a line without elements."""
        maxima = self.maxima
        if not self.size:
            return {"reduced": self.shaped(np.zeros(maxima.shape[:-1], dtype=np.int64))}
        first = maxima.argmax(axis=-1) if not self.last else self.size - 1 - maxima[..., ::-1].argmax(axis=-1)
        return {"reduced": np.asarray(self.shaped(first.astype(np.int64)))}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """The canonical index, where its worse end prevails over all other better ends; else any index."""
        index = self.canonical["reduced"] if self.keeps else np.expand_dims(self.canonical["reduced"], self.axis)
        others, own = (high.inputs["data"], low.inputs["data"])[::1 if self.largest else -1]
        worst = np.array(others)
        np.put_along_axis(worst, index, np.take_along_axis(own, index, self.axis), self.axis)
        other = type(self)(Call(self.call.operator, self.attributes, {"data": worst}), self.version)
        kept = (other.canonical["reduced"] == self.canonical["reduced"]) & ~other.several_maxima
        return {"reduced": Ends.around(self.canonical["reduced"]).where(kept & ~other.with_nan)}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """The index of the last maximum of each line for the first, or of the first for the last."""
        if self.size:
            from_the_end = self.size - 1 - self.maxima[..., ::-1].argmax(axis=-1)
            other = self.maxima.argmax(axis=-1) if self.last else from_the_end
            yield np.asarray(self.shaped(other.astype(np.int64)))

    def inside(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of numbers that are indices of a line."""
        return np.asarray((got >= 0) & (got < self.size) & (got == np.floor(got)))

    def of_a_maximum(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of numbers that are indices of an element that no other is above."""
        inside = self.inside(got)
        if not self.size:
            return inside
        places = np.where(inside, got, 0).astype(np.int64)
        by_line = np.squeeze(places, self.axis) if self.keeps else places
        found: np.ndarray = np.take_along_axis(self.maxima, by_line[..., None], axis=-1)[..., 0]
        return np.asarray(inside & self.shaped(found))

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The line."""
        others = where[:self.axis] + where[self.axis + self.keeps:]
        return {"data": np.array([(*others[:self.axis], index, *others[self.axis:]) for index in range(self.size)],
                                 dtype=np.int64).reshape(-1, self.data.ndim)}

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Lines, those of few elements in batches and channels beyond blocks, many short ones, and a far index."""
        return (SizeClass({"columns": LINES[:3]}, {"rank": 3, "rows": 17, "axis": 2}),
                SizeClass({"columns": LINES[3:]}),
                a_large_output({**WIDE_ROWS, "columns": 2 * WIDE_ROWS["columns"], "axis": 0}), a_far_index())

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of a line, and whether there are many, and an index is far."""
        return {DTYPE: self.data.dtype.name, "columns": self.size, LARGE: is_large(self.shape_of("reduced")),
                FAR: is_large(self.data.shape) and is_far(self.canonical["reduced"])}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: lines along any axis."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))))
        attributes: dict[str, Any] = {}
        if cls.has_defaults is False or axis or choose((False, True)):
            attributes["axis"] = either_end(choose, axis, len(shape), version >= cls.counts_back_from)
        keepdims = choose((1, 0))
        if cls.has_defaults is False or not keepdims or choose((False, True)):
            attributes["keepdims"] = keepdims
        last = choose((0, 1)) if version >= 12 else 0
        if cls.has_defaults is False or last or version >= 12 and choose((False, True)):
            attributes["select_last_index"] = last
        dtype = a_type(choose, types_at(cls.types, version))
        return Call(cls.operator, attributes, {"data": choose.tensor(shape, dtype, "order")})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        found = axis_of(self, 0)
        valid = found is not None and -self.data.ndim <= found < self.data.ndim
        return {"negative-axis": valid and found < 0, "ties": valid and bool(self.several_maxima.any())}


def nan_passed_over(definition: Operator, entry: Divergence) -> bool:
    """Elements are what a search gives that compares with the first element of the line and then with what it found:
    a NaN replaces nothing, and nothing replaces one that comes first."""
    assert isinstance(definition, _Search) and entry.where is not None
    lines = definition.lines
    found = np.zeros(lines.shape[:-1], dtype=np.int64)
    for index in range(1, definition.size):
        best = np.take_along_axis(lines, found[..., None], axis=-1)[..., 0]
        above = lines[..., index] >= best if definition.last else lines[..., index] > best
        found = np.where(above, index, found)
    return bool(np.array_equal(np.ravel(definition.shaped(found)[tuple(entry.where.T)]), entry.got))


def nan_left_aside(definition: Operator, entry: Divergence) -> bool:
    """Elements point at the largest number of their line, NaN left aside."""
    assert isinstance(definition, _Search) and entry.where is not None
    assert isinstance(entry.got, np.ndarray)
    lines = definition.lines
    if lines.dtype.kind in "iu" or not np.all((entry.got >= 0) & (entry.got < definition.size)):
        return False
    numbers = np.where(lines != lines, lines.dtype.type(-np.inf), lines)
    largest = (numbers == numbers.max(axis=-1, keepdims=True)) & (lines == lines)
    numbered = np.arange(lines[..., 0].size).reshape(lines.shape[:-1])
    line = definition.shaped(numbered)[tuple(entry.where.T)].reshape(-1)
    return bool(largest.reshape(-1, definition.size)[line, entry.got].all())


class ArgMax(_Search):
    """A call of ArgMax under one version of its specification."""

    types = {1: NUMBERS, 13: (*NUMBERS, "bfloat16")}

    shape = shape_of_output("reduced.C1", "reduced")

    @on_elements("select_last_index.F1", "reduced", "not the first or last maximum, as select_last_index says")
    def other_tie(self, got: np.ndarray) -> np.ndarray:
        return self.of_a_maximum(got)

    value = elements_of("reduced.F1", "reduced", "not the index of a maximum of the line", lambda self: ~self.with_nan)

    @on_call("axis.C1")
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, 0, 0, self.data.ndim - 1)

    @on_call("axis.C2")
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, 0, -self.data.ndim, self.data.ndim - 1)

    @on_call("data.C3")
    def not_empty(self) -> str | None:
        return None if self.data.size else "data has no elements"

    @unspecified("keepdims.U1", refusal=True)
    def other_keepdims(self) -> Unspecified | None:
        if self.attributes.get("keepdims", 1) in (0, 1):
            return None
        readings = [type(self)(Call(self.operator, {**self.attributes, "keepdims": kept}, self.inputs), self.version)
                    for kept in (0, 1)]
        return Unspecified({}, tuple(readings))

    @unspecified("select_last_index.U1")
    def ties(self) -> Unspecified | None:
        return Unspecified.of(self.several_maxima, "reduced", admits=self.of_a_maximum)

    @unspecified("select_last_index.U2", refusal=True)
    def other_selection(self) -> Unspecified | None:
        if self.attributes.get("select_last_index", 0) in (0, 1):
            return None
        return Unspecified({"reduced": Allowance(self.several_maxima, self.of_a_maximum)})

    @unspecified("data.U1", refusal=True)
    def empty_line(self) -> Unspecified | None:
        return None if self.size else Unspecified({"reduced": Allowance()})

    empty_line_again = unspecified("data.U2", refusal=True)(empty_line)

    @unspecified("reduced.U1")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self.with_nan, "reduced", admits=self.inside)


class ArgMin(ArgMax):
    """A call of ArgMin under one version of its specification."""

    operator, largest = "ArgMin", False
