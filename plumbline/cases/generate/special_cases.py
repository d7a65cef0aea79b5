"""The calls with special values that no other case has: each value with each floating-point type of the newest text,
and a tensor without elements."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.format.tensors import finfo
from plumbline.cases.generate.choices import Led
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.generate.size_classes import LARGE, types_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import DTYPE

ATTEMPTS = 1000
"""Draws of what else there is to choose, of which some leave the domain or have no room."""

EMPTY, TIES = "no elements", "ties"

TypedValue = tuple[str, str]
"""An element type, and what a tensor of it holds."""


@cache
def planted(dtype: np.dtype) -> dict[str, np.ndarray]:
    """By name the special values of a type; near overflow is what overflows when it is doubled."""
    info = finfo(dtype)
    values = {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "zero": 0.0, "minus zero": -0.0,
              "subnormal": info.smallest_subnormal, "largest": info.max, "lowest": info.min,
              "near overflow": info.max / dtype.type(1.5)}
    return {name: np.array(value, dtype) for name, value in values.items()}


def held(x: np.ndarray) -> set[str]:
    """What a floating-point tensor holds of NaN, infinities, zeros, subnormal numbers, both ends, numbers beyond half
    of them, and ties; or that it has no elements."""
    if not x.size:
        return {EMPTY}
    info, finite = finfo(x.dtype), x[np.isfinite(x)]
    magnitudes, zeros = np.abs(finite), x[x == 0]
    found = {"nan": np.isnan(x), "inf": x == np.inf, "minus inf": x == -np.inf, "zero": ~np.signbit(zeros),
             "minus zero": np.signbit(zeros), "subnormal": (magnitudes > 0) & (magnitudes < info.smallest_normal),
             "largest": finite == info.max, "lowest": finite == info.min,
             "near overflow": (magnitudes > info.max / x.dtype.type(2)) & (magnitudes < info.max),
             TIES: np.unique(finite).size < finite.size}
    return {name for name, cells in found.items() if np.any(cells)}


def sought(spec: Spec) -> set[TypedValue]:
    """Every special value with every floating-point type, no elements with the plainest; none of a text that a later
    version replaces."""
    types = [dtype for dtype in (types_of(spec) if spec.is_newest else ()) if is_float(element_type(dtype))]
    return {(dtype, name) for dtype in types for name in (*planted(element_type(dtype)), TIES)} | {
        (dtype, EMPTY) for dtype in types[:1]}


def covered_values(spec: Spec, calls: Iterable[Call]) -> set[TypedValue]:
    """Those of `sought` that some calls inside the domain have."""
    return sought(spec) & {(x.dtype.name, name) for call in calls if not spec.violations(call)
            for x in call.inputs.values() if is_float(x.dtype) for name in held(x)}


def special_cases(spec_name: str, others: Iterable[Call]) -> Iterator[Case]:
    """Cases that have every special value that `others` do not have."""
    spec = load_spec(spec_name)
    for dtype, value in sorted(sought(spec) - covered_values(spec, others)):
        name = f"planted-{dtype.replace('_', '-')}-{value.replace(' ', '-')}"
        call = _call(spec, dtype, value, zlib.crc32(name.encode()))
        if call is not None:
            yield made_case(spec, name, f"Special values: {dtype}, {value}", call,
                            f"cases.special_cases.special_cases({spec.name!r})")


def _call(spec: Spec, dtype: str, value: str, seed: int) -> Call | None:
    """The first of the draws that is inside the domain once the value is put into a tensor; None where none is."""
    for attempt in range(ATTEMPTS):
        try:
            call = spec.definition.make(Led([seed, attempt], {DTYPE: dtype}, LARGE), spec.opset)
        except OverflowError:
            continue
        if call is None:
            continue
        held_by = [name for name, x in call.inputs.items() if x.dtype.name == dtype]
        if held_by and value != EMPTY:
            name = held_by[attempt % len(held_by)]
            call = Call(call.operator, call.attributes, {**call.inputs, name: _with(call.inputs[name], value, attempt)})
        if (dtype, value) in covered_values(spec, [call]):
            return call
    return None


def _with(x: np.ndarray, value: str, place: int) -> np.ndarray:
    """A tensor with a special value in a cell, or with a cell like its neighbour."""
    if not x.size:
        return x
    x = x.copy()
    x.flat[place % x.size] = x.flat[(place + 1) % x.size] if value == TIES else planted(x.dtype)[value]
    return x
