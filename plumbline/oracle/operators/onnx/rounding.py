"""Judge and generate calls of ONNX Ceil, Floor and Round, by `spec/onnx/ceil.md` and the like."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.unary import Rounding
from plumbline.oracle.operators.onnx.addresses import EXACT

OF_ROUND = {"Y.F3": "x_itself", "Y.F1": "any_other", "Y.U4": "zeros_of_others"}


class Ceil(Rounding):
    """A call of Ceil under one version of its specification."""

    clauses = OF_ROUND | EXACT
    function = staticmethod(np.ceil)


class Floor(Rounding):
    """A call of Floor under one version of its specification."""

    clauses = OF_ROUND | EXACT
    function = staticmethod(np.floor)


class Round(Rounding):
    """A call of Round under one version of its specification."""

    clauses = OF_ROUND
    function = staticmethod(np.rint)
