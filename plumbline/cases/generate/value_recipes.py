"""Recipes for values that betray a fault; each says which. A chooser draws one of them for each tensor.

Ramps of distinct values are `distinct`; ties in every position `ties`; all negative `negative`; the lowest value
`lowest` among others and `bottom` alone; infinities, NaN, zeros, subnormal numbers and the ends of a type `extremes`,
`nan` and `mixed` at random, and `walking` at every position; patterns of the sign bit of integers, and steps of float64
that float32 cannot tell, `neighbours`; sums that overflow a narrower type `large`, that cancel `cancelling`, that round
otherwise in a narrower type `normal`, and that no order rounds, however long, `exact`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import ceil, inf, prod

import ml_dtypes
import numpy as np

from plumbline.cases.format.tensors import finfo
from plumbline.oracle.response import is_float
from plumbline.oracle.terms import Terms

Recipe = Callable[[np.random.Generator, tuple[int, ...], np.dtype], np.ndarray]
"""From a source of chance, a shape and an element type to values."""


def distinct(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Distinct while the type has room: a wrong index shows."""
    count = prod(shape)
    lowest = 0 if dtype.kind == "u" else -(count // 2)
    return rng.permutation(np.arange(lowest, lowest + count)).astype(dtype).reshape(shape)


def ties(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Two values only: ties in every window."""
    return rng.integers(0, 2, shape).astype(dtype)


def negative(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Below zero, or low where the type has no sign: padding with zero shows."""
    top = 100 if dtype.kind == "u" else 0
    return (top - rng.integers(1, 100, shape)).astype(dtype)


def lowest(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Mostly the lowest value: a search that starts too high, or never sets the index, shows."""
    lowest = -np.inf if is_float(dtype) else np.iinfo(dtype).min
    return np.where(rng.random(shape) < 0.8, lowest, rng.integers(0, 5, shape)).astype(dtype)


def extremes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """The ends of the type and what lies beside them; infinities and zeros of both signs where it has them."""
    if is_float(dtype):
        info = finfo(dtype)
        pool = np.array([info.min, info.max, info.smallest_subnormal, -info.smallest_subnormal, 0.0, -0.0, np.inf,
                         -np.inf, 1, 1 + float(info.eps)], dtype=dtype)
    else:
        info = np.iinfo(dtype)
        pool = np.array([info.min, info.min + 1, info.max - 1, info.max], dtype=dtype)
    return rng.choice(pool, shape)


def nan(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """NaN at a third of the places; for integers, ties."""
    if not is_float(dtype):
        return ties(rng, shape, dtype)
    return np.where(rng.random(shape) < 0.3, np.nan, rng.integers(-4, 5, shape)).astype(dtype)


def neighbours(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """One step apart, of integers around the sign bit: a comparison in fewer digits, or without the sign, shows."""
    steps = rng.integers(0, 8, shape)
    if is_float(dtype):
        return (1 + steps * float(finfo(dtype).eps)).astype(dtype)
    return (steps + (124 if dtype.kind == "u" else -4)).astype(dtype)


def large(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """At the top of the next narrower type, where there is one: a sum in that overflows."""
    narrower = {"float32": np.float16, "float64": np.float32}.get(dtype.name)
    top = float(np.finfo(narrower).max) if narrower else 1000
    return (top * rng.uniform(0.5, 1, shape)).astype(dtype)


def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Standard normal: sums that round in every step."""
    return rng.standard_normal(shape).astype(dtype)


def cancelling(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Large values of both signs and small ones beside them: sums whose error is far above that of their result."""
    large = 2.0 ** rng.integers(0, 10, shape) * rng.choice([-1.0, 1.0], shape)
    return np.where(rng.random(shape) < 0.5, large, rng.standard_normal(shape)).astype(dtype)


def mixed(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Magnitudes from subnormal to large, and few NaN and infinities."""
    info = finfo(dtype)
    values = rng.standard_normal(shape) * 2.0 ** rng.integers(info.minexp - 3, info.maxexp // 2, shape)
    values = np.where(rng.random(shape) < 0.03, rng.choice([np.nan, np.inf, -np.inf], shape), values)
    return values.astype(dtype)


def bottom(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Nothing but the lowest value, finite or -inf: an index that only a larger value sets is never set."""
    lowest = rng.choice([finfo(dtype).min, -np.inf]) if is_float(dtype) else np.iinfo(dtype).min
    return np.full(shape, lowest, dtype=dtype)


def walking(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A special value, one in each plane, among others below zero: a cell further from plane to plane, so that what is
    done with it in one position alone shows. Planes are those of the first two of more than two axes."""
    planes = prod(shape[:2]) if len(shape) > 2 else 1
    cells = prod(shape) // planes
    low = 1 if dtype.kind == "u" else -LOW
    order = rng.permuted(np.tile(np.arange(cells), (planes, 1)), axis=1)
    x = (low + order % LOW).astype(dtype)
    x[np.arange(planes), (int(rng.integers(cells)) + np.arange(planes)) % cells] = rng.choice(specials(dtype))
    return x.reshape(shape)


ONE = Terms(1)


def exact(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype, terms: Terms = ONE) -> np.ndarray:
    """Odd numbers whose sums are exact in every order: one left out shows, whatever the type. The longer the sums and
    the shorter the type, the smaller are the numbers, down to 1; beyond that there are zeros, but none at the ends.
    Where every term may be rounded, the sum of their magnitudes is so small that one of them is above the error, if it
    is one alone, at either end."""
    room = _room(dtype, terms)
    most = next((most for most in (4, 3, 2) if (2 * most - 1) ** 2 * terms.count <= room), 1)
    odd = 2 * rng.integers(0, most, shape) + 1
    if dtype.kind != "u":
        odd *= 2 * rng.integers(0, 2, shape) - 1
    if terms.axes and terms.count > room:
        sizes = [shape[axis] for axis in terms.axes]
        lines = np.moveaxis(odd, terms.axes, range(-len(sizes), 0))
        lines[..., ~_kept(prod(sizes), room).reshape(sizes)] = 0
        if room < 2:  # either end of a line, and never both
            first = rng.integers(0, 2, lines.shape[:-len(sizes)])
            lines[(..., *(0,) * len(sizes))] *= first
            lines[(..., *(-1,) * len(sizes))] *= 1 - first
    return odd.astype(dtype)


def _room(dtype: np.dtype, terms: Terms) -> float:
    """What magnitudes may add up to."""
    if not is_float(dtype):
        return inf
    whole = 2 / float(finfo(dtype).eps)
    return whole if terms.divisor & (terms.divisor - 1) == 0 else whole / (1.25 * terms.divisor)


def _kept(cells: int, room: float) -> np.ndarray:
    """bool: which of so many cells are not zero: at most `room`, both ends always among them."""
    end = max(min(int(room) // 4, 8), 1)
    found = np.zeros(cells, bool)
    found[:end] = found[-end:] = True
    if room - 2 * end >= 2:
        found[::ceil(cells / (int(room) - 2 * end - 1))] = True
    return found


def patterns(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Any bits: every value of a type that is moved and not computed with."""
    width = int(np.log2(float(ml_dtypes.iinfo(dtype).max) - float(ml_dtypes.iinfo(dtype).min) + 1)) \
        if "int" in dtype.name else 4 if dtype.name.startswith("float4") else 8
    octets = rng.integers(0, 1 << width, (*shape, dtype.itemsize), dtype=np.uint8)
    return octets.view(dtype).reshape(shape)


def truths(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Truth values at random."""
    return rng.integers(0, 2, shape).astype(dtype)


LOW = 100
"""How many different values `walking` has beside the special one, so that they fit into eight bits."""


@cache
def specials(dtype: np.dtype) -> np.ndarray:
    """The values of a type that code treats apart, or should."""
    if is_float(dtype):
        info = finfo(dtype)
        return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, -info.smallest_subnormal,
                         info.max, info.min], dtype=dtype)
    info = np.iinfo(dtype)
    return np.array([info.min, info.min + 1, (info.min + info.max + 1) // 2, info.max - 1, info.max], dtype=dtype)


ORDER = (distinct, distinct, distinct, ties, negative, lowest, extremes, nan, neighbours)
"""Where elements are compared. Distinct values, which show a wrong cell, are drawn most."""

SUM = (distinct, normal, normal, cancelling, mixed, neighbours, large, exact)
"""Where elements are added or multiplied."""

BITS = (distinct, distinct, extremes, nan, neighbours)
"""Where elements are moved."""

RECIPES: dict[str, tuple[Recipe, ...]] = {"order": ORDER, "sum": SUM, "bits": BITS,
                                          "any": tuple(dict.fromkeys((*ORDER, *SUM, *BITS)))}
"""The recipes of each group."""

FURTHER: dict[str, tuple[Recipe, ...]] = {"order": (walking, bottom), "sum": (walking,), "bits": (walking,),
                                          "any": (walking, bottom)}
"""Of each group those that every so many calls have in turn, whatever is drawn for the others."""

OF_FLOATS = (normal, cancelling, mixed, large)


@cache
def fitting(recipes: tuple[Recipe, ...], dtype: np.dtype) -> tuple[Recipe, ...]:
    """Those of some recipes that a type has values for."""
    if dtype.kind == "b":
        return (truths,)
    if dtype.kind not in "iu" and not is_float(dtype):
        return (patterns,)
    return recipes if is_float(dtype) else tuple(recipe for recipe in recipes if recipe not in OF_FLOATS)


def title_of(recipe: Recipe) -> str:
    """What the values of a recipe are, without the faults they show: the beginning of its documentation."""
    return re.split("[:;.]", recipe.__doc__ or "")[0]
