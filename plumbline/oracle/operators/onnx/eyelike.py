"""Judge and generate calls of ONNX EyeLike, by `spec/onnx/eyelike.md`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.clauses import elements_of, type_of_output
from plumbline.oracle.families.element_types import NUMBERED, a_type
from plumbline.oracle.families.elementwise import FEW, SIZES
from plumbline.oracle.families.movement import Movement
from plumbline.oracle.operator import Choose, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import TALL_ROWS, Named


class EyeLike(Movement):
    """A call of EyeLike: a one or a zero at every place."""

    takes_strings, reads_sizes_alone = False, True
    tall = {**TALL_ROWS, "diagonal": -65_540}
    flag_notes = {"of-bfloat16": "output is of bfloat16.",
                  "no-ones": "the diagonal lies outside the matrix."}

    element_type = type_of_output("output.F1", "output", lambda self: self.dtype)
    ones = elements_of("output.F2", "output", "not one", lambda self: self.diagonal)
    zeros = elements_of("output.F3", "output", "not zero")

    @property
    def dtype(self) -> np.dtype:
        """The element type of the output."""
        number = self.attribute("dtype")
        return self.source.dtype if number is None else element_type(NUMBERED[number])

    @cached_property
    def diagonal(self) -> np.ndarray:
        """bool: which elements are on it."""
        rows, columns = self.source.shape
        return np.asarray(np.arange(columns) - np.arange(rows)[:, None] == self.attribute("k"))

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """Zero and one."""
        return {"numbers": np.array([0, 1]).astype(self.dtype)}

    def places(self) -> np.ndarray:
        """Return the positions of zero and one."""
        return self.diagonal.astype(np.int64)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return {}: no element is copied from the input."""
        return {}

    @on_call("dtype.C2")
    def known_type(self) -> str | None:
        number = self.attribute("dtype")
        types = [NUMBERED.index(name) for name in self.types_of("input", self.version)]
        return None if number is None or number in types else f"dtype is {number}"

    @on_call("input.C3")
    def matrix(self) -> str | None:
        return None if self.source.ndim == 2 else f"input has {self.source.ndim} axes"

    @unspecified("output.U1")
    def sign_of_zero(self) -> Unspecified | None:
        return Unspecified.of(~self.diagonal, "output", admits=lambda got: got == 0)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: a matrix of any type, and a diagonal up to one beyond each corner, or far away."""
        shape = choose(FEW), choose(SIZES) * choose((1, 0), (19, 1))
        types = cls.types_of("input", version)
        x = choose.tensor(shape, a_type(choose, types), "bits")
        attributes = {"dtype": NUMBERED.index(choose(types))} if choose((False, True)) else {}
        k = choose(Named("diagonal", (0, 1, -1, 2, -2, shape[1] - 1, shape[1], 1 - shape[0], -shape[0],
                                      2**63 - 1, -2**63)))
        return Call("EyeLike", {**attributes, **({} if not k and choose((True, False)) else {"k": k})}, {"input": x})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        inside = self.matrix() is None and self.known_type() is None
        return {"of-bfloat16": inside and self.dtype.name == "bfloat16",
                "no-ones": inside and not self.diagonal.any()}
