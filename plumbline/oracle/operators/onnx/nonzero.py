"""Judge and generate calls of ONNX NonZero, by `spec/onnx/nonzero.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.operator import Choose, Operator, Unspecified, disputed
from plumbline.oracle.size_classes import (
    DTYPE,
    FAR,
    LARGE,
    ROWS,
    SizeClass,
    a_far_index,
    a_large_output,
    is_far,
    is_large,
)


def _in_32_bits(definition: Any, entry: Any) -> bool:
    """The output has a column for each element of 64 bits that is not zero in 32, in float32 or as the lower ones."""
    x = definition.inputs["X"]
    if not isinstance(entry.got, str) or x.dtype.kind not in "iuf" or x.dtype.itemsize != 8:
        return False
    with np.errstate(over="ignore"):
        narrow = x.astype(np.float32) if x.dtype.kind == "f" else lower_bits(x)
    return entry.got == str([x.ndim, int(np.count_nonzero(narrow))])


class NonZero(Operator):
    """A call of NonZero; `as_numpy` reads a scalar as numpy.nonzero does."""

    shape_symptoms = {"in-32-bits": _in_32_bits}
    symptoms = {**Operator.symptoms, **shape_symptoms}
    flag_notes = {"scalar": "X has no axes, so that Y has no rows.",
                  "no-column": "Every element of X is zero, so that Y is empty.",
                  "minus-zero": "X holds -0, of which a bit is set.", "nan": "X holds NaN, which is no zero."}

    shape_of_y = shape_of_output("Y.C1", "Y")
    value_of_y = elements_of("Y.F2", "Y", "not the index of that element on that axis")

    def __init__(self, call: Call, version: int, as_numpy: bool = False) -> None:
        super().__init__(call, version)
        self.as_numpy = as_numpy

    @cached_property
    def counted(self) -> np.ndarray:
        """bool: which elements of X are not zero."""
        with np.errstate(invalid="ignore"):  # a NaN of bfloat16 signals
            return np.asarray(self.inputs["X"] != 0)

    def expected(self) -> dict[str, np.ndarray]:
        """The indices, axis by axis."""
        counted = self.counted.reshape(-1) if self.as_numpy else self.counted
        rows = counted.nonzero() if counted.ndim else ()
        return {"Y": np.array(rows, np.int64).reshape(len(rows), np.count_nonzero(counted))}

    @disputed("Y.E1")
    def scalars(self) -> Unspecified | None:
        scalar = not self.counted.ndim and not self.as_numpy
        return Unspecified({}, (NonZero(self.call, self.version, as_numpy=True),)) if scalar else None

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element of X that a column names."""
        return {"X": self.canonical["Y"][:, where[1:]].T}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape, some or all elements of which are made zero."""
        shape, dtype = a_shape(choose), a_type(choose, cls.types_of("X", version))
        x = choose.tensor(shape, dtype, "bits")
        zeros = choose(("none", "some", "all"), (4, 4, 1))
        if zeros != "none":
            x = np.where(choose.tensor(shape, "bool", "bits") & (zeros == "some"), x, np.zeros((), x.dtype))
        return Call("NonZero", {}, {"X": x})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Rows, a large input, and a far index."""
        return SizeClass({"columns": ROWS}), a_large_output(), a_far_index()

    def named_sizes(self) -> Mapping[str, Any]:
        """The size of the last axis of X, and whether it is large, and an index far."""
        shape = self.counted.shape
        return {DTYPE: self.inputs["X"].dtype.name, "columns": (0, *shape)[-1], LARGE: is_large(shape),
                FAR: is_large(shape) and is_far(self.canonical["Y"])}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        x = self.inputs["X"]
        with np.errstate(invalid="ignore"):
            nan, minus = bool((x != x).any()), x.dtype.kind in "fV" and bool((np.signbit(x) & ~self.counted).any())
        return {"scalar": not x.ndim, "no-column": not self.counted.any(), "minus-zero": minus, "nan": nan}
