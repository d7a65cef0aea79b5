"""Reference oracle of ONNX RoiAlign: a sample at a time, in exact fractions.

What is left undefined (samples beyond the map, numbers that are not finite, regions of no length) is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._rounding import nearest


def _sampled(image: np.ndarray, y: Fraction, x: Fraction) -> Fraction | None:
    """Return the interpolation at a place of a map; None where an element is not finite."""
    height, width = image.shape
    y, x = (min(max(place, Fraction(0)), Fraction(size - 1)) for place, size in ((y, height), (x, width)))
    top, left = math.floor(y), math.floor(x)
    total = Fraction(0)
    for row in (top, top + 1):
        for column in (left, left + 1):
            weight = (1 - abs(y - row)) * (1 - abs(x - column))
            element = float(image[min(row, height - 1), min(column, width - 1)])
            if not math.isfinite(element):
                return None
            total += weight * Fraction(element)
    return total


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of the type of X."""
    x, rois, batches = (call.inputs[name] for name in ("X", "rois", "batch_indices"))
    given = call.attributes
    bins = given.get("output_height", 1), given.get("output_width", 1)
    scale = Fraction(float(np.float32(given.get("spatial_scale", 1.0))))
    shifted = version >= 16 and given.get("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    y = np.full((len(rois), x.shape[1], *bins), math.nan, x.dtype)
    for region, corners in enumerate(rois.tolist()):
        if not all(map(math.isfinite, corners)):
            continue
        starts, steps, counts = [], [], []
        for axis in (0, 1):
            first, last = (Fraction(corners[place]) * scale for place in (1 - axis, 3 - axis))
            count = given.get("sampling_ratio", 0)
            if count == 0:
                count = math.ceil((last - first) / bins[axis])
            counts.append(count)
            starts.append(first - (Fraction(1, 2) if shifted else 0))
            steps.append((last - first) / (bins[axis] * max(counts[axis], 1)))
        if min(counts) < 1 or min(x.shape) == 0 or not given.get("sampling_ratio", 0) and max(counts) > max(x.shape):
            continue  # of nothing, or beyond the map
        for place in np.ndindex(*y.shape[1:]):
            samples = [_sampled(x[batches[region], place[0]], *(
                starts[axis] + (place[1 + axis] * counts[axis] + inner[axis] + Fraction(1, 2)) * steps[axis]
                for axis in (0, 1))) for inner in np.ndindex(*counts)]
            known = [sample for sample in samples if sample is not None]
            if len(known) == len(samples):
                exact = max(known) if given.get("mode", "avg") == "max" else sum(known, Fraction(0)) / len(known)
                y[(region, *place)] = nearest(Fraction(exact), x.dtype.name)
    return {"Y": y}
