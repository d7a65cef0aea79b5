"""Calls generated in blocks for bulk work: those of a block differ in the values of their tensors alone.

What depends on the attributes and shapes alone, such as building a model and laying out windows, is then done once for
`INPUTS` calls. The values of a block go through the recipes in turn. Where calls can be laid together along the first
axis of one input, they differ in that input alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.generate.choices import Draw, Tensor, drawn, filled
from plumbline.cases.generate.seeded import made_case, title
from plumbline.cases.generate.value_recipes import FURTHER, RECIPES, fitting
from plumbline.oracle import Call, Spec, load_spec

INPUTS = 64
"""Calls in a block."""


@dataclass(frozen=True, eq=False)
class Block:
    """Calls that differ in the values of their tensors alone.

    number:  of the block; its calls have the numbers from ``number * INPUTS`` on.
    call:    the first of them.
    inputs:  those of each call.
    tensors: for each call the tensors drawn for it.
    """

    spec: Spec
    seed: int
    number: int
    call: Call
    inputs: tuple[Mapping[str, np.ndarray], ...]
    tensors: tuple[tuple[Tensor, ...], ...]

    def one(self, place: int) -> Call:
        """One of the calls."""
        return Call(self.call.operator, self.call.attributes, self.inputs[place])

    def together(self, places: range) -> Call | None:
        """Some of the calls, which follow one another, as one; None where they cannot be laid together."""
        name = self.spec.definition.stacked_input
        if name is None or name not in self.call.inputs:
            return None
        laid = np.concatenate([self.inputs[place][name] for place in places])
        return Call(self.call.operator, self.call.attributes, {**self.call.inputs, name: laid})

    def outline(self, place: int) -> Case:
        """One of the calls as a case that expects nothing yet and names no clauses."""
        call = self.one(place)
        return Case(*self._names(place, call), self.spec.name, self.spec.opset, call, Expectation(), (),
                    self._source(place), flags_of(self.spec, call))

    def case(self, place: int) -> Case:
        """One of the calls as a case."""
        call = self.one(place)
        return made_case(self.spec, *self._names(place, call), call, self._source(place))

    def _names(self, place: int, call: Call) -> tuple[str, str]:
        return f"block-{self.seed}-{self.number * INPUTS + place}", title(call, self.tensors[place])

    def _source(self, place: int) -> str:
        number = self.number * INPUTS + place
        return f"cases.blocks.block_case({self.spec.name!r}, seed={self.seed}, number={number})"


def block(spec_name: str, *, seed: int, number: int) -> Block:
    """A block of valid calls, which depends on the seed and on its number alone. Raises SpecError for an unknown
    specification, LookupError for an operator that nothing here draws."""
    spec, draw = load_spec(spec_name), Draw((seed, number, INPUTS))
    call = drawn(spec, draw)
    found = {name: tensor for name, array in call.inputs.items() for tensor in draw.tensors if tensor.values is array}
    changing = {name: tensor for name, tensor in found.items() if spec.definition.stacked_input in (None, name)}
    rng, first = np.random.default_rng((seed, number, INPUTS, 1)), number * 7
    inputs, tensors = [dict(call.inputs)], [tuple(changing.values())]
    for place in range(1, INPUTS):
        again = {}
        for name, (kind, _, values, terms) in changing.items():
            recipes = fitting((*RECIPES[kind], *FURTHER[kind]), values.dtype)
            recipe = recipes[(first + place) % len(recipes)]
            again[name] = Tensor(kind, recipe, filled(recipe, rng, values.shape, values.dtype, terms), terms)
        values = {**call.inputs, **{name: tensor.values for name, tensor in again.items()}}
        same = (spec.definition.stacked_input in again
                or not spec.violations(Call(call.operator, call.attributes, values)))
        inputs.append(values if same else dict(call.inputs))
        tensors.append(tuple(again.values()) if same else tensors[0])
    return Block(spec, seed, number, call, tuple(inputs), tuple(tensors))


def block_case(spec_name: str, *, seed: int, number: int) -> Case:
    """The call of that number as a case. Raises what `block` raises."""
    return block(spec_name, seed=seed, number=number // INPUTS).case(number % INPUTS)


def block_cases(spec_name: str, *, seed: int, numbers: range) -> Iterator[Case]:
    """The calls of these numbers, which follow one another, as cases. Raises what `block` raises."""
    for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
        found, first = block(spec_name, seed=seed, number=number), number * INPUTS
        for place in range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS)):
            yield found.case(place)
