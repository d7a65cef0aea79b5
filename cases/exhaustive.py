"""Calls on every value that a small element type has, for operators that compute each element from one element.

Which operators these are is found by asking: of a call on one tensor the home says which cells an element of the output
is computed from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from plumbline.cases.generate import made_case
from plumbline.cases.model import Case
from plumbline.oracle import Call, OutsideDomain, Spec, load_spec
from plumbline.oracle.choosing import Replay, element_type
from plumbline.oracle.response import is_float

TYPES = ("float16", "bfloat16", "int8", "uint8")
"""Types of at most 65,536 values."""

PLACE = 3
"""An element whose cells are asked for, so that an operator that moves elements is told from one that does not."""


def every_value_cases(spec_name: str) -> Iterator[Case]:
    """A case for each small type that the text admits, whose input holds every value of it once, in the order of its
    bits; none for an operator that takes more than one tensor, or computes an element from others."""
    spec = load_spec(spec_name)
    plainest = _plainest(spec)
    for name in TYPES if plainest is not None else ():
        call = replace(plainest, inputs={spec.inputs[0]: every_value(name)})
        if _is_elementwise(spec, call):
            yield made_case(spec, f"every-{name}", f"Every value of {name}", call,
                            f"cases.exhaustive.every_value_cases({spec.name!r})")


def every_value(name: str) -> np.ndarray:
    """Every value of a type, in the order of its bits; each NaN is quiet, since no text tells a signalling one."""
    element = element_type(name)
    found = np.arange(1 << 8 * element.itemsize, dtype=np.uint32).astype(f"u{element.itemsize}").view(element)
    if is_float(element):
        with np.errstate(invalid="ignore"):
            found[found != found] = np.nan
    return found


def _plainest(spec: Spec) -> Call | None:
    """The plainest call of an operator of one tensor."""
    if len(spec.inputs) != 1 or spec.variadic_input is not None:
        return None
    try:
        return spec.home.make(Replay(), spec.opset)
    except NotImplementedError:  # a text whose operator has no maker
        return None


def _is_elementwise(spec: Spec, call: Call) -> bool:
    """Whether a call is inside the domain, and its outputs have the shape of its input, element by element."""
    (name, x), = call.inputs.items()
    try:
        judged = spec.judged(call)
        return not judged.violations and all(
            array.shape == x.shape and _is_own(judged.reads(output, (PLACE,)), name)
            for output, array in judged.expected.items())
    except OutsideDomain:
        return False


def _is_own(read: dict[str, np.ndarray], name: str) -> bool:
    return list(read) == [name] and read[name].tolist() == [[PLACE]]
