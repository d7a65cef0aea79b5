"""Judge and generate calls of ONNX Where, by `spec/onnx/where.md`."""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.oracle.families.broadcasting import broadcast_together
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.families.elementwise import broadcast_shapes
from plumbline.oracle.families.selection import Selection
from plumbline.oracle.operator import Choose
from plumbline.oracle.size_classes import SizeClass, a_broadcast_output

TYPES = ("bool", "complex64", "complex128", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
         "uint16", "uint32", "uint64", "string")


class Where(Selection):
    """A call of Where under one version of its specification."""

    types = {"float32": 9, **dict.fromkeys(TYPES, 9), "bfloat16": 16}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """Draw the attributes (none) and the shapes of the inputs, which can be broadcast together."""
        return {}, broadcast_shapes(choose, 3)

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return the size classes, with a large output of broadcast inputs, with one type."""
        return (*super().size_classes(version), a_broadcast_output())

    together = broadcast_together("condition.C2")
    shape = shape_of_output("output.C1", "output")
    nan = Selection.nan_is_open("output.U1")
    any_other = elements_of("output.F1", "output", "not the element that the condition selects")
