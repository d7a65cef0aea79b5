"""Judge and generate calls of ONNX Less, by `spec/onnx/less.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import attributes_of, element_type, type_of_output
from plumbline.oracle.families.comparisons import Comparison
from plumbline.oracle.operators.onnx.addresses import BINARY, COMPARISON

FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


class Less(Comparison):
    """A call of Less under one version of its specification."""

    clauses = BINARY | COMPARISON
    test = staticmethod(np.less)
    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 9), "bfloat16": 13}

    attributes_of_version = attributes_of("signature.C1", {"axis": 1, "broadcast": 1}, {"axis": 1, "broadcast": 1})
    types_1 = element_type("A.C1", "A", FLOATS)
    types_9 = element_type("A.C2", "A", (*FLOATS, *INTEGERS))
    types_13 = element_type("A.C3", "A", ("bfloat16", *FLOATS, *INTEGERS))
    type_of_c = type_of_output("C.F2", "C", lambda self: np.dtype(bool))
