"""Judge and generate calls of ONNX QuantizeLinear, by `spec/onnx/quantizelinear.md`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, reduce

import numpy as np

from plumbline.oracle.answers import Divergence, Wrong
from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.casts import limits
from plumbline.oracle.families.element_types import FLOAT8
from plumbline.oracle.families.narrower_types import gives_where, other_call
from plumbline.oracle.families.quantisation import (
    NUMBERS,
    OTHER_TYPE,
    SINGLE,
    SMALL_INTEGERS,
    TYPE_OF,
    Quantisation,
    exactly,
    rounded,
)
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Operator,
    Unspecified,
    on_call,
    on_elements,
    on_outputs,
    unspecified,
)
from plumbline.oracle.response import Response, wrong_type
from plumbline.oracle.rounding import PRECISION, Wide, growth, is_normal

LARGEST = {"float8_e4m3fn": 448, "float8_e4m3fnuz": 240, "float8_e5m2": 57344, "float8_e5m2fnuz": 57344,
           "float4_e2m1fn": 6}

QUOTIENTS = (0, 1, -1, 0.5, 1.5, 2.5, -0.5, -1.5, 7, 8, -8, -9, 100, 127, 127.5, 128, -128, -129, 255, 256, 448, 40_000)
"""Quotients of drawn calls: ties, and the ends of ranges."""


def _as_int32(definition: Operator, entry: Divergence) -> bool:
    """Elements are an end of the range, and their quotients are beyond int32, or beyond the type of the division."""
    assert isinstance(definition, QuantizeLinear) and entry.where is not None
    if definition.dtype.name in LARGEST:
        return False
    most = float(PRECISION[definition.types_of_quotient[0]][2])
    quotients, values = (found[tuple(entry.where.T)].reshape(-1) for found in (definition.quotients, definition.values))
    with np.errstate(invalid="ignore"):
        beyond = ~((np.abs(quotients) < min(2**31, most)) & (np.abs(values) <= most))
    return bool((beyond & np.isin(np.asarray(entry.got).astype(Wide), limits(definition.dtype))).all())


def _tie_the_other_way(definition: Operator, entry: Divergence) -> bool:
    """Elements are one off, and their quotients are a tie, or within some roundings of one."""
    assert isinstance(definition, QuantizeLinear) and entry.where is not None
    quotients = np.abs(definition.quotients[tuple(entry.where.T)].reshape(-1).astype(Wide))
    got, expected = (np.asarray(array).astype(Wide) for array in (entry.got, entry.expected))
    with np.errstate(invalid="ignore"):
        is_near = np.abs(quotients - np.floor(quotients) - 0.5) <= 2.0**-20 * np.maximum(quotients, 256)
    return bool((is_near & (np.abs(got - expected) == 1)).all())


def _end_by_negative_scale(definition: Operator, entry: Divergence) -> bool:
    """Elements are an end of the range, and their scale is negative."""
    assert isinstance(definition, QuantizeLinear) and entry.where is not None
    if definition.dtype.name in LARGEST:
        return False
    quotients, x = (found[tuple(entry.where.T)].reshape(-1).astype(Wide)
                    for found in (definition.quotients, definition.x))
    with np.errstate(invalid="ignore"):
        is_negative = np.signbit(quotients) != np.signbit(x)
    return bool((is_negative & np.isin(np.asarray(entry.got).astype(Wide), limits(definition.dtype))).all())


def _first_of_block(definition: Operator, entry: Divergence) -> bool:
    """The first row of each block has the first scale of its block, and the others hold anything."""
    assert isinstance(definition, QuantizeLinear)
    if entry.where is None or not definition.flags()["blocks-of-rows"]:
        return False
    first = {name: np.repeat(tensor[:, :1], tensor.shape[1], 1) if name != "x" else tensor
             for name, tensor in definition.inputs.items()}
    other = other_call(definition, entry, first)
    row, column = entry.where.T
    is_first = row % definition.block_size == 0
    return other is not None and bool(
        (entry.got[is_first] == other.canonical["y"][row[is_first], column[is_first]]).all())


def _multiplied(definition: Operator, entry: Divergence) -> bool:
    """Elements are those of products with y_scale, not of quotients."""
    scale = definition.inputs["y_scale"]
    with np.errstate(all="ignore"):
        return gives_where(definition, entry, {**definition.inputs, "y_scale": (1 / scale).astype(scale.dtype)})


def _offset_in_float32(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the quotient gives that is rounded in float32 twice: with half the range of y added, and again
    to an integer, from which the half is taken away."""
    assert isinstance(definition, QuantizeLinear)
    if entry.where is None or definition.dtype != np.int16 or definition.scale.size != 1:
        return False
    info, zero = np.iinfo(np.int16), definition.zero_point
    x, scale = (tensor.astype(np.float32) for tensor in (definition.x, definition.scale.reshape(())))
    half = np.float32(-float(info.min) + (0 if zero is None else float(zero.reshape(-1)[0])))
    with np.errstate(all="ignore"):
        quotients = (x[tuple(entry.where.T)] / scale, x[tuple(entry.where.T)] * (np.float32(1) / scale))
        return any(bool(np.array_equal(np.clip(np.rint(quotient + half) + info.min, info.min, info.max), entry.got))
                   for quotient in quotients)


class QuantizeLinear(Quantisation):
    """A call of QuantizeLinear under one version of its specification."""

    clauses = {"y_scale.C5": "scalar_scale", "axis.C2": "axis_domain", "y_scale.C6": "granularity",
               "block_size.C2": "block_size_domain", "y_zero_point.C7": "one_shape", "y_scale.U1": "vectors",
               "y_zero_point.U1": "single_zero_point"}
    scale_name, zero_point_name = "y_scale", "y_zero_point"
    by_tensor_of_vectors = (21, 23, 24, 25, 28)
    symptoms = {**Quantisation.symptoms, "as-int32": _as_int32, "first-of-block": _first_of_block,
                "tie-the-other-way": _tie_the_other_way, "end-by-negative-scale": _end_by_negative_scale,
                "multiplied": _multiplied, "offset-in-float32": _offset_in_float32}
    flag_notes = {**Quantisation.flag_notes, **OTHER_TYPE, "to-float8": "y is of a float 8.",
                  "unsaturated": "y is of a float 8, and saturate is 0.",
                  "tie": "A quotient is halfway between two integers.",
                  "beyond": "An element is saturated."}

    @property
    def dtype(self) -> np.dtype:
        """The element type of y."""
        if self.zero_point is not None:
            return self.zero_point.dtype
        return element_type(TYPE_OF.get(self.attribute("output_dtype") or 0, "uint8"))

    @property
    def is_float8(self) -> bool:
        """True if y is of a float 8."""
        return self.dtype.name in FLOAT8

    @property
    def saturates(self) -> bool:
        """True if what is beyond the range of y becomes the largest number."""
        return not self.is_float8 or bool(self.attribute("saturate"))

    @on_outputs("y.C2")
    def type_of_y(self, response: Response) -> Wrong | None:
        return None if "y_zero_point" in self.inputs else wrong_type(response, "y", self.dtype)

    @on_call("saturate.C2")
    def saturate_domain(self) -> str | None:
        value = self.attribute("saturate")
        return f"saturate is {value}, not 0 or 1" if self.is_float8 and value not in (0, 1) else None

    @on_call("output_dtype.C2")
    def types_of_y(self) -> str | None:
        number = self.attribute("output_dtype")
        if number and TYPE_OF.get(number) not in self.types_of("y_zero_point", self.version):
            return f"output_dtype is {number}"
        if number and self.zero_point is not None and TYPE_OF[number] != self.zero_point.dtype.name:
            return f"output_dtype is {number}, and y_zero_point {self.zero_point.dtype.name}"
        return None

    @on_call("precision.C2")
    def types_of_division(self) -> str | None:
        number = self.attribute("precision")
        return f"precision is {number}" if number and TYPE_OF.get(number) not in PRECISION else None

    @cached_property
    def wide(self) -> type[np.floating]:
        """The type of exact numbers: float64 where no rounding of a quotient to it can reach a tie of integers.

        Of two numbers of 24 digits, a quotient that is not a tie is farther from one than 2**-42 of it, up to 2**17."""
        types = {self.x.dtype.name, self.scale.dtype.name}
        return np.float64 if types <= {*SINGLE} and self.dtype.name in SMALL_INTEGERS else super().wide

    @cached_property
    def quotients(self) -> np.ndarray:
        """The exact quotients, rounded once."""
        return np.asarray(self.values / self.scales)

    def quantised(self, quotients: np.ndarray) -> np.ndarray:
        """The numbers that y holds; NaN where it is not defined."""
        name = self.dtype.name
        if name not in LARGEST:
            return np.asarray(np.clip(np.rint(quotients) + self.zero_points, *limits(self.dtype)))
        total = quotients + self.zero_points
        nearest = exactly(rounded(total, self.dtype))
        beyond = ~np.isnan(total) & (~np.isfinite(nearest) | (np.abs(nearest) >= LARGEST[name]))
        if self.saturates:
            return np.asarray(np.where(beyond, np.copysign(self.wide(LARGEST[name]), total), nearest))
        return nearest

    def expected(self) -> dict[str, np.ndarray]:
        """Return y, from the exact quotients."""
        with np.errstate(all="ignore"):
            numbers = self.quantised(self.quotients)
        if self.dtype.name in LARGEST:
            return {"y": numbers.astype(np.float32).astype(self.dtype)}
        return {"y": np.where(np.isnan(numbers), 0, numbers).astype(np.int32).astype(self.dtype)}

    @on_elements("y.F2", "y", "not the rounded quotient plus the zero point, saturated")
    def integers(self, got: np.ndarray) -> bool:
        return self.dtype.name not in LARGEST

    @on_elements("y.F3", "y", "not the number next to the quotient plus the zero point")
    def floats(self, got: np.ndarray) -> bool:
        return self.dtype.name in LARGEST

    @cached_property
    def types_of_quotient(self) -> list[str]:
        """The types that a quotient may be computed in."""
        name = TYPE_OF.get(self.attribute("precision")) or self.scale.dtype.name
        name = self.x.dtype.name if name == "float8_e8m0fnu" else name
        name = "float32" if name == "int32" else name
        return [name, *(wider for wider in ("float32", "float64") if element_type(wider).itemsize >
                        element_type(name).itemsize)]

    @cached_property
    def _may_differ(self) -> np.ndarray:
        """bool: where readings may give other integers: near a tie, and where the quotient is large or no number.

        Elsewhere the four roundings of a reading, in a type that has x and the scale, do not reach a tie."""
        narrowest = element_type(self.types_of_quotient[0])
        has_all = all(narrowest.name in (operand.dtype.name, "float32") for operand in (self.x, self.scale))
        if self.wide is not np.float64 or not has_all:
            return np.ones(self.x.shape, bool)
        with np.errstate(all="ignore"):
            size = np.abs(self.quotients)
            return np.asarray(~(np.abs(size - np.floor(size) - 0.5) > float(growth(8, narrowest)) * size))

    @cached_property
    def _where_readings_may_differ(self) -> QuantizeLinear:
        """The elements of `_may_differ`, as a vector with a scale for each."""
        inputs = {name: (array if name == "x" else self.spread(array))[self._may_differ]
                  for name, array in self.inputs.items()}
        attributes = {name: value for name, value in self.attributes.items() if name not in ("axis", "block_size")}
        return QuantizeLinear(replace(self.call, attributes={**attributes, "axis": 0}, inputs=inputs), self.version)

    @cached_property
    def readings(self) -> np.ndarray:
        """An axis of readings before those of y: the numbers that y may hold, between the least and the largest; the
        first by the exact quotients."""
        quotients = [self.quotients]
        if self.version >= 23 and self.scale.dtype == np.int32 and not self.attribute("precision"):
            quotients += [np.floor(self.quotients), np.ceil(self.quotients)]
        for name in self.types_of_quotient:
            dtype = element_type(name)
            x, scale = (rounded(exact, dtype).astype(self.wide) for exact in (self.values, self.scales))
            reciprocal = rounded(1 / scale, dtype)
            product = np.where(is_normal(reciprocal), x * reciprocal.astype(self.wide), self.quotients)
            quotients += [rounded(found, dtype).astype(self.wide) for found in (x / scale, product)]
        if self.dtype.name not in LARGEST and not any(np.isnan(quotient).any() for quotient in quotients):
            ends = (reduce(end, quotients) for end in (np.minimum, np.maximum))  # rounding and limits are monotonic
            quotients = [quotients[0], *ends]
        found = [self.quantised(quotient) for quotient in quotients]
        if self.dtype.name in LARGEST and self.zero_points.any():
            found += [self.quantised(exactly(rounded(quotient, self.dtype))) for quotient in quotients]
            for name in self.types_of_quotient:
                found += [self.quantised(rounded(quotient + self.zero_points, element_type(name)).astype(self.wide)
                                         - self.zero_points) for quotient in quotients]
        return np.array(found)

    @unspecified("y.U1")
    def precision(self) -> Unspecified | None:
        may_differ = self._may_differ
        with np.errstate(all="ignore"):
            numbers = self._where_readings_may_differ.readings
            least, most = np.fmin.reduce(numbers), np.fmax.reduce(numbers)
            some_nan = np.isnan(numbers).any(axis=0) & ~np.isnan(numbers[0])
        without_bound = some_nan & (self.saturates | np.isfinite(numbers[0]))
        where = np.zeros(self.x.shape, bool)
        where[may_differ] = (least != most) & ~np.isnan(numbers[0]) | some_nan

        def admits(got: np.ndarray) -> np.ndarray:
            given, admitted = exactly(got[may_differ]), np.zeros(got.shape, bool)
            admitted[may_differ] = (given >= least) & (given <= most) | np.isnan(given) & some_nan | without_bound
            return admitted
        return Unspecified({"y": Allowance(where, admits, observed=True)}) if where.any() else None

    @unspecified("y.U2")
    def no_quotient(self) -> Unspecified | None:
        with np.errstate(all="ignore"):
            undefined = np.isnan(self.quotients + self.zero_points) & (not self.is_float8)
        return Unspecified.of(undefined | (self.scales == 0), "y")

    @unspecified("y.U3")
    def infinite_fnuz(self) -> Unspecified | None:
        affected = self.dtype.name.endswith("uz") and self.saturates
        with np.errstate(all="ignore"):
            where = np.isinf(self.quotients) & affected
        return Unspecified.of(where, "y", admits=lambda got: np.isnan(exactly(got)))

    @unspecified("y.U4")
    def float4(self) -> Unspecified | None:
        with np.errstate(all="ignore"):
            where = np.abs(self.quotients + self.zero_points) > LARGEST["float4_e2m1fn"]
        return Unspecified.of(where & (self.dtype.name == "float4_e2m1fn"), "y")

    def flags(self) -> dict[str, bool]:
        """Return the flags of quantisation, and of the type of y."""
        return {**super().flags(), "to-float8": self.is_float8, "unsaturated": not self.saturates,
                "other-output-type": self.zero_point is None and self.dtype != np.uint8}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        with np.errstate(all="ignore"):
            nearest = np.rint(self.quotients)
            is_tie, total = np.abs(self.quotients - nearest) == 0.5, nearest + self.zero_points
        highest = LARGEST.get(self.dtype.name) or limits(self.dtype)[1]
        lowest = -highest if self.dtype.name in LARGEST else limits(self.dtype)[0]
        return {"tie": bool(is_tie.any()),
                "beyond": bool(((total > highest) | (total < lowest)).any())}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield y without the zero point, and with the quotient cut off."""
        with np.errstate(all="ignore"):
            for quotients in (self.quotients - self.zero_points, np.trunc(self.quotients)):
                numbers = self.quantised(quotients)
                yield np.where(np.isfinite(numbers), numbers, 0).astype(np.float32).astype(self.dtype)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of any granularity, with plain scales mostly; elements by their quotients, or any."""
        shape, of_scale, attributes = cls.layout(choose, version)
        dtype, target = cls.drawn_type(choose, "x", version), choose(cls.types_of("y_zero_point", version))
        scale_type = dtype if version < 23 else cls.drawn_type(choose, "y_scale", version)
        scale_type = scale_type if version >= 19 else "float32"
        inputs = {"x": choose.tensor(shape, dtype, "any"), "y_scale": cls.drawn_scale(choose, of_scale, scale_type)}
        if choose((True, False), (3, 1)):
            start = choose(range(len(QUOTIENTS)))
            drawn = cls(Call("QuantizeLinear", attributes, inputs), version)
            with np.errstate(all="ignore"):
                x = np.resize(QUOTIENTS[start:] + QUOTIENTS[:start], shape) * drawn.scales
                x = np.clip(x, -2**31, 2**31 - 1) if dtype == "int32" else x
                inputs["x"] = np.where(np.isnan(x), 0, x).astype(element_type(dtype)) if dtype == "int32" else \
                    rounded(x, element_type(dtype))
        if choose((True, False)) or (target != "uint8" and version < 21):
            inputs["y_zero_point"] = cls.drawn_zero_point(choose, of_scale, target)
        elif target != "uint8":
            attributes = {**attributes, "output_dtype": NUMBERS[target]}
        if target in FLOAT8 and choose((False, True)):
            attributes = {**attributes, "saturate": choose((0, 1))}
        if version >= 23 and choose((False, True), (3, 1)):
            attributes = {**attributes, "precision": NUMBERS[choose(("float32", "float16", "bfloat16"))]}
        return Call("QuantizeLinear", attributes, inputs)
