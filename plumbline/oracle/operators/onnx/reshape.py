"""Judge and generate calls of ONNX Reshape, by `spec/onnx/reshape.md`."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.attributes import Integers, integers
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import FLOATS, Types, a_type, moved, types_at
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified


class _Reshaping(Movement):
    """The part that ONNX and its profile SONNX share."""

    output = "reshaped"
    types: ClassVar[Types]
    allowzero_from = 14
    has_default = True
    flag_notes = {**Movement.flag_notes, "zero-entry": "the shape asked for has an entry of 0.",
                  "inferred-size": "the shape asked for has an entry of -1."}

    @cached_property
    def target(self) -> Integers:
        """The shape asked for; None where it is no list of ints."""
        if self.version < 5:
            return integers(self.attributes.get("shape"))
        shape = self.inputs["shape"]
        return tuple(int(entry) for entry in shape) if shape.dtype == np.int64 and shape.ndim == 1 else None

    @property
    def allowzero(self) -> Any:
        """The default is 0."""
        return self.attributes.get("allowzero", 0) if self.version >= self.allowzero_from else 0

    @property
    def copies(self) -> bool:
        """True if an entry of 0 copies an input size.

        An allowzero that the specification does not define counts as 0."""
        return bool(self.allowzero != 1)

    @property
    def known(self) -> list[int]:
        """The shape asked for with copied sizes, -1 as it stands."""
        return [self.source.shape[axis] if entry == 0 and self.copies else entry
                for axis, entry in enumerate(self.target)]

    @property
    def rest(self) -> int:
        """The product of the sizes but that of -1."""
        return prod(size for size in self.known if size != -1)

    @property
    def sizes(self) -> list[int]:
        """The shape; 0 where an inferred size is not determined."""
        return [size if size != -1 else self.source.size // self.rest if self.rest else 0 for size in self.known]

    @property
    def undetermined(self) -> bool:
        """True if the sizes do not determine that of -1."""
        return -1 in self.target and self.rest == 0

    def places(self) -> np.ndarray:
        """Return each output element's source position, in row-major order."""
        holdable(self.output, self.sizes)
        return row_by_row(self.source.shape).reshape(self.sizes)

    def wrong_number(self) -> str | None:
        """Why no shape of the kind asked for has as many elements as the input."""
        size, rest = self.source.size, self.rest
        if -1 in self.target:
            return None if rest == 0 or size % rest == 0 else f"{rest} does not divide {size} elements"
        return None if rest == size else f"{list(self.target)} has {rest} elements, the input {size}"

    def wrong_entry(self) -> str | None:
        """Why an entry is below -1."""
        return next((f"the shape asked for has {entry}" for entry in self.target if entry < -1), None)

    def several_inferred(self) -> str | None:
        """Why more than one entry is -1."""
        count = self.target.count(-1)
        return None if count <= 1 else f"the shape asked for has {count} entries of -1"

    def copy_of_nothing(self) -> str | None:
        """Why a size is copied from an axis that is not there."""
        rank = self.source.ndim
        beyond = [axis for axis, entry in enumerate(self.target) if entry == 0 and self.copies and axis >= rank]
        return f"entry {beyond[0]} is 0, and the input has {rank} axes" if beyond else None

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Return a generated call, or None if the draws give none.

        The shape asked for has as many elements as data; some sizes are copied (0), and one may be inferred (-1).
        choose:  draws: choose(options, weights) returns an option, choose.tensor(shape, type, kind) an array.
        version: version of the operator, a key of `types`."""
        shape = a_shape(choose)
        sizes = cls.a_target(choose, shape)
        zero: dict[str, object] = {}
        if version >= cls.allowzero_from:
            zero = choose(list[dict[str, object]](({}, {"allowzero": 0}, {"allowzero": 1}))[not cls.has_default:])
        if not zero.get("allowzero"):
            if any(size == 0 and (axis >= len(shape) or shape[axis]) for axis, size in enumerate(sizes)):
                return None
            for axis, size in enumerate(shape[:len(sizes)]):
                copied: bool = sizes[axis] == size and choose((False, True))
                sizes[axis] = 0 if copied else sizes[axis]
        inferred: bool = bool(sizes) and choose((False, True))
        if inferred:
            sizes[choose(range(len(sizes)))] = -1
        data = choose.tensor(shape, a_type(choose, types_at(cls.types, version)), "bits")
        if version >= 5:
            return Call("Reshape", zero, {"data": data, "shape": np.array(sizes, dtype=np.int64)})
        return Call("Reshape", {"shape": sizes}, {"data": data}) if sizes else None

    @staticmethod
    def a_target(choose: Choose, shape: tuple[int, ...]) -> list[int]:
        """Sizes of the same product: those of the shape, their factors in turn, or all in one."""
        if 0 in shape:
            return [choose((0, *shape)) for _ in range(choose((1, 2, 3)))] + [0]
        factors = [factor for size in shape for factor in _factors(size)]
        if choose((False, True), (3, 1)):
            return list(shape)
        found = [1] * choose((2, 1, 3, 4, 5))
        for factor in factors:
            found[choose(range(len(found)))] *= factor
        empty: bool = prod(shape) == 1 and choose((False, True))
        return [] if empty else found

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        target = self.target or ()
        return {**super().flags(), "zero-entry": 0 in target, "inferred-size": -1 in target}


def _factors(size: int) -> list[int]:
    """The prime factors of a size."""
    for factor in range(2, size + 1):
        if size % factor == 0:
            return [factor, *_factors(size // factor)]
    return []


class Reshape(_Reshaping):
    """A call of Reshape under one version of its specification."""

    types = {1: FLOATS, **{version: moved(version, 19) for version in (5, 13, 19, 21, 23, 24, 25)}}

    shape = copied_shape("reshaped.C1")
    value = elements_of("reshaped.F1", "reshaped", "not the element of data at that position")
    nan = bits_of_nan("reshaped.U1")

    @property
    def open_axes(self) -> frozenset[int]:
        """Return the axis of an undetermined inferred size; all axes with an undefined allowzero."""
        if self.other_allowzero():
            return frozenset(range(len(self.target)))
        return frozenset([self.target.index(-1)]) if self.undetermined else frozenset()

    @on_call("allowzero.C1", needs=("target.C1",))
    def zero_and_inferred(self) -> str | None:
        both = self.allowzero == 1 and 0 in self.target and -1 in self.target
        return f"allowzero is 1, and the shape asked for is {list(self.target)}" if both else None

    @unspecified("allowzero.U1", refusal=True)
    def other_allowzero(self) -> Unspecified | None:
        return Unspecified.everything("reshaped") if self.allowzero not in (0, 1) and 0 in self.target else None

    @on_call("target.C1")
    def target_is_given(self) -> str | None:
        return None if self.target is not None else "shape is not given as a list of int64"

    @on_call("target.C2", needs=("target.C1",))
    def value_domain(self) -> str | None:
        return self.wrong_entry()

    @on_call("target.C3", needs=("target.C1",))
    def one_inferred(self) -> str | None:
        return self.several_inferred()

    @on_call("target.C4", needs=("target.C1",))
    def copied(self) -> str | None:
        return self.copy_of_nothing()

    @on_call("target.C5", needs=("target.C1", "target.C2", "target.C3", "target.C4", "allowzero.C1"))
    def number_of_elements(self) -> str | None:
        return self.wrong_number()

    @unspecified("target.U1", refusal=True)
    def not_determined(self) -> Unspecified | None:
        return Unspecified.everything("reshaped") if self.undetermined else None
