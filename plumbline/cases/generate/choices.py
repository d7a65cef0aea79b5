"""`Choose` implementations: seeded random, and led to given options.

`plumbline.oracle.choosing` replays recorded choices, and enumerates every call.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import accumulate
from math import inf, prod
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from plumbline.cases.generate.planting import plant_floats, plant_integers
from plumbline.cases.generate.value_recipes import FURTHER, RECIPES, Recipe, distinct, exact, fitting
from plumbline.oracle import Call, Spec
from plumbline.oracle.choosing import Maker, element_type
from plumbline.oracle.operator import Operator
from plumbline.oracle.size_classes import Named
from plumbline.oracle.terms import Terms

Option = TypeVar("Option")

PERIOD = 8
"""One call in so many has a recipe of `FURTHER` in its first tensor; these recipes take turns."""

FLATTENED = 0.5
"""The power to which `Dense` raises weights, so that a chance of 1 in 1,000 becomes one of some 1 in 30."""

ATTEMPTS, PLANTED_ATTEMPTS = 1000, 20
"""Draws without a valid call after which an operator definition is said to make none; and those of them that plant
values, since these may leave the domain."""


@cache
def _bounds(weights: tuple[float, ...]) -> tuple[float, ...]:
    total = sum(weights)
    return tuple(accumulate(weight / total for weight in weights))[:-1]


@cache
def _flattened(weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(weight ** FLATTENED for weight in weights)


class Tensor(NamedTuple):
    """A drawn tensor: the group of recipes, the recipe, the values, and how the operator adds them."""

    kind: str
    recipe: Recipe
    values: np.ndarray
    terms: Terms | None = None


class Draw:
    """Choose at random.

    taken:   the place of each choice so far.
    tensors: the tensors drawn so far.
    plants:  whether values are planted in tensors (see `planting`)."""

    plants = True

    def __init__(self, seed: Sequence[int], turn: int | None = None) -> None:
        self._rng = np.random.default_rng(list(seed))
        self._turn = turn
        self.taken: list[int] = []
        self.tensors: list[Tensor] = []

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """Return an option, each equally likely, or by weight."""
        chance = self._rng.random()
        place = int(chance * len(options)) if weights is None else bisect(_bounds(tuple(weights)), chance)
        self.taken.append(place)
        return options[place]

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Return a tensor of random values by a recipe of the group `kind`, a key of `RECIPES`.

        `terms` says how the operator adds the values: how many, and along which axes; None if it adds none."""
        element = element_type(dtype)
        recipes = fitting(RECIPES[kind], element)
        recipe = recipes[int(self._rng.random() * len(recipes))]
        if self._turn is not None and self._turn % PERIOD == PERIOD - 1 and not self.tensors:
            further = fitting(FURTHER[kind], element)
            recipe = further[self._turn // PERIOD % len(further)]
        values = self._drawn(kind, recipe, shape, element, terms)
        if self._turn is not None and self.plants:
            plant_floats(values, len(self.tensors) - 1, self._turn)
            if kind != "sum":  # where each sum would overflow
                plant_integers(values, len(self.tensors) - 1)
        return values

    def _drawn(self, kind: str, recipe: Recipe, shape: Sequence[int], element: np.dtype, terms: Terms | None
               ) -> np.ndarray:
        """Return values by a recipe, and remember them."""
        values = filled(recipe, self._rng, tuple(shape), element, terms)
        self.tensors.append(Tensor(kind, recipe, values, terms))
        return values


class Dense(Draw):
    """Choose at random, rare options more often: sizes at which kernels change their path."""

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """Return an option, by a root of its weight."""
        return super().__call__(options, None if weights is None else _flattened(tuple(weights)))


class Distinct(Draw):
    """Choose at random, with distinct values in every tensor."""

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Return distinct values, as far as the type has them."""
        return self._drawn(kind, distinct, shape, element_type(dtype), None)


class Led(Draw):
    """Choose at random, except for decided choices.

    Values reveal a wrong cell: they are distinct, and where they are added, their sums are exact in every order.
    Integers are planted in every other draw, since they may leave the domain.

    decided: options by the name of the choice.
    most:    elements that a tensor may have."""

    def __init__(self, seed: Sequence[int], decided: Mapping[str, Any], most: float = inf) -> None:
        super().__init__(seed)
        self._decided, self._most = decided, most
        self.plants = seed[-1] % 2 == 0
        self.options: dict[str, Sequence[Any]] = {}

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """Return the decided option, or one at random."""
        chosen = super().__call__(options, weights)
        if not isinstance(options, Named):
            return chosen
        self.options[options.name] = options
        return cast(Option, self._decided.get(options.name, chosen))

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Return distinct values, or such as have exact sums. Raises OverflowError for too many elements."""
        if prod(shape) > self._most:
            raise OverflowError(f"{prod(shape)} elements")
        (recipe,) = fitting((exact if kind == "sum" else distinct,), element_type(dtype))
        values = self._drawn(kind, recipe, shape, element_type(dtype), terms)
        if self.plants and kind != "sum":
            plant_integers(values, len(self.tensors) - 1)
        return values


def filled(recipe: Recipe, rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype,
           terms: Terms | None = None) -> np.ndarray:
    """Return an array filled by a recipe."""
    if 0 in shape:
        return np.zeros(shape, dtype)
    recipe = partial(exact, terms=terms) if recipe is exact and terms else recipe
    with np.errstate(over="ignore", invalid="ignore"):
        return recipe(rng, shape, dtype) if shape else recipe(rng, (1,), dtype).reshape(())


def maker(spec: Spec) -> Maker:
    """Return the function that makes calls of a specification from choices."""
    return spec.make


def makes_calls(spec: Spec) -> bool:
    """Return whether the operator definition of a specification makes calls."""
    return spec.definition.make.__func__ is not Operator.make.__func__  # type: ignore[attr-defined]


def drawn(spec: Spec, draw: Draw) -> Call:
    """Return the first valid call of a draw. Raises LookupError if the operator definition makes none."""
    for attempt in range(ATTEMPTS if makes_calls(spec) else 0):
        draw.plants = attempt < PLANTED_ATTEMPTS
        draw.tensors.clear()
        draw.taken.clear()
        call = spec.make(draw)
        if call is not None and not spec.violations(call):
            return call
    raise LookupError(f"{spec.name}: its operator definition makes no valid calls; write `make`")
