"""Read calls of recurrent layers, in each reading that specifications allow."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.activations import ACTIVATIONS
from plumbline.oracle.operator import Operator, Unspecified
from plumbline.oracle.rounding import Wide

DIRECTIONS = ("forward", "reverse", "bidirectional")


class RecurrentCall(Operator):
    """A call of a recurrent layer, in one reading."""

    family = "Recurrent layers"
    exact = False

    gates: ClassVar[int]
    """The number of gates that W and R have."""

    activations: ClassVar[tuple[str, ...]]
    """The default functions of one direction."""

    states: ClassVar[tuple[str, ...]] = ("initial_h",)
    last: ClassVar[tuple[str, ...]] = ("Y_h",)
    """The inputs that states begin with, and the outputs that they end in."""

    untransposed: ClassVar[tuple[int, ...]] = (1,)
    """The versions whose equations multiply by R and not by its transpose."""

    of_functions: ClassVar[int] = 0
    """The units in the last place that a function may be off, where the text says how many."""

    without_defaults: ClassVar[tuple[int, ...]] = ()
    """The versions that say nothing of the defaults of scalings."""

    taken: Mapping[str, Any] = MappingProxyType({})
    """By name of `options` the reading taken, where it is not the first."""

    # What a call is made of

    @property
    def x(self) -> np.ndarray:
        """X."""
        return self.inputs["X"]

    @cached_property
    def batch_first(self) -> bool:
        """True if the batch is the first axis of X."""
        return bool(self.attribute("layout") == 1)

    @cached_property
    def directions(self) -> int:
        """The number of directions."""
        return 2 if self.attributes.get("direction") == "bidirectional" else 1

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Steps, batch, elements of X, neurons."""
        first, second, inputs = self.x.shape
        steps, batch = (second, first) if self.batch_first else (first, second)
        return steps, batch, inputs, self.inputs["R"].shape[-1] if self.inputs["R"].ndim else 0

    def shape_of_input(self, name: str) -> tuple[int, ...]:
        """The shape that the text gives an input."""
        (_, batch, inputs, hidden), directions = self.sizes, self.directions
        if name in self.states:
            return (batch, directions, hidden) if self.batch_first else (directions, batch, hidden)
        return {"W": (directions, self.gates * hidden, inputs), "R": (directions, self.gates * hidden, hidden),
                "B": (directions, 2 * self.gates * hidden), "P": (directions, 3 * hidden),
                "sequence_lens": (batch,)}[name]

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the shape of an output, by the layout."""
        (steps, batch, _, hidden), directions = self.sizes, self.directions
        if output == "Y":
            return (batch, steps, directions, hidden) if self.batch_first else (steps, directions, batch, hidden)
        return (batch, directions, hidden) if self.batch_first else (directions, batch, hidden)

    @property
    def lengths(self) -> np.ndarray:
        """The lengths of the sequences."""
        steps, batch, *_ = self.sizes
        return np.asarray(self.inputs.get("sequence_lens", np.full(batch, steps)), np.int64)

    @cached_property
    def threshold(self) -> Wide:
        """The attribute `clip`; an infinity where it is not set."""
        with np.errstate(over="ignore"):
            return Wide(np.float32(self.attributes.get("clip", np.inf)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the activations, those of both directions."""
        given = self.attributes.get("activations", self.activations * self.directions)
        return tuple(map(str, given)) if isinstance(given, (list, tuple)) else (str(given),)

    def scalings(self, of_each: bool) -> list[tuple[float, float]]:
        """Return alpha and beta of each activation, NaN for none.

        `of_each`: the attributes have an entry for each activation, not only for those with a scaling."""
        columns: list[list[float]] = [[], []]
        for which, attribute in enumerate(("activation_alpha", "activation_beta")):
            given = list(self.attributes.get(attribute, ()))
            for name in self.names:
                default = ACTIVATIONS[name].default[which]
                absent = np.nan if self.version in self.without_defaults else default
                value = given.pop(0) if given and (of_each or default is not None) else absent
                columns[which].append(np.nan if value is None or default is None else float(np.float32(value)))
        return list(zip(*columns, strict=True))

    # Readings

    @cached_property
    def options(self) -> dict[str, tuple[Any, ...]]:
        """Return by name the readings of points that the specification leaves open, the canonical one first."""
        both = [str(self.scalings(of_each)) for of_each in (False, True)]
        return {"scalings": (False, True) if both[0] != both[1] else (False,),
                "order": ("of X", "of steps") if self.attributes.get("direction") in DIRECTIONS[1:] else ("of X",),
                "transposed": (True, False) if self.version in self.untransposed else (True,)}

    def read(self, name: str) -> Any:
        """The reading taken."""
        return self.taken.get(name, self.options[name][0])

    def other_readings(self, name: str) -> Unspecified | None:
        """Return the readings that differ from the canonical one in an option, whatever the others are."""
        options, others = self.options, []
        for values in product(*options.values()) if len(options[name]) > 1 else ():
            other = type(self)(self.call, self.version)
            other.taken = dict(zip(options, values, strict=True))
            others += [other] if other.taken[name] != options[name][0] else []
        return Unspecified({}, tuple(others)) if others else None
