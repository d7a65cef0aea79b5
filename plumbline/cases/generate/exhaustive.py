"""Calls on every value that a small element type has, for operators that compute each element from one element.

Which operators these are is found by asking: of a call on one tensor the definition says which cells an element of the
output is computed from.
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
"""Values of a call, where the values of a larger type are tried part by part."""

PLACE = 3
"""An element whose cells are asked for, so that an operator that moves elements is told from one that does not."""


def every_value_cases(spec_name: str) -> Iterator[Case]:
    """A case for each small type that the text admits, whose input holds every value of it inside the domain once, in
    the order of its bits; none for an operator that takes more than one tensor, or computes an element from others."""
    spec = load_spec(spec_name)
    plainest = _plainest(spec)
    if plainest is None:
        return
    for name in TYPES:
        values = every_value(name)
        if not spec.violations(_holding(spec, plainest, values[values == 1])):  # a type that the text admits
            values = _inside(spec, plainest, values)
        call = _holding(spec, plainest, values)
        if _is_elementwise(spec, call):
            yield made_case(spec, f"every-{name}", f"Every value of {name}", call,
                            f"cases.exhaustive.every_value_cases({spec.name!r})")


def parts(spec_name: str, name: str) -> int:
    """How many calls hold every value of a type of 16 or 32 bits, `PART` in each. Raises ValueError for another type,
    and for an operator that takes more than one tensor, computes an element from others, or has not that type."""
    spec = load_spec(spec_name)
    element = element_type(name)
    if element.itemsize not in (2, 4):
        raise ValueError(f"{name} is not a type of 16 or 32 bits")
    plainest = _plainest(spec)
    if plainest is None or not _is_elementwise(spec, _holding(spec, plainest, every_value(name, range(PART)))):
        raise ValueError(f"{spec_name} does not compute each element of {name} from one element")
    return (1 << 8 * element.itemsize) // PART


def part_case(spec_name: str, name: str, number: int) -> Case:
    """One of them: the values whose bits are `number * PART` and on."""
    spec = load_spec(spec_name)
    values = every_value(name, range(number * PART, (number + 1) * PART))
    plainest = _plainest(spec)
    assert plainest is not None, "a specification that has parts"
    return made_case(spec, f"every-{name}-{number}", f"Part {number} of every value of {name}",
                     _holding(spec, plainest, values), f"cases.exhaustive.part_case({spec.name!r}, {name!r}, {number})")


def _inside(spec: Spec, call: Call, values: np.ndarray) -> np.ndarray:
    """Those of some values with which a call is inside the domain: what is outside is looked for by halves."""
    if not spec.violations(_holding(spec, call, values)):
        return values
    half = len(values) // 2
    if not half:
        return values[:0]
    return np.concatenate([_inside(spec, call, part) for part in (values[:half], values[half:])])


def _holding(spec: Spec, call: Call, values: np.ndarray) -> Call:
    return replace(call, inputs={spec.inputs[0]: values})


def every_value(name: str, bits: range | None = None) -> np.ndarray:
    """Every value of a type, in the order of its bits, or those of some bits; each NaN is quiet, since no text tells a
    signalling one."""
    element = element_type(name)
    bits = bits or range(1 << 8 * element.itemsize)
    found = np.arange(bits.start, bits.stop, dtype=np.uint64).astype(f"u{element.itemsize}").view(element)
    if is_float(element):
        with np.errstate(invalid="ignore"):
            found[found != found] = np.nan
    return found


def _plainest(spec: Spec) -> Call | None:
    """The plainest call of an operator of one tensor."""
    if len(spec.inputs) != 1 or spec.variadic_input is not None:
        return None
    try:
        return spec.definition.make(Replay(), spec.opset)
    except NotImplementedError:  # a text whose operator has no maker
        return None


def _is_elementwise(spec: Spec, call: Call) -> bool:
    """Whether a call is inside the domain, and its outputs have the shape of its input, element by element."""
    (name, x), = call.inputs.items()
    try:
        judged = spec.judged(call)
        return not judged.violations and all(
            array.shape == x.shape and _is_own(judged.receptive_field(output, (PLACE,)), name)
            for output, array in judged.expected.items())
    except OutsideDomain:
        return False


def _is_own(read: dict[str, np.ndarray], name: str) -> bool:
    return list(read) == [name] and read[name].tolist() == [[PLACE]]
