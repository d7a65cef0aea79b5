"""ONNX Range: the definition of `spec/onnx/range.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import SIZES
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Operator, Predicate, Unspecified, evidence, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, ulps
from plumbline.oracle.size_classes import DTYPE, ROWS, SizeClass

NAMES = ("start", "limit", "delta")

MOST = 1000
"""Elements of the output of arbitrary numbers."""


def no_axes(clause: str, name: str) -> Predicate:
    """An input has no axes."""
    def wrong(self: Operator) -> str | None:
        rank = self.inputs[name].ndim
        return f"{name} has {rank} axes" if rank else None
    return Predicate("call", clause, wrong)


def by_body(start: np.ndarray, limit: np.ndarray, delta: np.ndarray) -> int | None:
    """Return the number of elements as the function body computes it, with a quotient in float32; None where that is
    not finite."""
    narrow = [x.astype(np.float32) if x.dtype.itemsize == 2 and is_float(x.dtype) else x
              for x in (start[None], limit[None], delta[None])]
    with np.errstate(all="ignore"):
        quotient = np.ceil((narrow[1] - narrow[0]).astype(np.float32) / narrow[2].astype(np.float32))
    return max(int(quotient[0]), 0) if np.isfinite(quotient[0]) else None


class Range(Operator):
    """A call of Range, with the number of elements that a reading of the text gives."""

    exact = False
    flag_notes = {"empty": "no number lies between start and limit in the direction of delta.",
                  "descending": "delta is negative."}

    start_axes, limit_axes, delta_axes = map(no_axes, ("start.C3", "limit.C1", "delta.C2"), NAMES)
    shape = shape_of_output("output.C1", "output")
    value = elements_of("output.F2", "output", "not start and a multiple of delta")

    def __init__(self, call: Call, version: int, count: int | None = None) -> None:
        super().__init__(call, version)
        self.read_count = count

    @property
    def dtype(self) -> np.dtype:
        """Of all inputs and of the output."""
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
        """Whether the formulas give a number: finite inputs, a difference that the type has, and a step."""
        if not all(np.isfinite(self.inputs[name].astype(np.float64)) for name in NAMES) or not self.numbers[2]:
            return False
        difference = self.numbers[1] - self.numbers[0]
        if is_float(self.dtype):
            return abs(difference) <= PRECISION[self.dtype.name][2]
        ends = np.iinfo(self.dtype)
        return ends.min <= difference <= ends.max

    def shape_of(self, output: str) -> tuple[int, ...]:
        """One axis."""
        shape = (self.count if self.is_read else 0,)
        holdable(output, shape)
        return shape

    def expected(self) -> dict[str, np.ndarray]:
        """Computed in wider numbers, and rounded; of integers modulo two to the number of bits."""
        places = np.arange(*self.shape_of("output"))
        wide: Any = Wide if is_float(self.dtype) else np.int64
        start, delta = self.inputs["start"].astype(wide), self.inputs["delta"].astype(wide)
        with np.errstate(all="ignore"):
            return {"output": np.asarray(start + places.astype(wide) * delta).astype(self.dtype)}

    def bound(self, place: int) -> Fraction | None:
        """How far an element may be from the exact one; None where there is no bound."""
        (u, eta), (own, smallest, _) = self.precision, PRECISION[self.dtype.name]
        start, _, delta = self.numbers
        multiple, exact = abs(place * delta), abs(start + place * delta)
        product = u * multiple + eta / 2
        if place * u >= 1:
            return None
        found = max(product + u * (exact + product), place * u / (1 - place * u) * max(abs(start), exact))
        return found if own == u else found + max(own * (exact + found), smallest / 2)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Equal integers; floating-point numbers within the bound."""
        found = super().conforms(output, got)
        if is_float(self.dtype):
            start, _, delta = self.numbers
            for place in np.flatnonzero(~found & np.isfinite(got.astype(np.float64))).tolist():
                bound = self.bound(place)
                found[place] = bound is None or abs(Fraction(float(got[place])) - start - place * delta) <= bound
        return found

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

    @unspecified("delta.U1", refusal=True)
    def no_step(self) -> Unspecified | None:
        return None if self.inputs["delta"] != 0 else Unspecified.everything("output")

    @unspecified("output.U1", refusal=True)
    def beyond_the_type(self) -> Unspecified | None:
        return None if self.is_read or self.inputs["delta"] == 0 else Unspecified.everything("output")

    @unspecified("stash_type.U1", refusal=True)
    def other_precision(self) -> Unspecified | None:
        other = self.dtype.itemsize == 2 and is_float(self.dtype) and self.attribute("stash_type") != 1
        return Unspecified.everything("output") if other else None

    @unspecified("output.U2")
    def other_counts(self) -> Unspecified | None:
        if not self.is_read or self.read_count is not None:
            return None
        body = by_body(*(self.inputs[name] for name in NAMES))
        counts = set() if body is None else {body}
        if is_float(self.dtype):
            u, eta = self.precision
            error = abs(self.quotient) * ((1 + u) ** 2 - 1) + eta / 2
            counts |= set(range(max(ceil(self.quotient - error), 0), max(ceil(self.quotient + error), 0) + 1))
        others = tuple(Range(self.call, self.version, count) for count in sorted(counts - {self.count}))
        return Unspecified({}, others) if others else None

    @unspecified("output.U3")
    def sign_of_zero(self) -> Unspecified | None:
        zeros = self.canonical["output"] == 0
        return Unspecified.of(zeros, "output", admits=lambda got: got == 0) if is_float(self.dtype) else None

    @evidence("output.E1")
    @staticmethod
    def quotient_in_float32() -> str:
        start, limit, delta = (np.array(number, np.int32) for number in (0, 2**24 + 1, 2**24))
        body, text = by_body(start, limit, delta), ceil(Fraction(int(limit - start), int(delta)))
        assert (body, text) == (1, 2)
        return f"limit {limit} and delta {delta} from 0: {text} elements by the formula, {body} by the function body"

    @evidence("output.E2")
    @staticmethod
    def additions() -> str:
        delta, added = np.float32(0.1), np.float32(0)
        for _ in range(10):
            added = np.float32(added + delta)
        product = np.float32(10 * delta)
        assert product == 1 != added
        return f"10 * 0.1 is {product} in float32; ten additions of 0.1, as in the function body, give {added}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Some elements, with a limit at a multiple of delta, or between two; and arbitrary numbers."""
        dtype = a_type(choose, cls.types_of("start", version))
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
        return (SizeClass({"columns": ROWS}),)

    def named_sizes(self) -> Mapping[str, Any]:
        """The number of elements."""
        shape = self.shape_of("output")
        return {DTYPE: self.dtype.name, "columns": shape[0]}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        if any(x.ndim for x in self.inputs.values()):
            return {"empty": False, "descending": False}
        return {"empty": self.is_read and not self.count, "descending": bool(self.inputs["delta"] < 0)}
