"""Calls generated in blocks for bulk work: those of a block differ in the values of X alone.

What depends on the attributes and shapes alone, such as building a model and laying out windows, is then done once for
`INPUTS` calls. The values of a block go through the recipes in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from plumbline.cases.flags import flags_of
from plumbline.cases.generate import FAMILIES, FURTHER, MANY_CHANNELS, RECIPES, clauses_about, dtypes_of
from plumbline.cases.model import Case, Expectation
from plumbline.oracle import Call, Spec, load_spec

INPUTS = 64
"""Calls in a block."""


@dataclass(frozen=True, eq=False)
class Block:
    """Calls that differ in the values of X alone.

    number:  of the block; its calls have the numbers from ``number * INPUTS`` on.
    call:    all of them as one: their X, one after another along the batch axis.
    recipes: from which the values of each were drawn.
    """

    spec: Spec
    seed: int
    number: int
    call: Call
    recipes: tuple[Callable[..., np.ndarray], ...]

    @cached_property
    def inputs(self) -> np.ndarray:
        """X of each call: ``(INPUTS, batch, channel, spatial axes ...)``."""
        x = self.call.inputs["X"]
        return x.reshape(INPUTS, -1, *x.shape[1:])

    def together(self, places: range) -> Call:
        """Some of the calls, which follow one another, as one: their X along the batch axis."""
        x = self.inputs[places.start:places.stop]
        return Call(self.call.operator, self.call.attributes, {"X": x.reshape(-1, *x.shape[2:])})

    def one(self, place: int) -> Call:
        """One of the calls."""
        return Call(self.call.operator, self.call.attributes, {"X": self.inputs[place]})

    def outline(self, place: int) -> Case:
        """One of the calls as a case that expects nothing yet and names no clauses."""
        call, number = self.one(place), self.number * INPUTS + place
        about = re.split("[:;.]", self.recipes[place].__doc__ or "")[0]
        return Case(f"block-{self.seed}-{number}", f"{about}, {call.inputs['X'].dtype.name}", self.spec.name,
                    self.spec.opset, call, Expectation(), (),
                    f"cases.blocks.block_case({self.spec.name!r}, seed={self.seed}, number={number})", flags_of(call))

    def case(self, place: int) -> Case:
        """One of the calls as a case."""
        outline = self.outline(place)
        return replace(outline, expectation=Expectation(outputs=self.spec.expected(outline.call)),
                       clauses=clauses_about(self.spec, outline.call, outline.flags))


def block(spec_name: str, *, seed: int, number: int) -> Block:
    """A block of valid calls, which depends on the seed and on its number alone. Raises SpecError for an unknown
    specification, LookupError for an operator that nothing here draws."""
    spec = load_spec(spec_name)
    if spec.operator not in RECIPES:
        raise LookupError(f"{spec_name}: no recipe draws inputs of {spec.operator}; there are some for "
                          f"{', '.join(RECIPES)}")
    rng = np.random.default_rng([seed, number, INPUTS])
    attributes, sizes = FAMILIES[spec.name.partition("/")[0]](rng, spec)
    dtypes, recipes = dtypes_of(spec), (*RECIPES[spec.operator], *FURTHER[spec.operator])
    dtype = np.dtype(dtypes[int(rng.integers(len(dtypes)))])
    planes = tuple(int(size) for size in rng.integers(1, 4, 2))
    if rng.random() < MANY_CHANNELS:
        planes = (planes[0], int(rng.integers(9, 41)))
    first = int(rng.integers(len(recipes)))
    chosen = tuple(recipes[(first + place) % len(recipes)] for place in range(INPUTS))
    with np.errstate(over="ignore"):
        x = np.concatenate([recipe(rng, planes + sizes, dtype) for recipe in chosen])
    return Block(spec, seed, number, Call(spec.operator, attributes, {"X": x}), chosen)


def block_case(spec_name: str, *, seed: int, number: int) -> Case:
    """The call of that number as a case. Raises what `block` raises."""
    return block(spec_name, seed=seed, number=number // INPUTS).case(number % INPUTS)


def block_cases(spec_name: str, *, seed: int, numbers: range) -> Iterator[Case]:
    """The calls of these numbers, which follow one another, as cases. Raises what `block` raises."""
    for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
        drawn, first = block(spec_name, seed=seed, number=number), number * INPUTS
        for place in range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS)):
            yield drawn.case(place)
