"""What the texts of OpenVINO's MaxPool and AvgPool say alike, bound once for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.answer import Answer, missing_output, wrong_batch_or_channel, wrong_dtype, wrong_spatial_shape
from plumbline.oracle.attributes import integer_list
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.call import Call
from plumbline.oracle.checks import LARGEST, length
from plumbline.oracle.clauses.onnx.common import bind_behind_the_padding, bind_reads
from plumbline.oracle.clauses.openvino.words import SHARED
from plumbline.oracle.pooling import PoolCall
from plumbline.oracle.windows import Geometry

FLOATS = ("bfloat16", "float16", "float32", "float64")

Words = Callable[[Call, int], dict[str, Any]]


class OpenVinoCall(PoolCall):
    """A call read in OpenVINO's words. Its windows are laid out as ONNX's are; the sizes have formulas of their own."""

    words_of: Words

    @cached_property
    def words(self) -> Mapping[str, Any]:
        """The attributes in OpenVINO's words."""
        return type(self).words_of(self.call, self.version)

    @property
    def rounding(self) -> str:
        """``"floor"``, ``"ceil"`` or ``"ceil_torch"``."""
        return str(self.words["rounding_type"])

    @property
    def mode(self) -> frozenset[str]:
        """How it pads and how it rounds, in two words of the text."""
        return frozenset({self.words["auto_pad"], self.rounding})

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of the output; may be zero or less. Source: OpenVINO, shape rules of pooling operators."""
        if self.automatic:
            return tuple(-(-size // stride) for size, stride in zip(self.sizes, self.strides, strict=True))
        begin, end = self.paddings
        sizes = zip(self.sizes, begin, end, self.extents, self.strides, strict=True)
        return tuple(self._rounded(size + b + e - extent, stride) + 1
                     - (self.rounding == "ceil_torch" and self._starts_behind(size, b, e, extent, stride))
                     for size, b, e, extent, stride in sizes)

    @property
    def paddings(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pads of a call without automatic padding, at the beginning and at the end."""
        if self.words["auto_pad"] == "valid":
            return (0,) * self.rank, (0,) * self.rank
        return self.words["pads_begin"], self.words["pads_end"]

    def _rounded(self, room: int, stride: int) -> int:
        return room // stride if self.rounding == "floor" else -(-room // stride)

    def _starts_behind(self, size: int, begin: int, end: int, extent: int, stride: int) -> bool:
        return -(-(size + begin + end - extent) // stride) * stride >= size + begin

    @property
    def last_starts(self) -> list[tuple[int, int]]:
        """Per axis where the last window starts, counted from the padding's beginning, and where X ends."""
        return [((count - 1) * stride, size + begin) for count, stride, size, begin in
                zip(self.counts, self.strides, self.sizes, self.paddings[0], strict=True)]


def bind_calls(bindings: Bindings, words: tuple[str, ...], roundings: dict[str, tuple[str, ...]]) -> None:
    """The clauses on calls.

    words:     attributes that a call of this operation may have, besides those of both.
    roundings: clause on rounding_type, with the values that it allows."""

    @bindings.on_call("signature.C1")
    def only_words_of_the_text(call: OpenVinoCall) -> str | None:
        given = call.call.attributes
        foreign = [name for name in given if name not in (*SHARED, *words)
                   and not (name == "storage_order" and "axis" in words
                            and type(given[name]) is int and given[name] == 0)]
        if "dilations" in foreign and set(integer_list(call.call, "dilations", 1) or (0,)) <= {1}:
            foreign.remove("dilations")
        if foreign:
            return f"the operation has no word for {', '.join(foreign)}"
        return "ceil_mode and rounding_type both say the rounding" if {"ceil_mode", "rounding_type"} <= set(given) \
            else None

    bind_choice(bindings, "auto_pad.C1", "auto_pad", ("explicit", "same_upper", "same_lower", "valid"))
    for clause, allowed in roundings.items():
        bind_choice(bindings, clause, "rounding_type", allowed)
    bind_list(bindings, "kernel", 1)
    bind_list(bindings, "pads_begin", 0)
    bind_list(bindings, "pads_end", 0)
    bind_list(bindings, "strides", 1)

    @bindings.on_call("X.C1")
    def rank(call: OpenVinoCall) -> str | None:
        return None if call.rank in (1, 2, 3) else f"X has shape {list(call.x.shape)}: {max(call.rank, 0)} spatial axes"

    @bindings.on_call("X.C2")
    def element_type(call: OpenVinoCall) -> str | None:
        return None if call.x.dtype.kind in "iu" or call.x.dtype.name in FLOATS else f"X is {call.x.dtype.name}"


def bind_choice(bindings: Bindings, clause: str, name: str, allowed: tuple[Any, ...]) -> None:
    """An attribute that is one of a few values."""
    @bindings.on_call(clause)
    def domain(call: OpenVinoCall) -> str | None:
        value = call.words[name]
        if type(value) is type(allowed[0]) and value in allowed:
            return None
        said = "what no word says" if value is None else repr(value)
        return f"{name} is {said}, not {' or '.join(map(str, allowed))}"


def bind_list(bindings: Bindings, name: str, lowest: int) -> None:
    """A list with an integer of at least `lowest` for each spatial axis: clauses C1 and C2 of its section."""
    @bindings.on_call(f"{name}.C1")
    def domain(call: OpenVinoCall) -> str | None:
        values = call.words[name]
        if values is None:
            return f"{name} is not given as a list of integers"
        return None if all(lowest <= value <= LARGEST for value in values) else \
            f"{name} is {list(values)}: below {lowest}, or beyond 64 bits"

    @bindings.on_call(f"{name}.C2", needs=("X.C1",))
    def one_for_each_axis(call: OpenVinoCall) -> str | None:
        return length(name, call.words[name], call.rank, "X has spatial axes:")


def bind_outputs(bindings: Bindings) -> None:
    """Presence, shape and type of Y. A wrong spatial shape is charged to the formula that applies."""
    bindings.on_outputs("signature.F1")(missing_output)
    formulas = {
        "Y.C1": ("explicit", "floor"), "Y.C2": ("explicit", "ceil"), "Y.C3": ("explicit", "ceil_torch"),
        "Y.C4": ("valid",), "Y.C5": ("same_upper", "same_lower")}
    for clause, words in formulas.items():
        _bind_formula(bindings, clause, words)
    bindings.on_outputs("Y.F3", needs=tuple(formulas))(wrong_batch_or_channel)

    @bindings.on_outputs("Y.F2")
    def type_of_y(answer: Answer) -> Wrong | None:
        return wrong_dtype(answer, "Y", answer.x.dtype)


def _bind_formula(bindings: Bindings, clause: str, words: tuple[str, ...]) -> None:
    @bindings.on_outputs(clause)
    def spatial_shape(answer: Answer) -> Wrong | None:
        said = answer.call.words
        applies = said["auto_pad"] in words and (said["auto_pad"] != "explicit" or said["rounding_type"] in words)
        return wrong_spatial_shape(answer) if applies else None


def bind_silences(bindings: Bindings, outputs: tuple[str, ...]) -> None:
    """What both texts leave open of `outputs`."""
    whole: dict[str, object] = {name: "whole" for name in outputs}

    @bindings.leaves_open("X.U1", refusal=True)
    def empty_axes(call: OpenVinoCall) -> dict[str, object]:
        return whole if 0 in call.x.shape else {}

    @bindings.leaves_open("Y.U1", refusal=True)
    def no_window_fits(call: OpenVinoCall) -> dict[str, object]:
        above = call.words["auto_pad"] == "valid" and any(
            extent > size for extent, size in zip(call.extents, call.sizes, strict=True))
        return whole if above or any(count < 1 for count in call.counts) else {}

    @bindings.leaves_open("auto_pad.U1", refusal=True)
    def automatic_padding_with_strides(call: OpenVinoCall) -> dict[str, object]:
        return whole if call.automatic and max(call.strides) > 1 else {}

    @bindings.leaves_open("Y.U4", refusal=True)
    def windows_that_ceil_torch_leaves_in_the_padding(call: OpenVinoCall) -> dict[str, object]:
        if call.rounding != "ceil_torch" or call.words["auto_pad"] != "explicit":
            return {}
        in_padding = [start >= end or start < begin for (start, end), begin in
                      zip(call.last_starts, call.paddings[0], strict=True)]
        return whole if any(in_padding) else {}

    @bindings.leaves_open("Y.U5", refusal=True)
    def ceil_torch_without_padding(call: OpenVinoCall) -> dict[str, object]:
        if call.rounding != "ceil_torch" or call.words["auto_pad"] != "valid":
            return {}
        differs = [(size - extent) % stride for size, extent, stride in
                   zip(call.sizes, call.extents, call.strides, strict=True)]
        return whole if any(differs) else {}

    bind_reads(bindings)


def bind_errata(bindings: Bindings, extra: str) -> None:
    """The errata that both texts have; `extra` is the clause on rounding without padding."""
    bind_behind_the_padding(bindings, "Y.E6")

    @bindings.evidence("auto_pad.E1")
    def same_leaves_out_the_stride() -> str:
        size, kernel, stride = 32, 2, 2
        total = (size - 1) * stride + kernel - size
        windows = Geometry((size,), (kernel,), (stride,), (1,), (total // 2,), (total - total // 2,))
        assert windows.floor_sizes == (size,)
        empty = sum(not any(0 <= cell < size for cell in window) for window in windows.positions((size,))[0])
        assert empty > 0
        return f"in = {size}, k = {kernel}, s = {stride}: for {size} windows the padding is {total}, and {empty} of " \
               "them select nothing else"

    @bindings.evidence("strides.E1")
    def strides_of_zero() -> str:
        try:
            size: object = (3 - 1) // 0
        except ZeroDivisionError:
            size = None
        assert size is None
        return "in = 3, k = 1, s = 0: the formula divides by zero"

    @bindings.evidence(extra)
    def rounding_without_padding() -> str:
        size, kernel, stride, printed = 3, 2, 2, 2
        formula, rounded = -(-(size - kernel + 1) // stride), -(-(size - kernel) // stride) + 1
        assert formula != printed == rounded
        return f"in = {size}, k = {kernel}, s = {stride}, ceil: the formula gives {formula}, the sentence {rounded}, " \
               f"and example 6 prints {printed}"


def reaches_padding(geometry: Geometry, counts: tuple[int, ...]) -> np.ndarray:
    """Bool, in the shape of the spatial axes of the output: whether a window has a cell of X or of its padding."""
    found = np.zeros(counts, dtype=bool)
    places = geometry.positions(counts)
    for cell in product(*map(range, geometry.kernel)):
        axes = np.ix_(*(place[:, offset] for place, offset in zip(places, cell, strict=True)))
        inside = np.ones(counts, dtype=bool)
        for axis, size, begin, end in zip(axes, geometry.sizes, geometry.begin, geometry.end, strict=True):
            inside &= (axis >= -begin) & (axis < size + end)
        found |= inside
    return found
