"""Derive traits of a call: sizes, ranks, given inputs and attributes.

A trait is the phrase that a report shows. The author of a definition chooses its flags; traits are derived from what a
record has of each call.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any

BLOCKS = (4, 8, 16)
"""Lanes of vectors: elements behind the last whole block need code of their own."""

COUNTS = tuple(2 ** power for power in range(3, 17))
"""Elements that buffers, and the shares of threads, have."""

AXES = {"first": 0, "second": 1, "last": -1, "last but one": -2}

HELD = {"nan": "NaN", "infinite": "an infinity", "subnormal": "a subnormal number",
        "lowest": "the lowest number of its type, or -inf", "largest": "the largest finite number of its type"}
"""Flags about values of any input, and what the input holds."""

KINDS = {"negative": "negative number or -0", "fraction": "fraction", "nonzero": "number other than 0"}
"""Kinds of numbers among the values of a tensor, and their names."""

LONGEST = 40
"""Characters of a value of an attribute that a trait names: graphs are longer."""

Shape = Sequence[int]


def traits_of(inputs: Mapping[str, str], outputs: Mapping[str, str], attributes: Mapping[str, Any],
              flags: Iterable[str] = (), kinds: Mapping[str, Iterable[str]] | None = None) -> list[str]:
    """Return the traits of a call, the more general ones first.

    Tensors are described by type and shape: "int8[2, 3]"."""
    return list(dict.fromkeys([
        *_of_values(flags), *_of_kinds(inputs, kinds or {}), *_of_types(inputs, outputs), *_of_attributes(attributes),
        *_of_inputs({name: _shape(tensor) for name, tensor in inputs.items()}),
        *_of_outputs({name: _shape(tensor) for name, tensor in outputs.items()})]))


def _shape(tensor: str) -> Shape:
    return [int(size) for size in re.findall(r"\d+", tensor.partition("[")[2])]


def _of_values(flags: Iterable[str]) -> Iterator[str]:
    for flag in flags:
        value = flag.partition("-in-")[0]
        if value in HELD:
            yield f"an input holds {HELD[value]}"


def _of_kinds(inputs: Collection[str], kinds: Mapping[str, Iterable[str]]) -> Iterator[str]:
    # that of one input first: it says more where both hold for the same calls
    yield from (f"{name} holds a {KINDS[kind]}" for name, of_tensor in kinds.items() for kind in of_tensor)
    if len(inputs) > 1:
        yield from (f"an input holds a {KINDS[kind]}" for name in inputs for kind in kinds.get(name, ()))


def _of_types(inputs: Mapping[str, str], outputs: Mapping[str, str]) -> Iterator[str]:
    for tensor in [*inputs.values(), *outputs.values()]:
        yield f"the call has a tensor of {tensor.partition('[')[0]}"
    for name, tensor in [*inputs.items(), *outputs.items()]:
        yield f"{name} is of {tensor.partition('[')[0]}"


def _of_attributes(attributes: Mapping[str, Any]) -> Iterator[str]:
    for name, value in attributes.items():
        yield f"the call has {name}"
        numbers = value if isinstance(value, list) else [value]
        if any(isinstance(number, int | float) and number < 0 for number in numbers):
            yield f"the call has a negative {name}"
        if len(set(map(repr, numbers))) > 1:
            yield f"the call has a {name} with different entries"
        if isinstance(value, int | str | float) and len(str(value)) <= LONGEST:
            yield f"the call has {name}={value}"


def _of_inputs(inputs: Mapping[str, Shape]) -> Iterator[str]:
    shapes = [tuple(shape) for shape in inputs.values()]
    for name in inputs:
        yield f"the call has {name}"
    for number in range(2, min(len(inputs), 4) + 1):
        yield f"the call has {number} inputs or more"
    if len(set(shapes)) > 1:
        yield "the call has inputs of different shapes"
    if len(set(map(len, shapes))) > 1:
        yield "the call has inputs of different ranks"
    if len(shapes) > 1 and len(set(shapes)) == 1:
        yield "the call has inputs of one shape"
    if any(not shape for shape in shapes):
        yield "the call has an input without axes"
    if any(0 in shape for shape in shapes):
        yield "the call has an input without elements"
    if any(shape and shape[0] > 1 for shape in shapes):
        yield "the call has an input with a first axis of 2 or more"
    for name, shape in [*zip(inputs, shapes, strict=True)][:2]:
        yield f"{name} has {_axes(len(shape))}"
        yield from (f"{name} has {what}" for what in _lengths(shape))


def _of_outputs(outputs: Mapping[str, Shape]) -> Iterator[str]:
    """Yield the traits of the shapes of outputs, by name of output."""
    shapes = [tuple(shape) for shape in outputs.values()]
    sizes = list(map(prod, shapes))
    for least in range(1, max(map(len, shapes), default=0) + 1):
        yield f"an output has {least} {'axis' if least == 1 else 'axes'} or more"
    for length in sorted(set(map(len, shapes))):
        yield f"an output has {_axes(length)}"
    if 0 in sizes:
        yield "an output has no elements"
    if any(1 in shape for shape in shapes):
        yield "an output has an axis of 1"
    for what in dict.fromkeys(what for shape in shapes for what in _lengths(shape)):
        yield f"an output has {what}"
    for count in COUNTS:
        if max(sizes, default=0) > count:
            yield f"an output has more than {count:,} elements"
    for name, lengths in {"number of elements": sizes, **{
            f"{name} axis": [shape[axis] for shape in shapes if len(shape) > max(axis, -axis - 1)]
            for name, axis in AXES.items()}}.items():
        for block in BLOCKS:
            if any(length > block and length % block for length in lengths):
                yield f"an output has a {name} above {block}, no multiple of it"


def _lengths(shape: Shape) -> Iterator[str]:
    if prod(shape) > 1:
        yield "two elements or more"
    if 0 not in shape and sum(size > 1 for size in shape) > 1:
        yield "two axes of 2 or more"
    for name, axis in AXES.items():
        if len(shape) > max(axis, -axis - 1) and shape[axis] > 1:
            yield f"a {name} axis of 2 or more"


def _axes(count: int) -> str:
    return {0: "no axes", 1: "1 axis"}.get(count, f"{count} axes")
