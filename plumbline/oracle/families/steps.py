"""Base class of Range: numbers from a start to a limit, in equal steps.

A definition names the clauses; where a function body computes the number of elements too, it says how many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import SIZES
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Predicate, Unspecified, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, ulps
from plumbline.oracle.size_classes import DTYPE, FAR, ROWS, SizeClass, a_far_index, is_large

NAMES = ("start", "limit", "delta")

MOST = 1000
"""Elements of the output of arbitrary numbers."""


def no_axes(clause: str, name: str) -> Predicate:
    """An input has no axes."""
    def wrong(self: Operator) -> str | None:
        rank = self.inputs[name].ndim
        return f"{name} has {rank} axes" if rank else None
    return Predicate("call", clause, wrong)


class Steps(Operator):
    """A call of Range, with the number of elements that a reading of the text gives."""

    exact = False
    flag_notes = {"empty": "no number lies between start and limit in the direction of delta.",
                  "descending": "delta is negative."}

    types: ClassVar[tuple[str, ...]] = ()
    """The element types that are drawn, where no schema gives them."""

    start_axes, limit_axes, delta_axes = (no_axes(UNBOUND, name) for name in NAMES)
    shape = shape_of_output(UNBOUND, "output")
    value = elements_of(UNBOUND, "output", "not start and a multiple of delta")

    def __init__(self, call: Call, version: int, count: int | None = None) -> None:
        super().__init__(call, version)
        self.read_count = count

    @property
    def dtype(self) -> np.dtype:
        """The element type of all inputs and of the output."""
        return self.inputs["start"].dtype

    @cached_property
    def numbers(self) -> tuple[Fraction, Fraction, Fraction]:
        """start, limit and delta, which are finite."""
        start, limit, delta = (self.inputs[name].item() for name in NAMES)
        return Fraction(start), Fraction(limit), Fraction(delta)

    @property
    def precision(self) -> tuple[Fraction, Fraction]:
        """u and eta of intermediate results."""
        name = self.dtype.name
        return PRECISION[name if name in ("float32", "float64") else "float32"][:2]

    @property
    def quotient(self) -> Fraction:
        """(limit - start) / delta."""
        start, limit, delta = self.numbers
        return (limit - start) / delta

    @property
    def count(self) -> int:
        """The number of elements."""
        return max(ceil(self.quotient), 0) if self.read_count is None else self.read_count

    @property
    def is_read(self) -> bool:
        """True if the formulas give a number: finite inputs, a difference that the type has, and a step."""
        if not all(np.isfinite(self.inputs[name].astype(np.float64)) for name in NAMES) or not self.numbers[2]:
            return False
        difference = self.numbers[1] - self.numbers[0]
        if is_float(self.dtype):
            return abs(difference) <= PRECISION[self.dtype.name][2]
        ends = np.iinfo(self.dtype)
        return ends.min <= difference <= ends.max

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape, of one axis."""
        shape = (self.count if self.is_read else 0,)
        holdable(output, shape)
        return shape

    def expected(self) -> dict[str, np.ndarray]:
        """Return the numbers, rounded from wider ones; integers modulo two to the number of bits."""
        places = np.arange(*self.shape_of("output"))
        wide: Any = Wide if is_float(self.dtype) else np.int64
        start, delta = self.inputs["start"].astype(wide), self.inputs["delta"].astype(wide)
        with np.errstate(all="ignore"):
            return {"output": np.asarray(start + places.astype(wide) * delta).astype(self.dtype)}

    def bound(self, place: int) -> Fraction | None:
        """The largest distance of an element from the exact one; None without bound."""
        (u, eta), (own, smallest, _) = self.precision, PRECISION[self.dtype.name]
        start, _, delta = self.numbers
        multiple, exact = abs(place * delta), abs(start + place * delta)
        product = u * multiple + eta / 2
        if place * u >= 1:
            return None
        error = max(product + u * (exact + product), place * u / (1 - place * u) * max(abs(start), exact))
        return error if own == u else error + max(own * (exact + error), smallest / 2)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of equal integers, or of floating-point numbers within the bound."""
        right = super().conforms(output, got)
        if is_float(self.dtype):
            places = np.flatnonzero(~right & np.isfinite(got.astype(np.float64)))
            distances, bounds, room = self._approximate(places, got[places])
            right[places] = distances <= bounds - room
            for place in places[np.abs(distances - bounds) <= room].tolist():
                bound, (start, _, delta) = self.bound(place), self.numbers
                right[place] = bound is None or abs(Fraction(float(got[place])) - start - place * delta) <= bound
        return right

    def _approximate(self, places: np.ndarray, got: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return distances from exact numbers, their bounds, and how far off both together may be.

        Extended precision decides all but the closest; the formulas are those of `bound`."""
        (u, eta), (own, smallest, _) = [[Wide(float(part)) for part in parts]
                                        for parts in (self.precision, PRECISION[self.dtype.name])]
        start, delta = (self.inputs[name].astype(Wide) for name in ("start", "delta"))
        with np.errstate(all="ignore"):
            steps = places.astype(Wide)
            multiple, exact = np.abs(steps * delta), np.abs(start + steps * delta)
            product = u * multiple + eta / 2
            summed = np.where(steps * u < 1, steps * u / (1 - steps * u), np.inf) * np.maximum(np.abs(start), exact)
            error = np.maximum(product + u * (exact + product), summed)
            bounds = error if own == u else error + np.maximum(own * (exact + error), smallest / 2)
            distances = np.abs(got.astype(Wide) - start - steps * delta)
            limits = np.finfo(Wide)
            room = 16 * limits.eps * (np.abs(start) + multiple + distances + bounds) + 4 * limits.smallest_subnormal
        return distances, bounds, np.where(np.isfinite(bounds), room, np.inf)

    def tolerance(self) -> dict[str, float]:
        """The bound of the first or the last element."""
        count = self.shape_of("output")[0]
        bounds = [self.bound(place) for place in (0, 1, count - 1)] if count and is_float(self.dtype) else []
        own = PRECISION[self.dtype.name][0] if bounds else 0
        largest = max(map(abs, (self.numbers[0], self.numbers[0] + (count - 1) * self.numbers[2]))) if bounds else 0
        return {"output": float(max(bound for bound in bounds if bound is not None) + own * largest)} if bounds and \
            None not in bounds else {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in ulp."""
        if not is_float(self.dtype) or not judged.any():
            return {}
        start, delta = (self.inputs[name].astype(Wide) for name in ("start", "delta"))
        exact = start + np.arange(got.size).astype(Wide) * delta
        wanted = self.canonical[output]
        if self.dtype.kind != "f":
            got, wanted = got.astype(np.float32), wanted.astype(np.float32)
        return {"largest error in ulp": ulps(got[judged], wanted[judged], exact[judged])}

    def counts_otherwise(self) -> set[int]:
        """Numbers of elements by formulas other than that of the text."""
        return set()

    @unspecified(UNBOUND, refusal=True)
    def beyond_the_type(self) -> Unspecified | None:
        return None if self.is_read or self.inputs["delta"] == 0 else Unspecified.everything("output")

    @unspecified(UNBOUND)
    def other_counts(self) -> Unspecified | None:
        if not self.is_read or self.read_count is not None:
            return None
        counts = self.counts_otherwise()
        if is_float(self.dtype):
            u, eta = self.precision
            error = abs(self.quotient) * ((1 + u) ** 2 - 1) + eta / 2
            counts |= set(range(max(ceil(self.quotient - error), 0), max(ceil(self.quotient + error), 0) + 1))
        others = tuple(type(self)(self.call, self.version, count) for count in sorted(counts - {self.count}))
        return Unspecified({}, others) if others else None

    @unspecified(UNBOUND)
    def sign_of_zero(self) -> Unspecified | None:
        zeros = self.canonical["output"] == 0
        return Unspecified.of(zeros, "output", admits=lambda got: got == 0) if is_float(self.dtype) else None

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with a limit at a multiple of delta, or between two; sometimes arbitrary numbers."""
        dtype = a_type(choose, cls.types or cls.types_of("start", version))
        element = choose.tensor((), dtype, "any").dtype
        attributes = {} if version < 27 or choose((True, False)) else {"stash_type": 1}
        if choose((False, True), (9, 1)):
            call = Call("Range", attributes, {name: choose.tensor((), dtype, "any") for name in NAMES})
            drawn = cls(call, version)
            return call if not drawn.is_read or drawn.count <= MOST else None
        count = choose(SIZES)
        steps = (1, 2, -1, -3, 7) if element.kind == "i" else (1, 0.5, -1, 0.1, -0.3, 3)
        start, step = choose((0, 1, -2, 10, 100)), choose(steps)
        rest = choose((0, 0.5)) if element.kind != "i" else choose((0, 1)) / max(abs(step), 2)
        limit = start + (count - rest) * step
        if element.kind == "i" and not np.iinfo(element).min <= limit <= np.iinfo(element).max:
            return None
        return Call("Range", attributes, {name: np.array(number).astype(element) for name, number in
                                          zip(NAMES, (start, limit, step), strict=True)})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Numbers of elements."""
        return SizeClass({"columns": ROWS}), a_far_index()

    def named_sizes(self) -> Mapping[str, Any]:
        """The number of elements."""
        shape = self.shape_of("output")
        return {DTYPE: self.dtype.name, "columns": shape[0], FAR: is_large(shape)}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if any(x.ndim for x in self.inputs.values()):
            return {"empty": False, "descending": False}
        return {"empty": self.is_read and not self.count, "descending": bool(self.inputs["delta"] < 0)}
