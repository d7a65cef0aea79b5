"""Symptoms of standardised elements: how their moments were computed.

Each function takes the definition of a call and a divergence from one clause, and returns True if all wrong elements
are as its docstring says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.standardisation import Moments, Standardised
from plumbline.oracle.rounding import PRECISION, Wide, growth, smallest_normal


def is_given_by(other: Standardised, entry: Divergence) -> bool:
    """True if another reading of a call gives all wrong elements.

    Where its sums may overflow, that may be what an infinite variance gives: the bias, which may be rounded to float32,
    and 0 for its root."""
    if entry.where is None:
        return False
    at, got = tuple(np.asarray(entry.where).T), np.asarray(entry.got).astype(Wide)
    with np.errstate(all="ignore"):
        value, room = (np.broadcast_to(part, other.shape_of(entry.output))[at]
                       for part in other.bound(entry.output, other._moments.variance_error))
        least = other._wide_parameters[1] if entry.output == other.output else Wide(0)
        least = np.broadcast_to(least.astype(other.x.dtype), other.shape_of(entry.output))[at]
        beyond = np.broadcast_to(other.sums_overflow, other.shape_of(entry.output))[at]
        near = (np.abs(got - value) <= room) & np.isfinite(room)
        is_bias = (got == least) | (got == least.astype(np.float32))
        return bool((near | (beyond | ~np.isfinite(room)) & (is_bias | ~np.isfinite(got))).all())


def variance_in_float32(definition: Any, entry: Divergence) -> bool:
    """Elements are what a variance gives that is computed in float32, where the inputs are of float64."""
    single, count = np.dtype(np.float32), definition.count
    exact = definition._moments

    class InSinglePrecision(type(definition)):  # type: ignore[misc]
        moments = Moments(exact.mean, exact.variance, exact.mean_error, exact.variance_error + count * smallest_normal(
            single) + growth(count + 4, single) * exact.variance, largest=exact.variance * count)
        sums_overflow = np.asarray(moments.largest >= Wide(float(PRECISION["float32"][2])) * Wide(0.99))

    return definition.x.dtype == np.float64 and is_given_by(
        InSinglePrecision(definition.call, definition.version), entry)


def in_float32(definition: Any, entry: Divergence) -> bool:
    """Elements are what moments give that are computed in float32, where `stash_type` asks for float64."""
    call = replace(definition.call, attributes={**definition.attributes, "stash_type": 1})
    return definition.computed_in == np.float64 and is_given_by(type(definition)(call, definition.version), entry)


def in_type_of_x(definition: Any, entry: Divergence) -> bool:
    """Elements are what numpy gives in the type of X, whatever `stash_type` names."""
    x, (scale, bias) = definition.x, definition.parameters
    if entry.where is None or not x.size:
        return False
    with np.errstate(all="ignore"):
        runs, axes = x.reshape(-1, int(np.prod(x.shape[definition.axes[0]:]))), definition.axes
        mean = runs.dtype.type(0) if definition.about_zero else runs.sum(axis=1, keepdims=True) / runs.shape[1]
        distance = runs - mean
        variance = np.mean(x * x, axis=axes, keepdims=True).reshape(-1, 1) if definition.about_zero else (
            distance * distance).sum(axis=1, keepdims=True) / runs.shape[1]
        root = np.reciprocal(np.sqrt(variance + definition.epsilon))
        values = {"Mean": mean, "InvStdDev": root, "Y": (distance * root).reshape(x.shape) * scale + bias}
    value = values[entry.output].astype(x.dtype).reshape(definition.shape_of(entry.output))
    value = value[tuple(np.asarray(entry.where).T)]
    return bool(((entry.got == value) | (entry.got != entry.got) & (value != value)).all())
