"""Symptoms of inputs that are read otherwise, and of outputs of another type or shape.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ml_dtypes import bfloat16

from plumbline.oracle.answers import OutsideDomain
from plumbline.oracle.families.axes_symptoms import OF_AXES
from plumbline.oracle.families.narrower_types import (
    LARGEST,
    LONG,
    LOWER,
    MEANINGLESS,
    NEWEST,
    SMALLEST,
    SYMPTOMS,
    conforming_elements,
    gives_where,
    lower_bits,
    other_call,
    without,
)
from plumbline.oracle.families.shape_symptoms import SHAPES
from plumbline.oracle.response import is_any_float, is_float
from plumbline.oracle.type_names import is_of_strings


def is_shown(symptom: Callable[[Any, Any], bool], definition: Any, entry: Any) -> bool:
    """Return True if a symptom shows; what a call gives that is not computed shows none."""
    try:
        return symptom(definition, entry)
    except OutsideDomain:
        return False


def bits_read(definition: Any, entry: Any) -> bool:
    """Elements are what the bits of bfloat16 give as integers without a sign; where they should be bfloat16, they are
    the bits of that in it, rounded or cut, or of the right elements."""
    if not isinstance(entry.got, np.ndarray):
        return bool(entry.why == f"{entry.output} is uint16, not bfloat16")
    if entry.got.dtype == np.uint16 and entry.expected.dtype == bfloat16:
        got, wanted = entry.got.view(bfloat16).astype(float), entry.expected.astype(float)
        if np.all((np.abs(got - wanted) <= np.abs(wanted) / 128) | (got == wanted) | (got != got) & (wanted != wanted)):
            return True
    inputs = {name: x.view(np.uint16) if x.dtype == bfloat16 else x for name, x in definition.inputs.items()}
    if all(x is definition.inputs[name] for name, x in inputs.items()):
        return False
    other = other_call(definition, entry, inputs)
    if other is None or entry.got.dtype != np.uint16 or entry.expected.dtype != bfloat16:
        return gives_where(definition, entry, inputs)
    right = other.canonical[entry.output][tuple(entry.where.T)].astype(float).reshape(-1)
    return bool(np.all(np.abs(entry.got.view(bfloat16).astype(float) - right) <= right / 128))


def without_nul_at_the_end(definition: Any, entry: Any) -> bool:
    """Elements are what strings give without the NULs at their ends."""
    return gives_where(definition, entry, {
        name: np.array([text.rstrip("\0") for text in x.ravel().tolist()], object).reshape(x.shape)
        if is_of_strings(x.dtype) else x for name, x in definition.inputs.items()})


def left_aside(name: str) -> Callable[[Any, Any], bool]:
    """Return a symptom: elements are what the call gives without an attribute."""
    def symptom(definition: Any, entry: Any) -> bool:
        other = without(definition, entry, name)
        return other is not None and bool(conforming_elements(other, entry)[0].all())
    symptom.__doc__ = f"Elements are what the call gives without its attribute {name}."
    return symptom


def without_bias(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives without its bias B."""
    others = {name: x for name, x in definition.inputs.items() if name != "B"}
    return len(others) < len(definition.inputs) and gives_where(definition, entry, others)


def minus_infinity_as_nan(definition: Any, entry: Any) -> bool:
    """Elements are NaN where X is -inf, in single precision if it is float64: the product of an infinity and zero."""
    x = definition.inputs["X"]
    if entry.where is None or not is_float(x.dtype):
        return False
    with np.errstate(over="ignore"):
        single = x[tuple(entry.where.T)].astype(np.float32).reshape(-1)
    return bool(np.all((single == -np.inf) & (entry.got != entry.got)))


def sizes_of_b(definition: Any, entry: Any) -> bool:
    """The output has the last axes of B, where these are longer than 1, and the axes of A before them."""
    if isinstance(entry.got, np.ndarray) or len(definition.inputs) != 2:
        return False
    a, b = (list(x.shape) for x in definition.inputs.values())
    aligned = [1] * (len(a) - len(b)) + b
    return bool(entry.got == str([size if other == 1 else other for size, other in zip(a, aligned, strict=False)]))


def sum_of_operands(definition: Any, entry: Any) -> bool:
    """Elements are the sum of the two operands, or the end of a range that it is beyond."""
    operands = [*definition.inputs.values()]
    if entry.where is None or len(operands) != 2 or not is_any_float(operands[0].dtype):
        return False
    try:
        with np.errstate(all="ignore"):
            total = np.add(*operands)[tuple(entry.where.T)].reshape(-1)
    except MEANINGLESS:
        return False  # operands that the first versions place otherwise
    got = entry.got.astype(total.dtype)
    off = ~(np.abs(got - total) <= np.spacing(np.abs(total)) * 4)
    saturated = (got == got.max()) & (total > got) | (got == got.min()) & (total < got)
    return bool(np.all(~off | saturated) and not off.all())


def infinity_for_nan(definition: Any, entry: Any) -> bool:
    """Elements are +inf where they should be NaN."""
    return bool(np.all((entry.expected != entry.expected) & (entry.got == np.inf)))


def positive_zero(definition: Any, entry: Any) -> bool:
    """Elements are +0 where they should be NaN or -0."""
    should_be = (entry.expected != entry.expected) | (entry.expected == 0)
    return bool(np.all(should_be & (entry.got == 0) & ~np.signbit(entry.got)))


def times_one_factor(definition: Any, entry: Any) -> bool:
    """Elements are the right ones times one factor of 2 or more, or the end of a range."""
    if np.iscomplexobj(entry.got):
        return False
    with np.errstate(all="ignore"):
        factors = entry.got.astype(float) / entry.expected.astype(float)
    at_an_end = (entry.got == entry.got.max()) | (entry.got == entry.got.min())
    inside = factors[~at_an_end] if not at_an_end.all() else factors
    return bool(np.isfinite(inside).all() and (inside >= 2).all() and np.allclose(inside, inside[0], 1e-3))


def minus_infinity_kept(definition: Any, entry: Any) -> bool:
    """Elements are -inf where X is."""
    x = definition.inputs["X"]
    return entry.where is not None and bool(np.all((entry.got == -np.inf) & (x[tuple(entry.where.T)] == -np.inf)))


def padding_left_out(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives where padding takes no part in the sum."""
    other = type(definition)(definition.call, definition.version)
    other.multiplies_padding = False
    if entry.where is None or other.multiplies_padding == definition.multiplies_padding:
        return False
    at, got = tuple(entry.where.T), other.canonical[entry.output].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        got[at] = entry.got
    return bool(other.conforms(entry.output, got)[at].all())


SHAPES_OF_PAIRS = {"sizes-of-b": sizes_of_b}
OF_PAIRS = {**SHAPES_OF_PAIRS, "sum-of-operands": sum_of_operands}
"""Symptoms of operators on elements of two inputs."""


def _shape_by_the_newest_text(definition: Any, entry: Any) -> bool:
    """The output has the shape that the newest version of the text gives."""
    try:
        return bool(entry.got == str(list(type(definition)(definition.call, NEWEST).shape_of(entry.output))))
    except MEANINGLESS:
        return False


def _float16_alone(definition: Any, entry: Any) -> bool:
    """The output is float32 instead of float16."""
    return bool(entry.why == f"{entry.output} is float32, not float16")


def _of_float32(definition: Any, entry: Any) -> bool:
    """The output is float32, whatever it should be; nothing is said about elements."""
    return bool(entry.why.startswith(f"{entry.output} is float32, not "))


def in_32_bits(x: np.ndarray) -> np.ndarray:
    """Return elements as int32, or in float32, where infinite and subnormal ones are finite and zero; others as is."""
    if not is_any_float(x.dtype):
        return lower_bits(x) if x.dtype.kind in "iu" else x
    single = np.clip(x.astype(np.float64), -LARGEST, LARGEST).astype(np.float32)
    return np.where(np.abs(single) < SMALLEST, 0, single)


def constants_held(definition: Any, entry: Any) -> bool:
    """Elements are the lower 32 bits of what comes out where the first input is cut to its lower 32 bits, and the
    others, as constants, are held at the ends of int32; or that in floating point."""
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    inputs = {name: np.clip(x, *((low, high) if x.dtype.kind == "i" else (0, high))).astype(np.int64) if number
              else lower_bits(x) for number, (name, x) in enumerate(definition.inputs.items())
              if x.dtype in (*LONG, np.uint32)}
    other = other_call(definition, entry, {**definition.inputs, **inputs}) if inputs else None
    if other is None or entry.got.dtype.kind not in "iub":
        return False
    right = lower_bits(other.canonical[entry.output][tuple(entry.where.T)].reshape(-1))
    integers = (entry.got == right) | (entry.got.astype(np.int64) == right & LOWER)
    return bool(integers.all()) or SYMPTOMS["in-floating-point"](other, entry)


OF_ELEMENTS = {"bits-read": bits_read, "times-one-factor": times_one_factor, "constants-held": constants_held}
"""Symptoms of any operator."""

OF_SHAPES = {**SHAPES, **OF_AXES, "float16-as-float32": _float16_alone, "of-float32": _of_float32,
             "bits-read": bits_read, "by-the-newest-text": _shape_by_the_newest_text}
"""Symptoms of outputs of another type or shape."""
