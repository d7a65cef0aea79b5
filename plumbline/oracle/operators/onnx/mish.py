"""ONNX Mish: the definition of `spec/onnx/mish.md`, derived from the function body."""

from __future__ import annotations

from plumbline.oracle.families.by_body import ByBody


class Mish(ByBody):
    """A call of Mish under one version of its specification."""

    clauses = {"Y.F2": "any_other", "Y.U1": "undecided"}
