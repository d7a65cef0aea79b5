"""Base class of linear quantisation: scales and zero points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.axes import axis_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.narrower_types import other_call, without
from plumbline.oracle.families.surroundings import OF_ANY
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import DTYPE, LARGE, ROWS, Named, SizeClass, a_large_output, is_large

NUMBERS = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "float16": 10, "float64": 11,
           "bfloat16": 16, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18, "float8_e5m2": 19, "float8_e5m2fnuz": 20,
           "uint4": 21, "int4": 22, "float4_e2m1fn": 23, "float8_e8m0fnu": 24, "uint2": 25, "int2": 26}
"""By element type the number that TensorProto gives it, as attributes name it."""

TYPE_OF = {number: name for name, number in NUMBERS.items()}

SINGLE = ("float32", "float16", "bfloat16")
"""Floats of at most 24 digits, in the range of float32."""

SMALL_INTEGERS = ("int16", "uint16", "int8", "uint8", "int4", "uint4", "int2", "uint2")

OTHER_TYPE = {"other-output-type": "output_dtype gives y another type than it has without."}
"""The note of a flag of operators with that attribute."""

SCALES = (0.5, 0.1, 2.0, 1 / 255, 3.0, 1e-3, 0.75, 1.0)
"""Values of scales: powers of two, and numbers whose multiples are rounded."""

EQUAL: Mapping[str, Any] = {"rows": 7, "columns": 7, "block": 3}
"""Choices of equal axes, which blocks do not divide."""

GRAINS = {3: "", 2: " of a matrix"}
"""By the number of equal axes what names of sizes say of it."""


def _without_zero_point(definition: Operator, entry: Divergence) -> bool:
    """Elements are what a zero point of 0 gives, by any reading of the quotient."""
    assert isinstance(definition, Quantisation)
    name = definition.zero_point_name
    point = definition.inputs.get(name)
    if point is None or entry.where is None:
        return False
    other: Any = other_call(definition, entry, {**definition.inputs, name: np.zeros_like(point)})
    got, at = np.asarray(entry.got).astype(np.float32), tuple(entry.where.T)
    readings = (np.asarray(y)[at].reshape(-1).astype(np.float32)
                for y in [other.canonical["y"], *getattr(other, "readings", [])])
    return bool(np.any([(y == got) | (y != y) & (got != got) for y in readings], axis=0).all())


def _memory_of_another_type(definition: Any, entry: Any) -> bool:
    """Elements are the memory of what the call gives without its attribute output_dtype, and any beyond its end."""
    other = without(definition, entry, "output_dtype")
    if other is None or "output_dtype" not in definition.attributes:
        return False
    given, memory = entry.got.reshape(-1, 1).view(np.uint8), other.canonical[entry.output].reshape(-1).view(np.uint8)
    if entry.got.dtype.name in ("int4", "uint4"):  # two in a byte
        given, memory = given & 15, np.stack([memory & 15, memory >> 4], axis=-1).ravel()
    shape = definition.shape_of(entry.output)
    first = np.arange(np.prod(shape, dtype=int)).reshape(shape)[tuple(entry.where.T)].reshape(-1, 1) * given.shape[1]
    places = first + np.arange(given.shape[1])
    return bool(np.all((places >= memory.size) | (given == memory[np.minimum(places, memory.size - 1)])))


class Quantisation(Operator):
    """A call of x, a scale and an optional zero point, with the output y in the shape of x."""

    family = "Quantisation"
    surroundings = OF_ANY
    scale_name: ClassVar[str]
    zero_point_name: ClassVar[str]
    by_tensor_of_vectors: ClassVar[tuple[int, ...]] = ()
    """The versions that call the quantisation of a vector one per tensor."""
    symptoms = {**Operator.symptoms, "without-zero-point": _without_zero_point,
                "memory-of-another-type": _memory_of_another_type}

    flag_notes = {"per-axis": "The scale has an element for each place of an axis.",
                  "blocked": "The scale has an element for each block of an axis.",
                  "last-block-short": "The last block is shorter than the others.",
                  "blocks-of-rows": "Blocks are of rows of a matrix.",
                  "zero-point": "A zero point is given that is not zero."}

    @property
    def x(self) -> np.ndarray:
        """The tensor."""
        return self.inputs["x"]

    @property
    def scale(self) -> np.ndarray:
        """The scales as they are given."""
        return self.inputs[self.scale_name]

    @property
    def zero_point(self) -> np.ndarray | None:
        """The zero points as they are given, or None."""
        return self.inputs.get(self.zero_point_name)

    @property
    def block_size(self) -> int:
        """The size of blocks, 0 where it is not set or no integer."""
        return int(axis_of(self, 0, "block_size") or 0)

    @cached_property
    def is_blocked(self) -> bool:
        """True if the scale is one of blocks."""
        return self.block_size > 0 and self.scale.ndim == self.x.ndim > 0

    @property
    def axis(self) -> int:
        """The axis, counted from the front."""
        axis = int(axis_of(self, 1))
        return axis + self.x.ndim if axis < 0 else axis

    def spread(self, parameter: np.ndarray) -> np.ndarray:
        """A scale or a zero point, by element of x."""
        if self.scale.ndim == 0:
            return np.broadcast_to(parameter.reshape(()), self.x.shape)
        if self.is_vector:
            return np.resize(parameter, self.x.shape)
        if self.is_blocked:
            return np.repeat(parameter, self.block_size, axis=self.axis).take(range(self.x.shape[self.axis]), self.axis)
        shape = [1] * self.x.ndim
        shape[self.axis] = -1
        return np.broadcast_to(parameter.reshape(shape), self.x.shape)

    @property
    def wide(self) -> type[np.floating]:
        """The type of exact numbers: extended precision."""
        return np.longdouble

    @cached_property
    def scales(self) -> np.ndarray:
        """By element of x: the exact scale."""
        return exactly(self.spread(self.scale), self.wide)

    @cached_property
    def zero_points(self) -> np.ndarray:
        """By element of x: the zero point, 0 where none is given."""
        given = self.zero_point
        return np.zeros(self.x.shape, self.wide) if given is None else exactly(self.spread(given), self.wide)

    @cached_property
    def values(self) -> np.ndarray:
        """The elements of x."""
        return exactly(self.x, self.wide)

    @on_call(UNBOUND)
    def scalar_scale(self) -> str | None:
        return None if self.scale.ndim == 0 else f"{self.scale_name} has shape {list(self.scale.shape)}, not []"

    @on_call(UNBOUND)
    def axis_domain(self) -> str | None:
        if self.scale.ndim == 0:
            return None
        rank, axis = self.x.ndim, axis_of(self, 1)
        if rank == 1 and self.version in self.by_tensor_of_vectors and not self.block_size:
            return None
        return None if axis is not None and -rank <= axis < rank else f"axis is {axis}, and x has {rank} axes"

    @on_call(UNBOUND, needs=("axis_domain",))
    def granularity(self) -> str | None:
        if self.scale.ndim == 0 or self.is_vector and self.scale.size in (1, self.x.size):
            return None
        sizes = list(self.x.shape)
        if self.is_blocked:
            sizes[self.axis] = -(-sizes[self.axis] // self.block_size)
        elif self.x.ndim > 1:
            sizes = [sizes[self.axis]]
        return None if list(self.scale.shape) == sizes else \
            f"{self.scale_name} has shape {list(self.scale.shape)}, not [] or {sizes}"

    @on_call(UNBOUND)
    def block_size_domain(self) -> str | None:
        return None if self.block_size >= 0 else f"block_size is {self.block_size}"

    @on_call(UNBOUND)
    def one_shape(self) -> str | None:
        if self.zero_point is None or self.zero_point.shape == self.scale.shape or self.has_single:
            return None
        return f"{self.zero_point_name} has shape {list(self.zero_point.shape)}, " \
               f"{self.scale_name} {list(self.scale.shape)}"

    @property
    def has_single(self) -> bool:
        """True if a scalar scale goes with a zero point that has an axis, of size 1."""
        return self.zero_point is not None and self.zero_point.shape == (1,) and self.scale.ndim == 0

    @property
    def is_vector(self) -> bool:
        """True if the text calls the quantisation one per tensor, and the scale has an axis."""
        return self.version in self.by_tensor_of_vectors and self.x.ndim == self.scale.ndim == 1 and \
            not self.is_blocked

    @unspecified(UNBOUND, refusal=True)
    def vectors(self) -> Unspecified | None:
        return Unspecified.of(np.ones(self.x.shape, bool), "y") or Unspecified.refusal() if self.is_vector else None

    @unspecified(UNBOUND, refusal=True)
    def single_zero_point(self) -> Unspecified | None:
        return Unspecified.refusal() if self.has_single else None

    @cached_property
    def numbers(self) -> np.ndarray:
        """bool: where x, scale and zero point are finite."""
        return np.asarray(np.isfinite(self.values) & np.isfinite(self.scales) & np.isfinite(self.zero_points))

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element of x, and its scale."""
        places = np.arange(self.scale.size).reshape(self.scale.shape)
        place = np.unravel_index(int(self.spread(places)[where]), self.scale.shape) if self.scale.ndim else ()
        return {"x": np.array([where], np.int64).reshape(1, -1),
                self.scale_name: np.array([place], np.int64).reshape(1, -1)}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along each axis but that of blocks, with the scales and zero points that go along it."""
        if self.is_vector and self.scale.size > 1:
            return {0: dict.fromkeys(self.inputs, 0)}
        found = {axis: {"x": axis} for axis in range(self.x.ndim)}
        if self.is_blocked:
            found = {axis: dict.fromkeys(self.inputs, axis) for axis in found if axis != self.axis}
        elif self.scale.ndim and not self.is_vector:
            found[self.axis] = {"x": self.axis, **{name: 0 for name in self.inputs if name != "x"}}
        return found

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large output, and each axis of equal ones, whose scales fit every axis."""
        plain = {**EQUAL, f"{DTYPE} of {cls.scale_name}": "float32"}
        return SizeClass({"columns": ROWS}), a_large_output(), *(
            SizeClass({"grain": [f"{kind} {axis}{of_rank}", f"{kind} {axis - rank}{of_rank}"]},
                      {**plain, "rank": rank, "kind": kind, "axis": axis}, every_type=False)
            for rank, of_rank in GRAINS.items() for kind in cls.kinds(version)[1:] for axis in range(rank))

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis, whether the output is large, and the axis of scales that fit another one."""
        grain = ""
        if {*self.x.shape} == {EQUAL["rows"]} and self.x.ndim in GRAINS and self.scale.ndim and (
                self.zero_point is not None):
            grain = f"{'block' if self.is_blocked else 'axis'} {axis_of(self, 1)}{GRAINS[self.x.ndim]}"
        return {DTYPE: self.x.dtype.name, "columns": (0, *self.x.shape)[-1], LARGE: is_large(self.x.shape),
                "grain": grain}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        has_axis = self.is_blocked and -self.x.ndim <= (axis_of(self, 1) or 0) < self.x.ndim
        return {"per-axis": self.scale.ndim == 1 and not self.is_blocked, "blocked": self.is_blocked,
                "last-block-short": has_axis and self.x.shape[self.axis] % self.block_size > 0,
                "blocks-of-rows": has_axis and self.x.ndim == 2 and self.axis == 0,
                "zero-point": self.zero_point is not None and bool(
                    (exactly(self.zero_point) != 0).any())}

    @staticmethod
    def kinds(version: int) -> tuple[str, ...]:
        """Return what a scale can be of."""
        return ("tensor", "axis", "block")[:1 + (version >= 13) + (version >= 21)]

    @classmethod
    def layout(cls, choose: Choose, version: int) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
        """Draw the shapes of x and of the scale, and attributes: per tensor, per axis, or in blocks."""
        shape = a_shape(choose)
        kind = choose(Named("kind", cls.kinds(version))) if shape else "tensor"
        if kind == "tensor":
            return shape, (), choose(({}, {"axis": 0})) if version >= 13 else {}
        axis = choose(Named("axis", (place for place in (1, 0, 2, 3) if place < len(shape))))
        attributes = {} if axis == 1 and choose((True, False)) else {"axis": choose((axis, axis - len(shape)))}
        if kind == "axis":
            return shape, (shape[axis],), attributes
        size = choose(Named("block", (2, 1, 3, 16, 128)))
        return shape, (*shape[:axis], -(-shape[axis] // size), *shape[axis + 1:]), {**attributes, "block_size": size}

    @classmethod
    def drawn_scale(cls, choose: Choose, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Draw scales, mostly plain ones; sometimes any numbers."""
        if dtype != "float8_e8m0fnu" and choose((False, True), (9, 1)):
            return choose.tensor(shape, dtype, "any")
        start = choose(range(len(SCALES)))
        plain = [max(1, round(8 * scale)) if dtype == "int32" else scale for scale in SCALES]
        return np.resize(np.array(plain[start:] + plain[:start]), shape).astype(element_type(dtype))

    @classmethod
    def drawn_zero_point(cls, choose: Choose, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Zeros, or any numbers."""
        if dtype == "int32" or choose((False, True), (1, 3 if "int" in dtype else 1)) is False:
            return np.zeros(shape, element_type(dtype))
        return choose.tensor(shape, dtype, "any" if dtype.endswith(("int8", "int16")) else "bits")

    @classmethod
    def drawn_type(cls, choose: Choose, name: str, version: int) -> str:
        """An element type of an input: the choice by which sizes are combined with types is that of x."""
        return a_type(choose, cls.types_of(name, version), DTYPE if name == "x" else f"{DTYPE} of {name}")

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls with the first scale and zero point for the whole tensor."""
        if self.scale.ndim and self.scale.size:
            smaller = {name: tensor if name == "x" else tensor.reshape(-1)[:1].reshape(())
                       for name, tensor in self.inputs.items()}
            yield Call(self.call.operator, {name: value for name, value in self.attributes.items()
                                            if name not in ("axis", "block_size")}, smaller)


def exactly(tensor: np.ndarray, dtype: type[np.floating] = np.longdouble) -> np.ndarray:
    """The elements in extended precision, which holds those of every type, or in another type that does."""
    if tensor.dtype.kind not in "iuf":
        tensor = tensor.astype(np.float32)
    return tensor.astype(dtype)


def rounded(exact: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers of extended precision, rounded once to the nearest of a type, ties to even.

    Types below 32 bits are reached by way of float32 with its last bit set where that is inexact (rounding to odd),
    since a conversion that rounds twice may miss the nearest number."""
    with np.errstate(all="ignore"):
        if dtype in (np.float32, np.float64):
            return np.asarray(exact.astype(dtype))
        single = exact.astype(np.float32)
        even = single.view(np.uint32) & 1 == 0
        odd = np.nextafter(single, np.where(exact > single, np.inf, -np.inf).astype(np.float32))
        return np.asarray(np.where(even & (single != exact) & (exact == exact), odd, single).astype(dtype))
