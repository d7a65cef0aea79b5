"""Base classes of operators with one input and an output of its shape."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.families.clauses import elements_of, presence, shape_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape
from plumbline.oracle.operator import UNBOUND, Choose, Predicate, Unspecified, on_elements, unspecified
from plumbline.oracle.response import is_float

ALWAYS = 10**6
"""A version that no specification reaches."""


class Unary(Elementwise):
    """A call on X."""

    given = presence(UNBOUND)
    shape = shape_of_output(UNBOUND)

    @property
    def x(self) -> np.ndarray:
        """The input."""
        return self.inputs[self.names[0]]


class OnnxUnary(Unary):
    """Under a text of ONNX whose version 1 has a hint without a meaning."""

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes of a call, and the shape of X."""
        hint: dict[str, object] = choose(({}, {"consumed_inputs": [0]}), (4, 1)) if version == 1 else {}
        return hint, [a_shape(choose)]

    @unspecified(UNBOUND)
    def lowest_integer(self) -> Unspecified | None:
        """The lowest number of a signed type, whose negation the type lacks."""
        return Unspecified.of(self.x == np.iinfo(self.x.dtype).min, self.output) if self.x.dtype.kind == "i" else None

    @staticmethod
    def zero_is_open(clause: str) -> Predicate:
        """Return a U clause: where Y is a zero, either conforms."""
        return OnnxUnary.zero_is_open_until(clause)

    @staticmethod
    def zero_is_open_until(clause: str, kept_since: int = ALWAYS) -> Predicate:
        """Return a U clause: where Y is a zero, either conforms; from version `kept_since` on, if X is no zero."""
        def zero(self: OnnxUnary) -> Unspecified | None:
            y = self.canonical[self.output]
            zeros = (y == 0) & ((self.version < kept_since) | (self.x != 0))
            return Unspecified.of(zeros, self.output, admits=lambda got: got == 0) if is_float(y.dtype) else None
        return Predicate("open", clause, zero)


class ExactUnary(OnnxUnary):
    """A call of a function whose values are numbers of the type of the input."""

    turns: ClassVar[tuple[float, ...] | None] = ()
    function: ClassVar[Any]
    """A function of numpy, in the type of the input."""

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The function."""
        return np.asarray(self.function(operands[0]))

    any_other = elements_of(UNBOUND, "", "not the value of the function")
    zeros = OnnxUnary.zero_is_open(UNBOUND)

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        return Unspecified.of(np.asarray(self.x != self.x), self.output)


class Rounding(ExactUnary):
    """A call of a function that gives integers; a zero is given as it is, from some version of the text on."""

    signed_zeros = True

    @on_elements(UNBOUND, "Y", "not NaN for NaN or the same zero for a zero")
    def x_itself(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x == 0) | (self.x != self.x))

    @unspecified(UNBOUND)
    def zeros_of_others(self) -> Unspecified | None:
        where = np.asarray((self.canonical[self.output] == 0) & (self.x != 0))
        return Unspecified.of(where, self.output, admits=lambda got: got == 0)
