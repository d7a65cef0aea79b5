"""Judge and generate calls of ONNX ConvTranspose, by `spec/onnx/convtranspose.md`.

Kernels move over the output with the cells of X.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integer_list
from plumbline.oracle.families.clauses import elements_of, length_of, values_of
from plumbline.oracle.families.convolution import Convolution, TransposedConvolution
from plumbline.oracle.families.convolution_operators import FLAGS, Places
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.pooling import spatial_shape
from plumbline.oracle.families.transposed_symptoms import TRANSPOSED, TRANSPOSED_SHAPES
from plumbline.oracle.families.window_calls import given
from plumbline.oracle.families.window_flags import TRANSPOSED_ATTRIBUTES, TRANSPOSED_WINDOWS, notes_of
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.operator import Choose, Unspecified, disputed, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import CONVOLVED, SUMMED

MOST = 2**19
"""Elements of Y above which no call is made: with SAME a long stride makes Y long."""


def regrouped(w: np.ndarray, group: int) -> np.ndarray:
    """Kernels (C, M/group, ...) as (M, C/group, ...), or the reverse."""
    first, second, *kernel = w.shape
    return w.reshape(group, first // group, second, *kernel).swapaxes(1, 2).reshape(
        group * second, first // group, *kernel)


class ConvTranspose(OnnxConvolving):
    """A call of ConvTranspose under one version of its specification."""

    clauses = CONVOLVED | SUMMED | {
        "X.C3": "spatial_axes", "W.C1": "rank_of_w", "W.C2": "channels", "W.C3": "positive_kernel",
        "Y.C3": "y_same", "Y.F2": "value", "Y.U5": "not_finite_over_padding"}
    operator = "ConvTranspose"
    drawn_modes = {("NOTSET", "computed"): (1, 0.4), ("VALID", "computed"): (1, 0.1),
                   ("SAME_UPPER", "computed"): (1, 0.13), ("SAME_LOWER", "computed"): (1, 0.13),
                   ("NOTSET", "given"): (1, 0.13), ("SAME_UPPER", "given"): (1, 0.05),
                   ("SAME_LOWER", "given"): (1, 0.05), ("VALID", "given"): (1, 0.01)}
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

    @property
    def halves_up(self) -> tuple[bool, ...]:
        """True if halves of negative padding are rounded up: the equations alone round them towards zero, then down."""
        return (False, True) if self.automatic else (self.version < 11,)

    @cached_property
    def more_at_the_beginning(self) -> bool:
        """The end at which computed padding has its odd cell."""
        return bool((self.auto_pad == "SAME_UPPER") == (self.version < 11) if self.sized
                    else self.auto_pad == "SAME_LOWER")

    added_domain, added_length = values_of("output_padding", 0, "output_padding.C2"), length_of(
        "output_padding", clause="output_padding.C3", needs="X.C3")
    shape_domain, shape_length = values_of("output_shape", 0, "output_shape.C3"), length_of(
        "output_shape", clause="output_shape.C2", needs="X.C3")

    @on_call("output_padding.C4", needs=("output_padding.C3", "strides.C3", "dilations.C3"))
    def added_below_step(self) -> str | None:
        steps = [max(pair) for pair in zip(self.strides, self.dilations, strict=True)]
        above = any(more >= step for more, step in zip(self.added, steps, strict=True))
        return f"output_padding is {list(self.added)}, and is to be below {steps}" if above else None

    @on_call("W.C2", needs=("W.C1",))
    def channels(self) -> str | None:
        taken, there = self.inputs["W"].shape[0], self.x.shape[1]
        return None if taken == there else f"W takes {taken} channels, X has {there}"

    shape_of_b = on_call("B.C2", needs=("group.C2", "W.C1"))(OnnxConvolving.shape_of_b)

    y_explicit = spatial_shape("Y.C1", lambda self: self.mode == {"NOTSET", "computed"})
    y_valid = spatial_shape("Y.C2", lambda self: self.mode == {"VALID", "computed"})
    y_given = spatial_shape("Y.C4", lambda self: self.sized)

    @on_elements("auto_pad.F1", "Y", "not the sum of products of its cells")
    def automatic_padding(self, got: np.ndarray) -> bool:
        return self.is_same and any(self.same_totals)

    @on_elements("output_shape.F1", "Y", "not the sum of products of its cells, with the padding of the size given")
    def generated_padding(self, got: np.ndarray) -> bool:
        return self.sized and any(self.same_totals)

    @on_elements("Y.F3", "Y", "not B, or 0, and no cell of X reaches it")
    def between_cells(self, got: np.ndarray) -> np.ndarray:
        reached = self.convolution.places < prod(self.sizes)
        return np.broadcast_to(~reached.any(axis=0).reshape(self.shape[2:]), self.shape)

    value = elements_of("Y.F2", "Y", "not the sum of products of its cells")

    @unspecified("output_padding.U1", refusal=True)
    def added_below_dilation(self) -> Unspecified | None:
        some = any(more >= step for more, step in zip(self.added, self.strides, strict=True))
        return Unspecified.refusal() if some else None

    @unspecified("output_padding.U2")
    def added_zeros(self) -> Unspecified | None:
        if not self.has_windows or not any(self.added):
            return None
        last = np.zeros(self.shape, bool)
        for axis, more in enumerate(self.added, 2):
            last[(slice(None),) * axis + (slice(max(self.shape[axis] - more, 0), None),)] = True
        bias = np.zeros(1, self.x.dtype) if self.b is None else self.b
        bias = bias.reshape(1, -1, *(1,) * self.rank)
        return Unspecified.of(last, "Y", admits=lambda got: (got == 0) | (got == bias))

    @unspecified("output_shape.U1")
    def split_of_the_attribute(self) -> Unspecified | None:
        return self.split_otherwise() if self.sized and self.automatic else None

    @unspecified("output_shape.U2", refusal=True)
    def valid_and_shape(self) -> Unspecified | None:
        if self.auto_pad != "VALID" or not self.sized or self.whole == self.counts:
            return None
        return Unspecified({}, (self.with_windows(counts=self.whole),))

    size_of_editions = disputed("auto_pad.E1")(OnnxConvolving.size_with_strides)

    @disputed("auto_pad.E2")
    def size_by_inference(self) -> Unspecified | None:
        sizes = zip(self.whole, self.extents, self.strides, strict=True)
        return self.with_other_counts(tuple(whole - max(extent - stride, 0) for whole, extent, stride in sizes)
                                      ) if self.is_same else None

    @disputed("auto_pad.E3")
    def split_of_a_test(self) -> Unspecified | None:
        return self.split_otherwise() if self.is_same and self.more_at_the_beginning else None

    @disputed("output_shape.E1")
    def split_of_editions(self) -> Unspecified | None:
        return self.split_otherwise() if self.sized else None

    def split_otherwise(self) -> Unspecified | None:
        """The reading that has the odd cell of padding at the other end, where there is one."""
        if not any(total > 0 and total % 2 for total in self.same_totals):
            return None
        return Unspecified({}, (self.with_windows(more_at_the_beginning=not self.more_at_the_beginning),))

    def misinferred(self) -> Mapping[str, Mapping[str, tuple[int, ...]]]:
        """Y loses its axes from the first on that is shorter than that of X."""
        if not self.sized:
            return {}
        pairs = takewhile(lambda pair: pair[0] >= pair[1], zip(self.counts, self.sizes, strict=True))
        inferred = [size for size, _ in pairs]
        return {"output_shape.E4": {"Y": (*self.shape[:2], *inferred)}} if len(inferred) < self.rank else {}

    @evidence("output_shape.E4")
    @staticmethod
    def axes_that_are_missing() -> str:
        call = Call("ConvTranspose", {"output_shape": [6, 5]}, {"X": np.zeros((1, 1, 6, 6), np.float32),
                                                                "W": np.zeros((1, 1, 3, 3), np.float32)})
        definition = ConvTranspose(call, 11)
        inferred, read = definition.misinferred()["output_shape.E4"]["Y"], definition.shape
        assert len(inferred) < len(call.inputs["X"].shape) == len(read)
        return f"X of (1, 1, 6, 6), output_shape [6, 5]: {inferred} is inferred, and Y has {read}"

    @evidence("output_shape.E2")
    @staticmethod
    def two_splits() -> str:
        total = 2 * (2 - 1) + 3 - 4
        sentence, equation = total // 2, total - total // 2
        assert sentence != equation
        return f"in = 2, s = 2, k = 3, output_shape 4, SAME_UPPER: of {total} cell of padding the equation has " \
               f"{equation} at the beginning, the sentence on auto_pad {sentence}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with Y no larger than `MOST`; a given size is sometimes larger than what X reaches."""
        call = super().make(choose, version)
        if call is not None and "output_shape" in call.attributes:
            more = choose((0, 1, 2, 3), (0.85, 0.05, 0.05, 0.05))
            larger = [size + more for size in call.attributes["output_shape"]]
            call = replace(call, attributes={**call.attributes, "output_shape": larger})
        return None if call is None or prod(cls(call, version).counts) > MOST else call

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
