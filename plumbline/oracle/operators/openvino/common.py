"""Base class of OpenVINO's MaxPool and AvgPool."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from plumbline.oracle.families.attributes import integer_list
from plumbline.oracle.families.checks import LARGEST, length
from plumbline.oracle.families.clauses import presence, type_of_output
from plumbline.oracle.families.pooling import (
    Windowed,
    batch_and_channel,
    spatial_shape,
)
from plumbline.oracle.families.window_errata import starts_behind_the_padding
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import Choose, Predicate, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.operators.openvino.words import AUTO_PAD, ROUNDING, SHARED, pooling_words
from plumbline.oracle.size_classes import SizeClass

FLOATS = ("bfloat16", "float16", "float32", "float64")


def choice(clause: str, name: str, allowed: tuple[Any, ...]) -> Predicate:
    """The clause on an attribute that is one of a few values."""
    def domain(self: OpenVinoWindowed) -> str | None:
        value = self.said[name]
        if type(value) is type(allowed[0]) and value in allowed:
            return None
        said = "what no attribute says" if value is None else repr(value)
        return f"{name} is {said}, not {' or '.join(map(str, allowed))}"
    return Predicate("call", clause, domain)


def values_of(name: str, lowest: int) -> Predicate:
    """The clause C1 on a list of integers of at least `lowest`."""
    def domain(self: OpenVinoWindowed) -> str | None:
        values = self.said[name]
        if values is None:
            return f"{name} is not given as a list of integers"
        return None if all(lowest <= value <= LARGEST for value in values) else \
            f"{name} is {list(values)}: below {lowest}, or beyond 64 bits"
    return Predicate("call", f"{name}.C1", domain)


def length_of(name: str) -> Predicate:
    """The clause C2 on a list with an element for each spatial axis."""
    return Predicate("call", f"{name}.C2", lambda self: length(name, self.said[name], self.rank,
                                                               "X has spatial axes:"), ("X.C1",))


def _explicit(rounding: str) -> Any:
    return lambda self: self.said["auto_pad"] == "explicit" and self.said["rounding_type"] == rounding


class OpenVinoWindowed(Windowed):
    """A call read in OpenVINO's words. Its windows are laid out as ONNX's are; the sizes have formulas of their own."""

    own_attributes: tuple[str, ...] = ()
    """Attributes that a call of this operation may have, besides those of both."""

    produces: tuple[str, ...] = ("Y",)
    """The outputs that the unspecified clauses below are about."""

    explicit, unpadded = "explicit", "valid"
    drawn_modes = {("explicit", "floor"): (1, 0.3), ("explicit", "ceil"): (1, 0.2),
                   ("explicit", "ceil_torch"): (14, 0.1), ("valid", "floor"): (1, 0.133),
                   ("same_upper", "floor"): (1, 0.133), ("same_lower", "floor"): (1, 0.134)}

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Return True where the operation has the attribute."""
        return "dilations" in cls.own_attributes

    @classmethod
    def usual(cls, mode: frozenset[str], axes: tuple[Axis, ...]) -> tuple[Axis, ...]:
        """Strides of 1 where the padding is automatic."""
        same = not mode.isdisjoint(("same_upper", "same_lower"))
        return tuple(axis._replace(stride=1) for axis in axes) if same else axes

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Without a layer in every mode: its strides are above 1 where the padding is automatic."""
        return [size_class for size_class in super().size_classes(version) if "mode" not in size_class.sizes]

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of a version, with the rounding by either name, in ONNX's words."""
        _, kernel, strides, dilations, begin, end, _ = zip(*axes, strict=True)
        found: dict[str, Any] = {"kernel_shape": list(kernel), "strides": list(strides)}
        found |= {"pads": list(begin + end)} if "explicit" in mode else \
            {"auto_pad": next(name for name, word in AUTO_PAD.items() if word in mode)}
        rounding = next(word for word in ("ceil_torch", "ceil", "floor") if word in mode)
        if "explicit" not in mode:
            rounding = choose(("floor", "ceil", "ceil_torch") if version >= 14 else ("floor", "ceil"))
        numbers = {word: number for number, word in ROUNDING.items()}
        if rounding in numbers and choose((True, False)):
            found["ceil_mode"] = numbers[rounding]
        else:
            found["rounding_type"] = rounding
        if cls.has_dilations(version) and max(dilations) > 1 or 0 in dilations:
            found["dilations"] = list(dilations)
        return found

    def native_attributes(self) -> dict[str, Any]:
        """The attributes in OpenVINO's words."""
        return pooling_words(self.call)

    @cached_property
    def said(self) -> dict[str, Any]:
        """The attributes in OpenVINO's words, computed once."""
        return self.native_attributes()

    @property
    def rounding(self) -> str:
        """The rounding: ``"floor"``, ``"ceil"`` or ``"ceil_torch"``."""
        return str(self.said["rounding_type"])

    @property
    def mode(self) -> frozenset[str]:
        """Padding and rounding in two words of the specification."""
        return frozenset({self.said["auto_pad"], self.rounding})

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of the output; may be zero or less. Source: OpenVINO, shape rules of pooling operators."""
        if self.automatic:
            return self.same_counts
        begin, end = self.paddings
        sizes = zip(self.sizes, begin, end, self.extents, self.strides, strict=True)
        return tuple(self._rounded(size + b + e - extent, stride) + 1
                     - (self.rounding == "ceil_torch" and self._starts_behind(size, b, e, extent, stride))
                     for size, b, e, extent, stride in sizes)

    @property
    def paddings(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The pads of a call without automatic padding, at the beginning and at the end."""
        if self.said["auto_pad"] == "valid":
            return (0,) * self.rank, (0,) * self.rank
        return self.said["pads_begin"], self.said["pads_end"]

    def _rounded(self, room: int, stride: int) -> int:
        return room // stride if self.rounding == "floor" else -(-room // stride)

    def _starts_behind(self, size: int, begin: int, end: int, extent: int, stride: int) -> bool:
        return -(-(size + begin + end - extent) // stride) * stride >= size + begin

    @property
    def last_starts(self) -> list[tuple[int, int]]:
        """Per axis where the last window starts, counted from the padding's beginning, and where X ends."""
        return [((count - 1) * stride, size + begin) for count, stride, size, begin in
                zip(self.counts, self.strides, self.sizes, self.paddings[0], strict=True)]

    @on_call("signature.C1")
    def only_words_of_the_text(self) -> str | None:
        given, own = self.attributes, self.own_attributes
        foreign = [name for name in given if name not in (*SHARED, *own)
                   and not (name == "storage_order" and "axis" in own
                            and type(given[name]) is int and given[name] == 0)]
        if "dilations" in foreign and set(integer_list(self.call, "dilations", 1) or (0,)) <= {1}:
            foreign.remove("dilations")
        if foreign:
            return f"the operation has no attribute for {', '.join(foreign)}"
        return "ceil_mode and rounding_type both say the rounding" if {"ceil_mode", "rounding_type"} <= set(given) \
            else None

    auto_pad_values = choice("auto_pad.C1", "auto_pad", ("explicit", "same_upper", "same_lower", "valid"))
    roundings_1 = choice("rounding_type.C1", "rounding_type", ("floor", "ceil"))
    roundings_14 = choice("rounding_type.C2", "rounding_type", ("floor", "ceil", "ceil_torch"))
    kernel_values, kernel_length = values_of("kernel", 1), length_of("kernel")
    begin_values, begin_length = values_of("pads_begin", 0), length_of("pads_begin")
    end_values, end_length = values_of("pads_end", 0), length_of("pads_end")
    strides_values, strides_length = values_of("strides", 1), length_of("strides")

    @on_call("X.C1")
    def spatial_axes(self) -> str | None:
        return None if self.rank in (1, 2, 3) else f"X has shape {list(self.x.shape)}: {max(self.rank, 0)} spatial axes"

    @on_call("X.C2")
    def numbers(self) -> str | None:
        return None if self.x.dtype.kind in "iu" or self.x.dtype.name in FLOATS else f"X is {self.x.dtype.name}"

    missing = presence("signature.F1")
    y_floor = spatial_shape("Y.C1", _explicit("floor"))
    y_ceil = spatial_shape("Y.C2", _explicit("ceil"))
    y_torch = spatial_shape("Y.C3", _explicit("ceil_torch"))
    y_valid = spatial_shape("Y.C4", lambda self: self.said["auto_pad"] == "valid")
    y_same = spatial_shape("Y.C5", lambda self: self.automatic)
    y_planes = batch_and_channel("Y.F3", ("Y.C1", "Y.C2", "Y.C3", "Y.C4", "Y.C5"))
    y_type = type_of_output("Y.F2", "Y", lambda self: self.x.dtype)

    @unspecified("X.U1", refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.everything(*self.produces) if 0 in self.x.shape else None

    @unspecified("Y.U1", refusal=True)
    def no_window_fits(self) -> Unspecified | None:
        above = self.said["auto_pad"] == "valid" and any(
            extent > size for extent, size in zip(self.extents, self.sizes, strict=True))
        return Unspecified.everything(*self.produces) if above or any(count < 1 for count in self.counts) else None

    @unspecified("auto_pad.U1", refusal=True)
    def automatic_padding_with_strides(self) -> Unspecified | None:
        return Unspecified.everything(*self.produces) if self.automatic and max(self.strides) > 1 else None

    @unspecified("Y.U4", refusal=True)
    def windows_that_ceil_torch_leaves_in_the_padding(self) -> Unspecified | None:
        if self.rounding != "ceil_torch" or self.said["auto_pad"] != "explicit":
            return None
        in_padding = [start >= end or start < begin for (start, end), begin in
                      zip(self.last_starts, self.paddings[0], strict=True)]
        return Unspecified.everything(*self.produces) if any(in_padding) else None

    @unspecified("Y.U5", refusal=True)
    def ceil_torch_without_padding(self) -> Unspecified | None:
        if self.rounding != "ceil_torch" or self.said["auto_pad"] != "valid":
            return None
        differs = [(size - extent) % stride for size, extent, stride in
                   zip(self.sizes, self.extents, self.strides, strict=True)]
        return Unspecified.everything(*self.produces) if any(differs) else None

    behind_the_padding = evidence("Y.E6")(starts_behind_the_padding)

    @evidence("auto_pad.E1")
    @staticmethod
    def same_leaves_out_the_stride() -> str:
        size, kernel, stride = 32, 2, 2
        total = (size - 1) * stride + kernel - size
        windows = Geometry((size,), (kernel,), (stride,), (1,), (total // 2,), (total - total // 2,))
        assert windows.floor_sizes == (size,)
        empty = sum(not any(0 <= cell < size for cell in window) for window in windows.positions((size,))[0])
        assert empty > 0
        return f"in = {size}, k = {kernel}, s = {stride}: for {size} windows the padding is {total}, and {empty} of " \
               "them select nothing else"

    @evidence("strides.E1")
    @staticmethod
    def strides_of_zero() -> str:
        try:
            size: object = (3 - 1) // 0
        except ZeroDivisionError:
            size = None
        assert size is None
        return "in = 3, k = 1, s = 0: the formula divides by zero"

    @evidence("strides.E2")
    @staticmethod
    def letters_and_elements() -> str:
        windows = Geometry((9, 9, 9), (1, 1, 1), (4, 2, 1), (1, 1, 1), (0, 0, 0), (0, 0, 0)).floor_sizes
        described, by_rules = (dict(zip(letters, windows, strict=True)) for letters in ("DHW", "HWD"))
        assert described["D"] != by_rules["D"]
        return f"strides of 4, 2, 1 over 9 cells on each axis: the depth is {described['D']} by the description of " \
               f"strides, and {by_rules['D']} by the shape rules, which give it the third element"

    @evidence("Y.E2")
    @staticmethod
    def rounding_without_padding() -> str:
        size, kernel, stride, printed = 3, 2, 2, 2
        formula, rounded = -(-(size - kernel + 1) // stride), -(-(size - kernel) // stride) + 1
        assert formula != printed == rounded
        return f"in = {size}, k = {kernel}, s = {stride}, ceil: the formula gives {formula}, the sentence {rounded}, " \
               f"and example 6 prints {printed}"
