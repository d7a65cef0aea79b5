"""Judge and generate calls of ONNX Max and Min, by `spec/onnx/max.md` and `spec/onnx/min.md`."""

from __future__ import annotations

from plumbline.oracle.families.extrema import OnnxExtremum
from plumbline.oracle.operators.onnx.addresses import EXTREMA, OF_EXTREMUM


class Max(OnnxExtremum):
    """A call of Max under one version of its specification."""

    clauses = EXTREMA | {f"max.{local}": name for local, name in OF_EXTREMUM.items()}
    operator, output, largest = "Max", "max", True


class Min(OnnxExtremum):
    """A call of Min under one version of its specification."""

    clauses = EXTREMA | {f"min.{local}": name for local, name in OF_EXTREMUM.items()}
    operator, output, largest = "Min", "min", False
