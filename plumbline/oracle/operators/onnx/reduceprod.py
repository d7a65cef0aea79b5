"""Judge and generate calls of ONNX ReduceProd, by `spec/onnx/reduceprod.md`."""

from __future__ import annotations

from plumbline.oracle.families.set_extrema import Product
from plumbline.oracle.operators.onnx.addresses import PRODUCT


class ReduceProd(Product):
    """A call of ReduceProd under one version of its specification."""

    clauses = PRODUCT
