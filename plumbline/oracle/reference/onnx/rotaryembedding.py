"""Reference oracle of ONNX RotaryEmbedding: a pair of elements at a time, in exact fractions.

What is left undefined (products of numbers that are not finite) is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.reference._rounding import nearest


def _combined(terms: list[tuple[np.generic, np.generic, int]], dtype: str) -> float:
    if not all(math.isfinite(float(factor)) for one, other, _ in terms for factor in (one, other)):
        return math.nan
    exact = sum(sign * Fraction(float(one)) * Fraction(float(other)) for one, other, sign in terms)
    return nearest(Fraction(exact), dtype)


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y, of the shape and type of X."""
    x, cosines, sines = (call.inputs[name] for name in ("X", "cos_cache", "sin_cache"))
    y = x.copy()
    heads = x.shape[1] if x.ndim == 4 else call.attributes["num_heads"]
    size = x.shape[3] if x.ndim == 4 else x.shape[2] // heads
    rotated = call.attributes.get("rotary_embedding_dim", 0)
    half = (size if rotated == 0 else rotated) // 2
    for sequence in range(x.shape[0]):
        for position in range(x.shape[-2]):
            row: tuple[int, ...] = (sequence, position)
            if "position_ids" in call.inputs:
                row = (call.inputs["position_ids"][row],)
            for head in range(heads):
                before = (sequence, head, position) if x.ndim == 4 else (sequence, position)
                start = 0 if x.ndim == 4 else head * size
                for pair in range(half):
                    apart = (2 * pair, 2 * pair + 1) if call.attributes.get("interleaved", 0) else (pair, pair + half)
                    first, second = ((*before, start + place) for place in apart)
                    cosine, sine = cosines[row][pair], sines[row][pair]
                    y[first] = _combined([(cosine, x[first], 1), (sine, x[second], -1)], x.dtype.name)
                    y[second] = _combined([(sine, x[first], 1), (cosine, x[second], 1)], x.dtype.name)
    return {"Y": y}
