"""Judge and generate calls of ONNX Resize, by `spec/onnx/resize.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import product
from math import floor, prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.axes import either_end, list_of, within
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.resampling import (
    CANONICAL,
    CROP,
    NEAREST,
    Axis,
    Reading,
    Taps,
    averaged,
    computed_in,
    equal,
    has_few_digits,
    spread,
)
from plumbline.oracle.families.resampling_symptoms import SYMPTOMS
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Operator,
    Predicate,
    Unspecified,
    disputed,
    evidence,
    on_call,
    unspecified,
)
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, Wide, smallest_normal, ulps
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, WIDE_ROWS, Named, SizeClass, a_large_output, is_large

MODES = {11: ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "tf_half_pixel_for_nn", CROP),
         13: ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", CROP),
         19: ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric", CROP)}
"""By version of the text from which on it has them, the coordinate transformations."""

KERNELS = ("nearest", "linear", "cubic")

MOVED = (CROP, "half_pixel_symmetric", "tf_half_pixel_for_nn")
POLICIES = ("stretch", "not_larger", "not_smaller")
SIDES = Named("columns", (2, 3, 4, 1, 5, 7, 8, 16, 17, 33, 65))
FACTORS = Named("factor", (2.0, 0.5, 3.0, 0.6, 1.5, 1.0, 0.8, 2.5, 0.25, 0.3, 1.1))
MOST = 700
"""Elements of an output that is drawn, unless it is to be large."""


def one_of(clause: str, name: str, *allowed: str) -> Predicate:
    """An attribute is one of some strings."""
    def other(self: Resize) -> str | None:
        value = self.text(name)
        return None if value in allowed else f"{name} is {value!r}, not one of {', '.join(allowed)}"
    return Predicate("call", clause, other)


class Resize(Operator):
    """A call of Resize under one version of the text, in one reading."""

    family = "Indices and shapes"
    exact = False
    flag_notes = {"enlarges": "Some axis of Y is larger than that of X.",
                  "reduces": "Some axis of Y is smaller than that of X: averages may leave elements out.",
                  "by-sizes": "Sizes are given, and no scales.",
                  "fractional": "The size of some axis, times the scale, is no integer.",
                  "moved-as-it-is": "An axis is cropped, or moved by half a pixel or less, to the size that it has.",
                  "by-region": "The size of Y is that of a region.",
                  "negative-axis": "An entry of axes counts from the back.",
                  "policy": "Sizes keep the ratio of the sides.",
                  "single-of-pytorch": "pytorch_half_pixel gives an axis of size 1."}
    symptoms = SYMPTOMS

    mode_10 = one_of("mode.C2", "mode", "nearest", "linear")
    mode_11 = one_of("mode.C3", "mode", "nearest", "linear", "cubic")
    transformation_11, transformation_13, transformation_19 = (
        one_of(f"coordinate_transformation_mode.C{place}", "coordinate_transformation_mode", *modes)
        for place, modes in enumerate(MODES.values(), 2))
    rounding_modes = one_of("nearest_mode.C2", "nearest_mode", *NEAREST)
    policies = one_of("keep_aspect_ratio_policy.C2", "keep_aspect_ratio_policy", *POLICIES)
    shape_of_y = shape_of_output("Y.C1", "Y")
    extrapolated_value = elements_of("Y.F5", "Y", "not the extrapolated value", lambda self: self.outside[2])
    nearest_value = elements_of("Y.F2", "Y", "not the nearest element", lambda self: self.mode == "nearest")
    linear_value = elements_of("Y.F3", "Y", "not the linear average", lambda self: self.mode == "linear")
    cubic_value = elements_of("Y.F4", "Y", "not the cubic average", lambda self: self.mode == "cubic")
    any_value = elements_of("Y.F6", "Y", "not among the elements of X", lambda self: self.version < 11)

    def __init__(self, call: Call, version: int, reading: Reading = CANONICAL) -> None:
        super().__init__(call, version)
        self.reading = reading

    @property
    def x(self) -> np.ndarray:
        """The tensor."""
        return self.inputs["X"]

    def text(self, name: str) -> str:
        """An attribute that is a string, and its default."""
        value = self.attribute(name)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    @property
    def mode(self) -> str:
        """nearest, linear or cubic."""
        return self.text("mode")

    @property
    def transformation(self) -> str:
        """The coordinate transformation; that of the examples in the version that has none."""
        return self.text("coordinate_transformation_mode") if self.version >= 11 else "asymmetric"

    @property
    def policy(self) -> str:
        """The reading of sizes."""
        return self.text("keep_aspect_ratio_policy") if self.version >= 18 else "stretch"

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are resized, counted from the front."""
        given = list_of(self, "axes") if self.version >= 18 and "axes" in self.attributes else range(self.x.ndim)
        return tuple(axis % self.x.ndim for axis in given or ())

    @property
    def has_empty_scales(self) -> bool:
        """True if scales stand without elements beside sizes."""
        return "sizes" in self.inputs and "scales" in self.inputs and not self.inputs["scales"].size

    def listed(self, name: str) -> np.ndarray | None:
        """An input that has entries; None of scales that stand without elements beside sizes, and where absent."""
        return None if name == "scales" and "sizes" in self.inputs else self.inputs.get(name)

    @property
    def regions(self) -> list[tuple[float, float]]:
        """The region of each axis that is resized."""
        if self.transformation != CROP:
            return [(0.0, 1.0)] * len(self.axes)
        begins, ends = self.inputs["roi"].astype(np.float64).reshape(2, -1).tolist()
        return list(zip(begins, ends, strict=True))

    @cached_property
    def asked_scales(self) -> list[Fraction]:
        """The scale of each axis that is resized: as given, of the policy, or the quotient of the sizes."""
        scales = self.listed("scales")
        if scales is not None:
            return [Fraction(float(scale)) for scale in scales]
        quotients = [Fraction(int(entry), self.x.shape[axis]) if self.x.shape[axis] else Fraction(0)
                     for entry, axis in zip(self.inputs["sizes"], self.axes, strict=True)]
        if self.policy == "stretch" or not quotients:
            return quotients
        return [min(quotients) if self.policy == "not_larger" else max(quotients)] * len(quotients)

    def sizes_within(self, error: int, region: bool = True) -> list[set[int]]:
        """Return the sizes of Y on each resized axis, exactly or within some roundings to float32; with the `region`
        of scales or not."""
        if self.listed("scales") is None and self.policy == "stretch":
            return [{int(entry)} for entry in self.inputs["sizes"]]
        by_scales, by_axis = self.listed("scales") is not None, []
        for axis, scale, ends in zip(self.axes, self.asked_scales, self.regions, strict=True):
            begin, end = map(Fraction, ends if region and by_scales else (0.0, 1.0))
            exact = self.x.shape[axis] * (end - begin) * scale
            totals = {exact}
            if error and by_scales and begin == 0 and end == 1:
                totals |= {Fraction(float(np.float32(float(exact))))}
            elif error and not has_few_digits(scale, begin, end):
                room = error * PRECISION[self.coarsest.name][0] * self.x.shape[axis] * (abs(begin) + abs(end)) * scale
                totals |= {exact - room, exact + room}
            by_axis.append({floor(total + (0 if by_scales else Fraction(1, 2))) for total in totals})
        return by_axis

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of Y on each axis that is resized."""
        return self.reading.sizes or tuple(one for one, in self.sizes_within(0))

    @property
    def is_read(self) -> bool:
        """True if the formulas give a shape: each axis once, a region, and something to sample."""
        if len(set(self.axes)) < len(self.axes) or not np.isfinite(self.regions).all():
            return False
        if self.listed("scales") is None and self.policy != "stretch" and not all(
                self.x.shape[axis] for axis in self.axes):
            return False
        return all(size >= 0 for size in self.sizes) and not any(
            size and not self.x.shape[axis] for size, axis in zip(self.sizes, self.axes, strict=True))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of X with the sizes of resized axes; that of X itself where none is defined."""
        shape = list(self.x.shape)
        for size, axis in zip(self.sizes, self.axes, strict=True) if self.is_read else ():
            shape[axis] = size
        holdable(output, shape)
        return tuple(shape)

    @cached_property
    def resampled(self) -> dict[int, Axis]:
        """The axes that are resized, by number."""
        by_axis = {}
        for axis, scale, count, region in zip(self.axes, self.asked_scales, self.sizes, self.regions, strict=True):
            size = self.x.shape[axis]
            if self.reading.as_is and count == size:
                continue
            target = size * scale
            by = Fraction(count, size) if self.reading.by_lengths and size else scale
            length = target if self.reading.fractional else Fraction(count)
            begin, end = map(Fraction, region)
            by_axis[axis] = Axis(size, count, by, length, target, (begin, end), self.transformation, self.coarsest)
        return by_axis

    @property
    def coarsest(self) -> np.dtype:
        """The type that coordinates are computed in at least: that of roi, or float32."""
        half = self.transformation == CROP and self.inputs["roi"].dtype == np.float16
        return np.dtype(np.float16 if half else np.float32)

    @cached_property
    def rounded(self) -> dict[int, np.ndarray]:
        """The rounded indices of X, by axis that is resized: int64 (3, count)."""
        rounding = self.text("nearest_mode") if self.version >= 11 else "floor"
        return {axis: one.indices(rounding) for axis, one in self.resampled.items()}

    @cached_property
    def taps(self) -> dict[int, Taps]:
        """The taps of an average, by axis that is resized."""
        coefficient = float(np.float32(self.attribute("cubic_coeff_a"))) if self.mode == "cubic" else None
        inside, stretched = self.version >= 11 and self.attribute("exclude_outside") == 1, self.is_stretched
        return {axis: Taps.of(one, coefficient, computed_in(self.x.dtype), stretched, inside)
                for axis, one in self.resampled.items()}

    @property
    def is_stretched(self) -> bool:
        """True if a filter against aliasing is asked for."""
        return self.version >= 18 and self.attribute("antialias") != 0

    @cached_property
    def average(self) -> tuple[np.ndarray, np.ndarray]:
        """The averages of linear and cubic in extended precision, and how far off they may be."""
        average, room, _ = self._averaged
        if is_float(self.x.dtype):
            room = room + 4 * smallest_normal(self.x.dtype)
        return average, np.asarray(room)

    @cached_property
    def _averaged(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        wide = self.x.astype(np.clongdouble if self.x.dtype.kind == "c" else Wide)
        return averaged(wide, self.taps, computed_in(self.x.dtype))

    @cached_property
    def outside(self) -> np.ndarray:
        """bool (3, *shape): where some coordinate is beyond the ends of X; may be; must be."""
        rank, masks = self.x.ndim, np.zeros((3, *self.shape_of("Y")), bool)
        for axis, one in self.resampled.items() if self.transformation == CROP else ():
            masks |= np.stack([spread(mask, axis, rank) for mask in one.outside])
        return masks

    @property
    def extrapolation(self) -> np.ndarray:
        """extrapolation_value, in the type of X."""
        with np.errstate(all="ignore"):
            return np.asarray(self.attribute("extrapolation_value") or 0.0, np.float32).astype(self.x.dtype)

    def taken(self, indices: Sequence[np.ndarray]) -> np.ndarray:
        """The elements of X at indices of each axis that is resized, those outside at its ends."""
        elements = self.x
        for axis, at in zip(self.resampled, indices, strict=True):
            elements = np.take(elements, at.clip(0, self.x.shape[axis] - 1), axis)
        return elements

    def expected(self) -> dict[str, np.ndarray]:
        """Elements, or averages rounded once, those of integers to the nearest, ties to even."""
        shape, dtype = self.shape_of("Y"), self.x.dtype
        if not self.is_read or 0 in shape:
            return {"Y": np.zeros(shape, dtype)}
        if self.mode == "nearest":
            values = self.taken([one[0] for one in self.rounded.values()])
        elif is_float(dtype) or dtype.kind == "c":
            with np.errstate(all="ignore"):
                values = self.average[0].astype(dtype)
        else:
            ends = np.iinfo(dtype) if dtype.kind in "iu" else None
            low, high = (ends.min, ends.max) if ends else (0, 1)
            values = np.rint(self.average[0]).clip(low, high).astype(dtype)
        return {"Y": np.where(self.outside[0], self.extrapolation, values).astype(dtype)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """The extrapolated value where a coordinate may be outside; elsewhere the element at any of the indices that a
        coordinate may be rounded to, or a number within the error of the average."""
        wanted = self.canonical["Y"]
        if not self.is_read or not wanted.size:
            return super().conforms(output, got)
        _, may, must = self.outside
        with np.errstate(all="ignore"):
            extrapolated = may & equal(got, self.extrapolation)
            right = equal(got, wanted)
            if self.mode != "nearest":
                right = right | (np.abs(got.astype(self.average[0].dtype) - self.average[0]) <= self.average[1])
            elif not right.all():
                for values in self._nearest():
                    right = right | equal(got, values)
        return np.asarray(right & ~must | extrapolated)

    def _nearest(self) -> Iterator[np.ndarray]:
        """Yield the elements at all indices that coordinates may be rounded to."""
        sides = [{one.tobytes(): one for one in indices}.values() for indices in self.rounded.values()]
        yield from map(self.taken, product(*sides))

    monotone_in = ("X",)

    @property
    def rises(self) -> bool:  # type: ignore[override]
        """True where elements are copied."""
        return self.is_read and self.mode == "nearest"

    @property
    def turns(self) -> tuple[float, ...] | None:  # type: ignore[override]
        """() likewise."""
        return () if self.rises else None

    def enclosure(self) -> dict[str, Ends]:
        """Return ends around all elements that may be copied, or averages, and the extrapolated value."""
        ends = super().enclosure()["Y"]
        if not self.is_read or not self.canonical["Y"].size:
            return {"Y": ends}
        if self.rises:
            ends = reduce(Ends.joined, map(Ends.around, self._nearest()))
        _, may, must = self.outside
        other = Ends.around(self.extrapolation)
        both = zip(ends, ends.joined(other), other, strict=True)
        return {"Y": Ends(*(np.where(must, last, np.where(may, joined, own)) for own, joined, last in both))}

    def tolerance(self) -> dict[str, float]:
        """The largest error of an average that is judged."""
        if self.mode == "nearest" or not self.is_read or not self.canonical["Y"].size:
            return {}
        room = self.average[1][~self.is_open]
        return {"Y": float(room.max())} if room.size else {}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of an average in ulp."""
        where = judged & ~self.outside[1] if self.x.dtype.kind == "f" and self.mode != "nearest" else np.array(False)
        if not where.any() or got.dtype != self.x.dtype:
            return {}
        return {"largest error in ulp": ulps(got[where], self.canonical["Y"][where], self.average[0][where])}

    # Clauses on calls

    @on_call("axes.C2")
    def axes_domain(self) -> str | None:
        return within("axes", list_of(self, "axes") if "axes" in self.attributes else (), -self.x.ndim,
                      self.x.ndim - 1)

    @on_call("scales.C2")
    def scales_unless_sizes(self) -> str | None:
        if "scales" not in self.inputs:
            return "scales are not given"
        by_sizes, count = "sizes" in self.inputs, self.inputs["scales"].size
        return f"scales have {count} elements, and sizes are given" if by_sizes and count else None

    @on_call("scales.C3")
    def scales_or_sizes(self) -> str | None:
        by_scales = "scales" in self.inputs and not self.has_empty_scales
        return "both scales and sizes are given, or neither" if by_scales == ("sizes" in self.inputs) else None

    def wrong_length(self, name: str, times: int = 1) -> str | None:
        """Why an input that is given does not have one axis with so many entries for each axis that is resized."""
        given = self.listed(name)
        wanted = (times * len(self.axes),)
        return None if given is None or given.shape == wanted else f"{name} has shape {given.shape}, not {wanted}"

    @on_call("scales.C4", needs=("axes.C2",))
    def number_of_scales(self) -> str | None:
        return None if "sizes" in self.inputs and self.version == 11 else self.wrong_length("scales")

    @on_call("sizes.C2", needs=("axes.C2",))
    def number_of_sizes(self) -> str | None:
        return self.wrong_length("sizes")

    @on_call("scales.C5")
    def positive(self) -> str | None:
        scales = self.inputs.get("scales", np.ones(1))
        return None if ((scales > 0) & (scales < np.inf)).all() else "a scale is not above 0 and finite"

    @on_call("sizes.C3")
    def not_negative(self) -> str | None:
        return None if (self.inputs.get("sizes", np.ones(1)) >= 0).all() else "a size is negative"

    @on_call("roi.C2", needs=("axes.C2",))
    def number_of_ends(self) -> str | None:
        if self.transformation != CROP:
            return None
        return self.wrong_length("roi", 2) if "roi" in self.inputs else "roi is not given"

    @on_call("roi.C3")
    def roi_given(self) -> str | None:
        return None if "roi" in self.inputs else "roi is not given"

    # What is left open

    @unspecified("axes.U1", refusal=True)
    def axis_twice(self) -> Unspecified | None:
        return Unspecified.everything("Y") if len(set(self.axes)) < len(self.axes) else None

    @unspecified("keep_aspect_ratio_policy.U1", refusal=True)
    def policy_with_scales(self) -> Unspecified | None:
        return Unspecified.refusal() if self.policy != "stretch" and "scales" in self.inputs else None

    @unspecified("scales.U1", refusal=True)
    def empty_scales(self) -> Unspecified | None:
        return Unspecified.refusal() if self.version >= 13 and self.has_empty_scales else None

    @unspecified("roi.U1", refusal=True)
    def no_region(self) -> Unspecified | None:
        if not np.isfinite(self.regions).all():
            return Unspecified.everything("Y")
        return Unspecified.everything("Y") if any(size < 0 for size in self.sizes) else None

    @unspecified("X.U1", refusal=True)
    def nothing_to_sample(self) -> Unspecified | None:
        is_open = not self.is_read and 0 in self.x.shape and np.isfinite(self.regions).all()
        return Unspecified.everything("Y") if is_open else None

    @unspecified("X.U2")
    def average_of_booleans(self) -> Unspecified | None:
        return Unspecified({"Y": Allowance()}) if self.mode != "nearest" and self.x.dtype.kind == "b" else None

    @unspecified("antialias.U1")
    def stretched_filter(self) -> Unspecified | None:
        value = self.attribute("antialias")
        reduced = self.mode != "nearest" and self.is_read and any(scale < 1 for scale in self.asked_scales)
        return Unspecified({"Y": Allowance()}) if value not in (0, 1) or value == 1 and reduced else None

    @unspecified("exclude_outside.U1")
    def no_weights(self) -> Unspecified | None:
        value = self.attribute("exclude_outside")
        if value not in (0, 1) or not value or not self.is_read:
            return None if value in (0, 1) else Unspecified({"Y": Allowance()})
        where = np.zeros(self.shape_of("Y"), bool)
        for axis, one in self.resampled.items():
            beyond = ((self.rounded[axis] < 0) | (self.rounded[axis] >= one.size)).any(axis=0) \
                if self.mode == "nearest" else ~np.isfinite(self.taps[axis].error)
            where |= spread(np.asarray(beyond), axis, self.x.ndim)
        return Unspecified.of(where, "Y")

    @unspecified("extrapolation_value.U1")
    def foreign_value(self) -> Unspecified | None:
        value = np.float32(self.attribute("extrapolation_value"))
        if self.transformation != CROP or not self.is_read or value == self.extrapolation:
            return None
        return Unspecified.of(self.outside[1], "Y")

    @unspecified("Y.U1")
    def other_sizes(self) -> Unspecified | None:
        if not self.is_read or self.reading.sizes:
            return None
        alternatives = [sizes for sizes in product(*self.sizes_within(4)) if sizes != self.sizes and min(sizes) >= 0]
        return self.readings(*(Reading(sizes=sizes) for sizes in alternatives))

    def readings(self, *bases: Reading) -> Unspecified | None:
        """The other readings of scale and length, on the base of some, and these where they are others than this."""
        alternatives = [replace(base, by_lengths=by, fractional=whole) for base in bases
                        for by, whole in product((False, True), repeat=2)]
        others = [Resize(self.call, self.version, one) for one in alternatives if one != self.reading]
        others = [one for one in others if one.is_read and (one.sizes != self.sizes or any(
            not np.array_equal(of.coordinates, self.resampled[axis].coordinates)
            for axis, of in one.resampled.items()))]
        return Unspecified({}, tuple(others)) if others else None

    @unspecified("Y.U3")
    def other_scales(self) -> Unspecified | None:
        fractional = self.is_read and any(one.target != one.count for one in self.resampled.values())
        return self.readings(self.reading) if fractional and self.reading == CANONICAL else None

    @disputed("Y.E1")
    def without_region(self) -> Unspecified | None:
        if self.transformation != CROP or self.listed("scales") is None or not np.isfinite(self.regions).all():
            return None
        sizes = tuple(one for one, in self.sizes_within(0, region=False))
        return self.readings(Reading(sizes=sizes)) if self.is_read and sizes != self.sizes else None

    @unspecified("Y.U2")
    def any_coordinates(self) -> Unspecified | None:
        if not self.is_read or not self.canonical["Y"].size:
            return None

        values = self.x if self.mode == "nearest" or not is_float(self.x.dtype) else self.x.astype(Wide)
        rooms = self.average[1] if values.dtype == Wide and self.mode != "nearest" else np.zeros(1)
        room = np.max(rooms[np.isfinite(rooms)], initial=0)
        numbers = values[values == values]

        def admits(got: np.ndarray) -> np.ndarray:
            with np.errstate(all="ignore"):
                if self.mode == "nearest":
                    return np.asarray(np.isin(got, values) | (got != got) & (values != values).any())
                if not numbers.size:
                    return np.asarray(got != got)
                got = got.astype(values.dtype)
                return np.asarray((got >= numbers.min() - room) & (got <= numbers.max() + room)
                                  | (got != got) & (numbers.size < values.size))
        return Unspecified({"Y": Allowance(True, admits, observed=True)})

    @unspecified("Y.U4")
    def nothing_to_align(self) -> Unspecified | None:
        open_ = self.is_read and self.transformation == "align_corners" and any(
            one.count == 1 < one.size for one in self.resampled.values())
        return Unspecified({"Y": Allowance()}) if open_ else None

    @cached_property
    def is_open(self) -> np.ndarray:
        """bool: where an average is of no finite numbers, or a part of it may exceed the largest number of the type."""
        average, room, part = self._averaged
        beyond = part >= Wide(float(PRECISION[computed_in(self.x.dtype).name][2]))
        return np.asarray(~np.isfinite(room) | ~np.isfinite(average) | beyond)

    @unspecified("Y.U5")
    def no_finite_average(self) -> Unspecified | None:
        return Unspecified.of(self.is_open, "Y") if self.is_averaged else None

    @property
    def is_averaged(self) -> bool:
        """True if some element of Y is an average."""
        return self.mode != "nearest" and self.is_read and bool(self.canonical["Y"].size)

    @unspecified("Y.U6")
    def rounding_of_integers(self) -> Unspecified | None:
        if not self.is_averaged or self.x.dtype.kind not in "iu":
            return None
        (average, room), ends = self.average, np.iinfo(self.x.dtype)
        with np.errstate(all="ignore"):
            beyond = (average - room <= ends.min - 1) | (average + room >= Wide(ends.max) + 1)
        return Unspecified({"Y": Allowance(~self.outside[2], lambda got: beyond | (
            np.abs(got.astype(Wide) - average) < 1 + room))})

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: some axes of any shape, enlarged and reduced, by scales or sizes, in all modes."""
        shape, mode = a_shape(choose, SIDES), choose(Named("mode", KERNELS[:3 if version >= 11 else 2]))
        attributes: dict[str, Any] = {} if mode == "nearest" and choose((True, False)) else {"mode": mode}
        axes = list(range(len(shape)))
        if version >= 18 and choose((False, True), (3, 1)):
            axes = [axis for axis in axes if axis > 1 or choose((False, True))]
            axes = axes[::-1] if choose((False, True), (4, 1)) else axes
            attributes["axes"] = [either_end(choose, axis, len(shape), True) for axis in axes] + \
                axes[:choose((0, 1), (30, 1))]
        factors = [choose(FACTORS) if axis > len(shape) - 3 else choose((1.0, 2.0, 0.6), (9, 1, 1)) for axis in axes]
        inputs = {"X": choose.tensor(shape, a_type(choose, cls.types_of("X", version)),
                                     "bits" if mode == "nearest" else choose(("sum", "any"), (2, 1)))}
        factors += factors[:len(attributes.get("axes", axes)) - len(axes)]
        by_sizes = version >= 11 and choose((False, True), (2, 1))
        if version >= 11:
            transformation = choose(Named("transformation", cls.transformations(version)))
            if transformation != "half_pixel" or choose((True, False)):
                attributes["coordinate_transformation_mode"] = transformation
            attributes |= cls.drawn_attributes(choose, version, mode, by_sizes)
            if transformation == CROP:
                ends = [choose(((0.0, 1.0), (0.25, 0.75), (-0.5, 1.5), (0.1, 1.0), (1.0, 0.0), (0.0, np.nan)),
                               (6, 3, 3, 3, 1, 0.2)) for _ in factors]
                inputs["roi"] = np.array(ends, choose(cls.types_of("roi", version))).reshape(-1, 2).T.reshape(-1)
            elif version == 11:
                inputs["roi"] = np.zeros(0, np.float32)
        counts = [floor(factor * shape[axis]) for factor, axis in zip(factors, axes + axes, strict=False)]
        if not by_sizes or version == 11:
            inputs["scales"] = np.array([] if by_sizes else factors, np.float32)
        if by_sizes:
            inputs["sizes"] = np.array([choose((count, count + 1), (3, 1)) for count in counts], np.int64)
        drawn = cls(Call("Resize", attributes, inputs), version)
        fits = prod(drawn.shape_of("Y")) <= MOST or max(shape) > max(SIDES)
        return drawn.call if fits else None

    @classmethod
    def drawn_attributes(cls, choose: Choose, version: int, mode: str, by_sizes: bool) -> dict[str, Any]:
        """Draw attributes that only some calls need, set for some others too."""
        attributes: dict[str, Any] = {}
        if choose((mode == "nearest", mode != "nearest"), (6, 1)):
            attributes["nearest_mode"] = choose(Named("nearest", NEAREST))
        if choose((False, mode == "cubic")):
            attributes["cubic_coeff_a"] = choose((-0.5, -0.75, 0.3, np.nan), (6, 3, 1, 0.3))
        if choose((False, True), (4, 1)):
            attributes["exclude_outside"] = choose((1, 0, 2), (9, 3, 0.5))
        if choose((False, True), (4, 1)):
            attributes["extrapolation_value"] = choose((10.0, -1.0, 0.1))
        if version >= 18 and choose((False, True), (5, 1)):
            attributes["antialias"] = choose((1, 0, 2), (9, 3, 0.5))
        if version >= 18 and choose((False, by_sizes or choose((False, True), (19, 1)))):
            attributes["keep_aspect_ratio_policy"] = choose(POLICIES[::-1])
        return attributes

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, a first axis of each rank that grows, and each way of sampling."""
        ways = [{"mode": mode, "transformation": transformation, "nearest": nearest} for mode in KERNELS
                for transformation in cls.transformations(version)
                for nearest in NEAREST if mode == "nearest" or nearest == "floor"]
        return (SizeClass({"columns": ROWS}), a_large_output({**WIDE_ROWS, "factor": 2.0}),
                *(SizeClass({"leading": [rank]}, {"rank": rank}, every_type=False) for rank in (3, 4, 5, 6)),
                *(SizeClass({"way": [" ".join(way.values())]}, way, every_type=False) for way in ways))

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis of X, and whether Y is large; the rank if the first axis grows; how elements
        are sampled, if some axis is resized and a region goes beyond X."""
        size, sizes = self.shape_of("Y"), self.x.shape
        nearest = self.text("nearest_mode") if self.mode == "nearest" and self.version >= 11 else "floor"
        decides = size != sizes and 0 not in size and (self.transformation != CROP or self.outside[0].any())
        return {DTYPE: self.x.dtype.name, "columns": (0, *sizes)[-1], LARGE: is_large(size),
                "leading": self.x.ndim * (decides and size[:1] > sizes[:1]),
                "way": f"{self.mode} {self.transformation} {nearest}" if decides else ""}

    @classmethod
    def transformations(cls, version: int) -> tuple[str, ...]:
        """Return the coordinate transformations of a version that has them."""
        return MODES[max(since for since in MODES if since <= version)]

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"by-sizes": "sizes" in self.inputs, "policy": self.policy != "stretch",
                "negative-axis": any(axis < 0 for axis in list_of(self, "axes") or ())}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axes = list(self.resampled.values()) if self.is_read else []
        return {"moved-as-it-is": any(one.count == one.size != 0 and not np.array_equal(
                    one.coordinates[0], np.arange(one.count)) for one in axes) and self.transformation in MOVED,
                "by-region": "scales" in self.inputs and any(begin or end - 1 for begin, end in (
                    one.region for one in axes)),
                "single-of-pytorch": self.transformation == "pytorch_half_pixel" and any(
                    one.count == 1 < one.size for one in axes),
                "enlarges": any(one.count > one.size for one in axes),
                "reduces": any(one.count < one.size for one in axes),
                "fractional": any(one.target != one.count for one in axes)}

    # Evidence

    @staticmethod
    def example(**attributes: str) -> tuple[list[float], list[float]]:
        """The first row of the example with the scale 0.6, as printed and by the formula."""
        call = Call("Resize", {"mode": "linear", **attributes}, {
            "X": np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4),
            "scales": np.array([1, 1, 0.6, 0.6], np.float32)})
        printed = Reading(fractional="coordinate_transformation_mode" in attributes)
        first, other = (Resize(call, 19, one).canonical["Y"].ravel().tolist()
                        for one in (printed, Reading(by_lengths=True)))
        return first, other

    @evidence("Y.E2")
    @staticmethod
    def size_of_another_axis() -> str:
        shape, axes, sizes, printed = (1, 1, 2, 4), (2, 3), (1, 3), [2, 3]
        scale = max(Fraction(size, shape[axis]) for size, axis in zip(sizes, axes, strict=True))
        text, meant = ([floor(scale * shape[at] + Fraction(1, 2)) for at in places] for places in (range(2), axes))
        assert meant == printed != text
        return f"X of {shape}, axes {axes}, sizes {sizes}, not_smaller: the example has {printed}, the formula {text}"

    @evidence("Y.E3")
    @staticmethod
    def scale_of_the_examples() -> str:
        printed, text = Resize.example()
        assert np.allclose(printed, [2.6666665, 4.3333331]) and not np.allclose(text, printed)
        return f"X of 2 by 4, scales 0.6: the example has {printed}; with the scales 1/2 and 2/4 it were {text}"

    @evidence("Y.E4")
    @staticmethod
    def length_of_the_examples() -> str:
        printed, text = Resize.example(coordinate_transformation_mode="align_corners")
        assert np.allclose(printed, [1, 3.142857]) and np.allclose(text, [1, 4])
        return f"X of 2 by 4, scales 0.6, align_corners: the example has {printed}, as with a length of 2.4; with 2 " \
               f"it were {text}"
