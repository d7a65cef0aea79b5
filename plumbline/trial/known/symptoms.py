"""Find symptoms: properties that all wrong elements share.

A symptom is a property of all wrong elements of one broken clause. Those here depend on the expected and the given
elements; those of `oracle.families.narrower_types` and of operator definitions depend on the call too. Where several
have the same name, any of them counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, Divergence, Spec
from plumbline.oracle.families import narrower_types
from plumbline.oracle.families.axes_symptoms import OF_AXES
from plumbline.oracle.families.cast_symptoms import saturated_integers
from plumbline.oracle.families.element_types import same_bits
from plumbline.oracle.families.reading_symptoms import OF_ELEMENTS as READINGS
from plumbline.oracle.families.reading_symptoms import OF_SHAPES, is_shown
from plumbline.oracle.response import is_any_float
from plumbline.oracle.rounding import Wide
from plumbline.oracle.specification import definitions
from plumbline.oracle.type_names import is_of_strings


def _lowest_finite(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are the lowest finite value where they should be -inf."""
    return bool(np.all(expected == -np.inf) and np.all(got == finfo(expected.dtype).min))


def _infinite_as_finite(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are an end of the finite range, or of float32's, where they should be the infinity beyond it."""
    largest = finfo(expected.dtype).max
    at_end = (np.abs(got) == largest) | (np.abs(got) == np.float64(narrower_types.LARGEST))
    return bool(np.all(np.isinf(expected) & at_end & (np.sign(got) == np.sign(expected))))


def _subnormal_as_zero(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are off by less than the smallest normal number, as when subnormal ones are taken for zero; or zero
    where that number is right, to which one below it may be rounded."""
    if not np.all(np.isfinite(expected) & np.isfinite(got)):
        return False
    with np.errstate(over="ignore"):
        least = finfo(expected.dtype).smallest_normal
        return bool(np.all((np.abs(expected - got) < least) | (np.abs(expected) == least) & (got == 0)))


def _other_zero(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are the zero of the other sign."""
    return bool(np.all((expected == 0) & (got == 0)))


def _last_places(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are off by at most four units in the last place, as when some last bits are lost."""
    return _within_places(expected, got, 4)


def _another_subnormal(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are a subnormal number where they should be another one or zero."""
    tiny = finfo(expected.dtype).smallest_normal
    return bool(np.all((np.abs(expected) < tiny) & (np.abs(got) < tiny) & (got != 0)))


def _zero(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are zero where they should be NaN or another number."""
    return bool(np.all((expected != 0) & (got == 0)))


def _nan(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are NaN where they should be a number."""
    return bool(np.all((expected == expected) & (got != got)))


def _nan_for_zero(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are NaN where they should be zero."""
    return bool(np.all((expected == 0) & (got != got)))


def _nan_for_infinity(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are NaN where they should be infinite."""
    return bool(np.all(np.isinf(expected) & (got != got)))


def _near(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are off by at most a hundredth, as when what is computed in between is rounded."""
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(got.astype(Wide) - expected.astype(Wide))
        wanted = np.abs(expected.astype(Wide))
        return bool(np.all((off <= wanted / 100) & np.isfinite(wanted)))


def _float64_digits(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are integers that float64 has, off by at most a hundredth, as when it is what computes them."""
    with np.errstate(all="ignore"):
        of_float64 = got.astype(np.float64).astype(got.dtype) == got
    return bool(np.all(of_float64)) and _near(expected, got)


def _tiny(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are below four times the smallest normal number, as they should be."""
    tiny = 4 * finfo(expected.dtype).smallest_normal
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(expected) < tiny) & (np.abs(got) < tiny)))


def _infinite(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are infinite where they should be finite, as when what is computed in between overflows."""
    return bool(np.all(np.isfinite(expected) & np.isinf(got)))


def _not_nan(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are a number where they should be NaN."""
    return bool(np.all((expected != expected) & (got == got)))


def _nan_for_one(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are NaN where they should be 1."""
    return bool(np.all((expected == 1) & (got != got)))


def _minus_one(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are -1, as an index that was never set."""
    return bool(np.all(got == -1))


def _no_int32(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are 2^31, or below zero, as processors give for a number that no int32 holds."""
    return bool(np.all(np.abs(got.astype(Wide)) == 2.0**31))


def _other_end(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are an end of the type's range where they should be the other end."""
    ends = np.iinfo(expected.dtype)
    low, high = expected == ends.min, expected == ends.max
    return bool(expected.dtype == got.dtype and np.all(np.where(low, got == ends.max, high & (got == ends.min))))


def _off_by_a_millionth(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are off by less than a millionth, however small they are, as by a polynomial."""
    with np.errstate(invalid="ignore"):
        return bool(np.all(np.abs(got.astype(Wide) - expected.astype(Wide)) < 1e-6))


def _is_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "iu"


def _largest_finite(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are an end of the finite range, whatever they should be."""
    return bool(np.all(np.abs(got) == finfo(got.dtype).max))


def _largest_for_nan(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are the largest number where they should be NaN, or NaN where they should be infinite."""
    is_largest = np.abs(got) == finfo(got.dtype).max
    return bool(np.all((expected != expected) & is_largest | np.isinf(expected) & (got != got)))


def _narrower(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are what the right ones become in a narrower type, or as integers of the other sign."""
    if expected.dtype != got.dtype:
        return False
    with np.errstate(all="ignore"):
        return any(bool(np.all(_equal(expected.astype(narrow).astype(got.dtype), got)))
                   for narrow in (FLOATS if is_any_float(got.dtype) else INTEGERS) if narrow != got.dtype)


FLOATS = (np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
INTEGERS = tuple(np.dtype(name) for name in ("i4", "u4", "i2", "u2", "i1", "u1", "f8", "f4"))


def _equal(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.asarray((first == second) | (first != first) & (second != second))


def _last_place(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are off by at most two units in the last place, as when an operation is done in two that round."""
    return _within_places(expected, got, 2)


def _within_places(expected: np.ndarray, got: np.ndarray, places: int) -> bool:
    if expected.dtype != got.dtype or not np.all(np.isfinite(expected) & np.isfinite(got)):
        return False
    next_to, wide = np.nextafter(expected, expected.dtype.type(0)).astype(Wide), expected.astype(Wide)
    off = np.abs(got.astype(Wide) - wide)
    return bool(np.all((off > 0) & (off <= places * np.abs(next_to - wide))))


def _other_type(entry: Divergence) -> bool:
    """The output is of another type than it should have."""
    if isinstance(entry.got, np.ndarray) and isinstance(entry.expected, np.ndarray):
        return entry.got.dtype != entry.expected.dtype
    return entry.why == f"{entry.output} is {entry.got}, not {entry.expected}"  # it is not the shape that is wrong


def _any_number(entry: Divergence) -> bool:
    """The shape is right, and elements are what memory happened to hold, whatever that is."""
    return isinstance(entry.got, np.ndarray)


def _empty_string(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are the empty string, as those that are never written."""
    return bool(same_bits(got, np.full(got.shape, "", object)).all())


def _no_string(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are no strings, but None or numbers."""
    return not any(isinstance(element, str) for element in got.tolist())


def _cut_string(expected: np.ndarray, got: np.ndarray) -> bool:
    """Elements are the strings up to their first NUL, as C strings are, or without NULs at the end, as numpy's are."""
    cuts: tuple[Callable[[str], str], ...] = (lambda text: text.partition("\0")[0], lambda text: text.rstrip("\0"))
    return any(bool(same_bits(got, np.array([cut(text) for text in expected.tolist()], object)).all()) for cut in cuts)


OF_ELEMENTS = {**narrower_types.SYMPTOMS, **READINGS, "saturated-integers": saturated_integers}
"""Symptoms of any operator, of elements."""

GENERIC: dict[str, tuple[Callable[[np.dtype[Any]], bool], Callable[[np.ndarray, np.ndarray], bool]]] = {
    "lowest-finite": (is_any_float, _lowest_finite), "infinite-as-finite": (is_any_float, _infinite_as_finite),
    "other-zero": (is_any_float, _other_zero), "subnormal-as-zero": (is_any_float, _subnormal_as_zero),
    "narrower": (lambda dtype: is_any_float(dtype) or _is_integer(dtype), _narrower),
    "last-place": (is_any_float, _last_place), "last-places": (is_any_float, _last_places),
    "another-subnormal": (is_any_float, _another_subnormal), "not-nan": (is_any_float, _not_nan),
    "zero": (is_any_float, _zero),
    "near": (lambda dtype: dtype.kind not in "bcO", _near),
    "tiny": (is_any_float, _tiny), "nan": (is_any_float, _nan),
    "nan-for-one": (is_any_float, _nan_for_one),
    "nan-for-zero": (is_any_float, _nan_for_zero), "nan-for-infinity": (is_any_float, _nan_for_infinity),
    "float64-digits": (_is_integer, _float64_digits),
    "largest-finite": (is_any_float, _largest_finite),
    "largest-for-nan": (is_any_float, _largest_for_nan), "infinite": (is_any_float, _infinite),
    "empty-string": (is_of_strings, _empty_string), "no-string": (is_of_strings, _no_string),
    "cut-string": (is_of_strings, _cut_string),
    "off-by-a-millionth": (is_any_float, _off_by_a_millionth), "no-int32": (_is_integer, _no_int32),
    "other-end": (_is_integer, _other_end),
    "minus-one": (_is_integer, _minus_one), "integer-zero": (_is_integer, _zero)}
"""By name, the element types of a symptom, and its predicate on expected and given elements."""

OBSERVED = {*GENERIC, *OF_AXES, "other-type"} - {"narrower", "subnormal-as-zero", "another-subnormal"}
"""Symptoms that say what outputs are, and do not explain how they became so."""

ATTEMPTS = 512
"""Parts of the wrong elements that are examined, enough for 256 single ones."""


@cache
def notes(names: frozenset[str] | None = None) -> dict[str, str]:
    """Return the descriptions of all symptoms by name, or those of some specifications, named without a version."""
    generic = ((name, function) for name, (_, function) in GENERIC.items())
    functions: list[tuple[str, Callable[..., bool]]] = [
        *generic, ("other-type", _other_type), ("any-number", _any_number), *OF_ELEMENTS.items(), *OF_SHAPES.items(),
        *(entry for _, definition in definitions(names) for entry in definition.symptoms.items())]
    descriptions: dict[str, str] = {}
    for name, function in functions:
        text = " ".join((function.__doc__ or "").split())
        if text not in descriptions.get(name, ""):
            descriptions[name] = f"{descriptions.get(name, '')} {text}".strip()
    return descriptions


def symptoms_of(spec: Spec, call: Call, divergences: Sequence[Divergence]) -> tuple[str, ...]:
    """Return the symptoms that all broken clauses show, restatements aside."""
    parts = [part for part in divergences if not spec.clauses[part.clause].restates]
    names = dict.fromkeys([*GENERIC, "other-type", *OF_AXES, *OF_ELEMENTS, *spec.definition.symptoms])
    return tuple(name for name in names if parts and all(shows([name], spec, call, part) for part in parts))


def shows(names: Sequence[str], spec: Spec, call: Call, entry: Divergence) -> bool:
    """Return True if all wrong elements show these symptoms.

    names: of symptoms, of which each element must show one; True without any.
    entry: the broken clause with its wrong elements; these are halved until a part shows a symptom."""
    if not names or "other-type" in names and _other_type(entry) or "any-number" in names and _any_number(entry):
        return True
    if not isinstance(entry.got, np.ndarray) or not isinstance(entry.expected, np.ndarray):
        predicates = [of_shapes[name] for of_shapes in (OF_SHAPES, spec.definition.shape_symptoms) for name in names
                      if name in of_shapes]
        return any(is_shown(predicate, spec.judged(call).definition, entry) for predicate in predicates)
    parts = [entry] if len(names) == 1 or entry.where is None else list(_kinds(entry))
    for _ in range(ATTEMPTS):
        part = parts.pop()
        if not any(_is_generic(name, part) or _is_specific(name, spec, call, part) for name in names):
            if len(names) == 1 or part.where is None or len(part.where) < 2:
                return False
            parts += _halves(part)
        if not parts:
            return True
    return False


def _kinds(entry: Divergence) -> Iterator[Divergence]:
    """Yield the wrong NaNs, the wrong zeros, and the others."""
    _, got = _elements(entry)
    with np.errstate(invalid="ignore"):
        nan, zero = np.not_equal(got, got), np.equal(got, 0)
    yield from (_part(entry, np.flatnonzero(mask)) for mask in (nan, zero, ~nan & ~zero) if mask.any())


def _halves(entry: Divergence) -> Iterator[Divergence]:
    """Return the wrong elements in two parts."""
    middle = len(entry.got) // 2
    return (_part(entry, half) for half in (slice(middle), slice(middle, None)))


def _part(entry: Divergence, selection: slice | np.ndarray) -> Divergence:
    """Return a divergence with a selection of the wrong elements."""
    expected, got = _elements(entry)
    where = None if entry.where is None else entry.where[selection]
    return replace(entry, where=where, expected=expected[selection], got=got[selection], beyond=0)


def _elements(entry: Divergence) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected and the given elements of a divergence about elements."""
    if not isinstance(entry.expected, np.ndarray) or not isinstance(entry.got, np.ndarray):
        raise TypeError(f"{entry.clause} is not broken by single elements")
    return entry.expected, entry.got


def _is_generic(name: str, entry: Divergence) -> bool:
    """Return True if all elements show the symptom of this module."""
    if name not in GENERIC:
        return False
    fits, function = GENERIC[name]
    expected, got = _elements(entry)
    with np.errstate(all="ignore"):
        return fits(expected.dtype) and fits(got.dtype) and function(expected, got)


def _is_specific(name: str, spec: Spec, call: Call, entry: Divergence) -> bool:
    """Return True if all elements show the symptom of a definition or family."""
    predicates = [symptoms[name] for symptoms in (OF_ELEMENTS, spec.definition.symptoms) if name in symptoms]
    if not predicates:
        return False
    expected, got = _elements(entry)
    if got.dtype.kind == "c" != expected.dtype.kind or got.dtype.hasobject or expected.dtype.hasobject:
        return False
    if expected.dtype.kind in "iu" and got.dtype != expected.dtype:  # of the wrong type, but perhaps of the right value
        if (name in OF_ELEMENTS and got.dtype.kind == "f" and (np.abs(got) < 2.0**63).all()
                and (got == np.rint(got)).all()):
            entry = replace(entry, got=got.astype(np.int64))
        elif got.dtype.kind not in "iub":
            return False
        else:
            entry = replace(entry, got=got.astype(expected.dtype))
    if expected.dtype == np.float16 and got.dtype == np.float32 and name not in OF_ELEMENTS:
        with np.errstate(over="ignore"):
            entry = replace(entry, got=got.astype(np.float16))
    judged = spec.judged(call)
    parts = [*judged.slices.definitions(entry)] if judged.slices else [(judged.definition, entry)]
    return any(all(is_shown(function, definition, part) for definition, part in parts) for function in predicates)
