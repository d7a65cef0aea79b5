"""Judge and generate calls of ONNX ScatterND, by `spec/onnx/scatternd.md`."""

from __future__ import annotations

from math import prod

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indexed import Tuples
from plumbline.oracle.families.indices import from_the_front, out_of_bounds
from plumbline.oracle.families.movement import bits_of_nan, row_by_row
from plumbline.oracle.families.scattering import Scattering
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import SCATTERING, TUPLES
from plumbline.oracle.size_classes import WIDE_ROWS, Named


class ScatterND(Tuples, Scattering):
    """A call of ScatterND under one version of its specification."""

    wide = {**WIDE_ROWS, "tuple": 1, "tuples": (3,)}
    clauses = SCATTERING | TUPLES
    flag_notes = {**Scattering.flag_notes, "slices": "A tuple has fewer entries than data has axes, and names a slice."}

    value = elements_of("output.F2", "output", "neither the element of data nor what its updates make of it")
    bits = bits_of_nan("output.U1")

    @property
    def length(self) -> int:
        """The length of a tuple."""
        return int(self.indices.shape[-1])

    @on_call("indices.C3", needs=("data.C3", "indices.C2"))
    def length_of_tuples(self) -> str | None:
        return None if 1 <= self.length <= self.source.ndim else \
            f"tuples have {self.length} entries, not from 1 to {self.source.ndim}"

    @on_call("indices.C4", needs=("data.C3", "indices.C2", "indices.C3"))
    def within_bounds(self) -> str | None:
        return next((why for entry, size in enumerate(self.source.shape[:self.length])
                     if (why := out_of_bounds(self.indices[..., entry], -size, size))), None)

    @on_call("updates.C2", needs=("data.C3", "indices.C2", "indices.C3"))
    def shape_of_updates(self) -> str | None:
        wanted = (*self.indices.shape[:-1], *self.source.shape[self.length:])
        return None if self.updates.shape == wanted else f"updates have shape {self.updates.shape}, not {wanted}"

    @property
    def targets(self) -> np.ndarray:
        """The positions of the elements of slices."""
        entries = tuple(from_the_front(self.indices[..., entry], size)
                        for entry, size in enumerate(self.source.shape[:self.length]))
        return np.asarray(row_by_row(self.source.shape)[entries])

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, with tuples of any length in up to two axes, mostly of distinct slices."""
        shape = a_shape(choose)
        if not shape:
            return None
        length = choose(Named("tuple", range(1, len(shape) + 1)))
        indexed, rest = shape[:length], shape[length:]
        tuples = choose(Named("tuples", ((3,), (), (1,), (2, 2), (17,), (0,)) if all(indexed) else ((0,), (2, 0))))
        attributes, data, updates = cls.operands(choose, version, shape, (*tuples, *rest), prod(tuples))
        several = choose((False, True), (1, 3) if "reduction" in attributes else (8, 1))
        positions = cls.positions_of(choose, tuples, prod(indexed), several)
        entries = np.stack(np.unravel_index(positions, indexed) if all(indexed) else [positions] * length, axis=-1)
        if choose((False, True)):
            entries = np.where(np.arange(entries.size).reshape(entries.shape) % 3 == 0, entries - indexed, entries)
        return Call("ScatterND", attributes, {"data": data, "indices": entries.astype(np.int64), "updates": updates})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "slices": (0, *self.indices.shape)[-1] < self.source.ndim}
