"""Judge and generate calls of SONNX Shape, by `spec/sonnx/shape.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, elements_of, presence, type_of_output
from plumbline.oracle.families.element_types import FLOATS, INTEGERS
from plumbline.oracle.operator import on_call
from plumbline.oracle.operators.onnx.shape import _Sizes, other_bound, size_of_run
from plumbline.oracle.type_names import STRING


class Shape(_Sizes):
    """A call of Shape in the profile: start and end given."""

    types = {1: (*FLOATS, *INTEGERS, "bool", "bfloat16", "int4", "uint4", "int2", "uint2", STRING)}
    has_defaults = False

    output_is_given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", {"start": 1, "end": 1})
    types_of_x = element_type("X.C1", "data", types[1])
    from_start = other_bound("start.F1", "start")
    to_end = other_bound("end.F1", "end")
    size = size_of_run("Y.C1", "start.F1", "end.F1")
    value = elements_of("Y.F1", "shape", "not the size of X on that axis")
    type_of_y = type_of_output("Y.F2", "shape", lambda self: np.dtype(np.int64))

    @on_call("restrictions.R1")
    def bounds_are_set(self) -> str | None:
        missing = [name for name in ("start", "end") if name not in self.attributes]
        return f"{' and '.join(missing)} not set" if missing else None
