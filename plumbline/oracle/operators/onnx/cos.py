"""Judge and generate calls of ONNX Cos, by `spec/onnx/cos.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.special_functions import Circular
from plumbline.oracle.operators.onnx.addresses import CIRCULAR


class Cos(Circular):
    """A call of Cos under one version of its specification."""

    clauses = CIRCULAR
    function = staticmethod(np.cos)
    known = (0,)
