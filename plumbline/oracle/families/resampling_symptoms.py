"""Symptoms of wrong results of Resize: those of another call or reading.

Each takes the definition of a call and a divergence, and returns True if all wrong elements are as its docstring says.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.resampling import CROP, Reading


def _gives(other: Any, entry: Divergence) -> bool:
    """True if wrong elements are what another call or reading gives."""
    if entry.where is None or not isinstance(entry.got, np.ndarray):
        return False
    places, whole = tuple(entry.where.T), other.canonical["Y"].copy()
    whole[places] = entry.got.reshape(whole[places].shape)
    return bool(other.conforms("Y", whole)[places].all())


def _readings(definition: Any, call: Call, as_is: bool = False) -> list[Any]:
    """A call in each reading of scale and length."""
    return [type(definition)(call, definition.version, Reading(by, whole, as_is=as_is))
            for by, whole in product((False, True), repeat=2)]


def _kept_axes(definition: Any, entry: Divergence) -> bool:
    """Elements are what the call gives if axes whose size does not change are left as they are."""
    return any(_gives(other, entry) for other in _readings(definition, definition.call, as_is=True))


def _outside_included(definition: Any, entry: Divergence) -> bool:
    """Elements are what the call gives without exclude_outside."""
    call = definition.call
    attributes = {name: value for name, value in call.attributes.items() if name != "exclude_outside"}
    return definition.attribute("exclude_outside") == 1 and any(
        _gives(other, entry) for other in _readings(definition, replace(call, attributes=attributes)))


def _real_part(definition: Any, entry: Divergence) -> bool:
    """Elements are complex numbers whose imaginary part is lost."""
    x = definition.x
    real = replace(definition.call, inputs={**definition.inputs, "X": x.real.astype(x.dtype)})
    return x.dtype.kind == "c" and any(_gives(other, entry) for other in _readings(definition, real))


def _half_before(definition: Any, entry: Divergence) -> bool:
    """Elements are what the coordinate -0.5 gives where pytorch_half_pixel has 0, no number if that is left out."""
    left_out = definition.mode == "nearest" and definition.attribute("exclude_outside") == 1
    if left_out and isinstance(entry.got, np.ndarray):
        return bool(np.all((entry.got == 0) | (entry.got != entry.got)))
    others = _readings(definition, definition.call)
    for axis, one in ((axis, one) for other in others for axis, one in tuple(other.resampled.items())):
        if one.count == 1 < one.size:
            half = Fraction(-1, 2 * (one.size - 1))
            for other in others:
                other.resampled[axis] = replace(one, mode=CROP, region=(half, half))
    return any(_gives(other, entry) for other in others)


SYMPTOMS = {"kept-axes": _kept_axes, "outside-included": _outside_included,
            "real-part": _real_part, "half-before": _half_before}
