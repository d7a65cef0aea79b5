"""Judge and generate calls of ONNX OneHot, by `spec/onnx/onehot.md`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within, either_end
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type, same_bits
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_call, unspecified
from plumbline.oracle.response import is_any_float
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, TALL, Named, SizeClass, is_large, is_tall
from plumbline.oracle.type_names import name_of

FROM_THE_BACK = 11
"""The first version in which indices and axes count from the back."""

BEYOND = (2**31, 2**32, 2**32 + 1, 2**63 - 1, -2**31 - 1, -2**32, -2**63)
"""Indices of no class, some of which are classes in their lower bits."""

TYPES = ("int64", "int32", "float32", "uint8", "int8", "uint64", "uint32", "float16", "float64", "int16", "uint16")
WEIGHTS = (12, 4, 4, *(1,) * 8)
"""Element types of indices and depth, and how often they are drawn."""


def _counts_from_the_back(definition: Any, entry: Any) -> bool:
    """Elements are those of version 11, in which a negative index counts from the back."""
    wanted = OneHot(definition.call, FROM_THE_BACK).canonical["output"]
    return entry.where is not None and bool(same_bits(entry.got, wanted[tuple(entry.where.T)]).all())


def _as_if_of(definition: Any, entry: Any, some_indices: Iterable[np.ndarray], readings: Iterable[np.ndarray]) -> bool:
    """Elements are those of some other indices, of int64, by version 11, and of one of the readings of values."""
    def shows(indices: np.ndarray, values: np.ndarray) -> bool:
        inputs = {**definition.inputs, "indices": indices, "values": values}
        wanted = OneHot(replace(definition.call, inputs=inputs), FROM_THE_BACK).canonical["output"]
        return bool(same_bits(entry.got.astype(wanted.dtype), wanted[tuple(entry.where.T)]).all())
    return entry.where is not None and any(shows(*both) for both in product(some_indices, readings))


def _readings(values: np.ndarray) -> list[np.ndarray]:
    """The values as they are, and integers of 64 bits in their lower 32."""
    return [values, *([lower_bits(values).astype(values.dtype)] if values.dtype in (np.int64, np.uint64) else [])]


def _of_the_lower_bits(definition: Any, entry: Any) -> bool:
    """Elements are those of the lower 32 bits of indices, as signed numbers, counted from the back."""
    indices = definition.source
    return indices.dtype.kind in "iu" and _as_if_of(
        definition, entry, [lower_bits(indices)], _readings(definition.inputs["values"]))


def _modulo(definition: Any) -> list[np.ndarray]:
    """The indices modulo depth: as they are, or in their lower 32 bits; rounded, halves to even or away from zero."""
    indices = definition.source
    rounded = [indices]
    if indices.dtype.kind == "f":
        wide = np.where(np.isfinite(indices), indices, -2.0**31).astype(np.float64)
        rounded = [np.rint(wide), np.sign(wide) * np.floor(np.abs(wide) + 0.5)]
    with np.errstate(invalid="ignore"):
        integers = [whole.astype(np.int64) for whole in rounded]
    return [whole % max(definition.depth, 1) for whole in (*integers, *map(lower_bits, integers))]


def _modulo_depth(definition: Any, entry: Any) -> bool:
    """Elements are those of indices modulo depth."""
    return _as_if_of(definition, entry, _modulo(definition), _readings(definition.inputs["values"]))


def _in_a_byte(definition: Any, entry: Any) -> bool:
    """Elements are the lower bytes of integers, without a sign, held at the largest, of indices modulo depth."""
    values = definition.inputs["values"]
    return values.dtype.kind in "iu" and _as_if_of(definition, entry, _modulo(definition), [
        np.minimum(values.astype(np.uint8), min(255, np.iinfo(values.dtype).max)).astype(values.dtype)])


def _by_arithmetic(definition: Any, entry: Any) -> bool:
    """Elements of floating point are off + hot * (on - off), each operation rounded, where hot is 1 or 0."""
    off, on = definition.inputs["values"]
    if entry.where is None or not is_any_float(off.dtype) and off.dtype.kind != "c":
        return False
    hot = OneHot(definition.call, FROM_THE_BACK).hot[tuple(entry.where.T)]
    with np.errstate(all="ignore"):
        wanted = hot.astype(off.dtype) * (on - off) + off
        return bool((same_bits(entry.got, wanted) | (entry.got != entry.got) & (wanted != wanted)).all())


class OneHot(Movement):
    """A call of OneHot under one version of its specification."""

    symptoms = {**Movement.symptoms, "counts-from-the-back": _counts_from_the_back,
                "of-the-lower-bits": _of_the_lower_bits, "by-arithmetic": _by_arithmetic,
                "modulo-depth": _modulo_depth, "in-a-byte": _in_a_byte}
    rises, monotone_in = False, ("values",)
    flag_notes = {
        "negative-axis": "axis counts from the back, other than -1.",
        "negative-index": "an index is negative.",
        "of-no-class": "an index is of no class, so that its elements are all off.",
        "fraction": "an index is not an integer, or is beyond 64 bits.",
        "float-depth": "depth is a floating-point number.",
        "bfloat16-values": "values are of bfloat16."}

    shape = copied_shape("output.C1")
    on = elements_of("output.F2", "output", "not the element of values that is on", lambda self: self.hot)
    off = elements_of("output.F3", "output", "not the element of values that is off")
    nan = bits_of_nan("output.U1")

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """The input values."""
        return {"values": self.inputs["values"]}

    @cached_property
    def depth(self) -> int:
        """The number of classes; 0 where depth is malformed."""
        given = self.inputs["depth"]
        return int(given.item()) if given.size == 1 and 0 <= given.item() < 2**63 else 0

    @property
    def axis(self) -> int:
        """The axis of output for the classes, from the front."""
        return int(self.attribute("axis")) % (self.source.ndim + 1)

    @cached_property
    def is_integer(self) -> np.ndarray:
        """bool: which indices are integers of 64 bits."""
        indices = self.source
        if indices.dtype.kind != "f":
            return np.ones(indices.shape, bool)
        wide = indices.astype(np.float64)
        return np.asarray((np.rint(wide) == wide) & (wide >= -2.0**63) & (wide < 2.0**63))

    def classes_of(self, indices: np.ndarray) -> np.ndarray:
        """bool, in the shape of output: which class indices name, integers in the shape of the input."""
        wide = (np.minimum(indices, 2**63 - 1) if indices.dtype == np.uint64 else indices).astype(np.int64)
        if self.version >= FROM_THE_BACK:
            wide = wide + np.where(wide < 0, self.depth, 0)
        classes = np.arange(self.depth).reshape(-1, *(1,) * (self.source.ndim - self.axis))
        return np.asarray(np.expand_dims(wide, self.axis) == classes)

    @cached_property
    def hot(self) -> np.ndarray:
        """bool, in the shape of output: which elements are on; of an index that is not an integer, none."""
        if self.is_integer.all():
            return self.classes_of(self.source)
        integers = np.where(self.is_integer, self.source, 0)
        return np.asarray(self.classes_of(integers) & np.expand_dims(self.is_integer, self.axis))

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of indices with depth at the axis."""
        shape = self.source.shape
        return *shape[:self.axis], self.depth, *shape[self.axis:]

    def places(self) -> np.ndarray:
        """Return 1 for elements that are on, 0 for others."""
        return self.hot.astype(np.int64)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The index of the place, and the element that is copied."""
        place = [at for axis, at in enumerate(where) if axis != self.axis]
        return {"indices": np.array([place], np.int64), **super().receptive_field(output, where)}

    @on_call("axis.C2")
    def place_of_axis(self) -> str | None:
        rank = self.source.ndim
        return axis_within(self, self.attribute("axis"), -rank - 1 if self.version >= FROM_THE_BACK else -1, rank)

    @on_call("depth.C2")
    def one_depth(self) -> str | None:
        depth = self.inputs["depth"]
        return None if depth.shape in ((), (1,)) else f"depth has shape {list(depth.shape)}"

    @on_call("depth.C3", needs=("depth.C2",))
    def a_size(self) -> str | None:
        depth = self.inputs["depth"].item()
        return None if 0 <= depth < 2**63 and depth == int(depth) else f"depth is {depth}"

    @on_call("values.C3")
    def two_values(self) -> str | None:
        values = self.inputs["values"]
        return None if values.shape == (2,) else f"values has shape {list(values.shape)}"

    @unspecified("indices.U1")
    def no_integer(self) -> Unspecified | None:
        if self.is_integer.all():
            return None
        wide, values = self.source.astype(np.float64), self.inputs["values"]
        in_range = np.abs(wide) < 2**63
        near = np.where(in_range, wide, 0)
        named = self.classes_of(np.floor(near)) | self.classes_of(np.ceil(near))

        def admits(got: np.ndarray) -> np.ndarray:
            with np.errstate(invalid="ignore"):
                return np.asarray(np.logical_or.reduce([
                    same_bits(got, np.broadcast_to(value, got.shape)) | (got != got) & (value != value)
                    for value in values]))
        return Unspecified.of(np.expand_dims(~self.is_integer, self.axis) & (named | np.expand_dims(
            ~in_range, self.axis)), "output", admits=admits)

    @unspecified("indices.U2", refusal=True)
    def not_positive_integers(self) -> Unspecified | None:
        return None if self.is_integer.all() and (self.source >= 0).all() else Unspecified.refusal()

    @evidence("output.E1")
    @staticmethod
    def one_and_zero() -> str:
        example = {"indices": np.array([0, 7, 8]), "depth": np.array(12.0), "values": np.array([2, 5], np.int32)}
        definition, printed = OneHot(Call("OneHot", {}, example), 11), [2, 5]
        sentences = np.unique(definition.canonical["output"]).tolist()
        equations = np.unique(definition.hot.astype(int)).tolist()
        assert sentences == printed != equations
        return f"values [2, 5]: a documented example (without_axis) has elements {printed}, the equations {equations}"

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of what is moved, and rows of classes."""
        return *super().size_classes(version), SizeClass({"classes": ROWS})

    def named_sizes(self) -> Mapping[str, Any]:
        """The sizes of indices and of output, the element type of values, and the number of classes."""
        shape = self.source.shape
        return {DTYPE: name_of(self.inputs["values"].dtype), "columns": (0, *shape)[-1], "classes": self.depth,
                LARGE: is_large(self.shape_of("output")), TALL: is_tall(shape)}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: indices of any shape, of some class or of none, and the classes on any axis."""
        shape, depth = a_shape(choose), choose(Named("classes", (3, 2, 1, 5, 17, 0)))
        place, rank = choose(Named("axis", range(len(shape) + 1))), len(shape) + 1
        attributes = {} if place == len(shape) and choose((True, False)) else {
            "axis": either_end(choose, place, rank, back=version >= FROM_THE_BACK or place == len(shape))}
        drawn = choose.tensor(shape, "int64", "order")
        indices = drawn % max(depth, 1)
        if choose((False, True)):
            indices = np.where(drawn % 3 == 1, indices - depth, indices)
        if choose((False, True), (3, 1)):
            indices = np.where(drawn % 5 == 0, choose((depth, -depth - 1, *BEYOND)), indices)
        dtype = choose(TYPES, WEIGHTS)
        with np.errstate(over="ignore"):
            indices = np.asarray(indices).astype(dtype)
        if indices.dtype.kind == "f" and choose((False, True), (3, 1)):
            indices = np.asarray(indices + choose((0.5, -0.25, np.nan, np.inf))).astype(dtype)
        values = choose.tensor((2,), a_type(choose, cls.types_of("values", version)), "bits")
        if values.dtype.kind in "iu" and choose((False, True)):
            values[1] = np.iinfo(values.dtype).max
        of_depth = np.array(depth, choose((dtype, *TYPES), (len(TYPES), *(1,) * len(TYPES))))
        return Call("OneHot", attributes, {
            "indices": indices, "depth": of_depth.reshape(choose(((), (1,)))), "values": values})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        integer, indices, depth = self.is_integer, self.source, self.depth
        outside = (indices >= depth) | (indices < (-depth if self.version >= FROM_THE_BACK else 0))
        return {"negative-axis": self.attribute("axis") < -1, "negative-index": bool((indices < 0).any()),
                "of-no-class": bool((integer & outside).any()),
                "fraction": not integer.all(), "float-depth": self.inputs["depth"].dtype.kind == "f",
                "bfloat16-values": name_of(self.inputs["values"].dtype) == "bfloat16"}
