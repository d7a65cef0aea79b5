"""Judge and generate calls of ONNX Sin and Cos, by `spec/onnx/sin.md` and `spec/onnx/cos.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.special_functions import Circular
from plumbline.oracle.operators.onnx.addresses import CIRCULAR


class Sin(Circular):
    """A call of Sin under one version of its specification."""

    clauses = CIRCULAR
    function = staticmethod(np.sin)
    known = (0,)


class Cos(Circular):
    """A call of Cos under one version of its specification."""

    clauses = CIRCULAR
    function = staticmethod(np.cos)
    known = (0,)
