"""Judge and generate calls of ONNX Softmax, LogSoftmax and Hardmax, by `spec/onnx/softmax.md` and the like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.edit import Edit, set_to
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.approximations import roundoff
from plumbline.oracle.families.axes import axis_of, axis_within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import Elementwise
from plumbline.oracle.families.exponentials import Logarithm
from plumbline.oracle.families.narrower_types import SYMPTOMS
from plumbline.oracle.families.normalisation import Normalised
from plumbline.oracle.node import Node, SpecInForce
from plumbline.oracle.operator import UNBOUND, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps


def _along_the_default_alone(definition: Any, entry: Any) -> bool:
    """Elements are what the default of axis in this version gives along it alone, as from version 13 on."""
    call = replace(definition.call, attributes={**definition.call.attributes, "axis": definition.default})
    return "axis" not in definition.attributes and SYMPTOMS["by-the-newest-text"](
        type(definition)(call, definition.version), entry)


class OverLines(Normalised):
    """A call on lines, which run over several axes up to version 11."""

    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}
    symptoms = {**Normalised.symptoms, "along-the-default-alone": _along_the_default_alone}

    @classmethod
    def default_of(cls, version: int) -> int:
        """1 in the versions that make a matrix of X."""
        return -1 if version >= 13 else 1

    @classmethod
    def counts_back_in(cls, version: int) -> bool:
        """Return True from version 11 on."""
        return version >= 11

    @property
    def default(self) -> int:  # type: ignore[override]
        """The default of the version."""
        return self.default_of(self.version)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis, or it and all after it."""
        return super().axes if self.version >= 13 else tuple(range(self.axis, self.x.ndim))

    flag_notes = {**Normalised.flag_notes,
                  "several-axes": "A line runs over several axes, as only the first versions have it."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether the versions differ in what a line is."""
        axis, rank = axis_of(self, self.default), self.x.ndim
        valid = axis is not None and -rank <= axis < rank and self.version < 13
        return {**super().flags(), "several-axes": valid and prod(self.x.shape[self.axis + 1:]) != 1}

    @on_call("axis.C1")
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, self.default, 0, self.x.ndim - 1)

    @on_call("axis.C2")
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, self.default, -self.x.ndim, self.x.ndim - 1)

    @unspecified(UNBOUND)
    def no_value(self) -> Unspecified | None:
        return Unspecified.of(~self.defined, "Y")


class Softmax(OverLines):
    """A call of Softmax under one version of its specification."""

    clauses = {"Y.F3": "minus_infinity", "Y.F4": "in_range",
               "Y.F5": "not_normalised", "Y.F1": "any_other", "Y.U1": "accuracy", "Y.U2": "no_value",
               "Y.U3": "zeros"}

    @classmethod
    def repairs(cls, node: Node, spec: SpecInForce, outside: bool) -> Iterator[Edit]:
        """Yield the edit of a node that counts its axis from the front; none if the node is `outside` ONNX (`spec`)."""
        rank, axis = len(node.first.shape or ()), node.attributes.get("axis", cls.default_of(spec.opset))
        if rank and not outside and isinstance(axis, int):
            front = axis + rank if axis < 0 else axis
            default = "" if "axis" in node.attributes else "ONNX's default, "
            yield set_to(f"set axis = {front} ({default}counted from the front)", axis=front)


def _of_a_small_power(definition: Any, entry: Divergence) -> bool:
    """Elements are logarithms of numbers near the smallest normal one, where smaller ones are due."""
    least = float(np.log(smallest_normal(definition.x.dtype)))
    got, expected = (np.asarray(part).astype(Wide) for part in (entry.got, entry.expected))
    return bool(np.all((np.abs(got - least) < 8) & (expected < least + 1)))


class LogSoftmax(OverLines):
    """A call of LogSoftmax under one version of its specification.

    A logarithm of what `Normalised` admits, or -inf where that may be zero."""

    clauses = {"Y.F3": "minus_infinity", "Y.F1": "any_other", "Y.U1": "accuracy", "Y.U2": "no_value",
               "Y.U3": "underflow"}
    operator = "LogSoftmax"
    symptoms = {**OverLines.symptoms, "of-a-small-power": _of_a_small_power}

    @cached_property
    def value_of(self) -> np.ndarray:
        """E, in extended precision; NaN in lines that are not defined."""
        logarithms = -self.distance - np.log(self.over_lines(np.sum, np.exp(-self.distance)))
        return np.asarray(np.where(self.defined, logarithms, Wide(np.nan)))

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The least and the largest answer that some rounding explains, where nothing underflows on the way."""
        exact = np.where(self.defined & np.isfinite(self.wide), self.value_of, 0)
        return self._ends_of(exact, exact, self.distance, self.largest, self.larger)

    def _ends_of(self, exact: np.ndarray, most: np.ndarray, distance: np.ndarray, size: np.ndarray,
                 larger: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        logarithm, factor = self._roundings(np.exp(np.minimum(most, 0)), distance, size, larger)
        apart = logarithm + np.log(factor)
        return self._rounded(exact - apart, -1), self._rounded(most + apart, 1)

    def _rounded(self, end: np.ndarray, sign: int) -> np.ndarray:
        """Return an end further out by the roundings of a logarithm."""
        roundings = Logarithm.of_result * np.abs(end) + Logarithm.of_argument + Logarithm.of_one
        return np.asarray(end + sign * roundoff(self.x.dtype) * roundings)

    def _underflows(self, low: np.ndarray) -> np.ndarray:
        return np.asarray(np.exp(low) < 2 * smallest_normal(self.x.dtype))

    def explains(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are within the ends, or infinite where these are beyond the type."""
        low, high = self.ends
        given = np.asarray(got).astype(Wide)
        return np.asarray((given >= low) & (given <= high))

    def enclosure(self) -> dict[str, Ends]:
        """`ends`, of what is defined, from -inf on where the quotient may underflow."""
        return self._enclosed(*self.ends, self.defined)

    def _enclosed(self, low: np.ndarray, high: np.ndarray, known: np.ndarray) -> dict[str, Ends]:
        infinite, (least, most) = np.isneginf(self.wide), self._of_subnormal(low, high)
        high = np.where(infinite, -np.inf, np.maximum(high, np.where(most >= least, most, -np.inf)))
        return {"Y": Ends(np.where(self._underflows(low) | infinite, -np.inf, low), high).where(known)}

    def _of_subnormal(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ends of logarithms of quotients that are subnormal numbers; none where the upper one is lower."""
        eta = Wide(float(PRECISION[self.x.dtype.name][1]))
        most = np.log(np.exp(np.minimum(high, 0)) + smallest_normal(self.x.dtype))
        return self._rounded(np.log(eta), -1), np.where(self._underflows(low), self._rounded(most, 1), -np.inf)

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return ends for inputs between those of two calls: E rises with its own element, and falls with others."""
        assert isinstance(low, LogSoftmax) and isinstance(high, LogSoftmax)
        top, bottom = (self.over_lines(np.max, part.wide, initial=-np.inf) for part in (high, low))
        most, least = (end + np.log(self.over_lines(np.sum, np.exp(part.wide - end))) for part, end in (
            (high, top), (low, bottom)))
        size = np.maximum(np.abs(low.wide), np.abs(high.wide))
        size = self.over_lines(np.max, np.where(np.isinf(self.wide), 0, size), initial=0)
        known = low.defined & high.defined & (size < np.inf)
        slack, larger = 8 * (self.size + 2) * np.finfo(Wide).eps * (1 + size), np.full(self.x.shape, self.size - 1)
        with np.errstate(all="ignore"):
            ends = self._ends_of(low.wide - most - slack, np.minimum(high.wide - least, 0) + slack,
                                 top - low.wide, size, larger)
            return self._enclosed(*ends, known)

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error in units in the last place."""
        where = self.defined & np.isfinite(got.astype(Wide)) & np.isfinite(self.value_of)
        return {"largest error in ulp": ulps(got[where], self.canonical["Y"][where], self.value_of[where])
                } if where.any() else {}

    @unspecified(UNBOUND)
    def underflow(self) -> Unspecified | None:
        low, high = self.ends
        where = np.asarray(self.defined & np.isfinite(self.wide) & self._underflows(low))
        least, most = self._of_subnormal(low, high)

        def admits(got: np.ndarray) -> np.ndarray:
            given = got.astype(Wide)
            return np.asarray(np.isneginf(given) | (given >= least) & (given <= most))
        return Unspecified.of(where, "Y", admits=admits)


def another_maximum(definition: Any, entry: Divergence) -> bool:
    """Another element of a line is 1, where X is as large, or as large in float32."""
    if entry.where is None or not np.isin(got := np.asarray(entry.got).astype(float).reshape(-1), (0, 1)).all():
        return False
    with np.errstate(over="ignore"):
        x = definition.x.astype(np.float32)
    at, moved = tuple(entry.where.T), np.zeros(x.shape)
    moved[at] = np.where(got == 1, 1, -1)
    is_largest = x == definition.over_lines(np.max, x, initial=-np.inf)
    return bool(is_largest[at].all() and not definition.over_lines(np.sum, moved).any())


def of_minus_infinity(definition: Any, entry: Divergence) -> bool:
    """Elements of -inf, or the lowest float32, are 0 where their line holds nothing else, and 1 in the first line."""
    if entry.where is None:
        return False
    lowest = definition.wide <= np.finfo(np.float32).min
    at, got = tuple(entry.where.T), np.asarray(entry.got).astype(float).reshape(-1)
    of_lowest = definition.over_lines(np.all, lowest)[at]
    in_first = (np.delete(entry.where, definition.axes, axis=1) == 0).all(axis=1)
    at_origin = (entry.where == 0).all(axis=1)
    return bool(lowest[at].all() and np.where(got == 1, in_first, of_lowest & (got == 0) & ~at_origin).all())


def one_for_none(definition: Any, entry: Divergence) -> bool:
    """The output has size 1 along the lines, which are empty."""
    shape = [1 if axis in definition.axes else size for axis, size in enumerate(definition.x.shape)]
    return definition.size == 0 and bool(entry.got == str(shape))


class Hardmax(OverLines):
    """A call of Hardmax under one version of its specification."""

    operator, values, exact = "Hardmax", "order", True
    symptoms = {**Elementwise.symptoms, "along-the-default-alone": _along_the_default_alone,
                "another-maximum": another_maximum, "of-minus-infinity": of_minus_infinity}
    shape_symptoms = {**Elementwise.shape_symptoms, "one-for-none": one_for_none}
    flag_notes = {**OverLines.flag_notes, "ties": "Some line holds its maximum twice."}

    value_of_y = elements_of("Y.F1", "Y", "not 1 for the first maximum and 0 for others", lambda self: ~self.with_nan)

    @cached_property
    def with_nan(self) -> np.ndarray:
        """The mask of elements in lines that hold a NaN."""
        return self.over_lines(np.any, np.isnan(self.wide))

    @cached_property
    def maxima(self) -> np.ndarray:
        """The mask of elements that no other of their line is above."""
        return np.asarray(self.wide == self.over_lines(np.max, self.wide, initial=-np.inf))

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """One at the first maximum."""
        moved = np.moveaxis(self.maxima, self.axes, range(-len(self.axes), 0))
        lines = moved.reshape(-1, self.size) if moved.size else np.zeros((0, 1), bool)
        first = (lines & (np.cumsum(lines, axis=1) == 1)).reshape(moved.shape)
        return np.asarray(np.moveaxis(first, range(-len(self.axes), 0), self.axes).astype(self.x.dtype))

    def enclosure(self) -> dict[str, Ends]:
        """Return the canonical elements, of lines without NaN."""
        return {"Y": Ends.around(self.canonical["Y"]).where(~self.with_nan)}

    def enclosure_over(self, low: Operator, high: Operator) -> dict[str, Ends] | None:
        """Return 1 where all that an element may be is above all that others may be, and 0 below another; else both."""
        assert isinstance(low, Hardmax) and isinstance(high, Hardmax)
        one = self.canonical["Y"] == 1
        prevails = self.over_lines(np.all, one | (high.wide < self.over_lines(np.max, np.where(
            one, low.wide, -np.inf), initial=-np.inf)))
        either = Ends(np.zeros(one.shape, Wide), np.ones(one.shape, Wide))
        return {"Y": self.enclosure()["Y"].where(prevails, either).where(~low.with_nan & ~high.with_nan)}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """Return nothing: elements are exact."""
        return {}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether a line holds its maximum twice."""
        valid = axis_within(self, self.default, -self.x.ndim, self.x.ndim - 1) is None
        return {**super().flags(), "ties": valid and bool((self.over_lines(np.sum, self.maxima) > 1).any())}

    @unspecified("Y.U1")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self.with_nan, "Y")
