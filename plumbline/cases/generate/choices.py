"""`Choose` implementations: seeded random, and led to chosen options.

`oracle.choosing` has the replay of recorded choices and the enumeration of every call.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import accumulate
from math import inf, prod
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from plumbline.cases.generate.value_recipes import FURTHER, RECIPES, Recipe, distinct, exact, fitting
from plumbline.oracle import Call, Spec
from plumbline.oracle.choosing import Maker, element_type
from plumbline.oracle.operator import Operator
from plumbline.oracle.size_classes import Named
from plumbline.oracle.terms import Terms

Option = TypeVar("Option")

PERIOD = 8
"""The first tensor of the last of so many calls has one of the further recipes, each in turn."""

FLATTENED = 0.5
"""The power of its weight by which an option is drawn where rare ones are wanted: one in a thousand becomes one in 30.
"""

ATTEMPTS = 1000
"""Calls that are drawn in vain before a maker is held to make none."""


@cache
def _bounds(weights: tuple[float, ...]) -> tuple[float, ...]:
    total = sum(weights)
    return tuple(accumulate(weight / total for weight in weights))[:-1]


@cache
def _flattened(weights: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(weight ** FLATTENED for weight in weights)


class Tensor(NamedTuple):
    """A tensor that was drawn: the group of recipes, the recipe, the values, and how they are added."""

    kind: str
    recipe: Recipe
    values: np.ndarray
    terms: Terms | None = None


class Draw:
    """Chooses at random.

    taken:   the place of each choice so far.
    tensors: those drawn so far."""

    def __init__(self, seed: Sequence[int], turn: int | None = None) -> None:
        self._rng = np.random.default_rng(list(seed))
        self._turn = turn
        self.taken: list[int] = []
        self.tensors: list[Tensor] = []

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """One of the options, each equally often, or by weight."""
        chance = self._rng.random()
        place = int(chance * len(options)) if weights is None else bisect(_bounds(tuple(weights)), chance)
        self.taken.append(place)
        return options[place]

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Values by a recipe of the group."""
        element = element_type(dtype)
        recipes = fitting(RECIPES[kind], element)
        recipe = recipes[int(self._rng.random() * len(recipes))]
        if self._turn is not None and self._turn % PERIOD == PERIOD - 1 and not self.tensors:
            further = fitting(FURTHER[kind], element)
            recipe = further[self._turn // PERIOD % len(further)]
        found = filled(recipe, self._rng, tuple(shape), element, terms)
        self.tensors.append(Tensor(kind, recipe, found, terms))
        return found


class Dense(Draw):
    """Chooses at random, what is rare more often than it is worth: sizes at which kernels change their path."""

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """One of the options, by a root of its weight."""
        return super().__call__(options, None if weights is None else _flattened(tuple(weights)))


class Distinct(Draw):
    """Chooses at random, and has distinct values in every tensor."""

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Distinct while the type has room."""
        found = filled(distinct, self._rng, tuple(shape), element_type(dtype))
        self.tensors.append(Tensor(kind, distinct, found))
        return found


class Led(Draw):
    """Chooses at random, but for the choices whose names are decided, and has values that show a wrong cell: distinct
    ones, and, where they are added, ones whose sums are exact in every order."""

    def __init__(self, seed: Sequence[int], decided: Mapping[str, Any], most: float = inf) -> None:
        super().__init__(seed)
        self._decided, self._most = decided, most
        self.options: dict[str, Sequence[Any]] = {}

    def __call__(self, options: Sequence[Option], weights: Sequence[float] | None = None) -> Option:
        """One of the options, or what is decided."""
        chosen = super().__call__(options, weights)
        if not isinstance(options, Named):
            return chosen
        self.options[options.name] = options
        return cast(Option, self._decided.get(options.name, chosen))

    def tensor(self, shape: Sequence[int], dtype: str, kind: str, terms: Terms | None = None) -> np.ndarray:
        """Values by one recipe of the group. Raises OverflowError for more elements than there may be."""
        if prod(shape) > self._most:
            raise OverflowError(f"{prod(shape)} elements")
        (recipe,) = fitting((exact if kind == "sum" else distinct,), element_type(dtype))
        found = filled(recipe, self._rng, tuple(shape), element_type(dtype), terms)
        self.tensors.append(Tensor(kind, recipe, found, terms))
        return found


def filled(recipe: Recipe, rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype,
           terms: Terms | None = None) -> np.ndarray:
    """An array of a recipe; an empty one where the shape has room for none."""
    if 0 in shape:
        return np.zeros(shape, dtype)
    recipe = partial(exact, terms=terms) if recipe is exact and terms else recipe
    with np.errstate(over="ignore", invalid="ignore"):
        return recipe(rng, shape, dtype) if shape else recipe(rng, (1,), dtype).reshape(())


def maker(spec: Spec) -> Maker:
    """What makes the calls of a specification."""
    return lambda choose: spec.definition.make(choose, spec.opset)


def makes_calls(spec: Spec) -> bool:
    """Whether the definition of a specification has a maker."""
    return spec.definition.make.__func__ is not Operator.make.__func__  # type: ignore[attr-defined]


def drawn(spec: Spec, draw: Draw) -> Call:
    """The first valid call of a draw. Raises LookupError where the definition of the specification makes none."""
    for _ in range(ATTEMPTS if makes_calls(spec) else 0):
        draw.tensors.clear()
        draw.taken.clear()
        call = spec.definition.make(draw, spec.opset)
        if call is not None and not spec.violations(call):
            return call
    raise LookupError(f"{spec.name}: its definition makes no valid calls; write `make`")
