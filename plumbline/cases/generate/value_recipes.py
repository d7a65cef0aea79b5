"""Recipes for fault-revealing values; each docstring names the fault.

A draw takes one recipe for each tensor, from the group that the operator definition names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import ceil, inf, prod
from types import EllipsisType

import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.cases.generate.value_order import NARROW
from plumbline.oracle.response import is_float
from plumbline.oracle.terms import Terms
from plumbline.oracle.type_names import is_of_strings, name_of

Recipe = Callable[[np.random.Generator, tuple[int, ...], np.dtype], np.ndarray]
"""A function from a random generator, a shape and an element type to values."""


def distinct(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Distinct while the type has room: reveals a wrong index."""
    count = prod(shape)
    if is_of_strings(dtype):
        return rng.permutation(np.array([f"s{number}" for number in range(count)], dtype)).reshape(shape)
    lowest = 0 if dtype.kind == "u" else -(count // 2)
    return rng.permutation(np.arange(lowest, lowest + count)).astype(dtype).reshape(shape)


def ties(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Two values only: reveals how ties are resolved, in every window."""
    return rng.integers(0, 2, shape).astype(dtype)


def negative(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Below zero, or low where the type has no sign: reveals padding with zero."""
    top = 100 if dtype.kind == "u" else 0
    return (top - rng.integers(1, 100, shape)).astype(dtype)


def lowest(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Mostly the lowest value: reveals a search that starts too high, or never sets the index."""
    lowest = -np.inf if is_float(dtype) else np.iinfo(dtype).min
    return np.where(rng.random(shape) < 0.8, lowest, rng.integers(0, 5, shape)).astype(dtype)


def extremes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The ends of the type and what lies beside them; infinities and zeros of both signs where it has them."""
    if is_float(dtype):
        limits = finfo(dtype)
        pool = np.array([limits.min, limits.max, limits.smallest_subnormal, -limits.smallest_subnormal, 0.0, -0.0,
                         np.inf, -np.inf, 1, 1 + float(limits.eps)], dtype=dtype)
    else:
        ends = np.iinfo(dtype)
        pool = np.array([ends.min, ends.min + 1, ends.max - 1, ends.max], dtype=dtype)
    return rng.choice(pool, shape)


def nan(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """NaN at a third of the places; for integers, ties."""
    if not is_float(dtype):
        return ties(rng, shape, dtype)
    return np.where(rng.random(shape) < 0.3, np.nan, rng.integers(-4, 5, shape)).astype(dtype)


def neighbours(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """One step apart, of integers around the sign bit: reveals a comparison with fewer digits or without the sign."""
    steps = rng.integers(0, 8, shape)
    if is_float(dtype):
        return (1 + steps * float(finfo(dtype).eps)).astype(dtype)
    return (steps + (124 if dtype.kind == "u" else -4)).astype(dtype)


def large(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """At the top of the next narrower type, where there is one: reveals a sum in that type, by its overflow."""
    narrower = {"float32": "float16", "float64": "float32"}.get(name_of(dtype))
    top = float(np.finfo(np.dtype(narrower)).max) if narrower else 1000
    return (top * rng.uniform(0.5, 1, shape)).astype(dtype)


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Standard normal: reveals sums in a narrower type, since every step rounds."""
    return rng.standard_normal(shape).astype(dtype)


def cancelling(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Large values of both signs and small ones beside them: reveals bounds that ignore cancellation."""
    large = 2.0 ** rng.integers(0, 10, shape) * rng.choice([-1.0, 1.0], shape)
    return np.where(rng.random(shape) < 0.5, large, rng.standard_normal(shape)).astype(dtype)


def mixed(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Magnitudes from subnormal to large, and few NaN and infinities."""
    limits = finfo(dtype)
    values = rng.standard_normal(shape) * 2.0 ** rng.integers(limits.minexp - 3, limits.maxexp // 2, shape)
    values = np.where(rng.random(shape) < 0.03, rng.choice([np.nan, np.inf, -np.inf], shape), values)
    return values.astype(dtype)


def bottom(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Nothing but the lowest value, finite or -inf: reveals an index that only a larger value sets."""
    lowest = rng.choice(np.array([finfo(dtype).min, -np.inf])) if is_float(dtype) else np.iinfo(dtype).min
    return np.full(shape, lowest, dtype=dtype)


def walking(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A special value, one in each plane, among others below zero: reveals what happens at one position only.

    The value moves on by a cell from plane to plane. Planes are those of the first two of more than two axes."""
    planes = prod(shape[:2]) if len(shape) > 2 else 1
    cells = prod(shape) // planes
    low = 1 if dtype.kind == "u" else -LOW
    order = rng.permuted(np.tile(np.arange(cells), (planes, 1)), axis=1)
    x = (low + order % LOW).astype(dtype)
    x[np.arange(planes), (int(rng.integers(cells)) + np.arange(planes)) % cells] = rng.choice(specials(dtype))
    return x.reshape(shape)


ONE = Terms(1)


def exact(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype, terms: Terms = ONE) -> np.ndarray:
    """Odd numbers whose sums are exact in every order: reveals a term that is left out, in any type.

    The longer the sums and the narrower the type, the smaller the numbers, down to 1; beyond that some terms are zero,
    but never both ends. Where every term may be rounded, the sum of magnitudes is so small that a single missing term
    exceeds the error."""
    room = _room(dtype, terms)
    most = next((most for most in (4, 3, 2) if (2 * most - 1) ** 2 * terms.count <= room), 1)
    odd = 2 * rng.integers(0, most, shape) + 1
    if dtype.kind != "u":
        odd *= 2 * rng.integers(0, 2, shape) - 1
    if terms.axes and terms.count > room:
        sizes = [shape[axis] for axis in terms.axes]
        lines = np.moveaxis(odd, terms.axes, range(-len(sizes), 0))
        lines[..., ~_kept(prod(sizes), room).reshape(sizes)] = 0
        if room < 2:  # one end of each line is zero, the other is not
            first = rng.integers(0, 2, lines.shape[:-len(sizes)])
            start: tuple[EllipsisType | int, ...] = (..., *(0,) * len(sizes))
            end: tuple[EllipsisType | int, ...] = (..., *(-1,) * len(sizes))
            lines[start] *= first
            lines[end] *= 1 - first
    return odd.astype(dtype)


def _room(dtype: np.dtype, terms: Terms) -> float:
    """Return the largest sum of magnitudes."""
    if not is_float(dtype):
        return inf
    whole = 2 / float(finfo(dtype).eps)
    return whole if terms.divisor & (terms.divisor - 1) == 0 else whole / (1.25 * terms.divisor)


def _kept(cells: int, room: float) -> np.ndarray:
    """Return which of so many cells are nonzero: at most `room` of them, both ends included."""
    end = max(min(int(room) // 4, 8), 1)
    mask = np.zeros(cells, bool)
    mask[:end] = mask[-end:] = True
    if room - 2 * end >= 2:
        mask[::ceil(cells / (int(room) - 2 * end - 1))] = True
    return mask


def patterns(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Any bits: for types that are moved and not computed with."""
    narrow = NARROW.fullmatch(name_of(dtype))
    width = int(narrow[2]) if narrow else 8
    octets = rng.integers(0, 1 << width, (*shape, dtype.itemsize), dtype=np.uint8)
    return octets.view(dtype).reshape(shape)


def truths(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Truth values at random."""
    return rng.integers(0, 2, shape).astype(dtype)


def strange(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Strings that code cuts, drops or converts: reveals C strings, lengths in characters, texts taken for numbers."""
    return rng.choice(STRANGE, shape)


def alike(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Strings that begin or look alike: reveals a comparison that ends early, folds case or normalises."""
    return rng.choice(ALIKE, shape)


LOW = 100
"""Different values that `walking` has beside the special one, so that they fit into eight bits."""


@cache
def specials(dtype: np.dtype) -> np.ndarray:
    """Return the values of a type that code treats apart, or should."""
    if is_float(dtype):
        limits = finfo(dtype)
        return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, limits.smallest_subnormal, -limits.smallest_subnormal,
                         limits.max, limits.min], dtype=dtype)
    ends = np.iinfo(dtype)
    return np.array([ends.min, ends.min + 1, (ends.min + ends.max + 1) // 2, ends.max - 1, ends.max], dtype=dtype)


ALIKE = np.array(["", "a", "A", "a\0", "a\0b", "a\0c", "a ", "\u00e9", "e\u0301"], object)
"""Strings that differ, though not up to a NUL, or not without case, spaces at the end or the form of an accent."""

STRANGE = np.array([
    "", "\0", "a\0", "\0a", "a\0b", " ", "\t\r\n", "\ufeff", "\u00fc", "\u20ac", "\ud7ff", "\uffff", "\U0001f600",
    "\U0010ffff", "e\u0301", "\u202eab", "nan", "None", "0", "<b>&amp;", "'\"\\", *("x" * size for size in (
        15, 16, 22, 23)), "\U0001f600" * 300], object)
"""Strings with NULs, of every length in UTF-8, at the lengths up to which libraries keep strings in place, and long."""

ORDER = (distinct, distinct, distinct, ties, negative, lowest, extremes, nan, neighbours)
"""For operators that compare elements. Distinct values, which reveal a wrong cell, are drawn most."""

SUM = (distinct, normal, normal, cancelling, mixed, neighbours, large, exact)
"""For operators that add or multiply elements."""

BITS = (distinct, distinct, extremes, nan, neighbours)
"""For operators that move elements."""

RECIPES: dict[str, tuple[Recipe, ...]] = {"order": ORDER, "sum": SUM, "bits": BITS,
                                          "any": tuple(dict.fromkeys((*ORDER, *SUM, *BITS)))}
"""By group its recipes."""

FURTHER: dict[str, tuple[Recipe, ...]] = {"order": (walking, bottom), "sum": (walking,), "bits": (walking,),
                                          "any": (walking, bottom)}
"""By group the recipes that take turns in every `PERIOD`-th call (see `choices`)."""

OF_FLOATS = (normal, cancelling, mixed, large)
"""Recipes for floating-point types only."""


@cache
def fitting(recipes: tuple[Recipe, ...], dtype: np.dtype) -> tuple[Recipe, ...]:
    """Return the recipes that suit a type."""
    if dtype.kind == "b":
        return (truths,)
    if is_of_strings(dtype):
        return (distinct, strange, alike) if len(recipes) > 1 else (distinct,)
    if dtype.kind not in "iu" and not is_float(dtype):
        return (patterns,)
    return recipes if is_float(dtype) else tuple(recipe for recipe in recipes if recipe not in OF_FLOATS)


def title_of(recipe: Recipe) -> str:
    """Return what the values of a recipe are: the beginning of its docstring, without the fault."""
    return re.split("[:;.]", recipe.__doc__ or "")[0]
