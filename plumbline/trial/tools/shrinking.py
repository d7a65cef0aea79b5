"""Makes a call smaller, a step at a time, as long as something that is asked of it stays true.

A step takes away an attribute, an optional input, or a part of an axis of one input or of all that share its size;
brings a number of an attribute nearer to what does least; or puts a plain number in the place of an element. The
definition of the operator adds steps that need several changes at once. Every step makes a call smaller by `weight`, so
that there is an end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from plumbline.oracle import Call, OutsideDomain, Spec

PLAIN = (0, 1)
"""Numbers that are put in the place of an element, the plainest first."""


def smallest(spec: Spec, call: Call, holds: Callable[[Call], bool], attempts: int) -> Call:
    """A call of which `holds` is true and of no call one step smaller, starting from one of which it is; the smallest
    found when `attempts` questions are asked."""
    found = True
    while found:
        found = False
        for candidate in smaller(spec, call):
            if attempts == 0:
                return call
            attempts -= 1
            if holds(candidate):
                call, found = candidate, True
                break
    return call


def smaller(spec: Spec, call: Call) -> Iterator[Call]:
    """The calls one step smaller, the largest steps first."""
    heavy = weight(spec, call)
    return (candidate for candidate in _steps(spec, call) if weight(spec, candidate) < heavy)


def weight(spec: Spec, call: Call) -> tuple[int, int, int]:
    """How large a call is: elements and sizes of its inputs and numbers of its attributes together; then inputs and
    attributes; then the elements that are not plain."""
    numbers = sum(abs(item - spec.definition.neutral.get(name, 0)) for name, value in call.attributes.items()
                  for item in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(item, int))
    size = sum(array.size + sum(array.shape) for array in call.inputs.values())
    plainness = sum(len(PLAIN) * array.size - sum((len(PLAIN) - place) * int(np.count_nonzero(array == value))
                                                  for place, value in enumerate(PLAIN))
                    for array in call.inputs.values())
    return size + numbers, len(call.attributes) + len(call.inputs), plainness


def _steps(spec: Spec, call: Call) -> Iterator[Call]:
    try:
        yield from spec.judged(call).definition.shrink_candidates()
    except OutsideDomain:
        pass  # a call that no definition can read, such as one that crashes a backend, shrinks by the steps below
    yield from (_with_inputs(call, inputs) for inputs in _fewer_inputs(spec, call.inputs))
    yield from (_with_inputs(call, {**call.inputs, **part}) for part in _parts(call.inputs))
    for name in call.attributes:
        yield _with_attributes(call, {other: value for other, value in call.attributes.items() if other != name})
    for name, value in call.attributes.items():
        for other in _nearer(value, spec.definition.neutral.get(name, 0)):
            yield _with_attributes(call, {**call.attributes, name: other})
    for name, array in call.inputs.items():
        yield from (_with_inputs(call, {**call.inputs, name: plainer}) for plainer in _plainer(array))


def _fewer_inputs(spec: Spec, inputs: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """Without an optional input, or without the last of a variadic one."""
    last = next(reversed(inputs), "")
    for name in inputs:
        if name in spec.optional_inputs or spec.variadic_input and name == last and len(inputs) > 1:
            yield {other: array for other, array in inputs.items() if other != name}


def _parts(inputs: Mapping[str, np.ndarray]) -> Iterator[dict[str, np.ndarray]]:
    """Either half of an input along an axis, then all but one end; the same of every axis of one size at once, since
    sizes of several inputs often have to agree."""
    for name, array in inputs.items():
        for axis, size in enumerate(array.shape):
            for kept in dict.fromkeys([size // 2, size - 1]):
                if 0 < kept < size:
                    yield {name: array.take(range(kept), axis)}
                    yield {name: array.take(range(size - kept, size), axis)}
    sizes = [size for array in inputs.values() for size in array.shape if size > 1]
    for size in (size for size in dict.fromkeys(sizes) if sizes.count(size) > 1):
        for kept in dict.fromkeys([size // 2, size - 1]):
            yield {name: array[tuple(slice(kept if of == size else None) for of in array.shape)]
                   for name, array in inputs.items()}


def _nearer(value: Any, least: int) -> Iterator[Any]:
    """A number, or one element of a list, at its least, halfway to it, or one nearer to it."""
    if isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1:]] for other in _nearer(item, least))
    elif isinstance(value, int) and not isinstance(value, bool):
        step = 1 if value > least else -1
        yield from dict.fromkeys(other for other in (least, (value + least) // 2, value - step)
                                 if abs(other - least) < abs(value - least))
    elif isinstance(value, float) and value not in PLAIN:
        yield 1.0


def _plainer(array: np.ndarray) -> Iterator[np.ndarray]:
    """All elements at the plainest number, then one of them at a plain one."""
    if np.any(array != PLAIN[0]):
        yield np.full_like(array, PLAIN[0])
    for place, value in enumerate(array.ravel().tolist()):
        for number in PLAIN[:PLAIN.index(value)] if value in PLAIN else PLAIN:
            changed = array.copy()
            changed.flat[place] = number
            yield changed


def _with_inputs(call: Call, inputs: Mapping[str, np.ndarray]) -> Call:
    return Call(call.operator, call.attributes, inputs, call.outputs)


def _with_attributes(call: Call, attributes: Mapping[str, Any]) -> Call:
    return Call(call.operator, attributes, call.inputs, call.outputs)
