"""Reference oracle of ONNX NonMaxSuppression: one box after another, by overlaps that are fractions.

Of what the text leaves open it takes the first of equal scores, and keeps a box where its overlap is undefined.
"""

from __future__ import annotations

from fractions import Fraction
from math import isfinite

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._places import places


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return selected_indices, of int64, of a valid call in a version of the operator."""
    boxes, scores = call.inputs["boxes"], call.inputs["scores"]
    most, limit, least = (call.inputs[name].item() if name in call.inputs else default for name, default in (
        ("max_output_boxes_per_class", 0), ("iou_threshold", 0.0), ("score_threshold", -np.inf)))
    centers = call.attributes.get("center_point_box", 0) == 1
    rows = []
    for batch, label in places(scores.shape[:2]):
        left = [index for index in range(scores.shape[2]) if not scores[batch, label, index] < least]
        chosen: list[int] = []
        while left and len(chosen) < most:
            best = left[0]
            for index in left:
                if scores[batch, label, index] > scores[batch, label, best]:
                    best = index
            left.remove(best)
            if not any(_overlap(boxes[batch, best], boxes[batch, other], centers) > limit for other in chosen):
                chosen.append(best)
                rows.append([batch, label, best])
    return {"selected_indices": np.array(rows, np.int64).reshape(-1, 3)}


def _overlap(one: np.ndarray, other: np.ndarray, centers: bool) -> Fraction:
    """Return the intersection of two boxes over their union; 0 where that is undefined."""
    if not all(map(isfinite, (*one, *other))):
        return Fraction(0)
    common, areas = Fraction(1), [Fraction(1), Fraction(1)]
    for axis in range(2):
        spans = []
        for number, box in enumerate((one, other)):
            first, second = Fraction(float(box[axis])), Fraction(float(box[axis + 2]))
            span = [first - second / 2, first + second / 2] if centers else sorted((first, second))
            areas[number] *= span[1] - span[0]
            spans.append(span)
        common *= max(Fraction(0), min(spans[0][1], spans[1][1]) - max(spans[0][0], spans[1][0]))
    union = sum(areas) - common
    return common / union if union > 0 else Fraction(0)
