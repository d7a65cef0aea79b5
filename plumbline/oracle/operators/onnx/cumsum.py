"""Judge and generate calls of ONNX CumSum, by `spec/onnx/cumsum.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.products import Products
from plumbline.oracle.operator import Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import NO_QUANTUM, Sums, Wide, quantum
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, WIDE_ROWS, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.terms import Terms


@dataclass(frozen=True, eq=False)
class RunningSums(Products):
    """Sums over parts of lines; `part` gives the elements that the sum at a place is over."""

    part: Any = None

    def terms(self, place: tuple[int, ...]) -> list[Fraction]:
        """The exact terms of one sum, those that are finite."""
        return [Fraction(term) for term in self.part(place).tolist() if np.isfinite(term)]


def cells(axis: int, exclusive: bool, reverse: bool, place: tuple[int, ...]) -> tuple[Any, ...]:
    """The part of a line that the sum at a place is over."""
    after = place[axis] + (exclusive if reverse else not exclusive)
    return *place[:axis], slice(after, None) if reverse else slice(after), *place[axis + 1:]


class CumSum(Operator):
    """A call of CumSum; `read` overrides attributes that are neither 0 nor 1."""

    family = "Reductions"
    exact = False
    multiplied = ("x",)
    flag_notes = {"exclusive": "A sum leaves out the element at its own place.", "reverse": "Sums begin at the end.",
                  "negative-axis": "axis counts from the back."}

    shape_of_y = shape_of_output("y.C1", "y")
    value_of_y = elements_of("y.F2", "y", "not the sum of the elements up to there")

    def __init__(self, call: Call, version: int, **read: bool) -> None:
        super().__init__(call, version)
        self.exclusive, self.reverse = (read.get(name, self.attribute(name) != 0) for name in ("exclusive", "reverse"))

    @property
    def x(self) -> np.ndarray:
        """The input."""
        return self.inputs["x"]

    @property
    def is_integer(self) -> bool:
        """True if x has integers."""
        return self.x.dtype.kind in "iu"

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        return int(self.inputs["axis"].item()) % self.x.ndim

    def running(self, terms: np.ndarray, operation: np.ufunc = np.add, start: Any = 0) -> np.ndarray:
        """Return at each place the operation on the terms up to there, beginning with `start`."""
        lines = np.moveaxis(terms, self.axis, -1)
        lines = lines[..., ::-1] if self.reverse else lines
        totals = operation.accumulate(lines, axis=-1)
        if self.exclusive and totals.shape[-1]:
            totals = np.concatenate([np.full_like(totals[..., :1], start), totals[..., :-1]], axis=-1)
        return np.moveaxis(totals[..., ::-1] if self.reverse else totals, -1, self.axis)

    @cached_property
    def sums(self) -> RunningSums:
        """The sums of floating-point numbers."""
        terms = self.x.astype(Wide)
        finite = np.isfinite(terms)
        numbers = np.where(finite, terms, 0)
        counts, least = np.ones(terms.shape, np.int64), np.broadcast_to(quantum(self.x), terms.shape)
        sums = Sums(self.running(numbers), self.running(np.abs(numbers)), self.running(counts), 0,
                    self.running(least, np.minimum, NO_QUANTUM), self.x.dtype)
        nan, plus, minus = (self.running(mask, np.logical_or, False)
                            for mask in (np.isnan(terms), terms == np.inf, terms == -np.inf))
        x, where = self.x, partial(cells, self.axis, self.exclusive, self.reverse)  # no circle: arrays go with the call
        return RunningSums(sums, nan, plus, minus, (), part=lambda place: x[where(place)])

    @property
    def as_sums(self) -> RunningSums | None:
        """The `sums`, for floating-point numbers."""
        return None if self.is_integer else self.sums

    def expected(self) -> dict[str, np.ndarray]:
        """The sums; of integers modulo two to the number of bits."""
        with np.errstate(all="ignore"):
            return {"y": self.running(self.x).astype(self.x.dtype) if self.is_integer else self.sums.values}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of equal integers, or of numbers within the rounding error of some order."""
        right = super().conforms(output, got)
        return right if self.is_integer else right | ~self.sums.wrong(np.asarray(got))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all sums."""
        return {} if self.is_integer else {"y": self.sums.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        return {} if self.is_integer else {"largest error in ulp": self.sums.largest_error(got, judged)}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The part of the line."""
        mask = np.zeros(self.x.shape, bool)
        mask[cells(self.axis, self.exclusive, self.reverse, where)] = True
        return {"x": np.argwhere(mask)}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the other axes."""
        return {axis: {"x": axis} for axis in range(self.x.ndim) if axis != self.axis}

    @on_call("axis.C2")
    def scalar(self) -> str | None:
        rank = self.inputs["axis"].ndim
        return f"axis has {rank} axes" if rank else None

    @on_call("axis.C3", needs=("axis.C2",))
    def from_either_end(self) -> str | None:
        axis, rank = int(self.inputs["axis"].item()), self.x.ndim
        return None if -rank <= axis < rank else f"axis is {axis}, and x has {rank} axes"

    @unspecified("exclusive.U1", refusal=True)
    def other_exclusive(self) -> Unspecified | None:
        return self.read_otherwise("exclusive")

    @unspecified("reverse.U1", refusal=True)
    def other_reverse(self) -> Unspecified | None:
        return self.read_otherwise("reverse")

    def read_otherwise(self, name: str) -> Unspecified | None:
        """The reading of an attribute that is neither 0 nor 1 as 0; it is read as 1 otherwise."""
        if self.attribute(name) in (0, 1) or not getattr(self, name):
            return None
        read = {"exclusive": self.exclusive, "reverse": self.reverse, name: False}
        return Unspecified({}, (CumSum(self.call, self.version, **read),))

    @unspecified("y.U1")
    def overflow_of_integers(self) -> Unspecified | None:
        if not self.is_integer:
            return None
        ends, exact = np.iinfo(self.x.dtype), self.x.astype(object)
        up, down = (self.running(np.where(side, exact, 0)) for side in (exact > 0, exact < 0))
        return Unspecified.of(np.asarray((up > ends.max) | (down < ends.min), bool), "y")

    @unspecified("y.U2")
    def not_finite(self) -> Unspecified | None:
        if self.is_integer:
            return None
        nan, plus, minus = self.sums.nan, self.sums.plus, self.sums.minus
        return Unspecified.of(~self.sums.finite, "y", admits=lambda got: np.isnan(got) | ~nan & (
            (got == np.inf) & plus & ~minus | (got == -np.inf) & minus & ~plus))

    @unspecified("y.U3")
    def overflow(self) -> Unspecified | None:
        if self.is_integer:
            return None
        return Unspecified.of(self.sums.may_overflow, "y", admits=lambda got: (
            self.sums.admits_overflow(got) | self.sums.admits_largest(got)))

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape."""
        shape = a_shape(choose)
        if not shape:
            return None
        axis = choose(Named("axis", range(len(shape))[::-1]))
        attributes = {name: value for name in ("exclusive", "reverse")
                      if (value := choose((None, 1, 0, 2), (5, 5, 1, 0.3))) is not None}
        kind = choose(("int64", "int32"))
        x = choose.tensor(shape, a_type(choose, cls.types_of("x", version)), "sum", Terms(max(shape[axis], 1), (axis,)))
        return Call("CumSum", attributes, {"x": x, "axis": np.array(either_end(choose, axis, len(shape), True), kind)})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, and a large output."""
        return SizeClass({"columns": ROWS}), a_large_output({**WIDE_ROWS, "axis": 0})

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis, and whether x is large."""
        return {DTYPE: self.x.dtype.name, "columns": (0, *self.x.shape)[-1], LARGE: is_large(self.x.shape)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"exclusive": self.exclusive, "reverse": self.reverse,
                "negative-axis": bool((self.inputs["axis"] < 0).any())}
