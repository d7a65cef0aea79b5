"""Reference oracle of ONNX DynamicQuantizeLinear: exact fractions, the scale rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places
from plumbline.oracle.reference.exact import number, rounded


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return the outputs of a valid call in a version of the operator; where they are left open, zeros."""
    x = call.inputs["x"]
    numbers = [found if isinstance(found := number(x[place]), Fraction) else Fraction(0) for place in places(x.shape)]
    lowest, highest = min([Fraction(0), *numbers]), max([Fraction(0), *numbers])
    scale = rounded((highest - lowest) / 255, np.dtype(np.float32))
    y, zero_point = np.zeros(x.shape, np.uint8), 0
    divisor = Fraction(float(scale)) if np.isfinite(scale) else Fraction(0)
    if divisor:
        zero_point = round(min(-lowest / divisor, Fraction(255)))
        for place, found in zip(places(x.shape), numbers, strict=True):
            y[place] = min(max(round(found / divisor) + zero_point, 0), 255)
    return {"y": y, "y_scale": np.array(scale, np.float32), "y_zero_point": np.array(zero_point, np.uint8)}
