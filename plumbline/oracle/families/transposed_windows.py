"""Base class of transposed convolutions: kernels that move over the output with the cells of X.

It knows geometry alone; the clauses are those of the text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integer_list
from plumbline.oracle.families.convolution import Convolution, TransposedConvolution
from plumbline.oracle.families.convolution_operators import FLAGS, Places
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.transposed_symptoms import TRANSPOSED, TRANSPOSED_SHAPES
from plumbline.oracle.families.window_calls import given
from plumbline.oracle.families.window_flags import TRANSPOSED_ATTRIBUTES, TRANSPOSED_WINDOWS, notes_of
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose


def regrouped(w: np.ndarray, group: int) -> np.ndarray:
    """Kernels (C, M/group, ...) as (M, C/group, ...), or the reverse."""
    first, second, *kernel = w.shape
    return w.reshape(group, first // group, second, *kernel).swapaxes(1, 2).reshape(
        group * second, first // group, *kernel)


class TransposedWindows(OnnxConvolving):
    """A call of an operator whose cells of X each add a kernel to Y, of a size that is computed or given."""

    neutral = {**OnnxConvolving.neutral, "output_padding": 0}
    shape_symptoms = {**OnnxConvolving.shape_symptoms, **TRANSPOSED_SHAPES}
    symptoms = {**OnnxConvolving.symptoms, **TRANSPOSED_SHAPES, **TRANSPOSED}
    flags_of_attributes, flags_of_windows = TRANSPOSED_ATTRIBUTES, TRANSPOSED_WINDOWS
    flag_notes = notes_of(TRANSPOSED_ATTRIBUTES, TRANSPOSED_WINDOWS) | FLAGS
    symbols = (*OnnxConvolving.symbols, "op")
    stored, maps_axis = staticmethod(regrouped), 1

    @cached_property
    def w(self) -> np.ndarray:
        """The kernels as a convolution has them, (M, C/group, kernel ...); malformed ones as they are."""
        w = self.inputs["W"]
        fit = isinstance(w, np.ndarray) and w.ndim > 1 and self.group_domain() is None and not w.shape[0] % self.group
        return regrouped(w, self.group) if fit else w

    @property
    def maps(self) -> int:
        """The feature maps of W, be the channels divided by the groups or not."""
        return int(self.inputs["W"].shape[1] * self.group)

    @cached_property
    def added(self) -> Integers:
        """The list `output_padding`; None if it is not a list of ints."""
        return integer_list(self.call, "output_padding", 0)

    @property
    def further_symbols(self) -> tuple[tuple[int, ...], ...]:
        """The symbol op."""
        return (self.added,)

    def strips(self) -> Mapping[int, Mapping[str, int]]:
        """Cut no strips: cells of X move over Y."""
        return {}

    @property
    def sized(self) -> bool:
        """True if `output_shape` is given."""
        return "output_shape" in self.attributes

    @property
    def is_same(self) -> bool:
        """True if the size of Y is that of automatic padding."""
        return self.automatic and not self.sized

    @property
    def is_split(self) -> bool:
        """True if the padding is computed, and split between both ends."""
        return self.automatic or self.sized

    @property
    def mode(self) -> frozenset[str]:
        """The mode of padding, and of the size of Y."""
        return frozenset({self.auto_pad, "given" if self.sized else "computed"})

    @property
    def whole(self) -> tuple[int, ...]:
        """The spatial sizes of Y without padding."""
        return tuple(stride * (size - 1) + more + extent for stride, size, more, extent in
                     zip(self.strides, self.sizes, self.added, self.extents, strict=True))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of Y; may be zero or less."""
        if self.sized:
            return tuple(self.attributes["output_shape"])
        if self.is_same:
            return tuple(size * stride for size, stride in zip(self.sizes, self.strides, strict=True))
        cut = self.pads if self.auto_pad == "NOTSET" else (0,) * 2 * self.rank
        return tuple(size - sum(cut[axis::self.rank]) for axis, size in enumerate(self.whole))

    @property
    def same_totals(self) -> tuple[int, ...]:
        """The cells cut off each axis, both ends together."""
        return tuple(whole - count for whole, count in zip(self.whole, self.counts, strict=True))

    @property
    def spans(self) -> tuple[int, ...]:
        """The spatial sizes that windows over Y would slide over."""
        return self.whole if self.is_same else self.counts

    def convolved(self, w: np.ndarray, b: np.ndarray | None) -> Convolution:
        """X by other kernels and another bias."""
        return TransposedConvolution(self.x, w, b, self.group, self.geometry, self.shape[2:])

    def pairs(self, where: tuple[int, ...]) -> Places:
        """The cells of X that reach an element of Y, and the elements of W that they meet."""
        maps = self.inputs["W"].shape[1]
        return [(cell, (cell[1], where[1] % maps, *weight[2:])) for cell, weight in self.convolution.factors(where)]

    def cropped(self, place: tuple[int, ...]) -> Call | None:
        """Return a call whose Y has just this position.

        place: index of an element of Y; batches and feature maps are all kept.
        X is cut to the cells that reach the position, and pads cut the rest off Y. None if no cell reaches it."""
        cells, begin, end = [], [], []
        for at, size, stride, extent, before in zip(place[2:], self.sizes, self.strides, self.extents,
                                                    self.geometry.begin, strict=True):
            first, last = max(0, -((extent - 1 - at - before) // stride)), min((at + before) // stride, size - 1)
            if first > last:
                return None
            cells.append(slice(first, last + 1))
            begin.append(at + before - first * stride)
            end.append((last - first) * stride + extent - 1 - begin[-1])
        kept = {name: value for name, value in self.attributes.items()
                if name not in ("auto_pad", "output_shape", "output_padding")}
        x = self.x[(slice(None), slice(None), *cells)]
        return Call(self.operator, {**kept, "pads": begin + end}, {**self.inputs, "X": x}, self.call.outputs)

    # How it is tried

    @classmethod
    def usual(cls, mode: frozenset[str], axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """Resize X so that Y gets the axis size."""
        rooms = [max(one.size + one.begin + one.end - one.dilation * (one.kernel - 1) - 1, 0) for one in axes]
        return tuple(one._replace(size=room // one.stride + 1, added=room % one.stride)
                     for one, room in zip(axes, rooms, strict=True))

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of windows, some of them left out, `output_shape` ("given" in `mode`) and the rest."""
        left_out = set() if choose((True, False)) else {"kernel_shape"}
        words = mode - {"given", "computed"}
        if {"NOTSET", "given"} <= mode and choose((True, False)):  # neither pads nor auto_pad
            words, left_out = frozenset({"VALID"}), left_out | {"auto_pad"}
        found = super().attributes_of(choose, version, words, axes)
        if "given" in mode:
            found["output_shape"] = [max(one.stride * (one.size - 1) + one.dilation * (one.kernel - 1) + 1 + one.added
                                         - one.begin - one.end, 0) for one in axes]
        found |= given(choose, "output_padding", [one.added for one in axes], 0)
        return {name: value for name, value in found.items() if name not in left_out}

    @classmethod
    def bounds(cls, version: int, mode: frozenset[str]) -> dict[str, tuple[int, int]]:
        """Ranges of the boundary symbols, with `op` for output_padding."""
        pads = {"b": (0, 3), "e": (0, 3)} if "given" in mode else {}
        ranges = super().bounds(version, mode)
        return {**ranges, **pads, "in": (1, 4), "op": (0, 2), "d": (ranges["d"][0], 3)}
