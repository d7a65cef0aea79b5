"""Generate calls with special values that no other case has.

Each special value is combined with each type of numbers or strings of the newest version; an empty tensor is another.
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
from plumbline.cases.generate.planting import planted
from plumbline.cases.generate.seeded import made_case
from plumbline.cases.generate.size_classes import LARGE, types_of
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.choosing import element_type
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import DTYPE
from plumbline.oracle.type_names import name_of

ATTEMPTS, OF_INTEGERS = 1000, 40
"""Draws of the other choices, since some leave the domain or have no element for the value; those for integers, which
many tensors (of sizes, of indices) cannot hold."""

DRAWS = 50
"""Draws that show which element types inputs with several elements have."""

EMPTY, TIES = "no elements", "ties"

TypedValue = tuple[str, str]
"""An element type, and the name of a special value of a tensor."""


def special_values(x: np.ndarray) -> set[str]:
    """Return the names of the special values in a tensor: those of `planted`, `TIES` and `EMPTY`."""
    if not x.size:
        return {EMPTY}
    if not is_float(x.dtype):
        return {name for name, value in planted(x.dtype).items() if np.any(x == value)}
    info, finite = finfo(x.dtype), x[np.isfinite(x)]
    magnitudes, zeros = np.abs(finite), x[x == 0]
    cells = {"nan": np.isnan(x), "inf": x == np.inf, "minus inf": x == -np.inf, "zero": ~np.signbit(zeros),
             "minus zero": np.signbit(zeros), "subnormal": (magnitudes > 0) & (magnitudes < info.smallest_normal),
             "largest": finite == info.max, "lowest": finite == info.min,
             "near overflow": (magnitudes > info.max / x.dtype.type(2)) & (magnitudes < info.max),
             TIES: np.unique(finite).size < finite.size}
    return {name for name, mask in cells.items() if np.any(mask)}


def sought(spec: Spec) -> set[TypedValue]:
    """Return every special value with every type of inputs that has some, and `EMPTY` with the plainest type.

    None unless the version is the newest. Integers of less than eight bits have their values in every tensor."""
    types = [dtype for dtype in (types_of(spec) if spec.is_newest else ())
             if (is_float(element_type(dtype)) or element_type(dtype).kind in "iuO") and _inputs_of(spec, dtype)]
    floats = [dtype for dtype in types if is_float(element_type(dtype))]
    return {(dtype, name) for dtype in types for name in planted(element_type(dtype))} | {
        (dtype, TIES) for dtype in floats} | {(dtype, EMPTY) for dtype in floats[:1]}


@cache
def _inputs_of(spec: Spec, dtype: str) -> frozenset[str]:
    """Return the inputs of several elements that can have an element type.

    Of an integer type, only inputs with arbitrary values (no indices or sizes) count. Of a floating-point type, those
    of the first call that has such inputs are returned."""
    names: set[str] = set()
    floats = is_float(element_type(dtype))
    for attempt in range(DRAWS):
        draw = Led([attempt], {DTYPE: dtype}, LARGE)
        try:
            call = spec.definition.make(draw, spec.opset)
        except OverflowError:
            continue
        free = [tensor.values for tensor in draw.tensors]
        names |= {name for name, x in (call.inputs if call else {}).items() if name_of(x.dtype) == dtype and x.size > 1
                  and (floats or any(x is values for values in free))}
        if floats and names:
            break
    return frozenset(names)


def covered_values(spec: Spec, calls: Iterable[Call]) -> set[TypedValue]:
    """Return the values of `sought` that some calls inside the domain have."""
    wanted = sought(spec)
    names = {dtype: _inputs_of(spec, dtype) for dtype, _ in wanted}
    return wanted & {(name_of(x.dtype), value) for call in calls if not spec.violations(call)
                     for name, x in call.inputs.items() if is_float(x.dtype) or name in names.get(name_of(x.dtype), ())
                     for value in special_values(x)}


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
    floats = is_float(element_type(dtype))
    for attempt in range(ATTEMPTS if floats else OF_INTEGERS):
        try:
            call = spec.make(Led([seed, attempt], {DTYPE: dtype}, LARGE))
        except OverflowError:
            continue
        if call is None:
            continue
        candidates = [name for name, x in call.inputs.items()
                      if name_of(x.dtype) == dtype and (floats or name in _inputs_of(spec, dtype))]
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
    x.flat[place % x.size] = x.flat[(place + 1) % x.size] if value == TIES else planted(x.dtype)[value][()]
    return x
