"""Judge and generate calls of ONNX Sign, by `spec/onnx/sign.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import ExactUnary


class Sign(ExactUnary):
    """A call of Sign under one version of its specification."""

    names, output = ("input",), "output"
    clauses = {"output.F2": "any_other", "output.U1": "nan", "output.U2": "zeros"}
    function = staticmethod(np.sign)
