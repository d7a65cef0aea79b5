"""Judge and generate calls of ONNX Shape, by `spec/onnx/shape.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_of
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import Types, a_type, moved, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Choose, Operator, Predicate, Wrong
from plumbline.oracle.response import Response, other_shape, wrong_shape


class _Sizes(Operator):
    """The part that ONNX and SONNX share: the run of sizes from `start` to before `end`."""

    types: ClassVar[Types]
    turns, takes_strings, reads_sizes_alone = (), True, True
    has_defaults = True
    runs_from = 15
    flag_notes = {"scalar": "data has no axes, so that its shape has no elements.",
                  "clamped": "start or end lies outside the axes of data, and is brought to the nearest end.",
                  "end-just-below": "end lies before the first axis, by less than the rank: with the rank added, once, "
                                    "it is still negative, and Python's slices would count it from the back again."}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of data."""
        return self.inputs["data"].shape

    def bound(self, name: str, default: int) -> int:
        """Return `start` or `end`, counted from the front, from 0 to the rank."""
        rank = len(self.sizes)
        value = int(axis_of(self, default, name)) if self.version >= self.runs_from else default
        return min(max(value + rank if value < 0 else value, 0), rank)

    @property
    def start(self) -> int:
        """The first axis; the default is 0."""
        return self.bound("start", 0)

    @property
    def end(self) -> int:
        """The axis after the last; the default is the rank."""
        return self.bound("end", len(self.sizes))

    def expected(self) -> dict[str, np.ndarray]:
        """The run."""
        return {"shape": np.array(self.sizes[self.start:self.end], dtype=np.int64)}

    def is_run(self, got: np.ndarray | None, start: int, end: int) -> bool:
        """Return True if an output is the run between other bounds."""
        return got is not None and got.tolist() == list(self.sizes[start:end])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: runs of any shape, of some of many axes, with bounds up to two beyond either end."""
        shape = a_shape(choose)
        if choose((False, True), (15, 1)):
            shape = (*(choose((1, 2), (5, 1)) for _ in range(choose((8, 16)))), 3)
        rank = len(shape)
        attributes: dict[str, int] = {}
        if version >= cls.runs_from:
            if not cls.has_defaults or choose((False, True)):
                attributes["start"] = choose(sorted(range(-rank - 2, rank + 3), key=abs))
            if not cls.has_defaults or choose((False, True)):
                attributes["end"] = choose(sorted(range(-rank - 2, rank + 3), key=lambda end: abs(rank - end)))
        return Call("Shape", attributes, {"data": choose.tensor(shape, a_type(choose, types_at(cls.types, version)),
                                                                "bits")})

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """The runs from every other start, and to every other end."""
        for place in range(len(self.sizes) + 1):
            yield np.array(self.sizes[self.start:place], dtype=np.int64)
            yield np.array(self.sizes[place:self.end], dtype=np.int64)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        rank = len(self.sizes)
        bounds = [axis_of(self, 0, name) for name in ("start", "end")]
        clamped = any(bound is not None and not -rank <= bound <= rank for bound in bounds)
        return {"scalar": rank == 0, "clamped": clamped,
                "end-just-below": bounds[1] is not None and -2 * rank < bounds[1] < -rank}


def other_bound(clause: str, name: str) -> Predicate:
    """The output is the run from another start, or to another end, than the one that `name` means."""
    def wrong(self: _Sizes, response: Response) -> Wrong | None:
        got, wanted = response.given.get("shape"), self.canonical["shape"]
        if got is None or got.ndim != 1 or got.tolist() == wanted.tolist():
            return None
        places = range(len(self.sizes) + 1)
        runs = [(place, self.end) if name == "start" else (self.start, place) for place in places]
        return other_shape("shape", got.shape, wanted.shape) if any(self.is_run(got, *run) for run in runs) else None
    return Predicate("outputs", clause, wrong)


def size_of_run(clause: str, *needs: str) -> Predicate:
    """The output has as many elements as the run."""
    return Predicate("outputs", clause, lambda self, response: wrong_shape(response, "shape"), needs)


class Shape(_Sizes):
    """A call of Shape under one version of its specification."""

    types = {version: moved(version, 19) for version in (1, 13, 19, 21, 23, 24, 25)}

    from_start = other_bound("start.F1", "start")
    to_end = other_bound("end.F1", "end")
    all_sizes = size_of_run("shape.C1")
    some_sizes = size_of_run("shape.C2", "start.F1", "end.F1")
    value = elements_of("shape.F1", "shape", "not the size of data on that axis")
