"""Where: elements of X where a condition holds, of Y elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, presence, same_type
from plumbline.oracle.families.elementwise import Elementwise, same
from plumbline.oracle.operator import UNBOUND, Choose, Predicate, Unspecified
from plumbline.oracle.size_classes import DTYPE
from plumbline.oracle.type_names import name_of


class Selection(Elementwise):
    """A call of Where."""

    operator = "Where"
    output = "output"
    names = ("condition", "X", "Y")
    turns, rises, takes_strings = (), True, True

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return one of two elements, by the condition."""
        condition, x, y = operands
        return np.where(condition, x, y)

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of equal elements, zeros with their sign; of complex numbers both parts."""
        wanted = self.canonical["output"]
        if wanted.dtype.kind != "c":
            return same(got, wanted)
        return np.asarray(same(got.real, wanted.real) & same(got.imag, wanted.imag))

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes, with the type of what is selected."""
        return {**super().named_sizes(), DTYPE: name_of(self.inputs["X"].dtype)}

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """An input; the condition has truth values."""
        return super().drawn(choose, name, shape, "bool" if name == "condition" else dtype)

    given = presence(UNBOUND)
    no_attribute = attributes_of(UNBOUND, {})

    @staticmethod
    def nan_is_open(clause: str) -> Predicate:
        """Return a U clause: for a selected NaN, any NaN conforms (of complex numbers: one in the same part)."""
        def nan(self: Selection) -> Unspecified | None:
            wanted = self.canonical["output"]
            with np.errstate(invalid="ignore"):  # bfloat16 warns of a NaN
                unordered = wanted != wanted
            return Unspecified.of(unordered, "output", admits=lambda got: self.conforms("output", got))
        return Predicate("open", clause, nan)


def condition_is_bool(clause: str) -> Predicate:
    """The condition has truth values."""
    return element_type(clause, "condition", ("bool",))


def one_type(clause: str) -> Predicate:
    """X and Y have one type."""
    return same_type(clause, "X", "Y")
