"""Judge and generate calls of SONNX Add, by `spec/sonnx/add.md`."""

from __future__ import annotations

from operator import add

import numpy as np

from plumbline.oracle.families.arithmetic import SonnxArithmetic
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.sonnx.addresses import ARITHMETIC, PAIR


class Add(SonnxArithmetic):
    """A call of Add."""

    clauses = ARITHMETIC | PAIR
    operator = "Add"
    operation = np.add
    exactly = add

    @evidence("int.C.E1")
    @staticmethod
    def blank_bounds() -> str:
        total, printed = 100 + 100, np.int8(-56)
        fits = min(k for k in range(3) if total - k * 2**8 < 2**8)  # the bound as it is printed
        meant = min(k for k in range(3) if total - k * 2**8 < 2**7)
        assert fits == 0 and total > np.iinfo(np.int8).max and total - meant * 2**8 == printed
        return f"100 + 100 in int8: read literally k1 = {fits} leaves {total}, and the example prints {printed}"
