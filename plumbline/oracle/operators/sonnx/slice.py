"""Judge and generate calls of SONNX Slice, by `spec/sonnx/slice.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end, within
from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, rank_of_output, type_of_source
from plumbline.oracle.families.profile import last_index
from plumbline.oracle.operator import Choose, evidence, on_call
from plumbline.oracle.operators.onnx.slice import _Slicing
from plumbline.oracle.size_classes import Named
from plumbline.oracle.type_names import STRING

LISTS = ("X.C1", "A.C2", "A.C3", "K.C2", "S.C4")
"""What must hold for the entries to be read."""


class Slice(_Slicing):
    """A call of Slice in the profile: every axis named, every bound within its axis."""

    wide = {"rank": 1, "columns": 140_000, "step": 1}

    types = {1: (*FLOATS, *INTEGERS, "bool", "bfloat16", STRING)}

    output_is_given = presence("signature.F1")
    no_attribute = attributes_of("signature.C1", {})
    types_of_x = element_type("X.C5", "data", types[1])
    rank = rank_of_output("Y.C1")
    shape = copied_shape("Y.C2")
    type_of_y = type_of_source("Y.C4")
    value = elements_of("Y.F1", "output", "not the element of X at that index")
    nan = bits_of_nan("Y.U1")
    closed_indices = evidence("X.E9")(last_index)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: all axes in any order, forward and backward, with bounds counted from either end."""
        shape = a_shape(choose)
        if not shape:
            return None
        rank, left = len(shape), list(range(len(shape)))
        lists: dict[str, list[int]] = {"starts": [], "ends": [], "axes": [], "steps": []}
        for _ in range(rank):
            axis = left.pop(choose(range(len(left))))
            size, step = shape[axis], choose(Named("step", (1, 2, -1, -2, 3, shape[axis], -shape[axis], 2**62)))
            start = choose((range(size) if step > 0 else range(size)[::-1]) or (0,))  # of an empty axis there is none
            end = choose(range(start, size + 1)[::-1] if step > 0 else range(-1, start + 1))
            lists["starts"].append(either_end(choose, start, size, True))
            lists["ends"].append(end - size if end == -1 else either_end(choose, end, size, end < size))
            lists["axes"].append(either_end(choose, axis, rank, True))
            lists["steps"].append(step)
        return cls.call_of(choose, version, shape, lists)

    @on_call("restrictions.R1")
    def axes_are_given(self) -> str | None:
        return None if "axes" in self.lists else "axes are not given"

    @on_call("restrictions.R2", needs=("X.C1", "S.C4"))
    def all_axes(self) -> str | None:
        count = len(self.lists["starts"])
        return None if count == self.source.ndim else f"{count} of {self.source.ndim} axes are named"

    @on_call("restrictions.R3")
    def steps_are_given(self) -> str | None:
        return None if "steps" in self.lists else "steps are not given"

    @on_call("restrictions.R6", needs=(*LISTS, "restrictions.R8", "restrictions.R9"))
    def forward(self) -> str | None:
        wrong = [entry for entry in self.entries if entry.step > 0 and self.shifted(entry.start, entry.size)
                 > self.shifted(entry.end, entry.size)]
        return f"axis {wrong[0].axis}: start {wrong[0].start} is behind end {wrong[0].end}" if wrong else None

    @on_call("restrictions.R7", needs=(*LISTS, "restrictions.R8", "restrictions.R9"))
    def backward(self) -> str | None:
        wrong = [entry for entry in self.entries if entry.step < 0 and self.shifted(entry.start, entry.size)
                 < self.shifted(entry.end, entry.size)]
        return f"axis {wrong[0].axis}: start {wrong[0].start} is before end {wrong[0].end}" if wrong else None

    @staticmethod
    def shifted(bound: int, size: int) -> int:
        """A bound with the size added where it is negative."""
        return bound + size if bound < 0 else bound

    @on_call("restrictions.R8", needs=LISTS)
    def starts_inside(self) -> str | None:
        return next((f"axis {entry.axis}: start {entry.start} of size {entry.size}" for entry in self.entries
                     if not -entry.size <= entry.start < entry.size), None)

    @on_call("restrictions.R9", needs=LISTS)
    def ends_inside(self) -> str | None:
        for entry in self.entries:
            lowest, highest = (-entry.size, entry.size) if entry.step > 0 else (-entry.size - 1, entry.size - 1)
            if not lowest <= entry.end <= highest:
                return f"axis {entry.axis}: end {entry.end} of size {entry.size}, step {entry.step}"
        return None

    @on_call("X.C1")
    def one_length(self) -> str | None:
        ranks = [name for name in ("starts", "ends", "axes", "steps") if name in self.inputs
                 and self.inputs[name].ndim != 1]
        lengths = {len(self.inputs[name]) for name in ("starts", "ends", "axes", "steps")
                   if name in self.inputs and name not in ranks}
        return f"{ranks[0]} is not a list" if ranks else None if len(lengths) == 1 else f"lengths are {sorted(lengths)}"

    @on_call("X.C3")
    def an_axis(self) -> str | None:
        return None if self.source.ndim else "X has no axes"

    @on_call("S.C4")
    def one_index_type(self) -> str | None:
        types = {self.inputs[name].dtype.name for name in ("starts", "ends", "axes", "steps") if name in self.inputs}
        return None if types in ({"int32"}, {"int64"}) else f"the lists are {', '.join(sorted(types))}"

    @on_call("A.C2", needs=("X.C1", "S.C4"))
    def axes_domain(self) -> str | None:
        return within("axes", self.lists.get("axes", ()), -self.source.ndim, self.source.ndim - 1) or within(
            "axes", tuple(self.axes), 0, self.source.ndim - 1)

    @on_call("A.C3", needs=("X.C1", "S.C4", "A.C2"))
    def uniqueness(self) -> str | None:
        return None if len(set(self.axes)) == len(self.axes) else "axes name an axis twice"

    @on_call("K.C2", needs=("X.C1", "S.C4"))
    def not_zero(self) -> str | None:
        return "a step is 0" if 0 in self.lists.get("steps", ()) else None

    @evidence("restrictions.E1")
    @staticmethod
    def not_listed() -> str:
        size, end = 10, 1000
        assert not -size <= end <= size and len(range(size)[0:end]) == size
        return f"an end of {end} on an axis of {size} gives all {size} elements in ONNX and is " \
               f"outside -{size} to {size}"

    @evidence("S.E1")
    @staticmethod
    def not_negative() -> str:
        selected = np.arange(6)[3:3]
        assert selected.size == 0
        return f"start 3 and end 3 keep R6 and select {selected.size} elements, which is not negative and not positive"

    @evidence("Y.E1")
    @staticmethod
    def steps_by_axis() -> str:
        x, axes, steps = np.zeros((3, 3)), [1, 0], [2, 1]
        by_entry = x[::steps[axes.index(0)], ::steps[axes.index(1)]].shape
        by_axis = x[::steps[0], ::steps[1]].shape
        assert by_entry == (3, 2) and by_axis == (2, 3)
        return f"A = {axes} and K = {steps}: Y has shape {by_entry} by entry and {by_axis} by axis"
