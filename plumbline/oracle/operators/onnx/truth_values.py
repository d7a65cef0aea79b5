"""Judge and generate calls of ONNX's comparisons and logic of pairs, by `spec/onnx/and.md` and the like."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.comparisons import Comparison, Truth
from plumbline.oracle.operators.onnx.addresses import COMPARISON, LIMITED, TRUTH

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


class And(Truth):
    """A call of And under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_and)


class Or(Truth):
    """A call of Or under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_or)


class Xor(Truth):
    """A call of Xor under one version of its specification."""

    clauses = TRUTH | LIMITED
    test = staticmethod(np.logical_xor)


class Equal(Comparison):
    """A call of Equal under one version of its specification."""

    clauses = COMPARISON | LIMITED
    test = staticmethod(np.equal)
    turns = None
    takes_strings = True


class Greater(Comparison):
    """A call of Greater under one version of its specification."""

    clauses = COMPARISON | LIMITED
    test = staticmethod(np.greater)


class Less(Comparison):
    """A call of Less under one version of its specification."""

    clauses = COMPARISON | LIMITED
    test = staticmethod(np.less)
    types = dict.fromkeys(("float32", "float64", "float16"), 1) | dict.fromkeys(INTEGERS, 9) | {"bfloat16": 13}


class GreaterOrEqual(Comparison):
    """A call of GreaterOrEqual under one version of its specification."""

    clauses = COMPARISON
    test = staticmethod(np.greater_equal)


class LessOrEqual(Comparison):
    """A call of LessOrEqual under one version of its specification."""

    clauses = COMPARISON
    test = staticmethod(np.less_equal)
