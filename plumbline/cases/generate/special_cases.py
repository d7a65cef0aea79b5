"""Calls with special values, where no other case has them.

Each special value is combined with each floating-point type of the newest version; an empty tensor is another.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
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
"""Draws of the other choices, since some leave the domain or have no element for the value."""

DRAWS = 50
"""Draws that show which element types inputs with several elements have."""

EMPTY, TIES = "no elements", "ties"

TypedValue = tuple[str, str]
"""An element type, and the name of a special value of a tensor."""


@cache
def planted(dtype: np.dtype) -> dict[str, np.ndarray]:
    """Return the special values of a type by name; `near overflow` overflows when doubled."""
    info = finfo(dtype)
    values = {"nan": np.nan, "inf": np.inf, "minus inf": -np.inf, "zero": 0.0, "minus zero": -0.0,
              "subnormal": info.smallest_subnormal, "largest": info.max, "lowest": info.min,
              "near overflow": info.max / dtype.type(1.5)}
    return {name: np.array(value, dtype) for name, value in values.items()}


def special_values(x: np.ndarray) -> set[str]:
    """Return the names of the special values in a floating-point tensor: those of `planted`, `TIES` and `EMPTY`."""
    if not x.size:
        return {EMPTY}
    info, finite = finfo(x.dtype), x[np.isfinite(x)]
    magnitudes, zeros = np.abs(finite), x[x == 0]
    cells = {"nan": np.isnan(x), "inf": x == np.inf, "minus inf": x == -np.inf, "zero": ~np.signbit(zeros),
             "minus zero": np.signbit(zeros), "subnormal": (magnitudes > 0) & (magnitudes < info.smallest_normal),
             "largest": finite == info.max, "lowest": finite == info.min,
             "near overflow": (magnitudes > info.max / x.dtype.type(2)) & (magnitudes < info.max),
             TIES: np.unique(finite).size < finite.size}
    return {name for name, mask in cells.items() if np.any(mask)}


def sought(spec: Spec) -> set[TypedValue]:
    """Return every special value with every floating-point type of inputs, and `EMPTY` with the plainest type.

    None unless the version is the newest."""
    types = [dtype for dtype in (types_of(spec) if spec.is_newest else ())
             if is_float(element_type(dtype)) and _is_of_inputs(spec, dtype)]
    return {(dtype, name) for dtype in types for name in (*planted(element_type(dtype)), TIES)} | {
        (dtype, EMPTY) for dtype in types[:1]}


@cache
def _is_of_inputs(spec: Spec, dtype: str) -> bool:
    """Return whether inputs with several elements have a type; otherwise one of one element has it, or an attribute."""
    draws = (spec.definition.make(Led([attempt], {DTYPE: dtype}, LARGE), spec.opset) for attempt in range(DRAWS))
    return any(x.dtype.name == dtype and x.size > 1 for call in draws if call is not None for x in call.inputs.values())


def covered_values(spec: Spec, calls: Iterable[Call]) -> set[TypedValue]:
    """Return the values of `sought` that some calls inside the domain have."""
    return sought(spec) & {(x.dtype.name, name) for call in calls if not spec.violations(call)
            for x in call.inputs.values() if is_float(x.dtype) for name in special_values(x)}


def special_cases(spec_name: str, calls: Iterable[Call]) -> Iterator[Case]:
    """Yield cases for every special value that `calls` do not have."""
    spec = load_spec(spec_name)
    for dtype, value in sorted(sought(spec) - covered_values(spec, calls)):
        name = f"planted-{dtype.replace('_', '-')}-{value.replace(' ', '-')}"
        call = _call(spec, dtype, value, zlib.crc32(name.encode()))
        if call is not None:
            yield made_case(spec, name, f"Special values: {dtype}, {value}", call,
                            f"plumbline.cases.generate.special_cases.special_cases({spec.name!r})")


def _call(spec: Spec, dtype: str, value: str, seed: int) -> Call | None:
    """Return the first draw that is inside the domain with the value in a tensor, or None."""
    for attempt in range(ATTEMPTS):
        try:
            call = spec.make(Led([seed, attempt], {DTYPE: dtype}, LARGE))
        except OverflowError:
            continue
        if call is None:
            continue
        candidates = [name for name, x in call.inputs.items() if x.dtype.name == dtype]
        if candidates and value != EMPTY:
            name = candidates[attempt % len(candidates)]
            call = replace(call, inputs={**call.inputs, name: _with(call.inputs[name], value, attempt)})
        if (dtype, value) in covered_values(spec, [call]):
            return call
    return None


def _with(x: np.ndarray, value: str, place: int) -> np.ndarray:
    """Return a tensor with a special value at a place, or, for ties, with the value of the next place."""
    if not x.size:
        return x
    x = x.copy()
    x.flat[place % x.size] = x.flat[(place + 1) % x.size] if value == TIES else planted(x.dtype)[value]
    return x
