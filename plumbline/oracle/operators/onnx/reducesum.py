"""Judge and generate calls of ONNX ReduceSum, by `spec/onnx/reducesum.md`."""

from __future__ import annotations

from plumbline.oracle.families.totals import SetSums, Total
from plumbline.oracle.operators.onnx.addresses import TOTAL


class ReduceSum(Total):
    """A call of ReduceSum under one version of its specification."""

    clauses = TOTAL
    multiplied = ("data",)

    @property
    def as_sums(self) -> SetSums | None:
        """The `products`, for sets that have elements."""
        return None if self.is_integer or not self.sets.size else self.products
