"""Base classes of operators with sliding windows: attributes, windows, clauses.

What is malformed reads as None or as it stands; clauses on calls report it, and the rest is asked only of calls that
these accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Self

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integer_list, integers, pads, spatial_rank
from plumbline.oracle.families.checks import at_least, one_of
from plumbline.oracle.families.clauses import integer_attribute, length_of, presence, type_of_output, values_of
from plumbline.oracle.families.window_calls import WindowCalls, given, switched
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.window_symptoms import SHAPE_SYMPTOMS, SYMPTOMS
from plumbline.oracle.families.windows import LISTED, Geometry
from plumbline.oracle.operator import UNBOUND, Choose, Predicate, Unspecified, Wrong, on_call, unspecified
from plumbline.oracle.response import Response, other_shape

SAME = ("SAME_UPPER", "SAME_LOWER")


class Windowed(WindowCalls):
    """A call of an operator whose first input X, laid out (batch, channel, spatial axes ...), is read through sliding
    windows. It knows geometry alone; subclasses have the clauses of their texts."""

    neutral = {"kernel_shape": 1, "strides": 1, "dilations": 1, "pads": 0}
    symptoms, shape_symptoms = SYMPTOMS, SHAPE_SYMPTOMS
    slices_alike = True  # each has windows at every edge

    @property
    def x(self) -> np.ndarray:
        """The input that the windows slide over."""
        return self.inputs["X"]

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along batch and channel."""
        return {0: {"X": 0}, 1: {"X": 1}}

    def cropped(self, place: tuple[int, ...]) -> Call | None:
        """Return a call on the window alone, with the padding in it."""
        windows = self.geometry
        first = [at * stride - begin for at, stride, begin in
                 zip(place[2:], windows.strides, windows.begin, strict=True)]
        last = [start + extent for start, extent in zip(first, windows.extents, strict=True)]
        pads = [max(-start, 0) for start in first] + [max(end - size, 0) for end, size in
                                                      zip(last, self.sizes, strict=True)]
        cut = slice(None), slice(None), *(slice(max(start, 0), end) for start, end in zip(first, last, strict=True))
        changed = {"pads": pads, "strides": [1] * self.rank, "auto_pad": "NOTSET", "ceil_mode": 0}
        attributes = {**self.attributes, "pads": pads, **{name: value for name, value in changed.items()
                                                          if name in self.attributes}}
        return replace(self.call, attributes=attributes, inputs={**self.inputs, "X": self.x[cut]})

    @cached_property
    def rank(self) -> int:
        """The number of spatial axes; negative when X has no batch or no channel axis."""
        return spatial_rank(self.call)

    @cached_property
    def auto_pad(self) -> Any:
        """The attribute, NOTSET by default; "" if it is not a string (auto_pad.C1 reports that)."""
        value = self.attributes.get("auto_pad", "NOTSET")
        return value if isinstance(value, str) else ""

    @cached_property
    def ceil_mode(self) -> Any:
        """The attribute, 0 by default and if it is not a number (ceil_mode.C1 reports that)."""
        value = self.attributes.get("ceil_mode", 0)
        return value if isinstance(value, (int, float)) else 0

    @cached_property
    def kernel(self) -> Integers:
        """The list `kernel_shape`; None if it is not a list of ints."""
        return integers(self.attributes.get("kernel_shape"))

    @cached_property
    def strides(self) -> Integers:
        """The strides of axes; None if they are not a list of ints."""
        return integer_list(self.call, "strides", 1)

    @cached_property
    def dilations(self) -> Integers:
        """The dilations of axes; None if they are not a list of ints."""
        return integer_list(self.call, "dilations", 1)

    @cached_property
    def pads(self) -> Integers:
        """The pads, beginnings first; None if they are not a list of ints."""
        return pads(self.call)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The spatial sizes of X."""
        return self.x.shape[2:]

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The dilated kernel, ``d*(k-1) + 1`` per axis."""
        return tuple(d * (k - 1) + 1 for k, d in zip(self.kernel, self.dilations, strict=True))

    @property
    def rooms(self) -> tuple[int, ...]:
        """The rest of each axis after the first window, with explicit padding: ``in + b + e - ke``."""
        return tuple(size + begin + end - extent for size, begin, end, extent in zip(
            self.sizes, self.pads[:self.rank], self.pads[self.rank:], self.extents, strict=True))

    @cached_property
    def explicit_sizes(self) -> tuple[int, ...]:
        """Output sizes with auto_pad NOTSET: the quotient of the formula rounded down, or up with ceil_mode.

        Source: ONNX, MaxPool and AveragePool, Summary; the last window by the sentence added in version 22."""
        found = []
        for size, begin, room, stride in zip(self.sizes, self.pads[:self.rank], self.rooms, self.strides, strict=True):
            out = (-(-room // stride) if self.ceil_mode else room // stride) + 1
            if self.ceil_mode and self.drops_last_window and (out - 1) * stride >= size + begin:
                out -= 1
            found.append(out)
        return tuple(found)

    @property
    def drops_last_window(self) -> bool:
        """True if the text ignores a last window that would start in the padding at the end."""
        return self.version >= 22

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of the output by the formula that applies; may be zero or less."""
        if self.automatic:
            return self.same_counts
        if self.auto_pad == "VALID":
            return tuple((size - extent) // stride + 1
                         for size, extent, stride in zip(self.sizes, self.extents, self.strides, strict=True))
        return self.explicit_sizes

    @property
    def same_counts(self) -> tuple[int, ...]:
        """The spatial sizes of the output with SAME_UPPER or SAME_LOWER."""
        return tuple(-(-size // stride) for size, stride in zip(self.sizes, self.strides, strict=True))

    @property
    def same_totals(self) -> tuple[int, ...]:
        """The padding of each axis, both ends together, with SAME_UPPER or SAME_LOWER: ``(out-1)*s + ke - in``."""
        return tuple((out - 1) * stride + extent - size for out, stride, extent, size in
                     zip(self.counts if self.is_same else self.same_counts, self.strides, self.extents, self.sizes,
                         strict=True))

    @property
    def is_same(self) -> bool:
        """True if the size of the output is that of automatic padding."""
        return self.automatic

    @property
    def is_split(self) -> bool:
        """True if the padding is computed, and split between both ends."""
        return self.automatic

    @cached_property
    def more_at_the_beginning(self) -> bool:
        """The end at which padding that is split has its odd cell."""
        return bool(self.auto_pad == "SAME_LOWER")

    def begins(self, totals: Iterable[int], up: bool = False) -> tuple[int, ...]:
        """The padding at the beginning of each axis; halves of negative totals are rounded down, or `up`."""
        halves = [(total, (total + (up and total < 0)) // 2) for total in totals]
        return tuple(total - half if self.more_at_the_beginning else half for total, half in halves)

    def placed(self, begin: Sequence[int]) -> Geometry:
        """Return the windows with this much of the padding that is split at the beginning."""
        end = tuple(max(total - first, 0) for total, first in zip(self.same_totals, begin, strict=True))
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, tuple(begin), end)

    @cached_property
    def geometry(self) -> Geometry:
        """The windows, with the pads that apply; negative padding counts as zero."""
        if self.is_split:
            return self.placed(self.begins(max(total, 0) for total in self.same_totals))
        pads = (0,) * 2 * self.rank if self.auto_pad == "VALID" else self.pads
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, pads[:self.rank], pads[self.rank:])

    @property
    def mode(self) -> frozenset[str]:
        """Padding and rounding in two words of the specification."""
        return frozenset({self.auto_pad, "ceil" if self.ceil_mode else "floor"})

    @property
    def automatic(self) -> bool:
        """True if the padding is split automatically."""
        return self.auto_pad in SAME

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the output; sizes below zero count as zero."""
        return self.x.shape[:2] + tuple(max(count, 0) for count in self.counts)

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of Y, which every output has."""
        return self.shape

    @property
    def has_windows(self) -> bool:
        """True if X and the output have elements at all."""
        return 0 not in self.x.shape and all(count > 0 for count in self.counts)

    @cached_property
    def windows_in_the_padding(self) -> bool:
        """Whether, with explicit padding, some window left by `counts` still starts in the padding at the end."""
        return self.auto_pad == "NOTSET" and any(
            (count - 1) * stride >= size + begin for count, stride, size, begin in
            zip(self.counts, self.strides, self.sizes, self.pads[:self.rank], strict=True))

    def window(self, where: tuple[int, ...]) -> list[tuple[int, ...]]:
        """The spatial coordinates in X of the cells of a window, row by row."""
        windows = self.geometry
        axes = zip(map(int, where), windows.kernel, windows.strides, windows.dilations, windows.begin, strict=True)
        return list(product(*([at * s + cell * d - begin for cell in range(k)] for at, k, s, d, begin in axes)))

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The cells of the window at an element of the outputs, if they are few enough to be listed."""
        if prod(self.kernel) > LISTED:
            return {}
        kind = self.geometry.coordinates(self.counts)
        return {"X": np.array([(*where[:2], *cell) for cell in self.window(where[2:])], kind)}

    def boundary_symbols(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """The symbols in, k, s, d, b, e, further ones, and ke of each spatial axis."""
        windows = self.geometry
        axes = zip(windows.sizes, windows.kernel, windows.strides, windows.dilations, windows.begin, windows.end,
                   *self.further_symbols, windows.extents, strict=True)
        for axis in axes:
            yield self.mode, dict(zip((*self.symbols, "ke"), axis, strict=True))

    @property
    def further_symbols(self) -> tuple[tuple[int, ...], ...]:
        """By axis the values of the last of `symbols`, beside those of the windows."""
        return ()

    def with_attribute(self, name: str, value: Any) -> Windowed:
        """Another reading of the call: as if the attribute had that value."""
        attributes = {**self.attributes, name: value}
        return type(self)(Call(self.call.operator, attributes, self.call.inputs, self.call.outputs), self.version)

    def with_windows(self, **changed: Any) -> Self:
        """Another reading of the call: as if some of `counts` and `geometry` were these."""
        other = type(self)(self.call, self.version)
        vars(other).update(changed)
        return other

    @on_call(UNBOUND)
    def spatial_axes(self) -> str | None:
        return None if self.rank >= 1 else f"X has shape {list(self.x.shape)}: no spatial axis"

    @on_call(UNBOUND)
    def kernel_domain(self) -> str | None:
        return at_least(self.call, "kernel_shape", self.kernel, 1)

    strides_domain, strides_length = values_of("strides", 1), length_of("strides")
    dilations_domain, dilations_length = values_of("dilations", 1), length_of("dilations")
    pads_domain, pads_length = values_of("pads", 0), length_of("pads", 2)
    kernel_length = length_of("kernel_shape")


def spatial_shape(clause: str, applies: Callable[[Any], bool]) -> Predicate:
    """The clause on the spatial sizes of Y by one formula, of the calls to which that formula applies."""
    def wrong(self: Windowed, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        if got is None or not applies(self) or got.ndim == len(self.shape) and (
                got.shape[2:] == self.shape[2:] or response.shape_is_open("Y")):
            return None
        return other_shape("Y", got.shape, self.shape)
    return Predicate("outputs", clause, wrong)


def batch_and_channel(clause: str, needs: tuple[str, ...]) -> Predicate:
    """The clause on the number of batches and channels of Y."""
    def wrong(self: Windowed, response: Response) -> Wrong | None:
        got = response.given.get("Y")
        return None if got is None or got.shape[:2] == self.shape[:2] else other_shape("Y", got.shape, self.shape)
    return Predicate("outputs", clause, wrong, needs)


class OnnxWindowed(Windowed):
    """The clauses on calls, shapes and unspecified clauses that ONNX's texts on windows state alike."""

    introduced: Mapping[str, int]
    """The attributes of the operator, each with the version that it came in."""

    produces: tuple[str, ...] = ("Y",)
    """The outputs that the unspecified clauses below are about."""

    drawn_modes = {("NOTSET", "floor"): (1, 0.36), ("NOTSET", "ceil"): (10, 0.24), ("VALID", "floor"): (1, 0.13),
                   ("SAME_UPPER", "floor"): (1, 0.135), ("SAME_LOWER", "floor"): (1, 0.135)}

    switches: Mapping[str, Sequence[float]] = {}
    """Attributes that are 0 or 1, with how often each is left out, 0 and 1."""

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Return True if the version has the attribute."""
        return cls.introduced.get("dilations", version + 1) <= version

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of a version, given or left to their default.

        `mode` holds words for padding and rounding, as in NOTSET and floor; `axes` has kernel, stride and so on."""
        _, kernel, strides, dilations, begin, end, _ = zip(*axes, strict=True)
        found: dict[str, Any] = {"kernel_shape": list(kernel)}
        found |= given(choose, "pads", begin + end, 0) if "NOTSET" in mode else \
            {"auto_pad": next(word for word in mode if word not in ("floor", "ceil"))}
        found |= given(choose, "strides", strides, 1)
        if cls.has_dilations(version):
            found |= given(choose, "dilations", dilations, 1)
        if "ceil" in mode:
            found["ceil_mode"] = 1
        elif cls.introduced.get("ceil_mode", version + 1) <= version:
            found |= switched(choose, "ceil_mode", (0.4, 0.3, 0.0 if "NOTSET" in mode else 0.3))
        for name, weights in cls.switches.items():
            if cls.introduced[name] <= version:
                found |= switched(choose, name, weights)
        return found

    @on_call(UNBOUND)
    def attributes_of_the_version(self) -> str | None:
        foreign = [name for name in self.attributes if self.introduced.get(name, self.version + 1) > self.version]
        return f"version {self.version} has no attribute {', '.join(foreign)}" if foreign else None

    @on_call(UNBOUND)
    def auto_pad_domain(self) -> str | None:
        return one_of(self.call, "auto_pad", "NOTSET", ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))

    @on_call(UNBOUND)
    def not_with_auto_pad(self) -> str | None:
        both = self.auto_pad != "NOTSET" and "pads" in self.attributes
        return f"pads is given, and auto_pad is {self.auto_pad}" if both else None

    missing = presence(UNBOUND)
    y_floor = spatial_shape(UNBOUND, lambda self: self.auto_pad == "NOTSET" and not self.ceil_mode)
    y_ceil = spatial_shape(UNBOUND, lambda self: self.auto_pad == "NOTSET" and bool(self.ceil_mode))
    y_valid = spatial_shape(UNBOUND, lambda self: self.auto_pad == "VALID")
    y_same = spatial_shape(UNBOUND, lambda self: self.is_same)
    y_planes = batch_and_channel(UNBOUND, ("y_floor", "y_ceil", "y_last_window", "y_valid", "y_same"))
    y_type = type_of_output(UNBOUND, "Y", lambda self: self.x.dtype)

    @unspecified(UNBOUND, refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.everything(*self.produces) if 0 in self.x.shape else None

    @unspecified(UNBOUND, refusal=True)
    def no_window_fits(self) -> Unspecified | None:
        return None if all(count > 0 for count in self.counts) else Unspecified.everything(*self.produces)

    @unspecified(UNBOUND, refusal=True)
    def negative_padding(self) -> Unspecified | None:
        if not self.is_split or min(self.same_totals) >= 0:
            return None
        begins = dict.fromkeys(self.begins(self.same_totals, up) for up in self.halves_up)
        return Unspecified({}, tuple(self.with_windows(geometry=self.placed(begin)) for begin in begins))

    @property
    def halves_up(self) -> tuple[bool, ...]:
        """True if halves of negative padding are rounded up, which may be meant."""
        return True, False

    @unspecified(UNBOUND, refusal=True)
    def size_with_strides(self) -> Unspecified | None:
        """The size of X, where no formula says what matches it."""
        is_plain = not self.is_same or max(self.strides) == 1
        return None if is_plain else Unspecified({}, (self.with_windows(counts=self.sizes),))

    def with_other_counts(self, *counts: tuple[int, ...]) -> Unspecified | None:
        """Readings of the call with these numbers of windows; None where they are all those of the text."""
        if set(counts) <= {self.counts}:
            return None
        return Unspecified({}, tuple(self.with_windows(counts=sizes) for sizes in dict.fromkeys(counts)))


class CeilMode(OnnxWindowed):
    """Clauses on `ceil_mode`."""

    ceil_mode_type = integer_attribute(UNBOUND, "ceil_mode")
    y_last_window = spatial_shape(UNBOUND, lambda self: self.auto_pad == "NOTSET" and bool(self.ceil_mode))

    @unspecified(UNBOUND)
    def more_windows_in_the_padding(self) -> Unspecified | None:
        if not self.windows_in_the_padding:
            return None
        return Unspecified({}, (self.with_windows(counts=self.starting_before_the_padding),))

    @property
    def starting_before_the_padding(self) -> tuple[int, ...]:
        """`counts`, with explicit padding less every window that would start in the padding at the end."""
        return tuple(min(count, -(-(size + begin) // stride)) for count, size, begin, stride in
                     zip(self.counts, self.sizes, self.pads[:self.rank], self.strides, strict=True))

    @property
    def without_last_window(self) -> tuple[int, ...]:
        """`counts`, with explicit padding and ceil_mode less a last window that would start in the padding at the end,
        which shape inference does not count from onnx 1.16.0 on."""
        if self.auto_pad not in ("NOTSET", "VALID") or not self.ceil_mode:
            return self.counts
        begins = self.geometry.begin
        return tuple(count - ((count - 1) * stride >= size + begin) for count, stride, size, begin in
                     zip(self.counts, self.strides, self.sizes, begins, strict=True))

    def last_window_left_out(self) -> Unspecified | None:
        """Return readings with one window less for each axis, as by shape inference."""
        return self.with_other_counts(self.without_last_window)

    def windows_in_the_padding_left_out(self) -> Unspecified | None:
        """As by the sentence of version 22: with ceil_mode the last window, or all that would start in the padding at
        the end; with floor all or none, as Y.U4 has it."""
        if not self.windows_in_the_padding:
            return None
        return self.with_other_counts(self.without_last_window, self.starting_before_the_padding)

    def valid_rounded_up(self) -> Unspecified | None:
        """As by shape inference, which rounds up with VALID as well; from version 12 on of some releases, from 22 on of
        all without a last window that would start behind X."""
        if self.auto_pad != "VALID" or not self.ceil_mode:
            return None
        counts = tuple(-(-(size - extent) // stride) + 1 for size, extent, stride in
                       zip(self.sizes, self.extents, self.strides, strict=True))
        fewer = self.with_windows(counts=counts).without_last_window
        return self.with_other_counts(*([counts] if self.version < 22 else []),
                                         *([fewer] if self.version >= 12 else []))

    @unspecified(UNBOUND, refusal=True)
    def other_ceil_modes(self) -> Unspecified | None:
        return self.other_values("ceil_mode")

    def other_values(self, name: str) -> Unspecified | None:
        """An attribute that is neither 0 nor 1 may mean either."""
        if one_of(self.call, name, 0, (0, 1)) is None:
            return None
        return Unspecified({}, (self.with_attribute(name, 0), self.with_attribute(name, 1)))
