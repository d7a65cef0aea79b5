"""Judge and generate calls of ONNX GatherND, by `spec/onnx/gathernd.md`."""

from __future__ import annotations

from math import prod

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import axis_within
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.indexed import Tuples
from plumbline.oracle.families.indices import INDEX_FLAGS, a_list_of_indices, from_the_front, out_of_bounds
from plumbline.oracle.families.movement import bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.operator import Choose, Operator, evidence, on_call
from plumbline.oracle.operators.onnx.addresses import TUPLES
from plumbline.oracle.size_classes import WIDE_ROWS, Named


def _by_negative_index(definition: Operator, entry: Divergence) -> bool:
    """Elements are named by tuples of which an index is below zero."""
    assert isinstance(definition, GatherND)
    tuples = np.asarray((definition.indices < 0).any(axis=-1))
    return entry.where is not None and bool(tuples[tuple(entry.where.T[:tuples.ndim])].all())


class GatherND(Tuples):
    """A call of GatherND under one version of its specification."""

    clauses = TUPLES
    symptoms = {**Tuples.symptoms, "by-negative-index": _by_negative_index}
    wide = {**WIDE_ROWS, "tuple": 1, "tuples": (3,), "batch": 0}
    flag_notes = {**INDEX_FLAGS, "batches": "The first axes of data and indices go together.",
                  "slices": "A tuple has fewer entries than data has axes, and names a slice."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F2", "output", "not the element of data at that tuple")
    nan = bits_of_nan("output.U1")

    @property
    def batch(self) -> int:
        """The number of axes that go together."""
        return int(self.attribute("batch_dims") or 0)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of data that the entries of a tuple are indices on."""
        return self.source.shape[self.batch:self.batch + self.indices.shape[-1]]

    @on_call("batch_dims.C2", needs=("data.C3", "indices.C2"))
    def fewer_than_axes(self) -> str | None:
        return axis_within(self, 0, 0, min(self.source.ndim, self.indices.ndim) - 1, "batch_dims")

    @on_call("indices.C3", needs=("data.C3", "indices.C2", "batch_dims.C2"))
    def same_batches(self) -> str | None:
        given, wanted = self.indices.shape[:self.batch], self.source.shape[:self.batch]
        return None if given == wanted else f"the batches of indices are {given}, those of data {wanted}"

    @on_call("indices.C4", needs=("data.C3", "indices.C2", "batch_dims.C2"))
    def length_of_tuples(self) -> str | None:
        count, rest = self.indices.shape[-1], self.source.ndim - self.batch
        return None if 1 <= count <= rest else f"tuples have {count} entries, not from 1 to {rest}"

    @on_call("indices.C5", needs=("data.C3", "indices.C2", "batch_dims.C2", "indices.C4"))
    def within_bounds(self) -> str | None:
        return next((why for entry, size in enumerate(self.sizes)
                     if (why := out_of_bounds(self.indices[..., entry], -size, size))), None)

    def places(self) -> np.ndarray:
        """Return the positions of slices, batch by batch."""
        rest, batches = self.source.shape[self.batch:], prod(self.source.shape[:self.batch])
        length, tuples = self.indices.shape[-1], prod(self.indices.shape[self.batch:-1])
        positions = row_by_row(self.source.shape).reshape(batches, *rest)
        entries = [from_the_front(self.indices[..., entry], size).reshape(batches, tuples)
                   for entry, size in enumerate(self.sizes)]
        return np.asarray(positions[(np.arange(batches)[:, None], *entries)]).reshape(
            (*self.indices.shape[:-1], *rest[length:]))

    @evidence("output.E1")
    @staticmethod
    def rank_without_batches() -> str:
        data, indices = np.zeros((2, 2, 2), np.float32), np.array([[1], [0]])
        found = GatherND(Call("GatherND", {"batch_dims": 1}, {"data": data, "indices": indices}), 12).positions
        described = indices.ndim + data.ndim - indices.shape[-1] - 1
        assert (found.ndim, described) == (2, 3)
        return f"in Example 5 the description of output has {described} axes; the example prints {found.ndim}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, with tuples of any length in up to two axes."""
        shape = a_shape(choose)
        if not shape:
            return None
        batch = choose(Named("batch", range(len(shape) if version >= 12 else 1)))
        length = choose(Named("tuple", range(1, len(shape) - batch + 1)))
        data = choose.tensor(shape, a_type(choose, cls.types_of("data", version)), "bits")
        indexed = shape[batch:batch + length]
        tuples = choose(Named("tuples", ((3,), (), (1,), (2, 2), (17,), (0,)) if all(indexed) else ((0,), (2, 0))))
        back = choose((False, True))
        entries = [a_list_of_indices(choose, (*shape[:batch], *tuples), "int64", size, back=back) for size in indexed]
        attributes = {} if not batch and choose((True, False)) or version < 12 else {"batch_dims": batch}
        return Call("GatherND", attributes, {"data": data, "indices": np.stack(entries, axis=-1)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"negative-index": bool((self.indices < 0).any()), "batches": self.batch > 0,
                "slices": (0, *self.indices.shape)[-1] < self.source.ndim - self.batch}
