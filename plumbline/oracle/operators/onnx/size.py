"""Judge and generate calls of ONNX Size, by `spec/onnx/size.md`."""

from __future__ import annotations

from math import prod

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.operator import Choose, Operator


class Size(Operator):
    """A call of Size under one version of its specification."""

    turns, takes_strings, reads_sizes_alone = (), True, True
    flag_notes = {"scalar": "data has no axes, so that the product of its sizes is empty."}

    shape = shape_of_output("size.C1", "size")
    value = elements_of("size.F1", "size", "not the number of elements of data")

    def expected(self) -> dict[str, np.ndarray]:
        """The product of the sizes."""
        return {"size": np.array(prod(self.inputs["data"].shape), dtype=np.int64)}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any shape."""
        return Call("Size", {}, {"data": choose.tensor(
            a_shape(choose), a_type(choose, cls.types_of("data", version)), "bits")})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {"scalar": self.inputs["data"].ndim == 0}
