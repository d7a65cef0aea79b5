"""Judge and generate calls of ONNX Tile, by `spec/onnx/tile.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, evidence, on_call
from plumbline.oracle.size_classes import WIDE_ROWS, Named, SizeClass

COUNTS = Named("repeats", (1, 2, 3, 0, 5))
"""Numbers of copies along an axis."""

MANY = "many copies"
"""The name of the size that calls with more copies than 16 bits count have."""


def _last_axis_repeated(definition: Any, entry: Any) -> bool:
    """The output has the shape that copies along the last axis give, whatever axis is named."""
    *before, last = definition.source.shape or (1,)
    return isinstance(entry.got, str) and "tiles" in definition.inputs and (
        entry.got == str([*before, last * int(definition.inputs["tiles"].item())]))


class Tile(Movement):
    """A call of Tile under one version of its specification."""

    shape_symptoms = {**Movement.shape_symptoms, "last-axis-repeated": _last_axis_repeated}
    symptoms = {**Movement.symptoms, **shape_symptoms}
    wide = {**WIDE_ROWS, "repeats": 2}
    flag_notes = {**Movement.flag_notes, "no-copy": "A number of copies is 0, and the output is empty.",
                  "inner-axis": "An axis before the last is repeated, of which whole blocks are copied."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F2", "output", "not the element of input that is repeated there")
    nan = bits_of_nan("output.U1")

    @property
    def counts(self) -> list[int]:
        """The number of copies along each axis of input."""
        if self.version >= 6:
            return [int(count) for count in self.inputs["repeats"]]
        axis, tiles = (int(self.inputs[name].item()) for name in ("axis", "tiles"))
        return [tiles if place == axis else 1 for place in range(self.source.ndim)]

    def whole(self, name: str, end: int | None = None) -> str | None:
        """The input has one element, a whole number from 0 to before an end."""
        tensor = self.inputs[name]
        if tensor.size != 1:
            return f"{name} has {tensor.size} elements"
        number = complex(tensor.item())
        if not number.imag and number.real.is_integer() and 0 <= number.real and (end is None or number.real < end):
            return None
        return f"{name} is {tensor.item()}"

    @on_call("tiles.C1")
    def one_count(self) -> str | None:
        return self.whole("tiles")

    @on_call("axis.C1")
    def one_axis(self) -> str | None:
        return self.whole("axis", self.source.ndim)

    @on_call("repeats.C2")
    def for_each_axis(self) -> str | None:
        shape, rank = self.inputs["repeats"].shape, self.source.ndim
        return None if shape == (rank,) else f"repeats has shape {list(shape)}, and input {rank} axes"

    @on_call("repeats.C3", needs=("repeats.C2",))
    def value_domain(self) -> str | None:
        return next((f"repeats has {count}" for count in self.counts if count < 0), None)

    def places(self) -> np.ndarray:
        """Return the positions, repeated along each axis."""
        shape = self.source.shape
        holdable(self.output, [size * count for size, count in zip(shape, self.counts, strict=True)])
        return np.tile(row_by_row(shape), self.counts)

    @evidence("output.E1")
    @staticmethod
    def longer() -> str:
        one = np.ones(1, np.float32)
        found = Tile(Call("Tile", {}, {"input": one, "tiles": one * 2, "axis": one * 0}), 1).positions.shape
        assert found != one.shape
        return f"two copies of an element are {found[0]} elements"

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of movement, and more copies than 16 bits count."""
        many = SizeClass({MANY: [True]}, {"rank": 1, "columns": 2, "repeats": 65_600}, every_type=False, large=True)
        return *super().size_classes(version), many

    def named_sizes(self) -> Mapping[str, Any]:
        """Those of movement, and whether there are so many copies."""
        return {**super().named_sizes(), MANY: max(self.counts, default=0) > 1 << 16}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, with up to five copies along each axis; of more than two axes some are repeated."""
        shape = a_shape(choose)
        dtype = a_type(choose, cls.types_of("input", version))
        data = choose.tensor(shape, dtype, "bits")
        if version >= 6:
            counts = [choose(COUNTS) if len(shape) < 3 or choose((False, True)) else 1 for _ in shape]
            return Call("Tile", {}, {"input": data, "repeats": np.array(counts, np.int64)})
        if not shape:
            return None
        form = choose(((1,), ()))
        tiles, axis = choose(COUNTS), choose(range(len(shape)))
        numbers = {name: np.full(form, number, dtype) for name, number in (("tiles", tiles), ("axis", axis))}
        return Call("Tile", {}, {"input": data, **numbers})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        counts = self.inputs["repeats" if self.version >= 6 else "tiles"].reshape(-1)
        last = self.source.ndim - 1
        inner = counts[:-1] if self.version >= 6 else counts * (self.inputs["axis"].reshape(-1)[:1] < last)
        return {**super().flags(), "no-copy": bool((counts == 0).any()), "inner-axis": bool((inner > 1).any())}
