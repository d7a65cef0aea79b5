"""Judge and generate calls of ONNX Expand, by `spec/onnx/expand.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type, same_bits
from plumbline.oracle.families.elementwise import ALIKE, a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, copied_shape, row_by_row
from plumbline.oracle.limits import holdable
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import WIDE_ROWS


class Expand(Movement):
    """A call of Expand under one version of its specification."""

    wide = {**WIDE_ROWS, "alike": False}
    flag_notes = {**Movement.flag_notes,
                  "size-from-input": "shape is shorter than that of input, or has a 1 where input has not: the output "
                                     "has another shape than the one asked for."}

    shape = copied_shape("output.C1")
    value = elements_of("output.F1", "output", "not the element of input that is repeated there")
    nan = bits_of_nan("output.U1")

    @property
    def asked(self) -> tuple[int, ...]:
        """The shape asked for."""
        return tuple(int(size) for size in self.inputs["shape"])

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Sizes of input and sizes asked for, on the axes of the output."""
        sizes = self.source.shape, self.asked
        rank = max(map(len, sizes))
        given, asked = ((1,) * (rank - len(part)) + part for part in sizes)
        return list(zip(given, asked, strict=True))

    @on_call("shape.C2")
    def one_axis(self) -> str | None:
        rank = self.inputs["shape"].ndim
        return None if rank == 1 else f"shape has {rank} axes"

    @on_call("shape.C3", needs=("shape.C2",))
    def value_domain(self) -> str | None:
        return next((f"shape has {size}" for size in self.asked if size < 0), None)

    @on_call("shape.C4", needs=("shape.C2", "shape.C3"))
    def broadcastable(self) -> str | None:
        differs = any(given != asked and 1 not in (given, asked) for given, asked in self.pairs)
        return f"{list(self.source.shape)} does not broadcast with {list(self.asked)}" if differs else None

    def places(self) -> np.ndarray:
        """Return the positions, repeated where input has size 1."""
        sizes = [asked if given == 1 else given for given, asked in self.pairs]
        holdable(self.output, sizes)
        return np.broadcast_to(row_by_row(self.source.shape), sizes)

    @unspecified("output.U2")
    def complex_products(self) -> Unspecified | None:
        wanted = self.canonical["output"]
        if wanted.dtype.kind != "c":
            return None
        return Unspecified.of(~np.isfinite(wanted) | (wanted.real == 0) | (wanted.imag == 0), "output",
                              admits=self.is_product)

    def is_product(self, got: np.ndarray) -> np.ndarray:
        """bool: which elements a product of a complex number with 1 may be."""
        wanted = self.canonical["output"]
        found = np.ones(wanted.shape, dtype=bool)
        for part, copied in ((got.real, wanted.real), (got.imag, wanted.imag)):
            found &= (same_bits(part.astype(copied.dtype), copied) | ((part == 0) & (copied == 0))
                      | (np.isnan(part) & ~np.isfinite(wanted)))
        return found

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: the shape of the output, with sizes of 1 in either shape, and leading axes left out of one."""
        whole = a_shape(choose)
        given, asked = list(whole), list(whole)
        if not choose(ALIKE):
            for axis in range(len(whole)):
                part = choose((given, asked, None), (3, 1, 2))
                if part is not None:
                    part[axis] = 1
            shorter = choose((given, asked))
            del shorter[:choose(range(len(whole) + 1))]
        data = choose.tensor(given, a_type(choose, cls.types_of("input", version)), "bits")
        return Call("Expand", {}, {"input": data, "shape": np.array(asked, dtype=np.int64)})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        asked = tuple(self.inputs["shape"].reshape(-1).tolist())
        return {**super().flags(), "size-from-input": len(asked) < self.source.ndim or any(
            size == 1 != given for size, given in zip(asked[::-1], self.source.shape[::-1], strict=False))}
