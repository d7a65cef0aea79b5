"""Limit the sizes of outputs that are judged."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from plumbline.oracle.answers import TooLarge
from plumbline.oracle.call import Call
from plumbline.oracle.definition import Operator

SMALL = 2**9
"""Elements of all inputs up to which an output is not asked for its size: it is hardly ever large."""

WHOLE = 2**28
"""Elements of the largest output that is judged, where it cannot be cut."""

ANY = 2**30
"""Elements of the largest output that is judged at all: no answer is read that has more bytes."""

AXES = 32
"""Of an array: numpy broadcasts no more, and no answer has more."""


def checked_size(definition: Operator, outputs: Sequence[str]) -> Operator:
    """The definition of a call inside the domain, of which these outputs are asked for. Raises TooLarge."""
    for name in outputs:
        shape = definition.shape_of(name)
        few = prod(filter(None, shape)) <= WHOLE or len(outputs) > 1 or size_of_inputs(definition.call) <= SMALL
        holdable(name, shape, WHOLE if few or all(shape[axis] < 2 for axis in definition.slices()) else ANY)
    return definition


def holdable(name: str, shape: Sequence[int], most: int = WHOLE) -> None:
    """Raise TooLarge for an output with more than `most` elements or too many axes.

    Empty axes do not count, since intermediate results may have the others. `name` is the output's, for the message."""
    if len(shape) > AXES:
        raise TooLarge(f"{name} has {len(shape)} axes, and at most {AXES} are judged")
    size = prod(filter(None, shape))
    if size > most:
        counted = "elements, were no axis empty" if 0 in shape else "elements"
        raise TooLarge(f"{name} has shape {list(shape)}: {size:,} {counted}, and at most {most:,} are judged")


def size_of_inputs(call: Call) -> int:
    """The elements of all inputs of a call."""
    return sum(tensor.size for tensor in call.inputs.values())
