"""Makes a call smaller, a step at a time, as long as something that is asked of it stays true.

A step takes away an attribute, a batch, a channel, a spatial axis or a part of one; brings an element of a list nearer
to what does least, alone or with a shorter axis; or puts a plain number in the place of an element of X. Every step
makes a call smaller by `weight`, so that there is an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from plumbline.oracle import Call
from plumbline.oracle.families.attributes import integers

LEAST = {"kernel_shape": 1, "strides": 1, "dilations": 1, "pads": 0}
"""The element of each list that does least."""

PLAIN = (0, 1)
"""Numbers that are put in the place of an element of X, the plainest first."""

ROOM = 4
"""Places by which an axis is shortened when an element of a list for it does less."""

Parts = tuple[dict[str, Any], np.ndarray]
"""The attributes of a call, and X."""


def smallest(call: Call, holds: Callable[[Call], bool], attempts: int) -> Call:
    """A call of which `holds` is true and of no call one step smaller, starting from one of which it is; the smallest
    found when `attempts` questions are asked."""
    left = attempts
    found = True
    while found:
        found = False
        for candidate in smaller(call):
            if left == 0:
                return call
            left -= 1
            if holds(candidate):
                call, found = candidate, True
                break
    return call


def smaller(call: Call) -> Iterator[Call]:
    """The calls one step smaller, the largest steps first."""
    x = call.inputs["X"]
    for attributes, smaller_x in _steps(dict(call.attributes), x):
        yield Call(call.operator, attributes, {"X": smaller_x}, call.outputs)


def weight(call: Call) -> tuple[int, int, int]:
    """How large a call is: elements of X and numbers of attributes together, then attributes, then the elements of X
    that are not plain."""
    x = call.inputs["X"]
    numbers = sum(abs(value - LEAST[name]) for name in LEAST for value in _list(call.attributes, name))
    plainness = sum(PLAIN.index(value) if value in PLAIN else len(PLAIN) for value in x.ravel().tolist())
    return x.size + numbers + sum(x.shape), len(call.attributes), plainness


def _steps(attributes: dict[str, Any], x: np.ndarray) -> Iterator[Parts]:
    for axis in range(2, x.ndim if x.ndim > 3 else 2):
        yield from _without_axis(attributes, x, axis)
    for axis in range(x.ndim):
        yield from ((attributes, part) for part in _parts_along(x, axis))
    for name in attributes:
        yield {other: value for other, value in attributes.items() if other != name}, x
    for name, least in LEAST.items():
        yield from ((changed, x) for changed in _nearer(attributes, name, least))
    for name in ("kernel_shape", "strides", "dilations"):
        yield from _with_shorter_axis(attributes, x, name)
    yield from ((attributes, plainer) for plainer in _plainer(x))


def _without_axis(attributes: Mapping[str, Any], x: np.ndarray, axis: int) -> Iterator[Parts]:
    """Without one spatial axis: the first and the last plane across it, and no element of the lists for it."""
    place, rank = axis - 2, x.ndim - 2
    changed = {name: [element for number, element in enumerate(value) if number % rank != place]
               if _list(attributes, name) and name in LEAST else value for name, value in attributes.items()}
    for index in dict.fromkeys([0, x.shape[axis] - 1]) if x.shape[axis] else ():
        yield changed, x.take(index, axis)


def _parts_along(x: np.ndarray, axis: int) -> Iterator[np.ndarray]:
    """Either half along an axis, then all but one end."""
    size = x.shape[axis]
    for kept in dict.fromkeys([size // 2, size - 1]):
        if 0 < kept < size:
            yield x.take(range(kept), axis)
            yield x.take(range(size - kept, size), axis)


def _nearer(attributes: Mapping[str, Any], name: str, least: int) -> Iterator[dict[str, Any]]:
    """One element of a list at its least, then one nearer to it."""
    values = _list(attributes, name)
    for place, value in enumerate(values):
        for other in dict.fromkeys([least, value - 1]):
            if least <= other < value:
                yield {**attributes, name: [*values[:place], other, *values[place + 1:]]}


def _with_shorter_axis(attributes: Mapping[str, Any], x: np.ndarray, name: str) -> Iterator[Parts]:
    """One element of a list less by one, and its axis shorter at its end: a stride often needs the whole axis."""
    values = _list(attributes, name)
    for axis in range(2, x.ndim if len(values) == x.ndim - 2 else 2):
        place, value = axis - 2, values[axis - 2]
        for size in range(max(x.shape[axis] - ROOM, 1), x.shape[axis] if value > LEAST[name] else 0):
            yield {**attributes, name: [*values[:place], value - 1, *values[place + 1:]]}, x.take(range(size), axis)


def _list(attributes: Mapping[str, Any], name: str) -> tuple[int, ...]:
    """A list of ints; () where it is absent or malformed."""
    return integers(attributes.get(name)) or ()


def _plainer(x: np.ndarray) -> Iterator[np.ndarray]:
    """All elements at the plainest number, then one of them at a plain one."""
    if np.any(x != PLAIN[0]):
        yield np.full_like(x, PLAIN[0])
    for place, value in enumerate(x.ravel().tolist()):
        for number in PLAIN[:PLAIN.index(value)] if value in PLAIN else PLAIN:
            changed = x.copy()
            changed.flat[place] = number
            yield changed
