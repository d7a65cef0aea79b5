"""Judge and generate calls of ONNX Clip, by `spec/onnx/clip.md`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type as dtype_of
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import a_shape, a_type, same
from plumbline.oracle.families.functions import body_for_fewer_calls
from plumbline.oracle.families.intervals import BOUNDS, Interval, a_bound
from plumbline.oracle.operator import Choose, Operator, Predicate, Unspecified, evidence, on_elements, unspecified
from plumbline.oracle.response import is_float

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
SINGLE = np.finfo(np.float32)


def scalar(clause: str, name: str) -> Predicate:
    """A bound, where it is given, is a scalar."""
    def other(self: Operator) -> str | None:
        shape = tuple(self.inputs[name].shape) if name in self.inputs else ()
        return f"{name} has shape {list(shape)}" if shape else None
    return Predicate("call", clause, other)


class Clip(Interval):
    """A call of Clip under one version of its specification."""

    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 12), "bfloat16": 13}

    @property
    def given_bounds(self) -> dict[str, Any]:
        """The bounds given, as scalars: of the type of the input, or float32 where they are attributes."""
        if self.version >= 11:
            return {name: self.inputs[name][()] for name in ("min", "max") if name in self.inputs}
        return {name: np.float32(self.attributes[name]) for name in ("min", "max") if name in self.attributes}

    def bound(self, name: str, missing: Any, nan: Any = None) -> Any:
        """A bound in the type of the input; `missing` where it is not given, `nan` (or NaN) where it is NaN."""
        with np.errstate(over="ignore"):
            found = self.x.dtype.type(self.given_bounds[name]) if name in self.given_bounds else missing
        return nan if nan is not None and found != found else found

    @cached_property
    def low(self) -> Any:
        """The minimum; one that is NaN limits nothing."""
        return self.bound("min", self.end(-1), self.end(-1, finite=False))

    @cached_property
    def high(self) -> Any:
        """The maximum; one that is NaN limits nothing."""
        return self.bound("max", self.end(1), self.end(1, finite=False))

    def expected(self) -> dict[str, np.ndarray]:
        """Return each element limited to the bounds."""
        return {"output": self.limited(self.low, self.high)}

    @property
    def has_nan(self) -> bool:
        """True if a bound is NaN."""
        return any(bool(bound != bound) for bound in self.given_bounds.values())

    @property
    def has_body(self) -> bool:
        """True if a function body decides what the text does not."""
        return self.version >= 13 and self.x.dtype.name != "bfloat16"

    @property
    def sent_to_maximum(self) -> bool:
        """True if every number becomes the maximum, which is below the minimum, as one version has it."""
        return self.version >= 13 and bool(self.low > self.high)

    def equals_one_of(self, *values: Any) -> Callable[[np.ndarray], np.ndarray]:
        """Return the mask of elements that are NaN or one of some values."""
        return lambda got: np.logical_or.reduce([got != got, *(got == value for value in values)])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with two bounds, one, or none."""
        dtype = a_type(choose, cls.types, version)
        x = choose.tensor(a_shape(choose), dtype, cls.values)
        names = choose((("min", "max"), ("min",), ("max",), ()), (6, 2, 2, 1))
        if version >= 11:
            return Call("Clip", {}, {"input": x, **{name: a_bound(choose, dtype_of(dtype)) for name in names}})
        hint = choose(({}, {"consumed_inputs": [0]}), (4, 1)) if version == 1 else {}
        return Call("Clip", {**hint, **{name: choose(BOUNDS) for name in names}}, {"input": x})

    low_is_scalar = scalar("min.C1", "min")
    high_is_scalar = scalar("max.C1", "max")

    @on_elements("output.F3", "output", "not the maximum, which is below the minimum")
    def wrong_way_round(self, got: np.ndarray) -> np.ndarray:
        return ~self.nan & self.sent_to_maximum

    @on_elements("output.F4", "output", "changed as by a bound that is not given")
    def changed(self, got: np.ndarray) -> np.ndarray:
        by_low, by_high = "min" not in self.given_bounds, "max" not in self.given_bounds
        return np.asarray(by_low & (got > self.x) | by_high & (got < self.x))

    @on_elements("output.F5", "output", "not the zero that the element or the bound is")
    def other_zero(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.canonical["output"] == 0) & (got == 0))

    any_other = elements_of("output.F1", "output", "not the element, nor the bound that it passes",
                            lambda self: ~self.nan & (not self.has_nan and bool(self.low <= self.high)))

    @unspecified("attributes.bounds.U1")
    def bound_between(self) -> Unspecified | None:
        masks, admitted = [], []
        for name, bound in self.given_bounds.items() if self.x.dtype == np.float16 else ():
            down, up = _neighbours(bound)
            if down < up:
                replaced = self.x < bound if name == "min" else self.x > bound
                masks.append(replaced)
                admitted.append((replaced, down, up))
        if not masks:
            return None
        return Unspecified.of(np.logical_or.reduce(masks), "output", admits=lambda got: np.logical_or.reduce(
            [replaced & ((got == down) | (got == up)) for replaced, down, up in admitted]))

    @unspecified("output.U1", refusal=True)
    def above_maximum(self) -> Unspecified | None:
        found = ~self.nan & bool(self.low > self.high)
        return Unspecified.of(found, "output", admits=lambda got: (got == self.low) | (got == self.high))

    @unspecified("output.U2")
    def nan_in_the_input(self) -> Unspecified | None:
        if self.version >= 13 and not self.given_bounds:
            return Unspecified.of(self.nan, "output", admits=np.isnan)
        left_out = [self.end(sign, finite=False) for name, sign in (("min", -1), ("max", 1))
                    if name not in self.given_bounds]
        return Unspecified.of(self.nan & (not self.sent_to_maximum), "output",
                              admits=self.equals_one_of(self.low, self.high, *left_out))

    @unspecified("output.U7")
    def nan_above_maximum(self) -> Unspecified | None:
        return Unspecified.of(self.nan & self.sent_to_maximum, "output", admits=self.equals_one_of(self.high))

    @unspecified("output.U3", refusal=True)
    def nan_bound(self) -> Unspecified | None:
        if not self.has_nan:
            return None
        numbers = [bound for name, bound in (("min", self.low), ("max", self.high))
                   if not np.isnan(self.given_bounds.get(name, 0)) and (name == "max" or not self.has_body)]
        other = self.equals_one_of(*numbers)
        return Unspecified.of(np.ones(self.x.shape, bool), "output",
                              admits=lambda got: other(got) | same(got, self.canonical["output"]))

    @unspecified("output.U4")
    def sign_of_zero(self) -> Unspecified | None:
        if not is_float(self.x.dtype) or self.has_body:
            return None
        zeros = [zero for zero in (self.x, np.asarray(self.low), np.asarray(self.high))]
        return Unspecified.of(self.canonical["output"] == 0, "output", admits=lambda got: np.logical_or.reduce(
            [same(got, zero) & (zero == 0) for zero in zeros]))

    @unspecified("output.U5")
    def infinity_without_bound(self) -> Unspecified | None:
        if not is_float(self.x.dtype):
            return None
        low, high = (self.bound(name, self.end(sign, finite=False), self.end(sign, finite=False))
                     for name, sign in (("min", -1), ("max", 1)))
        unbounded = self.limited(low, high)
        return Unspecified.of(np.isinf(unbounded) & (unbounded != self.canonical["output"]), "output",
                              admits=lambda got: got == unbounded)

    @unspecified("output.U6")
    def default_of_float64(self) -> Unspecified | None:
        if self.x.dtype != np.float64:
            return None
        y, found = self.canonical["output"], np.zeros(self.x.shape, bool)
        for name, beyond in (("min", y < SINGLE.min), ("max", y > SINGLE.max)):
            found |= beyond & (name not in self.given_bounds)
        return Unspecified.of(found, "output", admits=lambda got: got == np.copysign(np.float64(SINGLE.max), y))

    @evidence("attributes.bounds.E1")
    @staticmethod
    def two_defaults() -> str:
        x, default, largest = np.float64(1e300), np.float64(SINGLE.max), np.finfo(np.float64).max
        assert min(x, largest) == x != min(x, default)
        return f"{x:g} in float64 is kept by a default of {largest:g}, and replaced by one of {default:g}"

    @evidence("output.E1")
    @staticmethod
    def nan_above_the_maximum() -> str:
        low, high, x = 1.0, -1.0, np.nan
        sentence = high if low > high else x
        raised = low if x < low else x
        body = high if high < raised else raised
        assert sentence == high and body != body
        return f"input NaN, min {low}, max {high}: {sentence} by the text, {body} by the function body"

    without_bfloat16 = body_for_fewer_calls("output.E2", "onnx/clip@13", lambda: Call(
        "Clip", {}, dict.fromkeys(("input", "min"), np.zeros((), dtype_of("bfloat16")))))


def _neighbours(bound: np.float32) -> tuple[np.float16, np.float16]:
    """The float16 next below a bound, and the one next above; the bound itself twice, if float16 has it."""
    with np.errstate(over="ignore"):
        near = np.float16(bound)
    if near == bound or bound != bound:
        return near, near
    if near < bound:
        return near, np.nextafter(near, np.float16(np.inf))
    return np.nextafter(near, np.float16(-np.inf)), near
