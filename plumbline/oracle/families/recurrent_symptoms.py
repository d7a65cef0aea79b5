"""Symptoms of wrong recurrent layers: results of another call or reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.activations import ACTIVATIONS
from plumbline.oracle.families.recurrent import Recurrence
from plumbline.oracle.operator import Operator
from plumbline.oracle.rounding import Wide

OPTIONS = ("activations", "activation_alpha", "activation_beta", "clip", "input_forget", "sequence_lens")
"""Attributes and an input without which a call is the plainest of its kind."""


def as_given_by(other: Recurrence, entry: Divergence) -> bool:
    """True if another call, or another reading, gives the wrong elements; NaN where that leaves them open."""
    if entry.where is None:
        return False
    where = tuple(np.asarray(entry.where).T)
    whole = other.canonical[entry.output].copy()
    whole[where] = entry.got
    is_open = np.isnan(other.outcome[entry.output].low) & np.isnan(whole)
    given = (other.conforms(entry.output, whole) | is_open)[where]
    if other.x.dtype == np.float64:
        given |= _in_float32(other.canonical[entry.output][where], np.asarray(entry.got))
    return bool(given.all())


def _in_float32(exact: np.ndarray, got: np.ndarray) -> np.ndarray:
    """bool: which elements are numbers of float32 that it may give after some steps, clamped to its range."""
    largest = np.finfo(np.float32).max
    clamped = np.clip(exact.astype(Wide), -largest, largest)
    near = np.abs(got.astype(Wide) - clamped) <= 2.0**-12 * np.maximum(np.abs(clamped), 2.0**-6)
    with np.errstate(over="ignore"):
        return np.asarray(near & (got.astype(np.float32) == got))


def _changed(definition: Operator, left_out: Sequence[str], **attributes: Any) -> Recurrence:
    """The call without some attributes and inputs, and with others."""
    call = definition.call
    assert isinstance(definition, Recurrence)
    kept = {name: value for name, value in call.attributes.items() if name not in left_out}
    inputs = {name: value for name, value in call.inputs.items() if name not in left_out}
    return type(definition)(Call(call.operator, {**kept, **attributes}, inputs), definition.version)


def _without_options(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives without activations, their scalings, clip, input_forget and sequence_lens."""
    return as_given_by(_changed(definition, OPTIONS), entry)


def _gates_not_coupled(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives without input_forget."""
    return "input_forget" in definition.attributes and as_given_by(_changed(definition, ("input_forget",)), entry)


def _peepholes_left_aside(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives without P."""
    return "P" in definition.inputs and as_given_by(_changed(definition, ("P",)), entry)


def _layout_left_aside(definition: Operator, entry: Divergence) -> bool:
    """The output is what the call gives without layout, or has that shape."""
    if definition.attributes.get("layout") != 1:
        return False
    other = _changed(definition, ("layout",))
    if entry.where is None:
        return str(entry.got) == str(list(other.shape_of(entry.output)))
    has_others = {"sequence_lens", "initial_h", "initial_c"} & definition.inputs.keys()
    return not has_others and other.shape_of(entry.output) == definition.shape_of(entry.output) and as_given_by(
        other, entry)


def _layer_in_float32(definition: Operator, entry: Divergence) -> bool:
    """Elements of float64 are off as those of float32 are after some steps; where a product of two inputs is beyond its
    range they are NaN or infinite, or an end of a function's range, -1, 0 or 1."""
    expected, got = np.asarray(entry.expected), np.asarray(entry.got)
    if entry.where is None or expected.dtype != np.float64:
        return False
    most = max((np.abs(x.astype(np.longdouble)).max() for x in definition.inputs.values() if x.size), default=0)
    lost = ~np.isfinite(got) | np.isin(got, (-1, 0, 1))
    return bool(np.all(_in_float32(expected, got) | lost & ~(most**2 < np.finfo(np.float32).max)))


def _forward(definition: Operator, entry: Divergence) -> bool:
    """Elements are what a call in reverse gives forward, without activations, clip and such options."""
    backward = definition.attributes.get("direction") == "reverse"
    return backward and as_given_by(_changed(definition, (*OPTIONS, "direction")), entry)


def _functions_twice(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives if both directions have the activations of the first."""
    assert isinstance(definition, Recurrence)
    names = definition.names[:len(definition.activations)]
    return definition.directions == 2 and as_given_by(_changed(definition, (), activations=[*names, *names]), entry)


def with_thresholds_of_zero(definition: Recurrence) -> Call:
    """The call, with 0 for each alpha of ThresholdedRelu that it leaves out."""
    names = [name for name in definition.names if ACTIVATIONS[name].default[0] is not None]
    given = list(definition.attributes.get("activation_alpha", ()))
    absent = [0.0 if name == "ThresholdedRelu" else ACTIVATIONS[name].default[0] for name in names[len(given):]]
    call = definition.call
    return Call(call.operator, {**call.attributes, "activation_alpha": [*given, *absent]}, call.inputs)


def _thresholds_of_zero(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the call gives where ThresholdedRelu without an alpha has 0 for it."""
    assert isinstance(definition, Recurrence)
    return as_given_by(type(definition)(with_thresholds_of_zero(definition), definition.version), entry)


def _beyond_one(definition: Operator, entry: Divergence) -> bool:
    """Elements of float32 are off by at most 8 units of 1, where a tanh is next to the ends of its range."""
    expected, got = (np.asarray(part).astype(Wide) for part in (entry.expected, entry.got))
    return bool(entry.where is not None and np.all((np.abs(got - expected) <= 2.0**-20) & (np.abs(expected) > 0.99)))


def _last_state_alone(definition: Operator, entry: Divergence) -> bool:
    """Y has the shape of Y_h, the states of the last step."""
    return entry.output == "Y" and isinstance(entry.got, str) and entry.got == str(list(definition.shape_of("Y_h")))


SYMPTOMS = {"without-options": _without_options, "forward": _forward, "functions-twice": _functions_twice,
            "thresholds-of-zero": _thresholds_of_zero, "beyond-one": _beyond_one,
            "gates-not-coupled": _gates_not_coupled, "peepholes-left-aside": _peepholes_left_aside,
            "layout-left-aside": _layout_left_aside, "layer-in-float32": _layer_in_float32,
            "last-state-alone": _last_state_alone}
SHAPE_SYMPTOMS = {"layout-left-aside": _layout_left_aside, "last-state-alone": _last_state_alone}
