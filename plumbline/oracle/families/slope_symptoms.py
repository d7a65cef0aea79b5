"""Symptoms of wrong PRelu: slopes that are placed or read otherwise."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.families.leaks import subnormal_kept
from plumbline.oracle.families.narrower_types import SMALLEST, conforming_elements, gives_where, other_call

STEPS = 2.0 ** np.arange(-8, 9)
"""Steps of quantised tensors."""


def _gives(definition: Any, entry: Any, slope: np.ndarray) -> bool:
    """True if the call with another slope may give all wrong elements."""
    return gives_where(definition, entry, {**definition.inputs, "slope": slope})


def along_the_second_axis(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives where slope, in one row, is placed at the second axis of X; subnormal numbers of
    it may be zero."""
    slope, x = definition.inputs["slope"], definition.x
    if x.ndim < 2 or slope.size < x.shape[1] or entry.where is None:
        return False
    row = slope.reshape(-1)[:x.shape[1]].reshape(-1, *(1,) * (x.ndim - 2))
    return _gives(definition, entry, row) or slope.dtype == np.float32 and _gives(
        definition, entry, np.where(np.abs(row) < SMALLEST, np.float32(0), row))


def slope_of_the_first_batch(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives where each batch of X has the slope of the first."""
    slope, x = definition.inputs["slope"], definition.x
    return slope.ndim == x.ndim > 1 and slope.shape[0] > 1 and _gives(definition, entry, slope[:1])


def slope_read_on(definition: Any, entry: Any) -> bool:
    """Elements are what the call gives where the slope, of several axes, is read from its first element on in each
    batch of X, or anything behind its last."""
    slope, x = definition.inputs["slope"], definition.x
    batch = prod(x.shape[1:])
    if entry.where is None or slope.size in (0, max(slope.shape, default=1)) or slope.shape == x.shape or batch < 2:
        return False
    read = np.resize(np.resize(slope, batch), x.shape)
    other = other_call(definition, entry, {**definition.inputs, "slope": read})
    places = np.ravel_multi_index(tuple(entry.where.T), x.shape) % batch
    return other is not None and bool((conforming_elements(other, entry)[0] | (places >= slope.size)).all())


def slope_by_its_bits(definition: Any, entry: Any) -> bool:
    """Elements are what float32 gives where the slope of float64 is the float32 of its lower 32 bits."""
    slope, x = definition.inputs["slope"], definition.x
    if slope.dtype != np.float64 or not slope.size:
        return False
    bits = (slope.view(np.uint64) & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        return gives_where(definition, entry, {"X": x.astype(np.float32), "slope": bits})


def beyond_by_128_steps(definition: Any, entry: Any) -> bool:
    """Elements of float32 are 128 steps above X, or 127 steps of Y where that is less; steps are powers of two."""
    if entry.where is None or definition.x.dtype != np.float32:
        return False
    x, got = definition.x[tuple(entry.where.T)].reshape(-1).astype(float), entry.got.astype(float)
    return any(bool(np.all(np.abs(x / of_x) <= 128) and np.all(np.minimum(x + 128 * of_x, 127 * of_y) == got))
               for of_x in STEPS for of_y in STEPS)


SYMPTOMS = {"along-the-second-axis": along_the_second_axis, "slope-of-the-first-batch": slope_of_the_first_batch,
            "slope-by-its-bits": slope_by_its_bits, "slope-read-on": slope_read_on,
            "beyond-by-128-steps": beyond_by_128_steps, "subnormal-kept": subnormal_kept}
