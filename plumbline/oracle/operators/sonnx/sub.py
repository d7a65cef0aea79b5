"""Judge and generate calls of SONNX Sub, by `spec/sonnx/sub.md`."""

from __future__ import annotations

from operator import sub

import numpy as np

from plumbline.oracle.families.arithmetic import OF_DIFFERENCES, SonnxArithmetic
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import ARITHMETIC, PAIR


class Sub(SonnxArithmetic):
    """A call of Sub."""

    clauses = ARITHMETIC | PAIR
    operator = "Sub"
    operation = np.subtract
    exactly = sub
    symptoms = {**SonnxArithmetic.symptoms, **OF_DIFFERENCES}

    @evidence("int.C.E1")
    @staticmethod
    def sum_of_uint8() -> str:
        a, b, printed = 100, 200, 44
        assert printed == (a + b) % 256 != (a - b) % 256
        return f"{a} - {b} in uint8 is {(a - b) % 256} by the formula; the example prints {printed}, their sum"

    @evidence("int.C.E2")
    @staticmethod
    def sum_of_int8() -> str:
        a, b, printed = -6, -3, -9
        assert printed == a + b != a - b
        return f"{a} - ({b}) is {a - b} by the formula; the example prints {printed}, their sum"
