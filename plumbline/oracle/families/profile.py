"""Shared parts of definitions of the SONNX profile: evidence, base classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plumbline.oracle.families.clauses import (
    attributes_of,
    element_type,
    presence,
    same_shape,
    same_type,
    shape_of_output,
)
from plumbline.oracle.families.elementwise import Elementwise
from plumbline.oracle.operator import UNBOUND, evidence

FLOATS = ("float32", "float16", "float64")
NUMBERS = (*FLOATS, "int32", "int64", "int8", "uint8", "int16", "uint16", "uint32", "uint64")
"""The element types of the profile, the plainest first."""


def last_index() -> str:
    """Return the evidence on the definition of a tensor index, on an axis of three elements."""
    axis = np.arange(3)
    closed = range(axis.size + 1)
    beyond = [place for place in closed if place not in range(axis.size)]
    assert beyond == [3]
    return f"an axis of {axis.size} elements has the {len(closed)} indices {closed[0]} to {closed[-1]} by the " \
           f"definition; {axis.size - 1} is its last element"


def unlisted_restriction() -> str:
    """The documented example of broadcasting (test_add_bcast and those like it), by ONNX's rule and the profile's."""
    a: tuple[int, ...] = (3, 4, 5)
    b: tuple[int, ...] = (5,)
    assert np.broadcast_shapes(a, b) == a != b
    return f"shapes {list(a)} and {list(b)} are broadcast by ONNX and refused by the constraint, which no " \
           "restriction announces"


def first_order(function: Callable[[float], float], slope: Callable[[float], float], x: float, error: float) -> str:
    """The first-order term of a propagated error, which a note gives as a bound, where the exact error is above it."""
    exact, term = abs(function(x + error) - function(x)), abs(slope(x) * error)
    assert exact > term
    return f"from {x:g} to {x + error:g} the value changes by {exact:.3g}, and the term is {term:.3g}"


class Pair(Elementwise):
    """A call of an operator of the profile on A and B of one shape, with the output C."""

    output = "C"
    names = ("A", "B")
    types = dict.fromkeys(NUMBERS, 1)
    signed_zeros = True

    given = presence(UNBOUND)
    no_attribute = attributes_of(UNBOUND, {})
    one_shape = same_shape(UNBOUND, "A", "B")
    one_type = same_type(UNBOUND, "A", "B")
    types_of_a = element_type(UNBOUND, "A", NUMBERS)
    shape = shape_of_output(UNBOUND, "C")
    restriction = evidence(UNBOUND)(unlisted_restriction)
