"""DepthToSpace and SpaceToDepth: channels become blocks, or the reverse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import UNBOUND, Choose, Predicate, on_call
from plumbline.oracle.size_classes import BATCHES, Named, SizeClass

ORDERS = {"DCR": (0, 3, 4, 1, 5, 2), "CRD": (0, 1, 4, 2, 5, 3)}
"""By mode the axes of (batch, two of block and depth, height, width), as blocks are laid out."""


def allowed_modes(clause: str) -> Predicate:
    """The mode is DCR or CRD."""
    def other(self: Blocks) -> str | None:
        return None if self.mode in ORDERS else f"mode is {self.mode!r}, not DCR or CRD"
    return Predicate("call", clause, other)


class Blocks(Movement):
    """A call of DepthToSpace, or of what reverses it where `reverse`."""

    reverse: ClassVar[bool]
    wide = {"batch": 1, "channels": 2, "block side": 2, "rows": 92, "columns": 92}
    tall = None

    shape = copied_shape(UNBOUND)
    value = elements_of(UNBOUND, "output", "not the element of input for that place")
    nan = bits_of_nan(UNBOUND)
    modes = allowed_modes(UNBOUND)

    @property
    def size(self) -> int:
        """The length of a side of a block."""
        return int(self.attributes["blocksize"])

    @property
    def mode(self) -> str:
        """DCR in versions that have no mode."""
        mode = self.attribute("mode") or "DCR"
        return mode.decode(errors="replace") if isinstance(mode, bytes) else str(mode)

    @on_call(UNBOUND)
    def four_axes(self) -> str | None:
        return None if self.source.ndim == 4 else f"input has {self.source.ndim} axes, not 4"

    @on_call(UNBOUND)
    def positive(self) -> str | None:
        return None if self.size >= 1 else f"blocksize is {self.size}"

    @on_call(UNBOUND, needs=("four_axes", "positive"))
    def divisible(self) -> str | None:
        _, depth, *sides = self.source.shape
        wrong = [size for size in sides if size % self.size] if self.reverse else \
            [depth] if depth % self.size**2 else []
        return f"{wrong[0]} elements are not divisible into blocks of {self.size}" if wrong else None

    def places(self) -> np.ndarray:
        """Return the positions of input, with an axis for each side of a block, permuted."""
        (batch, depth, height, width), size, order = self.source.shape, self.size, ORDERS[self.mode]
        positions = row_by_row(self.source.shape)
        if self.reverse:
            blocks = positions.reshape(batch, depth, height // size, size, width // size, size)
            return blocks.transpose(np.argsort(order)).reshape(batch, depth * size**2, height // size, width // size)
        split = (size, size, depth // size**2) if self.mode == "DCR" else (depth // size**2, size, size)
        return positions.reshape(batch, *split, height, width).transpose(order).reshape(
            batch, depth // size**2, height * size, width * size)

    def named_sizes(self) -> Mapping[str, Any]:
        """Return the sizes, with the number of blocks along the last axis, and the size of the batch."""
        blocks = self.source.shape[-1] // (self.size if self.reverse else 1)
        return {**super().named_sizes(), "columns": blocks, "batch": self.source.shape[0]}

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of movement, and of batches."""
        return *super().size_classes(version), SizeClass({"batch": BATCHES}, every_type=False)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call with few blocks and channels; a size may be 0."""
        size, few = choose(Named("block side", (2, 1, 3))), (1, 2, 3, 0)
        batch, depth = choose(Named("batch", few)), choose(Named("channels", few))
        height, width = choose(Named("rows", few)), choose(Named("columns", (1, 2, 3, 4, 8, 16, 17, 33, 65, 0)))
        sides = (height * size, width * size) if cls.reverse else (height, width)
        shape = (batch, depth if cls.reverse else depth * size**2, *sides)
        attributes: dict[str, Any] = {"blocksize": size}
        if any(fact.section == "mode" and fact.holds_for(version) for fact in cls.facts.values()):
            attributes |= choose(({}, {"mode": "CRD"}, {"mode": "DCR"}))
        return Call(cls.__name__, attributes, {"input": choose.tensor(
            shape, a_type(choose, cls.types_of("input", version)), "bits")})
