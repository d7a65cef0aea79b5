"""Judge and generate calls of ONNX Slice, by `spec/onnx/slice.md`."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers
from plumbline.oracle.families.axes import either_end, list_of, within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import COMPLEX, FLOATS, INTEGERS, Types, a_type, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import (
    Movement,
    bits_of_nan,
    row_by_row,
    wrong_rank,
    wrong_sizes,
)
from plumbline.oracle.operator import Choose, Unspecified, Wrong, evidence, on_call, on_outputs, unspecified
from plumbline.oracle.response import Response
from plumbline.oracle.size_classes import WIDE_ROWS, Named

ALL = (*FLOATS, *INTEGERS, "bool", *COMPLEX, "string")
INT_MAX = (2**31 - 1, 2**63 - 1)
ENDS = (*INT_MAX, -2**63, -2**31)
"""What exporters write for an end that is never reached."""


class Entry(NamedTuple):
    """The entries of the lists for one axis of a size."""

    start: int
    end: int
    axis: int
    step: int
    size: int

    @property
    def clamped(self) -> range:
        """The indices, by the clamping of version 13."""
        if not self.size:
            return range(0)
        start, end = (bound + self.size if bound < 0 else bound for bound in self[:2])
        if self.step > 0:
            return range(min(max(start, 0), self.size), min(max(end, 0), self.size), self.step)
        return range(min(max(start, 0), self.size - 1), min(max(end, -1), self.size - 1), self.step)

    @property
    def below(self) -> bool:
        """True if a bound lies before the first element, so that versions before 13 do not say what it means."""
        return self.start < -self.size or self.step > 0 and self.end < -self.size

    @property
    def int_max_backward(self) -> bool:
        """True if the end is INT_MAX, going backward over elements."""
        return self.step < 0 and self.end in INT_MAX and self.size > 0

    @property
    def from_below(self) -> bool:
        """True if both bounds lie before the first element, going backward over elements."""
        return self.step < 0 and max(self.start, self.end) < -self.size < 0

    @property
    def adjusted(self) -> bool:
        """True if a bound is changed before it is used."""
        highest = self.size if self.step > 0 else self.size - 1
        return not (0 <= self.start <= highest and 0 <= self.end <= highest)


class _Slicing(Movement):
    """The part that ONNX and its profile SONNX share."""

    types: ClassVar[Types]
    wide = {**WIDE_ROWS, "rows": 3, "cut": 1, "axis": 0, "step": 1}
    flag_notes = {**Movement.flag_notes, "backward": "a step is negative.",
                  "clamped": "a start or an end lies outside the axis, and is brought to its end.",
                  "crossed": "going forward, a start lies behind the end: nothing is selected.",
                  "no-entries": "the lists are empty.", "repeated-axis": "two entries name one axis.",
                  "strided-rows": "there are several axes, and the step along the last is not 1.",
                  "int-max-backward": "going backward, an end is INT_MAX, which some take for the end of the axis in "
                                      "either direction.",
                  "from-below": "going backward, start and end lie before the first element, where NumPy selects "
                                "nothing and the clamping the first element."}

    @cached_property
    def lists(self) -> dict[str, Integers]:
        """The lists that are given; None for what is not a list of ints."""
        given = self.attributes if self.version < 10 else self.inputs
        return {name: list_of(self, name) for name in ("starts", "ends", "axes", "steps") if name in given}

    @property
    def axes(self) -> list[int]:
        """The axes, counted from the front; by default the first."""
        given = self.lists.get("axes", tuple(range(len(self.lists["starts"]))))
        return [axis + self.source.ndim if axis < 0 else axis for axis in given]

    @cached_property
    def entries(self) -> list[Entry]:
        """The entries of the axes named, the last where several name one."""
        steps = self.lists.get("steps", (1,) * len(self.axes))
        rows = zip(self.lists["starts"], self.lists["ends"], self.axes, steps, strict=True)
        found = [Entry(*row, self.source.shape[row[2]]) for row in rows]
        return list({entry.axis: entry for entry in found}.values())

    def places(self) -> np.ndarray:
        """Return the positions at the indices of each axis."""
        found = row_by_row(self.source.shape)
        for entry in self.entries:
            found = found.take(np.array(entry.clamped, dtype=np.int64), axis=entry.axis)
        return found

    def unequal(self, *names: str) -> str | None:
        """Why those of some lists that are given are not all of one length."""
        lengths = {name: len(self.lists[name]) for name in names if name in self.lists}
        return None if len(set(lengths.values())) <= 1 else f"the lengths are {lengths}"

    def malformed(self, name: str) -> str | None:
        """Why an input is not a list of int32 or int64, or an attribute none of ints."""
        if self.lists.get(name) is None:
            return f"{name} is not given as a list of integers"
        dtype = self.inputs[name].dtype.name if name in self.inputs else "int64"
        return None if dtype in ("int32", "int64") else f"{name} is {dtype}"

    def like_starts(self, name: str) -> str | None:
        """Why a list, where it is given, is not one as starts is."""
        if name not in self.lists:
            return None
        if name in self.inputs and self.inputs[name].dtype != self.inputs["starts"].dtype:
            return f"{name} is {self.inputs[name].dtype.name}, starts is {self.inputs['starts'].dtype.name}"
        return self.malformed(name) or self.unequal("starts", name)

    @classmethod
    def call_of(cls, choose: Choose, version: int, shape: tuple[int, ...], lists: dict[str, list[int]]) -> Call:
        """Return a call on drawn data with lists as attributes or inputs."""
        data = choose.tensor(shape, a_type(choose, types_at(cls.types, version)), "bits")
        if version < 10:
            return Call("Slice", dict(lists), {"data": data})
        kind = choose(("int64", "int32")) if all(abs(v) < 2**31 for of in lists.values() for v in of) else "int64"
        return Call("Slice", {}, {"data": data, **{name: np.array(values, dtype=kind)
                                                   for name, values in lists.items()}})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        starts, steps = self.lists.get("starts"), self.lists.get("steps")
        try:
            entries, repeated = self.entries, len(self.entries) < len(self.axes)
        except (TypeError, ValueError, IndexError, KeyError):
            entries, repeated = [], False
        clamped = any(entry.start not in range(-entry.size, entry.size) or entry.end not in
                      range(-entry.size, entry.size + 1) for entry in entries)
        return {**super().flags(), "backward": any(step < 0 for step in steps or ()), "clamped": clamped,
                "crossed": any(entry.step > 0 and entry.clamped.start > entry.clamped.stop for entry in entries),
                "no-entries": starts == (), "repeated-axis": repeated,
                "int-max-backward": any(entry.int_max_backward for entry in entries),
                "strided-rows": any(0 < entry.axis == self.source.ndim - 1 and entry.step != 1 for entry in entries),
                "from-below": any(entry.from_below for entry in entries)}


class Slice(_Slicing):
    """A call of Slice under one version of its specification."""

    types = {1: ALL, 13: (*ALL, "bfloat16")}

    value = elements_of("output.F2", "output", "not the element of data at that index")
    nan = bits_of_nan("output.U1")

    @property
    def open_axes(self) -> frozenset[int]:
        """Return the axes with a bound before the first element, before version 13, or with two entries."""
        if len(self.entries) < len(self.axes):
            return frozenset(range(self.source.ndim))
        return frozenset(entry.axis for entry in self.entries if self.version < 13 and entry.below)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axes in any order, with bounds up to two beyond the ends, or as exporters write."""
        shape = a_shape(choose)
        rank, axes, steps, lists = len(shape), list[int](), list[int](), {"starts": list[int](), "ends": list[int]()}
        for _ in range(choose(Named("cut", range(rank + 1)[::-1]))):
            axis = choose(Named("axis", (axis for axis in range(rank) if not {axis, axis - rank} & {*axes})))
            size = shape[axis]
            axes.append(either_end(choose, axis, rank, version >= 11))
            steps.append(choose(Named("step", (1, 2, -1, -2, 3, size + 1, -size - 1, 2**62)),
                                (6, 3, 3, 2, 1, 0.5, 0.5, 0.2)))
            bounds = sorted(range(-size - 2, size + 3), key=abs)
            lists["starts"].append(choose((*bounds, *ENDS)))
            lists["ends"].append(choose((*bounds[::-1], *ENDS)))
        omitted: bool = axes == list(range(rank)) and choose((True, False))
        if not omitted:
            lists["axes"] = axes
        ones: bool = version < 10 or set(steps) <= {1} and choose((True, False))
        if not ones:
            lists["steps"] = steps
        if version < 10 and not axes:
            return None  # an attribute cannot hold an empty list without its type
        return cls.call_of(choose, version, shape, lists)

    @on_call("starts.C1")
    def starts_and_ends(self) -> str | None:
        return self.malformed("starts") or self.malformed("ends") or (
            self.like_starts("ends") if self.version >= 10 and self.unequal("starts", "ends") is None else None)

    @on_call("starts.C2", needs=("starts.C1",))
    def equal_lengths(self) -> str | None:
        return self.unequal("starts", "ends")

    @on_call("axes.C1", needs=("starts.C1",))
    def axes_like_starts(self) -> str | None:
        return self.like_starts("axes")

    @on_call("axes.C2", needs=("starts.C1", "axes.C1"))
    def from_the_front(self) -> str | None:
        return within("axes", self.lists.get("axes", ()), 0, self.source.ndim - 1)

    @on_call("axes.C3", needs=("starts.C1", "axes.C1"))
    def from_either_end(self) -> str | None:
        return within("axes", self.lists.get("axes", ()), -self.source.ndim, self.source.ndim - 1)

    @on_call("axes.C4", needs=("starts.C1",))
    def omitted_axes(self) -> str | None:
        count = len(self.lists["starts"])
        return None if "axes" in self.lists or count <= self.source.ndim else f"{count} starts, {self.source.ndim} axes"

    @on_call("steps.C1", needs=("starts.C1",))
    def steps_like_starts(self) -> str | None:
        return self.like_starts("steps")

    @on_call("steps.C2", needs=("steps.C1",))
    def not_zero(self) -> str | None:
        return "a step is 0" if 0 in (self.lists.get("steps") or ()) else None

    @unspecified("starts.U1", refusal=True)
    def before_the_first(self) -> Unspecified | None:
        return Unspecified.everything("output") if any(entry.below for entry in self.entries) else None

    @unspecified("starts.U2")
    def int_max_backward(self) -> Unspecified | None:
        if not any(entry.int_max_backward for entry in self.entries):
            return None
        ends, steps = self.inputs["ends"], self.inputs["steps"]
        to_the_first = np.where(np.isin(ends, INT_MAX) & (steps < 0), np.iinfo(ends.dtype).min, ends)
        other = replace(self.call, inputs={**self.inputs, "ends": to_the_first})
        return Unspecified({}, (Slice(other, self.version),))

    @unspecified("axes.U1", refusal=True)
    def repeated_axis(self) -> Unspecified | None:
        return Unspecified.everything("output") if len(self.entries) < len(self.axes) else None

    @unspecified("axes.U2", refusal=True)
    def fewer_starts(self) -> Unspecified | None:
        fewer = "axes" not in self.lists and len(self.axes) < self.source.ndim
        return Unspecified.refusal() if fewer else None

    @on_outputs("output.F1")
    def clamping(self, response: Response) -> Wrong | None:
        axes = [entry.axis for entry in self.entries if entry.adjusted]
        return None if wrong_rank(self, response) else wrong_sizes(self, response, axes)

    @on_outputs("output.C1", needs=("output.F1",))
    def shape(self, response: Response) -> Wrong | None:
        return wrong_rank(self, response) or wrong_sizes(self, response, range(self.source.ndim))

    @evidence("starts.E1")
    @staticmethod
    def start_without_an_element() -> str:
        sizes, starts, ends, steps = (20, 10, 5), (20, 10, 4), (0, 0, 1), (-1, -3, -2)
        printed = np.zeros(sizes)[20:0:-1, 10:0:-3, 4:1:-2].shape
        read = tuple(len(range(min(start, size - 1), end, step))
                     for start, end, step, size in zip(starts, ends, steps, sizes, strict=True))
        stated = tuple(len(range(min(start, size), end, step))
                       for start, end, step, size in zip(starts, ends, steps, sizes, strict=True))
        assert stated != printed == read
        return f"starts {list(starts)} of sizes {list(sizes)}, backward: starts of n would give {stated} and read " \
               f"past the end; NumPy, by which the example is computed, gives {printed}"

    @evidence("axes.E1")
    @staticmethod
    def all_axes_or_some() -> str:
        rank, starts = 2, [1]
        assert len(starts) < rank
        return f"for data of {rank} axes and starts {starts}, all axes need {rank} starts and the attribute names " \
               f"{list(range(len(starts)))}"

    @evidence("output.E2")
    @staticmethod
    def never_assigned() -> str:
        data, printed = np.array([[1, 2, 3, 4], [5, 6, 7, 8]]), [[5, 7]]
        axes, starts, ends, steps = [0, 1], [1, 0], [2, 3], [1, 2]
        effective = [[0, size, 1] for size in data.shape]
        for i, axis in enumerate(axes):
            bounds = effective[axis]
            bounds[:2] = (min(max(bound, 0), data.shape[axis]) for bound in bounds[:2])
            bounds[2] = steps[i]
        literally = data[tuple(slice(*bounds) for bounds in effective)].tolist()
        assigned = data[tuple(map(slice, starts, ends, steps))].tolist()
        assert assigned == printed != literally
        return f"Example 1 gives {literally} as it is written, and {assigned} where entries are assigned"

    @evidence("output.E1")
    @staticmethod
    def one_difference() -> str:
        by_numpy, clamped = np.arange(6)[-9:-10:-1].tolist(), list(Entry(-9, -10, 0, -1, 6).clamped)
        assert by_numpy == [] and clamped == [0]
        return f"starts [-9], ends [-10], steps [-1] of six elements select {by_numpy} by NumPy and {clamped} by the " \
               "clamping"
