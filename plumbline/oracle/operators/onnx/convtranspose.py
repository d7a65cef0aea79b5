"""Judge and generate calls of ONNX ConvTranspose, by `spec/onnx/convtranspose.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integer_list
from plumbline.oracle.families.checks import at_least, length
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.convolution import Convolution, TransposedConvolution
from plumbline.oracle.families.onnx_convolutions import OnnxConvolving
from plumbline.oracle.families.pooling import spatial_shape
from plumbline.oracle.families.transposed_symptoms import SHAPES, nan_of_other_groups
from plumbline.oracle.families.window_calls import given
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.window_symptoms import from_begin
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import Choose, Unspecified, disputed, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import CONVOLVED, SUMMED

MOST = 2**19
"""Elements of Y above which no call is made: with SAME a long stride makes Y long."""

NOT_OURS = ("ceil", "column-major", "ceil-window-beyond", "one-window-and-rest", "same-lower-rest")
"""Flags of windows that slide over X."""


def regrouped(w: np.ndarray, group: int) -> np.ndarray:
    """Kernels (C, M/group, ...) as (M, C/group, ...), or the reverse."""
    first, second, *kernel = w.shape
    return w.reshape(group, first // group, second, *kernel).swapaxes(1, 2).reshape(
        group * second, first // group, *kernel)


def _bias_of_the_first_group(definition: Any, entry: Any) -> bool:
    """Elements have, of each group, what B has for the first; padding that is negative may be split."""
    b, group = definition.b, definition.group
    if b is None or group == 1:
        return False
    call = replace(definition.call, inputs={**definition.inputs, "B": np.tile(b[:len(b) // group], group)})
    other = type(definition)(call, definition.version)
    begins = [definition.geometry.begin, definition.begins(definition.same_totals), definition.pads[:definition.rank]]
    return any(from_begin(other, entry, begin) for begin in begins)


def _pads_kept(definition: Any, entry: Any) -> bool:
    """Beside output_shape pads are not ignored: so much is cut off at the beginning."""
    return definition.sized and from_begin(definition, entry, definition.pads[:definition.rank])


def _other_split(definition: Any, entry: Any) -> bool:
    """An odd padding has its odd cell at the other end."""
    totals = [max(total, 0) for total in definition.same_totals]
    return from_begin(definition, entry, [total - begin for total, begin in
                                          zip(totals, definition.begins(totals), strict=True)])


def _cut_at_the_end(definition: Any, entry: Any) -> bool:
    """All of the padding that output_shape needs is cut off at the end."""
    return definition.sized and from_begin(definition, entry, [0] * definition.rank)


def _nothing_added(definition: Any, entry: Any) -> bool:
    """Elements are those of B alone, or zero without it."""
    if entry.where is None:
        return False
    alone = 0 if definition.b is None else definition.b[entry.where[:, 1]]
    return bool(np.all(entry.got == alone))


def _padding_added_is_cut(definition: Any, entry: Any) -> bool:
    """The output lacks as many cells as output_padding adds."""
    sizes = [max(size - more, 0) for size, more in zip(definition.counts, definition.added, strict=True)]
    return isinstance(entry.got, str) and entry.got == str([*definition.shape[:2], *sizes])


class ConvTranspose(OnnxConvolving):
    """A call of ConvTranspose under one version of its specification."""

    clauses = CONVOLVED | SUMMED | {
        "X.C3": "spatial_axes", "W.C1": "rank_of_w", "W.C2": "channels", "W.C3": "positive_kernel",
        "B.C2": "shape_of_b", "Y.F2": "value", "Y.U5": "not_finite_over_padding"}
    operator = "ConvTranspose"
    neutral = {**OnnxConvolving.neutral, "output_padding": 0}
    shape_symptoms = {**OnnxConvolving.shape_symptoms, **SHAPES, "output-padding-cut": _padding_added_is_cut}
    symptoms = {**OnnxConvolving.symptoms, **shape_symptoms, "bias-of-the-first-group": _bias_of_the_first_group,
                "pads-kept": _pads_kept, "other-split": _other_split, "cut-at-the-end": _cut_at_the_end,
                "nothing-added": _nothing_added, "nan-of-other-groups": nan_of_other_groups}
    drawn_types = {"float32": (1, 1.0), "float16": (1, 0.6), "float64": (1, 0.6), "bfloat16": (22, 0.3)}
    drawn_modes = {("NOTSET", "computed"): (1, 0.4), ("VALID", "computed"): (1, 0.1),
                   ("SAME_UPPER", "computed"): (1, 0.13), ("SAME_LOWER", "computed"): (1, 0.13),
                   ("NOTSET", "given"): (1, 0.13), ("SAME_UPPER", "given"): (1, 0.05),
                   ("SAME_LOWER", "given"): (1, 0.05), ("VALID", "given"): (1, 0.01)}
    flag_notes = {name: note for name, note in OnnxConvolving.flag_notes.items() if name not in NOT_OURS} | {
        "output-padded": "Some element of output_padding is above zero. Kernels add zeros behind what is cut off.",
        "shape-given": "output_shape is given. The padding that it needs is split in different ways.",
        "stride-above-kernel": "Some stride is above the dilated kernel, and elements of Y lie between cells."}

    # What a call means

    @cached_property
    def w(self) -> np.ndarray:
        """The kernels as a convolution has them, (M, C/group, kernel ...); malformed ones as they are."""
        w = self.inputs["W"]
        fit = isinstance(w, np.ndarray) and w.ndim > 1 and self.group_domain() is None and not w.shape[0] % self.group
        return regrouped(w, self.group) if fit else w

    @cached_property
    def kernel(self) -> Integers:
        """The spatial sizes of W."""
        return tuple(self.inputs["W"].shape[2:])

    symbols = (*OnnxConvolving.symbols, "op")

    @cached_property
    def added(self) -> Integers:
        """The list `output_padding`; None if it is not a list of ints."""
        return integer_list(self.call, "output_padding", 0)

    @property
    def sized(self) -> bool:
        """True if `output_shape` is given."""
        return "output_shape" in self.attributes

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
        if self.automatic:
            return tuple(size * stride for size, stride in zip(self.sizes, self.strides, strict=True))
        cut = self.pads if self.auto_pad == "NOTSET" else (0,) * 2 * self.rank
        return tuple(size - sum(cut[axis::self.rank]) for axis, size in enumerate(self.whole))

    @property
    def same_totals(self) -> tuple[int, ...]:
        """The cells cut off each axis, both ends together."""
        return tuple(whole - count for whole, count in zip(self.whole, self.counts, strict=True))

    @cached_property
    def more_at_the_beginning(self) -> bool:
        """The end at which computed padding has its odd cell."""
        if not self.sized:
            return bool(self.auto_pad == "SAME_LOWER")
        return bool(self.auto_pad == "SAME_UPPER") == (self.version < 11)

    @cached_property
    def geometry(self) -> Geometry:
        """The cells cut off at both ends; negative padding counts as zero."""
        explicit = self.auto_pad == "NOTSET" and not self.sized
        return self.placed(self.pads[:self.rank] if explicit else self.begins([max(n, 0) for n in self.same_totals]))

    def begins(self, totals: Sequence[int]) -> tuple[int, ...]:
        """The cells cut off at the beginning, halves rounded down."""
        return tuple(total - total // 2 if self.more_at_the_beginning else total // 2 for total in totals)

    def placed(self, begin: tuple[int, ...]) -> Geometry:
        """Return the geometry for this padding at the beginning."""
        end = tuple(max(total - first, 0) for total, first in zip(self.same_totals, begin, strict=True))
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, begin, end)

    def convolved(self, w: np.ndarray, b: np.ndarray | None) -> Convolution:
        """X by other kernels and another bias."""
        return TransposedConvolution(self.x, w, b, self.group, self.geometry, self.shape[2:])

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along the batch; of one group along the feature maps too."""
        maps = {"W": 1, "B": 0} if self.b is not None else {"W": 1}
        return {0: {"X": 0}, **({1: maps} if self.group == 1 else {})}

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

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The cells of X that reach it, the elements of W that they meet, and that of B."""
        pairs, maps = self.convolution.factors(where), self.inputs["W"].shape[1]
        cells = {"X": np.array([cell for cell, _ in pairs], np.int64).reshape(-1, self.x.ndim),
                 "W": np.array([(cell[1], where[1] % maps, *weight[2:]) for cell, weight in pairs],
                               np.int64).reshape(-1, self.x.ndim)}
        return cells if self.b is None else {**cells, "B": np.array([[where[1]]])}

    # Clauses

    @on_call("output_padding.C2")
    def added_domain(self) -> str | None:
        return at_least(self.call, "output_padding", self.added, 0)

    @on_call("output_padding.C3", needs=("X.C3",))
    def added_length(self) -> str | None:
        return length("output_padding", self.added, self.rank, "X has spatial axes:")

    @on_call("output_padding.C4", needs=("output_padding.C3", "strides.C3", "dilations.C3"))
    def added_below_step(self) -> str | None:
        steps = [max(pair) for pair in zip(self.strides, self.dilations, strict=True)]
        above = any(more >= step for more, step in zip(self.added, steps, strict=True))
        return f"output_padding is {list(self.added)}, and is to be below {steps}" if above else None

    @on_call("output_shape.C2", needs=("X.C3",))
    def shape_length(self) -> str | None:
        return length("output_shape", integer_list(self.call, "output_shape", 0), self.rank, "X has spatial axes:")

    @on_call("output_shape.C3")
    def shape_domain(self) -> str | None:
        return at_least(self.call, "output_shape", integer_list(self.call, "output_shape", 0), 0)

    @on_call("group.C3", needs=("group.C2", "W.C1"))
    def maps_of_groups(self) -> str | None:
        channels = self.inputs["W"].shape[0]
        return f"{channels} channels in {self.group} groups" if channels % self.group else None

    @on_call("W.C2", needs=("W.C1",))
    def channels(self) -> str | None:
        taken, there = self.inputs["W"].shape[0], self.x.shape[1]
        return None if taken == there else f"W takes {taken} channels, X has {there}"

    @on_call("B.C2", needs=("group.C2", "W.C1"))
    def shape_of_b(self) -> str | None:
        maps = self.inputs["W"].shape[1] * self.group
        return None if self.b is None or tuple(self.b.shape) == (maps,) else \
            f"B has shape {list(self.b.shape)}, and there are {maps} feature maps"

    y_explicit = spatial_shape("Y.C1", lambda self: self.mode == {"NOTSET", "computed"})
    y_valid = spatial_shape("Y.C2", lambda self: self.mode == {"VALID", "computed"})
    y_same = spatial_shape("Y.C3", lambda self: self.automatic and not self.sized)
    y_given = spatial_shape("Y.C4", lambda self: self.sized)

    @on_elements("auto_pad.F1", "Y", "not the sum of products of its cells")
    def automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic and not self.sized and any(self.same_totals)

    @on_elements("output_shape.F1", "Y", "not the sum of products of its cells, with the padding of the size given")
    def generated_padding(self, got: np.ndarray) -> bool:
        return self.sized and any(self.same_totals)

    @on_elements("Y.F3", "Y", "not B, or 0, and no cell of X reaches it")
    def between_cells(self, got: np.ndarray) -> np.ndarray:
        reached = self.convolution.places < prod(self.sizes)
        return np.broadcast_to(~reached.any(axis=0).reshape(self.shape[2:]), self.shape)

    value = elements_of("Y.F2", "Y", "not the sum of products of its cells")

    @unspecified("auto_pad.U1", refusal=True)
    def negative_padding(self) -> Unspecified | None:
        if self.mode == {"NOTSET", "computed"} or min(self.same_totals) >= 0:
            return None
        readings = []
        for down in (True, False) if self.automatic else (self.version >= 11,):
            half = [(total if total >= 0 or down else total + 1) // 2 for total in self.same_totals]
            begin = tuple(total - less if self.more_at_the_beginning else less
                          for total, less in zip(self.same_totals, half, strict=True))
            readings.append(self.with_windows(geometry=self.placed(begin)))
        return Unspecified({}, tuple(readings))

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

    @unspecified("Y.U1", refusal=True)
    def no_window_fits(self) -> Unspecified | None:
        if all(count > 0 for count in self.counts):
            return None
        return Unspecified.everything("Y") if any(count < 0 for count in self.counts) else Unspecified.refusal()

    def size_of_x(self) -> Unspecified | None:
        """The reading that gives Y the sizes of X."""
        return self.of_sizes(self.sizes)

    size_with_strides = unspecified("auto_pad.U2", refusal=True)(size_of_x)
    size_of_editions = disputed("auto_pad.E1")(size_of_x)

    @disputed("auto_pad.E2")
    def size_by_inference(self) -> Unspecified | None:
        return self.of_sizes(tuple(whole - max(extent - stride, 0) for whole, extent, stride in
                                   zip(self.whole, self.extents, self.strides, strict=True)))

    @disputed("auto_pad.E3")
    def split_of_a_test(self) -> Unspecified | None:
        return self.split_otherwise() if self.auto_pad == "SAME_LOWER" and not self.sized else None

    @disputed("output_shape.E1")
    def split_of_editions(self) -> Unspecified | None:
        return self.split_otherwise() if self.sized else None

    def of_sizes(self, counts: tuple[int, ...]) -> Unspecified | None:
        """The reading of automatic padding that gives Y these sizes, where they are others."""
        if not self.automatic or self.sized or counts == self.counts:
            return None
        return Unspecified({}, (self.with_windows(counts=counts),))

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
        sentence = total // 2
        equation = total - total // 2
        assert sentence != equation
        return f"in = 2, s = 2, k = 3, output_shape 4, SAME_UPPER: of {total} cell of padding the equation has " \
               f"{equation} at the beginning, the sentence on auto_pad {sentence}"

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
    def _call(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis],
              planes: tuple[int, int]) -> Call:
        call = super()._call(choose, version, mode, axes, planes)
        w = regrouped(call.inputs["W"], call.attributes.get("group", 1))
        return Call(call.operator, call.attributes, {**call.inputs, "W": w})

    def boundary_symbols(self) -> Iterator[tuple[frozenset[str], Mapping[str, int]]]:
        """The symbols of windows, and op."""
        for (mode, symbols), more in zip(super().boundary_symbols(), self.added, strict=True):
            yield mode, {**symbols, "op": more}

    @property
    def spans(self) -> tuple[int, ...]:
        """The spatial sizes that windows over Y would slide over."""
        return self.whole if self.automatic and not self.sized else self.counts

    def flags(self) -> dict[str, bool]:
        """Return the flags of convolutions, and of transposed ones."""
        shared = {name: holds for name, holds in super().flags().items() if name not in NOT_OURS}
        steps = None in (self.strides, self.dilations) or len(self.strides) != len(self.kernel) or \
            len(self.dilations) != len(self.kernel)
        return {**shared, "output-padded": any(self.added or ()), "shape-given": self.sized,
                "stride-above-kernel": not steps and any(
                    stride > extent for stride, extent in zip(self.strides, self.extents, strict=True))}

    def _with(self, x: np.ndarray, w: np.ndarray, b: np.ndarray | None, group: int) -> Call:
        call = super()._with(x, w, b, group)
        return Call(call.operator, call.attributes, {**call.inputs, "W": regrouped(w, group)}, call.outputs)
