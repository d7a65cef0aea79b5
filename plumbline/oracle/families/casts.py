"""Operators that convert elements to another type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from plumbline.oracle.choosing import element_type
from plumbline.oracle.ends import Ends
from plumbline.oracle.families.cast_symptoms import SYMPTOMS
from plumbline.oracle.families.clauses import shape_of_output
from plumbline.oracle.families.element_types import FLOAT8
from plumbline.oracle.families.elementwise import Elementwise
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Unspecified, on_call, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide

E8M0, FLOAT4 = "float8_e8m0fnu", "float4_e2m1fn"
FNUZ = tuple(name for name in FLOAT8 if name.endswith("uz"))
ROUND_MODES = ("up", "down", "nearest")


class Casting(Elementwise):
    """A call that converts `input` to the type `target`."""

    output = "output"
    signed_zeros = True
    turns = (0.0,)
    symptoms = {**Elementwise.symptoms, **SYMPTOMS}
    flag_notes = {**Elementwise.flag_notes, "fraction": "a number between two integers is cast to an integer.",
                  "inexact": "an element is no number of the target type.",
                  "beyond": "an element is beyond the largest number of the target type.",
                  "to-float8": "the target type is a float8, which has rules of its own.",
                  "to-e8m0": "the target type is float8e8m0, which has nothing but powers of two."}

    @property
    def x(self) -> np.ndarray:
        """The tensor that is cast."""
        return self.inputs["input"]

    @property
    def target(self) -> np.dtype:
        """The type of the output."""
        raise NotImplementedError

    @property
    def saturates(self) -> bool:
        """True if a float8 that overflows is the largest."""
        return bool(self.attributes.get("saturate", 1))

    @property
    def round_mode(self) -> str:
        """The mode of rounding to float8e8m0."""
        return str(self.attributes.get("round_mode", "up"))

    @property
    def operands(self) -> tuple[np.ndarray, ...]:
        """The input alone."""
        return (self.x,)

    def enclosure(self) -> dict[str, Ends]:
        """The canonical elements; of numbers beyond a type of integers nothing."""
        ends = super().enclosure()[self.output]
        if is_float(self.x.dtype) and _is_integer(self.target):
            name, wide = self.target.name, self.x.astype(Wide)
            signed, largest = name[0] == "i", Wide(2) ** (int(name.lstrip("uint")) - (name[0] == "i"))
            ends = ends.where((wide >= -largest * signed) & (wide <= largest - 1))
        return {self.output: ends}

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along every axis of input."""
        return {axis: {"input": axis} for axis in range(self.x.ndim)}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element at the same place."""
        return {"input": np.array([where], dtype=np.int64)}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements of the same value; zeros of floating-point numbers have the same sign."""
        wanted = self.canonical[output]
        if _is_integer(wanted.dtype) or wanted.dtype.kind == "b":
            return np.asarray(exactly(got) == exactly(wanted))
        given, right = exactly(got), exactly(wanted)
        return np.asarray((given == right) & (np.signbit(given) == np.signbit(right))
                          | np.isnan(given) & np.isnan(right))

    # Each property has the shape of the output.

    @cached_property
    def elements(self) -> np.ndarray:
        """The input, in a type that holds every number of it."""
        return exactly(self.x)

    @property
    def from_integers(self) -> bool:
        """True if the input holds integers or truth values."""
        return _is_integer(self.x.dtype) or self.x.dtype.kind == "b"

    @cached_property
    def around(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The number next to the magnitude of each element, and those below and above it; one step beyond the largest
        number and farther is "above" it. Of NaN and infinities 0."""
        magnitude = np.abs(np.where(np.isfinite(self.elements), self.elements, 0))
        if _is_integer(self.target):
            return np.trunc(magnitude), np.floor(magnitude), np.ceil(magnitude)
        if self.target.name in ("float32", "float64"):
            return _around(magnitude, self.target)
        return _around_on_grid(magnitude, _grid(self.target.name))

    @property
    def largest(self) -> Wide:
        """The largest finite number of a floating-point target."""
        if self.target.name in ("float32", "float64"):
            return Wide(np.finfo(self.target).max)
        return Wide(_grid(self.target.name)[-2])

    @cached_property
    def beyond(self) -> np.ndarray:
        """bool: which elements are infinite, or out of the range of the target."""
        x = self.elements
        if self.target.kind == "b":
            return np.asarray(np.isinf(x))
        if _is_integer(self.target):
            lowest, highest = limits(self.target)
            return np.asarray((x < lowest) | (x > highest) | ~np.isfinite(x))
        if self.target.name == E8M0:
            return np.asarray((x > self.largest) | ((x > 0) & (x < _grid(E8M0)[0])))
        return np.asarray(np.isinf(x) | (self.around[0] > self.largest))

    @cached_property
    def inexact(self) -> np.ndarray:
        """bool: which elements in range are between two numbers of the target."""
        if self.target.kind == "b" or self.target.name == E8M0:
            return np.zeros(self.x.shape, bool)
        return np.asarray((self.around[1] != self.around[2]) & ~self.beyond)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The numbers of the target."""
        if self.target.kind == "b":
            return np.asarray(self.elements != 0)
        if _is_integer(self.target):
            return self.integers()
        numbers = self.powers() if self.target.name == E8M0 else self.floats()
        if self.target.name in ("float32", "float64"):
            return numbers.astype(self.target)
        return numbers.astype(np.float32).astype(self.target)

    def integers(self) -> np.ndarray:
        """Return lower bits of integers, and integer parts of numbers (0 where undefined), in the target type."""
        if self.from_integers:
            whole = self.x.astype(np.int8) if self.x.dtype.isbuiltin == 2 else self.x
            lower = whole.astype(np.uint64)
        else:
            inside = np.where(self.beyond, 0, np.trunc(self.elements))
            lower = np.abs(inside).astype(np.uint64)
            lower = np.where(inside < 0, -lower, lower)
        bits = _bits(self.target)
        lower = lower & np.uint64((1 << bits) - 1)
        if bits >= 8:
            return lower.astype(self.target)
        signed = lower.astype(np.int8)
        if self.target.name.startswith("int"):
            signed = np.where(signed >> (bits - 1), signed - (1 << bits), signed)
        return signed.astype(self.target)

    def floats(self) -> np.ndarray:
        """The nearest numbers, ties to even, by the tables where the target is a float8."""
        x, name = self.elements, self.target.name
        over = self.largest if name == FLOAT4 or (name in FLOAT8 and self.saturates) else (
            np.nan if name in FLOAT8 and name != "float8_e5m2" else np.inf)
        numbers = np.where(self.beyond, over, self.around[0])
        if name in FNUZ and self.version < 24:
            numbers = np.where(np.isinf(x), np.nan, numbers)
        numbers = np.where(np.isnan(x), 0 if name == FLOAT4 else np.nan, numbers)
        return np.copysign(numbers, np.where(numbers == 0, 0, x) if name in FNUZ else x)

    def powers(self) -> np.ndarray:
        """The powers of two next to positive numbers, as `round_mode` and `saturate` say."""
        x, grid = self.elements, _grid(E8M0)
        positive = np.where(np.isfinite(x) & (x > 0), x, 1)
        fraction, exponent = np.frexp(positive)
        up = {"up": fraction > 0.5, "down": np.zeros(x.shape, bool), "nearest": fraction >= 0.75}[self.round_mode]
        powers = np.ldexp(Wide(1), exponent - 1 + up)
        powers = np.where(x > self.largest, self.largest if self.saturates else np.nan, powers)
        powers = np.where(x < grid[0], grid[0] if self.saturates else np.nan, powers)
        return np.where(np.isnan(x), np.nan, powers)

    # Clauses

    shape = shape_of_output(UNBOUND, "output")

    @on_call(UNBOUND)
    def saturate_domain(self) -> str | None:
        """`saturate`, where it applies, is a truth value."""
        value = self.attributes.get("saturate", 1)
        applies = self.target.name in (*FLOAT8, E8M0)
        return f"saturate is {value}, not 0 or 1" if applies and value not in (0, 1) else None

    @on_call(UNBOUND)
    def round_mode_domain(self) -> str | None:
        """`round_mode`, where it applies, is one of three."""
        applies = self.target.name == E8M0
        return f"round_mode is {self.round_mode!r}" if applies and self.round_mode not in ROUND_MODES else None

    @on_elements(UNBOUND, "output", "not the float8 of the tables")
    def to_float8(self, got: np.ndarray) -> bool:
        """A cast to one of the four float8 types of the tables."""
        return self.target.name in FLOAT8

    @on_elements(UNBOUND, "output", "not the power of two that round_mode gives")
    def to_e8m0(self, got: np.ndarray) -> bool:
        """A cast to float8e8m0."""
        return self.target.name == E8M0

    @on_elements(UNBOUND, "output", "not whether the element differs from zero")
    def to_bool(self, got: np.ndarray) -> bool:
        """A cast to truth values."""
        return self.target.kind == "b"

    @on_elements(UNBOUND, "output", "not the number of the input in the type of the output")
    def any_other(self, got: np.ndarray) -> bool:
        """A cast to any other type."""
        return True

    @unspecified(UNBOUND)
    def rounding(self) -> Unspecified | None:
        """Leave either neighbour open, except where a table says which."""
        free = self.inexact & (self.target.name not in FLOAT8 or self.from_integers)
        return Unspecified({"output": Allowance(free, self.is_neighbour, observed=True)}) if free.any() else None

    def is_neighbour(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements are one of the two numbers next to those of the input."""
        _, below, above = self.around
        given = np.copysign(1, self.elements) * exactly(got)
        if not _is_integer(self.target):
            above = np.where(above > self.largest, np.inf, above)
        return np.asarray((given == below) | (given == above))

    @unspecified(UNBOUND)
    def integers_out_of_range(self) -> Unspecified | None:
        """Numbers that no integer of the type is."""
        affected = _is_integer(self.target) and not self.from_integers
        return Unspecified.of(self.beyond & affected, "output")

    @unspecified(UNBOUND)
    def ranges(self) -> Unspecified | None:
        """Elements of which early versions do not say whether they fit."""
        if self.target.kind == "b":
            return Unspecified.of((self.elements != 0) & (self.elements != 1), "output")
        return Unspecified.of(self.beyond & np.isfinite(self.elements), "output")

    @unspecified(UNBOUND)
    def float4(self) -> Unspecified | None:
        """Leave NaN, infinities and large numbers open, which float4e2m1 does not have."""
        return Unspecified.of((self.beyond | np.isnan(self.elements)) & (self.target.name == FLOAT4), "output")

    @unspecified(UNBOUND)
    def zeros(self) -> Unspecified | None:
        """Leave either zero open, except where a table says which."""
        numbers = exactly(self.canonical["output"])
        free = (numbers == 0) & (self.target.name not in (*FLOAT8, E8M0) or self.from_integers)
        has_sign = not _is_integer(self.target) and self.target.kind != "b"
        return Unspecified.of(free & has_sign, "output", admits=lambda got: exactly(got) == 0)

    @unspecified(UNBOUND)
    def infinite_fnuz(self) -> Unspecified | None:
        """Leave open where the table and the official tests of the same version differ."""
        free = np.isinf(self.elements) & (self.target.name in FNUZ and self.saturates)
        return Unspecified.of(free, "output", admits=lambda got: np.isnan(exactly(got)) | (
            exactly(got) == np.copysign(self.largest, self.elements)))

    @unspecified(UNBOUND)
    def other_powers(self) -> Unspecified | None:
        """Numbers without a row in the table of float8e8m0, and modes without a column."""
        if self.target.name != E8M0:
            return None
        x, mode = self.elements, (self.saturates, self.round_mode)
        special = self.beyond | ~np.isfinite(x)
        if mode == (True, "up"):
            special &= False
        elif mode == (False, "nearest"):  # what rounds to an end, and is beyond it
            special = self.beyond & (x < 1.5 * self.largest) & (x >= 0.75 * _grid(E8M0)[0])
        return Unspecified.of((x <= 0) | special, "output")

    @unspecified(UNBOUND)
    def other_sources(self) -> Unspecified | None:
        """Numbers that float32 lacks, and integers beyond the range of a float8, of which the tables do not speak."""
        if self.target.name not in (*FLOAT8, E8M0):
            return None
        if self.from_integers and self.target.name != E8M0:
            return Unspecified.of(self.beyond, "output")
        single = self.single
        if single is None:
            return None
        differs = ~self.conforms("output", single.canonical["output"])
        return Unspecified.of(differs, "output", admits=lambda got: single.conforms("output", got))

    @property
    def single(self) -> Casting | None:
        """The call with the input rounded to float32 first; None where float32 holds every number of its type."""
        if self.x.dtype.name not in ("float64", "int32", "uint32", "int64", "uint64"):
            return None
        with np.errstate(over="ignore"):
            inputs = {**self.inputs, "input": self.x.astype(np.float32)}
        return type(self)(replace(self.call, inputs=inputs), self.version)

    # How it is tried

    values = "any"

    @classmethod
    def options(cls, choose: Choose, version: int) -> dict[str, Any]:
        """The attributes on rounding and overflow that a version has."""
        saturate: dict[str, Any] = choose(({}, {"saturate": 0}, {"saturate": 1}), (2, 2, 1)) if version >= 19 else {}
        mode: dict[str, Any] = {}
        if version >= 24:
            mode = choose(({}, *({"round_mode": name} for name in ROUND_MODES)))
        return {**saturate, **mode}

    def flags(self) -> dict[str, bool]:
        """Return the flags of the input."""
        minus_zero = not self.from_integers and bool((np.signbit(self.elements) & (self.elements == 0)).any())
        return {"minus-zero": minus_zero, "to-float8": self.target.name in FLOAT8,
                "to-e8m0": self.target.name == E8M0}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"inexact": bool(self.inexact.any()), "beyond": bool(self.beyond.any()),
                "fraction": _is_integer(self.target) and bool(self.inexact.any())}


def exactly(x: np.ndarray) -> np.ndarray:
    """Return numbers in extended precision, which holds those of every type but complex ones."""
    return np.asarray((x.astype(np.float32) if x.dtype.isbuiltin == 2 else x).astype(Wide))


def ends_of_types(dtype: np.dtype) -> np.ndarray:
    """Return the ends of all types and what lies beside them, as far as a type has them: shape (n,)."""
    whole = [0, *(sign * 2**bits + step for bits in (1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64)
                  for sign in (1, -1) for step in (-1, 0, 1))]
    if dtype.kind == "b":
        return np.array([False, True])
    if _is_integer(dtype):
        lowest, highest = limits(dtype)
        return np.array([number for number in whole if lowest <= number <= highest], dtype)
    ends = [Wide(sign * factor) * end for name in ("float32", "float64", "float16", "bfloat16", *FLOAT8, FLOAT4, E8M0)
            for end in _smallest_and_largest(name) for factor in (0.75, 1, 1.5) for sign in (1, -1)]
    with np.errstate(over="ignore", under="ignore"):
        return np.array([*whole, *ends, np.nan, np.inf, -np.inf, -0.0], Wide).astype(dtype)


def _smallest_and_largest(name: str) -> tuple[Wide, Wide]:
    if name in ("float32", "float64"):
        return Wide(np.finfo(name).smallest_subnormal), Wide(np.finfo(name).max)
    return _grid(name)[_grid(name) > 0][0], _grid(name)[-2]


def limits(dtype: np.dtype) -> tuple[int, int]:
    """Return the lowest and the highest integer of a type."""
    bits = _bits(dtype)
    return (0, (1 << bits) - 1) if dtype.name.startswith("u") else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def _bits(dtype: np.dtype) -> int:
    return int(dtype.name.removeprefix("u").removeprefix("int"))


def _is_integer(dtype: np.dtype) -> bool:
    return dtype.name.startswith(("int", "uint"))


@cache
def _grid(name: str) -> np.ndarray:
    """Return the finite numbers of a type from zero on, and one step beyond, in the order of their bits."""
    dtype = element_type(name)
    patterns = np.arange(1 << (16 if dtype.itemsize == 2 else 4 if name == FLOAT4 else 8))
    with np.errstate(invalid="ignore"):
        numbers = exactly(patterns.astype(f"u{dtype.itemsize}").view(dtype))
    finite = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    return np.append(finite, 2 * finite[-1] - finite[-2])


def _around_on_grid(magnitude: np.ndarray, grid: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    place = np.clip(np.searchsorted(grid, magnitude, side="right") - 1, 0, len(grid) - 1)
    above = np.where(grid[place] == magnitude, place, np.minimum(place + 1, len(grid) - 1))
    middle = (grid[place] + grid[above]) / 2
    up = (magnitude > middle) | ((magnitude == middle) & (place % 2 == 1))
    return grid[np.where(up, above, place)], grid[place], grid[above]


def _around(magnitude: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with np.errstate(over="ignore"):
        nearest = np.asarray(magnitude.astype(dtype))
        below = np.where(nearest <= magnitude, nearest, np.nextafter(nearest, dtype.type(0)))
        above = np.where(nearest >= magnitude, nearest, np.nextafter(nearest, dtype.type(np.inf)))
    return nearest.astype(Wide), below.astype(Wide), above.astype(Wide)
