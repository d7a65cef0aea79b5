"""Reference oracle of SONNX Range: the formulas in fractions, each element rounded once.

Where the formulas give no number of elements, or the type does not have a difference, there is none.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._rounding import nearest


def expected(call: Call) -> dict[str, np.ndarray]:
    """Return the output, in the element type of start, of a valid call."""
    dtype = call.inputs["start"].dtype
    numbers = [call.inputs[name].item() for name in ("start", "limit", "delta")]
    if not all(map(math.isfinite, numbers)):
        return {"output": np.empty(0, dtype)}
    start, limit, delta = map(Fraction, numbers)
    if dtype.kind == "i":
        lowest, highest = Fraction(np.iinfo(dtype).min), Fraction(np.iinfo(dtype).max)
    else:
        highest = Fraction(float(np.finfo(dtype).max))
        lowest = -highest
    if not lowest <= limit - start <= highest:
        return {"output": np.empty(0, dtype)}
    count = max(math.ceil((limit - start) / delta), 0)
    exact = [start + i * delta for i in range(count)]
    return {"output": np.array([int(y) if dtype.kind == "i" else nearest(y, dtype.name) for y in exact], dtype)}
