"""Generate calls at sizes where kernels switch code paths.

Each size that the family of an operator names (`plumbline.oracle.size_classes`) is combined with every element type of
its newest version. The cases do not depend on the seed of a run, and so neither does what they reveal.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import inf
from typing import Any

from plumbline.cases.format.case import Case
from plumbline.cases.generate.choices import Led
from plumbline.cases.generate.seeded import made_case
from plumbline.oracle import Call, Spec, load_spec
from plumbline.oracle.size_classes import DTYPE, SizeClass
from plumbline.oracle.type_names import STRING

ATTEMPTS, EITHER = 200, 100
"""Draws of the other choices, since some leave the domain or lack the size; and the number of the first draw that may
be large. Sizes that are combined with one type only are those of whole layers, which are large."""

LARGE = 1 << 12
"""Elements of an input, above which it is large."""

STRINGS = 1 << 20
"""Most elements of an input of strings, each of which is an object."""

Size = tuple[str, Any, str]
"""The name of what has a size, the size, and the element type."""


@cache
def sought(spec_name: str) -> frozenset[Size]:
    """Return every size with each of its element types; none unless the version is the newest."""
    spec = load_spec(spec_name)
    return frozenset(entry for size_class in _size_classes(spec) for entry in _of(spec, size_class))


def covered_sizes(spec: Spec, calls: Iterable[Call]) -> set[Size]:
    """Return the sizes of `sought` that some calls have; calls outside the domain have none."""
    if not sought(spec.name):
        return set()
    covered: set[Size] = set()
    for sizes in (_sizes(spec, call) for call in calls):
        covered |= {(name, size, sizes[DTYPE]) for name, size in sizes.items()}
    return covered & sought(spec.name)


def size_class_cases(spec_name: str, calls: Iterable[Call]) -> Iterator[Case]:
    """Yield cases for every size that `calls`, those of the other cases, do not have."""
    spec = load_spec(spec_name)
    missing = set(sought(spec_name))
    missing -= covered_sizes(spec, calls) if missing else set()
    for size_class in _size_classes(spec):
        for dtype in types_of(spec)[:None if size_class.every_type else 1]:
            while sizes := _next(size_class, dtype, missing):
                said = [dtype, *(f"{name} {_text(size)}" for name, size in sizes.items())]
                name = f"stratum-{'-'.join(said).replace(' ', '-')}"  # as the ids of earlier versions begin
                call = _call(spec, {**size_class.given, **sizes, DTYPE: dtype}, sizes, zlib.crc32(name.encode()),
                             EITHER if size_class.large or not size_class.every_type else 0)
                missing -= {(of, size, dtype) for of, size in sizes.items()}
                if call is not None:
                    missing -= covered_sizes(spec, [call])
                    yield made_case(spec, name, f"Where kernels change their path: {', '.join(said)}", call,
                                    f"plumbline.cases.generate.size_classes.size_class_cases({spec.name!r})")


def _size_classes(spec: Spec) -> tuple[SizeClass, ...]:
    return tuple(spec.definition.size_classes(spec.opset)) if spec.is_newest else ()


@cache
def types_of(spec: Spec) -> tuple[str, ...]:
    """Return the element types of valid calls that the operator definition makes, plainest first.

    None if it does not name that choice, so that `Led` cannot decide it, or not the type among the sizes of a call."""
    for attempt in range(ATTEMPTS):
        draw = Led([attempt], {})
        call = spec.make(draw)
        if call is not None and not spec.violations(call) and DTYPE not in spec.judged(call).definition.named_sizes():
            return ()
        if DTYPE in draw.options:
            return tuple(dtype for dtype in draw.options[DTYPE] if _call(spec, {DTYPE: dtype}, {}))
    return ()


def _of(spec: Spec, size_class: SizeClass) -> Iterator[Size]:
    for dtype in types_of(spec)[:None if size_class.every_type else 1]:
        yield from ((name, size, dtype) for name, sizes in size_class.sizes.items() for size in sizes)


def _next(size_class: SizeClass, dtype: str, missing: set[Size]) -> dict[str, Any]:
    """Return, by name, the first size of a size class that is missing with a type."""
    first = {name: next((size for size in sizes if (name, size, dtype) in missing), None)
             for name, sizes in size_class.sizes.items()}
    return {name: size for name, size in first.items() if size is not None}


def _call(spec: Spec, decided: dict[str, Any], sizes: dict[str, Any], seed: int = 0, first: int = 0) -> Call | None:
    """Return a call with these sizes, by the first draw from number `first` on that has them, or None."""
    for attempt in range(first, ATTEMPTS):
        try:
            most = LARGE if attempt < EITHER else STRINGS if decided[DTYPE] == STRING else inf
            call = spec.make(Led([seed, attempt], decided, most))
        except OverflowError:
            continue
        if call is None:
            continue
        if {**sizes, DTYPE: decided[DTYPE]}.items() <= _sizes(spec, call).items():
            return call
    return None


def _sizes(spec: Spec, call: Call) -> Mapping[str, Any]:
    """Return the sizes of a call, none if it is outside the domain or some input is empty."""
    judged = spec.judged(call)
    return {} if judged.violations or not all(x.size for x in call.inputs.values()) else judged.definition.named_sizes()


def _text(size: Any) -> str:
    parts = sorted(size) if isinstance(size, frozenset) else size if isinstance(size, tuple) else [size]
    return "x".join(str(part).lower().replace("_", "-") for part in parts)
