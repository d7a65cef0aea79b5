"""Generate blocks of calls that differ only in the values of tensors.

What depends on attributes and shapes, such as building a model or the geometry of windows, is then done once for
`INPUTS` calls. The values of a block go through the recipes in turn. If the calls can be stacked along the first axis
of an input, they differ in that input only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from plumbline.cases.format.case import Case, Expectation
from plumbline.cases.format.flags import flags_of
from plumbline.cases.generate.choices import Draw, Tensor, drawn, filled
from plumbline.cases.generate.seeded import made_case, title
from plumbline.cases.generate.value_recipes import FURTHER, RECIPES, fitting
from plumbline.oracle import Call, OutsideDomain, Spec, TooLarge, load_spec

INPUTS = 8
"""Calls in a block.

Many faults need a shape that few calls have. With 8 instead of 64, a campaign tries eight times as many shapes, and
needs some 1.2 times the processor time (1.1 to 3 times with the backend in the process of the suite).
"""


@dataclass(frozen=True, eq=False)
class Block:
    """Calls that differ only in the values of their tensors.

    number:  the number of the block; its calls have the numbers from ``number * INPUTS`` on.
    call:    the first call.
    inputs:  the inputs of each call.
    tensors: the tensors drawn for each call.
    """

    spec: Spec
    seed: int
    number: int
    call: Call
    inputs: tuple[Mapping[str, np.ndarray], ...]
    tensors: tuple[tuple[Tensor, ...], ...]

    def call_at(self, place: int) -> Call:
        """Return the call at a place in the block."""
        return replace(self.call, inputs=self.inputs[place])

    def together(self, places: range) -> Call | None:
        """Return successive calls stacked in one, None if they cannot be stacked."""
        name = self.spec.definition.stacked_input
        if name is None or name not in self.call.inputs:
            return None
        stacked = np.concatenate([self.inputs[place][name] for place in places])
        return replace(self.call, inputs={**self.call.inputs, name: stacked})

    def outline(self, place: int) -> Case:
        """Return a call as a case without expectation and clauses."""
        call = self.call_at(place)
        return Case(*self._names(place, call), self.spec.name, self.spec.opset, call, Expectation(), (),
                    self._source(place), flags_of(self.spec, call))

    def case(self, place: int) -> Case:
        """Return a call as a case."""
        call = self.call_at(place)
        return made_case(self.spec, *self._names(place, call), call, self._source(place))

    def _names(self, place: int, call: Call) -> tuple[str, str]:
        return f"block-{self.seed}-{self.number * INPUTS + place}", title(call, self.tensors[place])

    def _source(self, place: int) -> str:
        number = self.number * INPUTS + place
        return f"plumbline.cases.generate.blocks.block_case({self.spec.name!r}, seed={self.seed}, number={number})"


def block(spec_name: str, *, seed: int, number: int) -> Block:
    """Return a block of valid calls, which depends only on the seed and its number.

    Raises SpecError for an unknown specification, LookupError for an operator whose definition makes no calls."""
    spec, draw = load_spec(spec_name), Draw((seed, number, INPUTS))
    call = drawn(spec, draw)
    changing = {name: tensor for name, array in call.inputs.items() for tensor in draw.tensors
                if tensor.values is array and spec.definition.stacked_input in (None, name)}
    rng, first = np.random.default_rng((seed, number, INPUTS, 1)), number * 7
    inputs, tensors = [dict(call.inputs)], [tuple(changing.values())]
    for place in range(1, INPUTS):
        redrawn = {}
        for name, (kind, _, values, terms) in changing.items():
            recipes = fitting((*RECIPES[kind], *FURTHER[kind]), values.dtype)
            recipe = recipes[(first + place) % len(recipes)]
            redrawn[name] = Tensor(kind, recipe, filled(recipe, rng, values.shape, values.dtype, terms), terms)
        changed = {**call.inputs, **{name: tensor.values for name, tensor in redrawn.items()}}
        valid = spec.definition.stacked_input in redrawn or _is_judged(spec, replace(call, inputs=changed))
        inputs.append(changed if valid else dict(call.inputs))
        tensors.append(tuple(redrawn.values()) if valid else tensors[0])
    return Block(spec, seed, number, call, tuple(inputs), tuple(tensors))


def _is_judged(spec: Spec, call: Call) -> bool:
    """Return True for a valid call whose outputs are not too large to be judged."""
    try:
        return spec.judged(call).decided is not None  # asking raises for outputs that are too large
    except (OutsideDomain, TooLarge):
        return False


def block_case(spec_name: str, *, seed: int, number: int) -> Case:
    """Return the call of a number as a case. Raises what `block` raises."""
    return block(spec_name, seed=seed, number=number // INPUTS).case(number % INPUTS)


def block_cases(spec_name: str, *, seed: int, numbers: range) -> Iterator[Case]:
    """Yield the calls of successive numbers as cases. Raises what `block` raises."""
    for number in range(numbers.start // INPUTS, -(-numbers.stop // INPUTS)):
        calls, first = block(spec_name, seed=seed, number=number), number * INPUTS
        for place in range(max(numbers.start - first, 0), min(numbers.stop - first, INPUTS)):
            yield calls.case(place)
