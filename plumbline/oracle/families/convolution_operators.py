"""Base class of operators that convolve: outputs, unspecified points, calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers
from plumbline.oracle.families.convolution import Convolution
from plumbline.oracle.families.pooling import Windowed
from plumbline.oracle.families.products import Products
from plumbline.oracle.families.reading_symptoms import infinity_for_nan, padding_left_out, without_bias
from plumbline.oracle.families.surroundings import OF_ANY, OF_IMAGES, OF_SUMS
from plumbline.oracle.families.window_sizes import BLOCKS, NETWORKS, Axis
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import Named, SizeClass
from plumbline.oracle.terms import Terms

FLOATS = ("float16", "float32", "float64")

Places = list[tuple[tuple[int, ...], tuple[int, ...]]]

MAPS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 0)
"""Feature maps of a group, around the blocks of kernels."""

MANY = 4
"""Channels above which a call has few batches and feature maps, so that it stays small."""

FLAGS = {
    "biased": "B is given. Kernels add it in each block of channels, in none, or from the wrong place.",
    "grouped": "group is above 1. Maps and channels are then often paired otherwise, or only some kernels know groups.",
    "depthwise": "group is the number of channels. Such calls mostly have kernels of their own.",
    "pointwise": "Every spatial size of W is 1. Such calls are often made a product of matrices.",
    "three-by-three": "Kernels are 3 by 3, without stride and dilation. Fast algorithms are made for these.",
    "wild-W-padded": "W has NaN or an infinity, and there is padding. Whether padding is multiplied then shows.",
}


def _nine_cells_in_a_line(definition: Any, entry: Any) -> bool:
    """The kernel has nine cells along one of at most two axes, without dilation, where others have three by three."""
    return sorted(definition.kernel) in ([9], [1, 9]) and set(definition.dilations) == {1}


class Convolving(Windowed):
    """A call whose output Y is the convolution of X by W, with B added where it is given."""

    operator = "Conv"
    values = "sum"
    exact = False
    stacked_input = "X"
    multiplied: ClassVar[tuple[str, ...]] = ("X", "W")
    addends: ClassVar[tuple[str, ...]] = ("B",)
    ceil_mode = 0
    symptoms = {**Windowed.symptoms, "without-bias": without_bias, "padding-left-out": padding_left_out,
                "infinity-for-nan": infinity_for_nan, "nine-cells-in-a-line": _nine_cells_in_a_line}
    surroundings = OF_IMAGES + OF_SUMS + OF_ANY

    multiplies_padding: ClassVar[bool] = False
    """Whether padding is a zero that is multiplied; otherwise it takes no part."""

    saturation_is_open: ClassVar[bool] = False
    """True where a sum beyond the range may be the largest finite number too."""

    maps_axis: ClassVar[int] = 0
    """The axis of W along which kernels of one group differ."""

    @staticmethod
    def stored(w: np.ndarray, group: int) -> np.ndarray:
        """Return kernels (M, C/group, kernel ...) as the input W has them."""
        return w

    @property
    def w(self) -> np.ndarray:
        """The kernels, (M, C/group, kernel ...)."""
        return self.inputs["W"]

    @property
    def b(self) -> np.ndarray | None:
        """The bias, (M,), where it is given."""
        return self.inputs.get("B")

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the batch; of one group along the kernels too."""
        along_kernels = {1: {name: self.maps_axis if name == "W" else 0 for name in self.inputs if name != "X"}}
        return {0: {"X": 0}, **(along_kernels if self.group == 1 else {})}

    def strips(self) -> Mapping[int, Mapping[str, int]]:
        """Cut one image with explicit padding along the spatial axes on which every window reaches X."""
        windows = self.geometry
        if len(self.x) != 1 or self.is_split or not self.has_windows:
            return {}
        axes = zip(windows.sizes, windows.extents, windows.strides, windows.begin, self.counts, strict=True)
        return {axis: {"X": axis} for axis, (size, extent, stride, begin, count) in enumerate(axes, 2)
                if begin < extent and (count - 1) * stride - begin < size}

    def strip(self, axis: int, cut: slice) -> Call:
        """Return a call on the cells of the windows of a slice, with the padding that they have."""
        at, windows = axis - 2, self.geometry
        stride, size = windows.strides[at], windows.sizes[at]
        first = cut.start * stride - windows.begin[at]
        last = (min(cut.stop, self.counts[at]) - 1) * stride - windows.begin[at] + windows.extents[at]
        changed = list(windows.begin + windows.end)
        changed[at], changed[at + self.rank] = max(-first, 0), max(last - size, 0)
        attributes = {**self.attributes, "pads": changed} if any(windows.begin + windows.end) else self.attributes
        cells = (*(slice(None),) * axis, slice(max(first, 0), last))
        return replace(self.call, attributes=attributes, inputs={**self.inputs, "X": self.x[cells]})

    @property
    def group(self) -> Any:
        """The number of groups; defaults to 1."""
        return self.attributes.get("group", 1)

    @cached_property
    def kernel(self) -> Integers:
        """The spatial sizes of W."""
        return tuple(self.w.shape[2:])

    @property
    def maps(self) -> int:
        """The feature maps that W has kernels for."""
        return int(self.w.shape[0])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of Y; sizes below zero count as zero."""
        return self.x.shape[0], self.w.shape[0], *(max(count, 0) for count in self.counts)

    @property
    def has_windows(self) -> bool:
        """True if Y has elements."""
        return 0 not in self.shape

    @cached_property
    def convolution(self) -> Convolution:
        """The convolution of a call inside the domain."""
        return self.convolved(self.w, self.b)

    @property
    def as_sums(self) -> Products:
        """Sums of terms; what other algorithms give (Winograd's, Fourier transforms) may be farther off."""
        return self.convolution.products

    def convolved(self, w: np.ndarray, b: np.ndarray | None) -> Convolution:
        """X by other kernels and another bias."""
        return Convolution(self.x, w, b, self.group, self.geometry, self.shape[2:], self.multiplies_padding,
                           self.strip_of.convolution if isinstance(self.strip_of, Convolving) else None)

    def expected(self) -> dict[str, np.ndarray]:
        """Y, of the type of X; what IEEE 754 gives for the sum of the terms where some are not finite."""
        return {"Y": self.convolution.values}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the rounding error of the sum; canonical where a term is not finite."""
        return ~self.convolution.products.wrong(got)

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all elements."""
        return {"Y": self.convolution.products.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of Y among the judged elements, in ulp."""
        return {"largest error in ulp": self.convolution.largest_error(got, judged)}

    def pairs(self, where: tuple[int, ...]) -> Places:
        """The cells of X, padding included, and the elements of W that stand over them, at an element of Y."""
        feature, channels = where[1], self.w.shape[1]
        first = feature // (self.w.shape[0] // self.group) * channels
        cells, offsets = self.window(where[2:]), list(np.ndindex(*self.kernel))
        return [((where[0], first + channel, *cell), (feature, channel, *at))
                for channel in range(channels) for cell, at in zip(cells, offsets, strict=True)]

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The cells of X, the elements of W that they are multiplied by, and that of B."""
        pairs, kind = self.pairs(where), self.geometry.coordinates(self.counts)
        found: dict[str, np.ndarray] = {name: np.array([pair[place] for pair in pairs], kind).reshape(-1, self.x.ndim)
                                        for place, name in enumerate(("X", "W"))}
        return found if self.b is None else {**found, "B": np.array([[where[1]]])}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Kernels turned around; without B."""
        if self.has_windows:
            flipped = np.flip(self.w, tuple(range(2, self.w.ndim)))
            yield self.convolved(flipped, self.b).values
            yield self.convolved(self.w, None).values

    @on_call(UNBOUND)
    def group_domain(self) -> str | None:
        known = isinstance(self.group, int) and not isinstance(self.group, bool) and self.group >= 1
        return None if known else f"group is {self.group!r}, not an integer above 0"

    @on_call(UNBOUND, needs=("spatial_axes",))
    def rank_of_w(self) -> str | None:
        return None if self.w.ndim == self.x.ndim else f"W has {self.w.ndim} axes, X {self.x.ndim}"

    @on_call(UNBOUND, needs=("group_domain", "rank_of_w"))
    def maps_of_groups(self) -> str | None:
        size = self.w.shape[0]
        return f"W has the first size {size}, which {self.group} groups do not divide" if size % self.group else None

    @on_call(UNBOUND, needs=("group_domain", "rank_of_w"))
    def channels(self) -> str | None:
        taken, given = self.w.shape[1] * self.group, self.x.shape[1]
        return None if taken == given else f"W takes {taken} channels in {self.group} groups, X has {given}"

    @on_call(UNBOUND, needs=("rank_of_w",))
    def shape_of_b(self) -> str | None:
        if self.b is None or tuple(self.b.shape) == (self.maps,):
            return None
        return f"B has shape {list(self.b.shape)}, and there are {self.maps} feature maps"

    # What texts leave open

    @unspecified(UNBOUND)
    def not_finite(self) -> Unspecified | None:
        """Leave open where a term is an infinity and none is NaN: NaN conforms as well."""
        if not self.has_windows or self.convolution.all_finite:
            return None
        return Unspecified.of(~np.isfinite(self.convolution.special), "Y", admits=np.isnan)

    @unspecified(UNBOUND)
    def overflow(self) -> Unspecified | None:
        """Where the positive or the negative terms can overflow: their infinity; NaN where both can; see
        `saturation_is_open`."""
        if not self.has_windows or not self.convolution.may_overflow:
            return None
        products = self.convolution.products
        return Unspecified.of(products.may_overflow, "Y", admits=lambda got: (
            products.admits_overflow(got) | self.saturation_is_open & products.admits_largest(got)))

    @unspecified(UNBOUND)
    def not_finite_over_padding(self) -> Unspecified | None:
        """Leave open where padding lies under NaN or an infinity of W: NaN conforms as well."""
        if not self.has_windows or self.convolution.all_finite:
            return None
        return Unspecified.of(self.convolution.over_padding, "Y", admits=np.isnan)

    @unspecified(UNBOUND)
    def not_finite_under_a_gap(self) -> Unspecified | None:
        """Leave open where NaN or an infinity of X lies under a gap of the dilation: NaN conforms as well."""
        if not self.has_windows or self.convolution.all_finite:
            return None
        return Unspecified.of(self.convolution.gap_not_finite(), "Y", admits=np.isnan)

    @unspecified(UNBOUND)
    def fast_algorithms(self) -> Unspecified | None:
        """The error of Fourier transforms, and of Winograd's algorithms where they are made for the call, as what is
        merely observed."""
        if not self.has_windows:
            return None
        convolution = self.convolution

        def admits(got: np.ndarray) -> np.ndarray:
            by_transforms = convolution.admits_fourier(got)
            return by_transforms | convolution.admits_winograd(got) if convolution.suits_winograd else by_transforms
        return Unspecified({"Y": Allowance(np.isfinite(convolution.special), admits, observed=True)})

    def in_padding(self) -> np.ndarray:
        """bool, by map and window: whose window selects padding."""
        return self.convolution.has_padding

    # How it is tried

    @classmethod
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        """Draw a call with given spatial axes, `mode` (padding and rounding), batches and channels (`planes`)."""
        batches, channels = planes
        channels = channels or choose((1, 0), (0.9, 0.1))
        group = cls.groups(choose, channels)
        if len(axes) == 3 or channels > MANY or max(one.size for one in axes) > 2 * MANY:
            batches, maps = min(batches, 1), choose(MAPS[:2])
            channels = min(channels, 2) if len(axes) == 3 else channels
        else:
            maps = choose(Named("maps", MAPS), (0.4, 0.3, 0.2, *(0.011,) * 9, 0.002))
        inner, channels = (1, group) if group == channels else (channels, channels * group)
        if cls.one_map_for_each and group > 1:
            maps = 1
        dtype = cls.a_type(choose, version)
        count = inner * prod(one.kernel for one in axes) + 1
        x = choose.tensor((batches, channels, *(one.size for one in axes)), dtype, cls.values, Terms(count))
        w = choose.tensor((group * maps, inner, *(one.kernel for one in axes)), dtype, cls.values,
                          Terms(count, tuple(range(1, len(axes) + 2))))
        inputs = {"X": x, "W": cls.stored(w, group)}
        if choose((False, True)):
            inputs["B"] = choose.tensor((group * maps,), dtype, cls.values, Terms(count))
        attributes = cls.attributes_of(choose, version, mode, axes)
        if group > 1 or choose((False, True)):
            attributes["group"] = group
        return Call(cls.operator, attributes, inputs)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return size classes of windows, with all channels of a block in one group; the largest layer with a group for
        each channel, so that Y is large; and feature maps of a group, with few channels."""
        blocks, *others = super().size_classes(version)
        layer = NETWORKS[-1]
        return (SizeClass({"layer": [layer]}, {"stratum": "network", "group": layer[-1]}, every_type=False),
                SizeClass(blocks.sizes, {**blocks.given, "group": 1}), *others,
                SizeClass({"maps": BLOCKS}, {"stratum": "small"}))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes of windows, and the feature maps of a group."""
        return {**super().named_sizes(), "maps": len(self.w) // self.group}

    one_map_for_each: ClassVar[bool] = False
    """Whether a group other than the only one has one feature map."""

    @classmethod
    def groups(cls, choose: Choose, channels: int) -> int:
        """The number of groups: mostly one, or one for each of so many channels."""
        return choose((1, max(channels, 1), 2, 3, 4), (0.6, 0.2, 0.1, 0.05, 0.05)) if channels <= MANY else \
            choose(Named("group", (1, channels)), (0.6, 0.4))

    flag_notes = {**Windowed.flag_notes, **FLAGS}

    def flags(self) -> dict[str, bool]:
        """Return the flags of windows, and of what is multiplied."""
        group, windows = self.group, super().flags()
        return {**windows, "biased": self.b is not None, "grouped": group != 1,
                "depthwise": group != 1 and self.x.ndim > 1 and group == self.x.shape[1],
                "pointwise": set(self.kernel or ()) == {1},
                "three-by-three": tuple(self.kernel) == (3, 3) and windows["unit-steps"],
                "wild-W-padded": not np.isfinite(self.w).all() and (windows["padded"] or windows["same"])}

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls without a spatial axis; a step less, its axis shorter; a group, map or channel less; kernels
        without their first or last plane."""
        yield from super().shrink_candidates()
        x, w, b, group = self.x, self.w, self.b, self.group
        maps, channels = len(w) // group, w.shape[1]
        for one in range(group if group > 1 else 0):
            part = slice(one * maps, (one + 1) * maps)
            yield self._with(x[:, one * channels:(one + 1) * channels], w[part], None if b is None else b[part], 1)
        for channel in range(channels if group == 1 and channels > 1 else 0):
            yield self._with(np.delete(x, channel, 1), np.delete(w, channel, 1), b, group)
        for feature in range(maps if group == 1 and maps > 1 else 0):
            yield self._with(x, w[feature:feature + 1], None if b is None else b[feature:feature + 1], group)
        for axis in range(2, w.ndim):
            for place in (0, -1) if w.shape[axis] > 1 else ():
                yield self._with(x, np.delete(w, place, axis), b, group)

    def _with(self, x: np.ndarray, w: np.ndarray, b: np.ndarray | None, group: int) -> Call:
        """Return the same call with other inputs."""
        changed = {"group": group, "kernel_shape": list(w.shape[2:])}
        attributes = {name: changed.get(name, value) for name, value in self.attributes.items()}
        inputs = {"X": x, "W": self.stored(w, group)} | ({} if b is None else {"B": b})
        return Call(self.call.operator, attributes, inputs, self.call.outputs)
