"""Reference oracle of ONNX AveragePool: exact fractions, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference.onnx.windows import layout, window_cells


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y (type of X) of a valid call with windows, in a version of the operator.

    Sums with numbers that are not finite are as in IEEE 754; a window that selects nothing gives NaN or 0."""
    x = call.inputs["X"]
    shape, select = layout(call, version)
    y = np.empty(shape, dtype=x.dtype)
    for place in product(*map(range, shape)):
        values = [float(x[(*place[:2], *cell)]) for cell in select(place[2:])]
        if not values or not all(map(math.isfinite, values)):
            nothing = 0 if call.attributes.get("count_include_pad", 0) else math.nan
            y[place] = sum(values) if values else nothing  # in float64, which knows what NaN and infinities come to
            continue
        divisor = _counted(call, version, place[2:]) if call.attributes.get("count_include_pad", 0) else len(values)
        mean = sum(map(Fraction, values)) / divisor
        try:
            y[place] = x.dtype.type(float(mean))
        except OverflowError:  # of the sum alone, in float64; the element is open
            y[place] = math.copysign(math.inf, mean)
    return {"Y": y}


def _counted(call: Call, version: int, window: tuple[int, ...]) -> int:
    """The divisor of a window where padding counts: before version 19 all its cells, of two that conform; from then on
    those that lie in X or its padding."""
    attributes, counted = call.attributes, 1
    rank = len(attributes["kernel_shape"])
    for axis, number in enumerate(window):
        begin, end = (attributes.get("pads", [0] * 2 * rank)[place] for place in (axis, axis + rank))
        cells = window_cells(call, axis, number * attributes.get("strides", [1] * rank)[axis])
        explicit = attributes.get("auto_pad", "NOTSET") == "NOTSET"  # otherwise no window reaches so far
        room = call.inputs["X"].shape[2 + axis] + begin + end
        counted *= len(range(cells.start, min(cells.stop, room), cells.step) if explicit and version >= 19 else cells)
    return counted
