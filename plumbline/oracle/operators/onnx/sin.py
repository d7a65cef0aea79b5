"""Judge and generate calls of ONNX Sin, by `spec/onnx/sin.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.special_functions import Circular
from plumbline.oracle.operators.onnx.addresses import CIRCULAR


class Sin(Circular):
    """A call of Sin under one version of its specification."""

    clauses = CIRCULAR
    function = staticmethod(np.sin)
    known = (0,)
