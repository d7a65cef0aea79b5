"""Symptoms: what wrong elements look like. A known divergence names those it explains, so that it excuses nothing else.

Each is asked of one broken clause: do all its wrong elements look so? Those here see what was expected and what came;
`oracle.families.narrower` has those that see the call, and definitions of operators add theirs. Where both have one of
the same name, either may show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle import Call, Divergence, Spec
from plumbline.oracle.families.narrower_types import SYMPTOMS as NARROWER
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import Wide
from plumbline.oracle.specification import definitions


def _lowest_finite(entry: Divergence) -> bool:
    """Elements are the lowest finite value where they should be -inf."""
    return bool(np.all(entry.expected == -np.inf) and np.all(entry.got == finfo(entry.expected.dtype).min))


def _infinite_as_finite(entry: Divergence) -> bool:
    """Elements are the end of the finite range where they should be the infinity beyond it."""
    largest = finfo(entry.expected.dtype).max
    return bool(np.all(np.isinf(entry.expected)) and np.all(entry.got == np.sign(entry.expected) * largest))


def _subnormal_as_zero(entry: Divergence) -> bool:
    """Elements are off by less than the smallest normal number, as when subnormal ones are taken for zero."""
    if not np.all(np.isfinite(entry.expected) & np.isfinite(entry.got)):
        return False
    with np.errstate(over="ignore"):
        return bool(np.all(np.abs(entry.expected - entry.got) < finfo(entry.expected.dtype).smallest_normal))


def _another_subnormal(entry: Divergence) -> bool:
    """Elements are a subnormal number where they should be another one or zero."""
    tiny = finfo(entry.expected.dtype).smallest_normal
    return bool(np.all((np.abs(entry.expected) < tiny) & (np.abs(entry.got) < tiny) & (entry.got != 0)))


def _zero(entry: Divergence) -> bool:
    """Elements are zero where they should be NaN or another number."""
    return bool(np.all((entry.expected != 0) & (entry.got == 0)))


def _nan(entry: Divergence) -> bool:
    """Elements are NaN where they should be a number."""
    return bool(np.all((entry.expected == entry.expected) & (entry.got != entry.got)))


def _near(entry: Divergence) -> bool:
    """Elements are off by at most a hundredth, as when what is computed in between is rounded."""
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(entry.got.astype(Wide) - entry.expected.astype(Wide))
        wanted = np.abs(entry.expected.astype(Wide))
        return bool(np.all((off <= wanted / 100) & np.isfinite(wanted)))


def _tiny(entry: Divergence) -> bool:
    """Elements are below four times the smallest normal number, as they should be."""
    tiny = 4 * finfo(entry.expected.dtype).smallest_normal
    with np.errstate(invalid="ignore"):
        return bool(np.all((np.abs(entry.expected) < tiny) & (np.abs(entry.got) < tiny)))


def _infinite(entry: Divergence) -> bool:
    """Elements are infinite where they should be finite, as when what is computed in between overflows."""
    return bool(np.all(np.isfinite(entry.expected) & np.isinf(entry.got)))


def _not_nan(entry: Divergence) -> bool:
    """Elements are a number where they should be NaN."""
    return bool(np.all((entry.expected != entry.expected) & (entry.got == entry.got)))


def _minus_one(entry: Divergence) -> bool:
    """Elements are -1, as an index that was never set."""
    return bool(np.all(entry.got == -1))


def _is_integer(dtype: np.dtype) -> bool:
    return dtype.kind in "iu"


def _largest_finite(entry: Divergence) -> bool:
    """Elements are an end of the finite range, whatever they should be."""
    return bool(np.all(np.abs(entry.got) == finfo(entry.got.dtype).max))


def _last_place(entry: Divergence) -> bool:
    """Elements are off by at most two units in the last place, as when an operation is done in two that round."""
    wanted, got = entry.expected, entry.got
    if wanted.dtype != got.dtype or not np.all(np.isfinite(wanted) & np.isfinite(got)):
        return False
    next_to, wide = np.nextafter(wanted, wanted.dtype.type(0)).astype(Wide), wanted.astype(Wide)
    off = np.abs(got.astype(Wide) - wide)
    return bool(np.all((off > 0) & (off <= 2 * np.abs(next_to - wide))))


def _other_type(entry: Divergence) -> bool:
    """The output is of another type than it should have."""
    if isinstance(entry.got, np.ndarray) and isinstance(entry.expected, np.ndarray):
        return entry.got.dtype != entry.expected.dtype
    return entry.why == f"{entry.output} is {entry.got}, not {entry.expected}"  # it is not the shape that is wrong


GENERIC: dict[str, tuple[Callable[[np.dtype], bool], Callable[[Divergence], bool]]] = {
    "lowest-finite": (is_float, _lowest_finite), "infinite-as-finite": (is_float, _infinite_as_finite),
    "subnormal-as-zero": (is_float, _subnormal_as_zero), "last-place": (is_float, _last_place),
    "another-subnormal": (is_float, _another_subnormal), "zero": (is_float, _zero),
    "near": (lambda dtype: dtype.kind not in "bc", _near),
    "tiny": (is_float, _tiny), "not-nan": (is_float, _not_nan), "nan": (is_float, _nan),
    "largest-finite": (is_float, _largest_finite), "infinite": (is_float, _infinite),
    "minus-one": (_is_integer, _minus_one), "integer-zero": (_is_integer, _zero)}
"""Those of any output of some element types."""


LOOKS = 512
"""How often parts of the wrong elements are looked at: 256 can be looked at one by one."""


@cache
def notes() -> dict[str, str]:
    """What each symptom of any specification is."""
    generic = ((name, function) for name, (_, function) in GENERIC.items())
    functions = [*generic, ("other-type", _other_type), *NARROWER.items(),
                 *(entry for _, definition in definitions() for entry in definition.symptoms.items())]
    found: dict[str, str] = {}
    for name, function in functions:
        text = " ".join((function.__doc__ or "").split())
        if text not in found.get(name, ""):
            found[name] = f"{found.get(name, '')} {text}".strip()
    return found


def symptoms_of(spec: Spec, call: Call, divergences: Sequence[Divergence]) -> tuple[str, ...]:
    """Those that every broken clause shows, restatements aside."""
    parts = [part for part in divergences if not spec.clauses[part.clause].restates]
    names = dict.fromkeys([*GENERIC, "other-type", *NARROWER, *spec.definition.symptoms])
    return tuple(name for name in names if parts and all(shows([name], spec, call, part) for part in parts))


def shows(names: Sequence[str], spec: Spec, call: Call, entry: Divergence) -> bool:
    """Whether a broken clause shows one of the symptoms named, or each part of its wrong elements does, halved until it
    does or is a single one; any does when none is named."""
    if not names or "other-type" in names and _other_type(entry):
        return True
    if not isinstance(entry.got, np.ndarray) or not isinstance(entry.expected, np.ndarray):
        return False
    parts = [entry] if len(names) == 1 or entry.where is None else list(_alike(entry))
    for _ in range(LOOKS):
        part = parts.pop()
        if not any(_generic(name, part) or _of_home(name, spec, call, part) for name in names):
            if len(names) == 1 or part.where is None or len(part.where) < 2:
                return False
            parts += _halves(part)
        if not parts:
            return True
    return False


def _alike(entry: Divergence) -> Iterator[Divergence]:
    """The wrong elements that are NaN, those that are zero, and the others: what lies between others apart."""
    nan, zero = entry.got != entry.got, entry.got == 0
    yield from (_part(entry, np.flatnonzero(some)) for some in (nan, zero, ~nan & ~zero) if some.any())


def _halves(entry: Divergence) -> Iterator[Divergence]:
    """The wrong elements in two parts."""
    middle = len(entry.got) // 2
    return (_part(entry, half) for half in (slice(middle), slice(middle, None)))


def _part(entry: Divergence, some: slice | np.ndarray) -> Divergence:
    """Some wrong elements as if they were all."""
    return replace(entry, where=entry.where[some], expected=entry.expected[some], got=entry.got[some], beyond=0)


def _generic(name: str, entry: Divergence) -> bool:
    if name not in GENERIC:
        return False
    fits, function = GENERIC[name]
    return fits(entry.expected.dtype) and fits(entry.got.dtype) and function(entry)


def _of_home(name: str, spec: Spec, call: Call, entry: Divergence) -> bool:
    looks = [symptoms[name] for symptoms in (NARROWER, spec.definition.symptoms) if name in symptoms]
    if not looks:
        return False
    wanted, got = entry.expected.dtype, entry.got.dtype
    if got.kind == "c" != wanted.kind:
        return False
    if wanted.kind in "iu" and got != wanted:  # of the wrong type, but perhaps of the right value
        if got.kind not in "iub":
            return False
        entry = replace(entry, got=entry.got.astype(wanted))
    judged = spec.judged(call)
    parts = [*judged.slices.definitions(entry)] if judged.slices else [(judged.definition, entry)]
    return any(all(function(definition, part) for definition, part in parts) for function in looks)
