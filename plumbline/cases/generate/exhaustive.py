"""Generate calls on every value of a small type, for elementwise operators.

An operator is elementwise if its definition says so: the receptive field of an output element is one input element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from plumbline.cases.format.case import Case
from plumbline.cases.generate.seeded import made_case
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.choosing import Replay, element_type
from plumbline.oracle.response import is_float

TYPES = ("float16", "bfloat16", "int8", "uint8")
"""Types of at most 65,536 values."""

PART = 1 << 16
"""Values in a call, where those of a larger type are split into parts."""

PLACE = 3
"""The element whose receptive field is examined; not 0, so that an operator that moves elements is noticed."""


def every_value_cases(spec_name: str) -> Iterator[Case]:
    """Yield a case for each small type that the specification allows.

    Its input holds every value of the type inside the domain once, ordered by bits. An operator with more than one
    input, or that is not elementwise, has none."""
    spec = load_spec(spec_name)
    plainest = _plainest(spec)
    if plainest is None:
        return
    for name in TYPES:
        values = every_value(name)
        ones = np.repeat(values[values == 1], PLACE + 1)
        if _is_elementwise(spec, _holding(spec, plainest, ones)):  # the specification allows the type
            call = _holding(spec, plainest, _inside(spec, plainest, values))
            yield made_case(spec, f"every-{name}", f"Every value of {name}", call,
                            f"plumbline.cases.generate.exhaustive.every_value_cases({spec.name!r})")


def parts(spec_name: str, name: str) -> int:
    """Return the number of calls that cover a type of 16 or 32 bits, `PART` values in each.

    Raises ValueError for another type, and for an operator that has more than one input, is not elementwise, or does
    not take the type."""
    spec = load_spec(spec_name)
    element = element_type(name)
    if element.itemsize not in (2, 4):
        raise ValueError(f"{name} is not a type of 16 or 32 bits")
    plainest = _plainest(spec)
    if plainest is None or not _is_elementwise(spec, _holding(spec, plainest, every_value(name, range(PART)))):
        raise ValueError(f"{spec_name} does not compute each element of {name} from one element")
    return (1 << 8 * element.itemsize) // PART


def part_case(spec_name: str, name: str, number: int) -> Case:
    """Return a part as a case: the values with bits from `number * PART` on."""
    spec = load_spec(spec_name)
    values = every_value(name, range(number * PART, (number + 1) * PART))
    plainest = _plainest(spec)
    assert plainest is not None, "a specification that has parts"
    return made_case(spec, f"every-{name}-{number}", f"Part {number} of every value of {name}",
                     _holding(spec, plainest, values),
                     f"plumbline.cases.generate.exhaustive.part_case({spec.name!r}, {name!r}, {number})")


def _inside(spec: Spec, call: Call, values: np.ndarray) -> np.ndarray:
    """Return the values with which the call is inside the domain, by bisection."""
    if not spec.violations(_holding(spec, call, values)):
        return values
    half = len(values) // 2
    if not half:
        return values[:0]
    return np.concatenate([_inside(spec, call, part) for part in (values[:half], values[half:])])


def _holding(spec: Spec, call: Call, values: np.ndarray) -> Call:
    return replace(call, inputs={spec.inputs[0]: values})


def every_value(name: str, bits: range | None = None) -> np.ndarray:
    """Return every value of a type, or those of a range of bits, ordered by bits.

    Every NaN is quiet, since no specification mentions signalling ones."""
    element = element_type(name)
    bits = bits or range(1 << 8 * element.itemsize)
    values = np.arange(bits.start, bits.stop, dtype=np.uint64).astype(f"u{element.itemsize}").view(element)
    if is_float(element):
        with np.errstate(invalid="ignore"):
            values[values != values] = np.nan
    return values


def _plainest(spec: Spec) -> Call | None:
    """Return the plainest call of an operator with one input, None for another operator."""
    if len(spec.inputs) != 1 or spec.variadic_input is not None:
        return None
    try:
        return spec.make(Replay())
    except NotImplementedError:  # the operator definition makes no calls
        return None


def _is_elementwise(spec: Spec, call: Call) -> bool:
    """Return whether a call is inside the domain, and computes each output element from its own input element."""
    (name, x), = call.inputs.items()
    try:
        judged = spec.judged(call)
        return not judged.violations and all(
            array.shape == x.shape and _is_same_place(judged.receptive_field(output, (PLACE,)), name)
            for output, array in judged.expected.items())
    except OutsideDomain:
        return False


def _is_same_place(read: dict[str, np.ndarray], name: str) -> bool:
    return list(read) == [name] and read[name].tolist() == [[PLACE]]
