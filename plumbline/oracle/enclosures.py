"""Enclose the outputs of an operator whose inputs are known between ends.

An input is any tensor between a lower and an upper end, element by element. Three rules follow from what a definition
states of itself; what none of them covers is not enclosed.

* Corners. Where an element of the output is monotone in each element that it is computed from, between the numbers
  `turns`, the least and the largest results are at the ends of the inputs, or at the turns. So are those of value -
  room and value + room (Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, 5.1). A room of `u * (k |f|
  + m |x f'| + c)` keeps f monotone while u * (k + m + m |x f'' / f'|) is below 1, which the tests measure; one that is
  convex in the input is largest at an end.
* Sums of products. With v, r and M the canonical value, the radius and the largest magnitude of each factor, products
  x*w of elements differ from the canonical ones by at most r(x) M(w) + |v(x)| r(w). The sums of these are computed by
  the definition itself, on inputs without signs. Added to it is the rounding of a sum in any order, which grows with
  the magnitudes (`oracle.rounding`), so that it is largest at M.
* What a definition computes itself (`Operator.enclosure_over`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from plumbline.oracle.definition import Operator
from plumbline.oracle.ends import Ends
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION, SLACK, Wide
from plumbline.oracle.type_names import name_of

MOST = 64
"""Most corners that are computed."""

Inputs = Mapping[str, np.ndarray]


def enclosure(value: Operator, lows: Inputs, highs: Inputs) -> dict[str, Ends] | None:
    """Return by output the ends for all inputs between `lows` and `highs`; None where no rule is known.

    An element that is computed from exact ones alone has the ends that it has on exact inputs."""
    masks = {name: (low != highs[name]) & is_float(low.dtype) for name, low in lows.items()}
    inexact = [name for name, mask in masks.items() if mask.any()]
    with np.errstate(all="ignore"):
        if not inexact:
            return value.enclosure()
        found = _over(value, lows, highs, inexact)
        mask = value.computed_from(masks)
        if found is None or mask is True:
            return found
        return {name: found[name].where(mask, ends) for name, ends in value.enclosure().items()}


def _over(value: Operator, lows: Inputs, highs: Inputs, inexact: Sequence[str]) -> dict[str, Ends] | None:
    """Return the ends by the first rule that covers a definition."""
    own = value.enclosure_over(with_inputs(value, lows), with_inputs(value, highs))
    if own is not None:
        return own
    if value.multiplied:
        known = {*value.multiplied, *value.addends}
        return _of_sums(value, lows, highs, inexact) if known.issuperset(inexact) else None
    known = set(value.monotone_in or value.inputs)
    if value.turns is None or not known.issuperset(inexact):
        return None
    return _at_corners(value, lows, highs, inexact)


def with_inputs(definition: Operator, inputs: Inputs) -> Operator:
    """Return the definition of the same call with other inputs."""
    return type(definition)(replace(definition.call, inputs={**definition.inputs, **inputs}), definition.version)


def _at_corners(value: Operator, lows: Inputs, highs: Inputs, inexact: Sequence[str]) -> dict[str, Ends] | None:
    """The ends over all corners."""
    if value.rises:
        corners = [({name: ends[name] for name in inexact}, False) for ends in (lows, highs)]
    else:
        choices = [[(lows[name], False), (highs[name], False), *((_clipped(turn, lows[name], highs[name]), True)
                                                               for turn in value.turns or ())] for name in inexact]
        if np.prod(list(map(len, choices))) > MOST:
            return None
        corners = [(dict(zip(inexact, (tensor for tensor, _ in chosen), strict=True)), any(turn for _, turn in chosen))
                   for chosen in product(*choices)]
    found: dict[str, Ends] = {}
    for inputs, is_turn in corners:
        for name, ends in with_inputs(value, inputs).enclosure_near().items():
            if is_turn:  # nothing is bounded at a pole
                ends = ends.where(np.isfinite(ends.low) & np.isfinite(ends.high))
            found[name] = found[name].joined(ends) if name in found else ends
    return found


def _clipped(turn: float, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The turn, where it is between the ends, else the nearer end; NaN where there are none."""
    at = np.asarray(np.minimum(np.maximum(low.dtype.type(turn), low), high))
    return np.where((low == low) & (high == high), at, low.dtype.type(np.nan))


def _of_sums(value: Operator, lows: Inputs, highs: Inputs, inexact: Sequence[str]) -> dict[str, Ends]:
    """Return the ends of sums of products (of elements of each input in `multiplied`) and of `addends`.

    `lows` and `highs` are the ends of the inputs by name, and `inexact` names the inputs where they differ."""
    sizes, most, radii = dict[str, np.ndarray](), dict[str, np.ndarray](), dict[str, np.ndarray]()
    for name in (*value.multiplied, *value.addends):
        if name in value.inputs:
            middle, low, high = (inputs[name].astype(Wide) for inputs in (value.inputs, lows, highs))
            dtype, magnitude = value.inputs[name].dtype, np.maximum(np.abs(low), np.abs(high))
            sizes[name] = np.abs(value.inputs[name])
            most[name] = Ends(magnitude, magnitude).outward(dtype)[1]
            distance = np.maximum(high - middle, middle - low)
            radii[name] = Ends(distance, distance).outward(dtype)[1]
    point = value.as_sums
    known, radius = np.ones(point.center.shape, bool), np.zeros(point.center.shape, Wide)
    for place, name in enumerate(value.multiplied):
        if name in inexact or not place:
            inputs = {**{other: sizes[other] for other in value.multiplied[:place]}, name: radii[name],
                      **{other: most[other] for other in value.multiplied[place + 1:]},
                      **{other: radii[other] * (not place) for other in value.addends if other in radii}}
            part = with_inputs(value, inputs).as_sums
            known &= part.finite
            radius += part.magnitude + part.certified_center
    at_most = with_inputs(value, most).as_sums
    name, = value.canonical
    _, eta, largest = (Wide(float(part)) for part in PRECISION[name_of(value.canonical[name].dtype)])
    known &= point.finite & at_most.finite & ~(at_most.magnitude + at_most.inexact_bound >= largest)
    room = (radius + at_most.inexact_bound + eta) * (1 + Wide(SLACK)) + point.certified_center
    ends = Ends.around(np.asarray(point.center), room).where(known)
    return {name: Ends(*(end.reshape(value.canonical[name].shape) for end in ends))}
