"""Judge and generate calls of ONNX RoiAlign, by `spec/onnx/roialign.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.clauses import elements_of, one_of_values, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.indices import a_list_of_indices
from plumbline.oracle.families.narrower_types import LARGEST
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Operator, Symptom, Unspecified, disputed, on_call, unspecified
from plumbline.oracle.rounding import PRECISION, Wide
from plumbline.oracle.size_classes import DTYPE, LARGE, Named, SizeClass, a_large_output, is_large
from plumbline.oracle.type_names import name_of

SHIFTS = ("half_pixel", "output_half_pixel")
AROUND = np.arange(-1, 3)
"""The elements around a sample, those one farther off included, where it may be by rounding."""

OF_COORDINATES, OF_WEIGHTS = 12, 24
"""Roundings of a coordinate, and of four weights and products beside their sum."""


@dataclass(frozen=True)
class Side:
    """The samples of a region along one axis.

    points: of all bins; `room`: how far off they may be; `is_small`, `is_unsure`: what is not said of them."""

    points: np.ndarray
    count: int
    room: Wide
    is_small: bool
    is_unsure: bool


def _otherwise(what: str, version: int = 0, **changed: Any) -> Symptom:
    """Return a symptom: elements are what another call gives, in float32 or not, by parts or not, none with `max` below
    zero or not, or are large where sums overflow in float32.

    version: the first of the text that it is read by, in its own type alone; `changed`: other attributes."""
    def shown(definition: Operator, entry: Divergence) -> bool:
        if entry.where is None:
            return False
        single = {name: x.astype(np.float32) if x.dtype == np.float64 else x for name, x in definition.inputs.items()}
        is_double = any(x is not definition.inputs[name] for name, x in single.items())
        at, got = tuple(np.asarray(entry.where).T), np.asarray(entry.got).astype(Wide)
        types = (definition.inputs,) if version else (definition.inputs, single)
        for inputs, by_parts in product(types, (False, True)):
            call = replace(definition.call, inputs=inputs, attributes={**definition.attributes, **changed})
            other = RoiAlign(call, max(definition.version, version), by_parts)
            low, high = (end[at].reshape(-1) for end in other.ends)
            is_open = other.is_open[at].reshape(-1) & (np.abs(got) >= LARGEST / 16) & (inputs is single and is_double)
            least = 0 if other.attribute("mode") == "max" else -np.inf
            if np.all((got >= low) & (got <= high) | np.isnan(low) | is_open | (got == least) & (low <= 0)):
                return True
        return False
    shown.__doc__ = f"Elements are those {what}."
    return shown


class RoiAlign(Operator):
    """A call of RoiAlign under one version of its specification.

    by_parts: True for the reading by which the largest product counts."""

    family = "Pooling and convolution"
    exact = False
    flag_notes = {"maxima": "The largest sample counts.", "adaptive": "The number of samples follows from the region."}

    symptoms = {"one-sample": _otherwise("of one sample", sampling_ratio=1),
                "in-float32": _otherwise("of coordinates in float32, or zero for a negative maximum"),
                "shifted": _otherwise("of a region that is shifted as from version 16 on", 16)}

    pooling = one_of_values("mode.C2", "mode", ("avg", "max"))
    shift = one_of_values("coordinate_transformation_mode.C2", "coordinate_transformation_mode", SHIFTS)
    y_shape, y_value = shape_of_output("Y.C1", "Y"), elements_of("Y.F2", "Y", "not what the samples give")

    def __init__(self, call: Call, version: int, by_parts: bool = False) -> None:
        super().__init__(call, version)
        self.by_parts = by_parts

    @on_call("output_height.C2")
    def sizes_of_output(self) -> str | None:
        return None if min(self.bins) >= 1 else f"{self.bins} bins"

    @on_call("sampling_ratio.C2")
    def samples(self) -> str | None:
        ratio = self.attribute("sampling_ratio")
        return None if ratio >= 0 else f"sampling_ratio is {ratio}"

    @on_call("X.C3")
    def axes(self) -> str | None:
        return None if self.inputs["X"].ndim == 4 else f"X has {self.inputs['X'].ndim} axes"

    @on_call("rois.C2")
    def corners(self) -> str | None:
        shape = self.inputs["rois"].shape
        return None if shape[1:] == (4,) else f"rois have the shape {shape}"

    @on_call("batch_indices.C2", needs=("rois.C2",))
    def images(self) -> str | None:
        shape = self.inputs["batch_indices"].shape
        return None if shape == self.inputs["rois"].shape[:1] else f"batch_indices have the shape {shape}"

    @on_call("batch_indices.C3", needs=("X.C3",))
    def known_images(self) -> str | None:
        indices, count = self.inputs["batch_indices"], self.inputs["X"].shape[0]
        return None if ((indices >= 0) & (indices < count)).all() else f"an index is not one of {count}"

    @property
    def bins(self) -> tuple[int, int]:
        """The number of bins on both axes."""
        return int(self.attribute("output_height")), int(self.attribute("output_width"))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of Y."""
        return (len(self.inputs["rois"]), self.inputs["X"].shape[1], *self.bins)

    @property
    def precision(self) -> tuple[Wide, Wide, Wide]:
        """Roundoff, the smallest number and the largest of the type."""
        u, eta, largest = (Wide(float(part)) for part in PRECISION[name_of(self.inputs["X"].dtype)])
        return u, eta, largest

    def side(self, region: int, axis: int) -> Side:
        """Return the samples of a region on the first (0) or the second axis (1) of a map."""
        with np.errstate(invalid="ignore"):
            first, last = self.inputs["rois"][region, 1 - axis::2].astype(Wide) * Wide(
                np.float32(self.attribute("spatial_scale")))
            length = last - first
        shifted = self.version >= 16 and self.attribute("coordinate_transformation_mode") == SHIFTS[0]
        bins, ratio = self.bins[axis], self.attribute("sampling_ratio")
        room = OF_COORDINATES * self.precision[0] * (abs(first) + abs(last) + 1)
        least, size = 0 if shifted else 1, self.inputs["X"].shape[2 + axis]
        if not (np.isfinite(room) and length > least + room and room < 0.5):
            return Side(np.zeros(0, Wide), 0, room, True, False)
        given, most = length / bins, size + 2  # more samples are partly beyond the map
        counts = {min(ceil(given + off), most) for off in (-room, Wide(0), room)}
        count = int(ratio) or counts.pop()
        holdable("the samples", (count * bins,))
        points = first - Wide(0.5) * shifted + (np.arange(count * bins) + Wide(0.5)) * length / (bins * max(count, 1))
        return Side(points, count, room, False, not ratio and bool(counts))

    @cached_property
    def results(self) -> Mapping[str, np.ndarray]:
        """Exact elements and the room around them, and masks of what is not said."""
        shape, (u, eta, largest) = self.shape_of("Y"), self.precision
        found: dict[str, np.ndarray] = {"value": np.zeros(shape, Wide), "room": np.zeros(shape, Wide), **{
            name: np.zeros(shape, bool) for name in ("small", "unsure", "beyond", "open")}}
        for region in range(shape[0] if min(self.inputs["X"].shape) else 0):
            sides = [self.side(region, axis) for axis in (0, 1)]
            found["small"][region] = any(side.is_small for side in sides)
            found["unsure"][region] = any(side.is_unsure for side in sides)
            if found["small"][region].any() or found["unsure"][region].any():
                continue
            x, insides, places, parts = self.inputs["X"][self.inputs["batch_indices"][region]].astype(Wide), [], [], []
            for side, size in zip(sides, x.shape[1:], strict=True):
                insides.append((side.points >= -side.room) & (side.points <= size - 1 + side.room))
                points = np.clip(side.points, 0, size - 1)
                low = np.minimum(np.floor(points), max(size - 2, 0)).astype(np.int64)
                places.append(np.clip(low[:, None] + AROUND, 0, size - 1))
                parts.append(np.stack([1 - (points - low), points - low], -1))
            around = x[:, places[0][:, None, :, None], places[1][None, :, None, :]]
            with np.errstate(all="ignore"):
                products = around[..., 1:3, 1:3] * (parts[0][:, None, :, None] * parts[1][None, :, None, :])
                samples = products.max((-2, -1)) if self.by_parts else products.sum((-2, -1))
                sizes, room = np.abs(around).max((-2, -1)), sum(side.room for side in sides)
                spread = (around.max((-2, -1)) - around.min((-2, -1)) if not self.by_parts else 2 * sizes) * room
                pooled = {name: self._bins(array, sides) for name, array in (
                    ("value", samples), ("spread", spread), ("sizes", sizes))}
            mean = self.attribute("mode") == "avg"
            take, count = (np.mean if mean else np.max), pooled["value"].shape[-1]
            with np.errstate(all="ignore"):
                found["value"][region] = take(pooled["value"], -1)
                found["room"][region] = take(pooled["spread"], -1) + 4 * eta + u * (
                    OF_WEIGHTS + 4 * count * mean) * take(pooled["sizes"], -1)
                found["open"][region] = ~(pooled["sizes"].sum(-1) < largest / 8)
            inside = self._bins((insides[0][:, None] & insides[1])[None], sides).all(-1)
            found["beyond"][region] = ~inside
        return found

    def _bins(self, samples: np.ndarray, sides: Sequence[Side]) -> np.ndarray:
        """Return samples (channel, row, column) by channel, bin, and place within it."""
        (rows, columns), (down, across) = self.bins, (side.count for side in sides)
        apart = samples.reshape(len(samples), rows, down, columns, across)
        return np.asarray(apart.transpose(0, 1, 3, 2, 4).reshape(len(samples), rows, columns, down * across))

    @property
    def is_open(self) -> np.ndarray:
        """bool: which elements are open."""
        return np.asarray(np.any([self.results[name] for name in ("small", "unsure", "beyond", "open")], axis=0))

    def expected(self) -> dict[str, np.ndarray]:
        """Return Y."""
        with np.errstate(over="ignore"):
            return {"Y": self.results["value"].astype(self.inputs["X"].dtype)}

    @property
    def ends(self) -> Ends:
        """The ends of what rounding gives, of elements that are open too."""
        value, room = (self.results[name] for name in ("value", "room"))
        room = room + self.precision[0] * np.abs(value)
        return Ends(value - room, value + room)

    def enclosure(self) -> dict[str, Ends]:
        """Return the ends of what conforms."""
        return {"Y": self.ends.where(~self.is_open)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements between the ends."""
        ends, given = self.enclosure()["Y"], got.astype(Wide)
        with np.errstate(invalid="ignore"):
            return np.asarray((given >= ends.low) & (given <= ends.high))

    def tolerance(self) -> dict[str, float]:
        """Return the largest room, and that of a rounding."""
        ends = self.enclosure()["Y"]
        apart = ends.high - ends.low
        return {"Y": float(np.max(np.where(np.isfinite(apart), apart, 0), initial=0))}

    @unspecified("rois.U1")
    def small_regions(self) -> Unspecified | None:
        return Unspecified.of(self.results["small"], "Y")

    @unspecified("sampling_ratio.U1")
    def samples_by_rounding(self) -> Unspecified | None:
        return Unspecified.of(self.results["unsure"], "Y")

    @unspecified("Y.U1")
    def beyond(self) -> Unspecified | None:
        return Unspecified.of(self.results["beyond"], "Y")

    @unspecified("Y.U2")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(self.results["open"], "Y")

    @unspecified("X.U1", refusal=True)
    def empty(self) -> Unspecified | None:
        if all(array.size for array in self.inputs.values()):
            return None
        return Unspecified.of(np.ones(self.shape_of("Y"), bool), "Y") or Unspecified.refusal()

    @disputed("mode.E1")
    def largest_part(self) -> Unspecified | None:
        largest = self.attribute("mode") == "max"
        return Unspecified({}, (RoiAlign(self.call, self.version, True),)) if largest else None

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return channels at the blocks of vector units, and a large output."""
        return SizeClass({"channels": (4, 8, 9, 17)}), a_large_output({"channels": 9, "bins": 90, "regions": 1})

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the number of channels."""
        x = self.inputs["X"]
        return {DTYPE: x.dtype.name, "channels": x.shape[1], LARGE: is_large(self.shape_of("Y"))}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: regions that lie mostly within a small map."""
        batch, channels, height, width = choose((1, 2)), choose(Named("channels", (2, 1, 3))), *(
            choose((5, 4, 7, 3, 2, 1), (9, 7, 7, 3, 2, 1)) for _ in "hw")
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (6, 1))
        count = choose(Named("regions", (2, 1, 3, 0)), (6, 4, 4, 1))
        rows = choose(Named("bins", (2, 1, 3)))
        attributes: dict[str, Any] = {"output_height": rows, "output_width": choose((1, 2, 3, rows))}
        choices: dict[str, tuple[Any, ...]] = {
            "mode": ("max", "avg"), "sampling_ratio": (2, 1, 3, 0), "spatial_scale": (0.5, 2.0, 0.3, 1.0),
            **({"coordinate_transformation_mode": SHIFTS[::-1]} if version >= 16 else {})}
        attributes |= {name: choose(options) for name, options in choices.items() if choose((False, True))}
        scale, shifted = attributes.get("spatial_scale", 1.0), SHIFTS[1] not in attributes.values() and version >= 16
        rois = np.empty((count, 4))
        for region in range(count):
            for axis, size in ((0, width), (1, height)):
                most, least = 16 * max(size - 1, 1), 1 if shifted else 17  # odd numbers of 16ths: no whole bins
                length = choose((range(least, max(most, least + 1), 2)[-1], least + 2 * choose(range(9, -1, -1))))
                first = choose(range(max(most - length, 0), -1, -2)) if choose((True, False), (16, 1)) else most
                ends = np.array([first, first + length]) / 16
                rois[region, axis::2] = (ends + 0.5 * shifted) / scale
        return Call("RoiAlign", attributes, {
            "X": choose.tensor((batch, channels, height, width), dtype, values),
            "rois": rois.astype(element_type(dtype)),
            "batch_indices": a_list_of_indices(choose, (count,), "int64", batch, back=False)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"maxima": self.attribute("mode") == "max", "adaptive": self.attribute("sampling_ratio") == 0}
