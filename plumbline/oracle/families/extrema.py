"""Max and Min: the largest or smallest elements of broadcast inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, reduce
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.broadcasting import broadcast_together
from plumbline.oracle.families.clauses import elements_of, same_shape, shape_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape, a_type, broadcast_shapes
from plumbline.oracle.families.reading_symptoms import OF_PAIRS, SHAPES_OF_PAIRS
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.size_classes import SizeClass, a_broadcast_output

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def _comes_to(definition: Any, entry: Divergence, further: Callable[[np.ndarray, np.ndarray], np.ndarray],
              most: int | None = None) -> bool:
    """Return True if wrong elements are `further` applied to one operand after the other.

    most: how many operands count; None: all.
    """
    if entry.where is None:
        return False
    found = reduce(further, [operand[tuple(entry.where.T)].reshape(-1) for operand in definition.operands[:most]])
    same = (found == entry.got) & (np.signbit(found) == np.signbit(entry.got))
    return bool(np.all(same | (found != found) & (entry.got != entry.got)))


def _first_of_ties(definition: Any, entry: Divergence) -> bool:
    """Elements are what comes where the next operand counts only if it compares as further out."""
    return _comes_to(definition, entry, lambda a, b: np.where(b > a if definition.largest else b < a, b, a))


def _of_the_first_two(definition: Any, entry: Divergence) -> bool:
    """Elements are the extremum of the first two operands, of which the second counts only if it is further out."""
    return _comes_to(definition, entry, lambda a, b: np.where(b > a if definition.largest else b < a, b, a), 2)


def _last_of_ties(definition: Any, entry: Divergence) -> bool:
    """Elements are what comes where the next operand counts unless the one before compares as further out."""
    return _comes_to(definition, entry, lambda a, b: np.where(a > b if definition.largest else a < b, a, b))


def _numbers_alone(definition: Any, entry: Divergence) -> bool:
    """Elements are the extremum of the operands that are numbers."""
    return _comes_to(definition, entry, np.fmax if definition.largest else np.fmin)


class OverInputs(Elementwise):
    """A call on one input or more."""

    flag_notes = {**Elementwise.flag_notes,
                  "repeated-of-four": "Of four inputs or more the first or the second is repeated along the last axis. "
                                      "A loop over the inputs may then not return to where it began.",
                  "one-input": "There is one input, which many runtimes pass on as it is."}

    def flags(self) -> dict[str, bool]:
        """Return flags: of -0, of one input, of one of the first two of many repeated along the last axis."""
        last = [(1, *tensor.shape)[-1] for tensor in self.inputs.values()]
        return {**super().flags(), "one-input": len(last) == 1,
                "repeated-of-four": len(last) > 3 and 1 in last[:2] and max(last) > 1}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """A call with one to five inputs."""
        dtype, count = a_type(choose, cls.types, version), choose((2, 1, 3, 5), (3, 1, 4, 1))
        shapes = cls.shapes(choose, version, count)
        hint = choose(({}, {"consumed_inputs": [0] * count}), (4, 1)) if version == 1 else {}
        return Call(cls.operator, hint, {f"data_{number}": choose.tensor(shape, dtype, cls.values)
                                         for number, shape in enumerate(shapes)})

    @classmethod
    def shapes(cls, choose: Choose, version: int, count: int) -> list[tuple[int, ...]]:
        """Draw the shapes of the inputs."""
        return broadcast_shapes(choose, count) if version >= 8 else [a_shape(choose)] * count


class OnnxOverInputs(OverInputs):
    """Under a text of ONNX; `output` is what it calls the output."""

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return the size classes, with a large output of broadcast inputs, with one type."""
        return (*super().size_classes(version), *((a_broadcast_output(),) if version >= 8 else ()))

    one_shape = same_shape(UNBOUND)
    together = broadcast_together(UNBOUND)
    shape_of_each = shape_of_output(UNBOUND)
    shape_of_all = shape_of_output(UNBOUND)


class Extremum(OverInputs):
    """A call of Max or Min: NaN where there is one; of zeros the one that lies further out, +0 being above -0."""

    signed_zeros = True
    turns, rises = (), True
    largest: ClassVar[bool]
    shape_symptoms = SHAPES_OF_PAIRS
    symptoms = {**Elementwise.symptoms, **OF_PAIRS,
                "first-of-ties": _first_of_ties, "last-of-ties": _last_of_ties,
                "numbers-alone": _numbers_alone, "of-the-first-two": _of_the_first_two}

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """The extremum of operands of one shape."""
        return reduce(self._further, operands)

    def _further(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        beyond = b > a if self.largest else b < a
        if is_float(a.dtype):
            outer = np.signbit(a) if self.largest else np.signbit(b)
            beyond = (beyond | (a == b) & outer | (b != b)) & (a == a)
        return np.where(beyond, b, a)

    @cached_property
    def any_nan(self) -> np.ndarray:
        """bool: where one of the operands is NaN."""
        return np.asarray(reduce(np.logical_or, [operand != operand for operand in self.operands]))


class OnnxExtremum(OnnxOverInputs, Extremum):
    """Under a text of ONNX; `output` is what it calls the output."""

    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 12), "bfloat16": 13}

    any_other = elements_of(UNBOUND, "", "not the extremum of the elements", lambda self: ~self.any_nan)

    @unspecified(UNBOUND)
    def nan(self) -> Unspecified | None:
        """Where an input holds NaN, NaN or any of the elements conforms."""
        return Unspecified.of(self.any_nan, self.output, admits=lambda got: (got != got) | np.logical_or.reduce(
            [got == operand for operand in self.operands]))

    @unspecified(UNBOUND)
    def zeros(self) -> Unspecified | None:
        """If the extremum is a zero and the inputs hold both zeros, either conforms."""
        extremum = self.canonical[self.output]
        if not is_float(extremum.dtype):
            return None
        plus, minus = (np.logical_or.reduce([(operand == 0) & (np.signbit(operand) == sign)
                                             for operand in self.operands]) for sign in (False, True))
        return Unspecified.of((extremum == 0) & plus & minus, self.output, admits=lambda got: got == 0)
