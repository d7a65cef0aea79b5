"""Reference oracle of ONNX Attention: a query at a time, in exact fractions up to its scores.

What is left undefined (numbers that are not finite, overflow on the way) is NaN.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from plumbline.oracle.call import Call

Wide = np.longdouble


def _positions(x: np.ndarray, heads: int) -> np.ndarray:
    """Return an input as an array of elements by batch, head and position."""
    if x.ndim == 4:
        return x
    size = x.shape[2] // heads
    found = np.empty((x.shape[0], heads, x.shape[1], size), x.dtype)
    for head in range(heads):
        for element in range(size):
            found[:, head, :, element] = x[:, :, head * size + element]
    return found


def _dot(one: np.ndarray, other: np.ndarray) -> Any:
    """Return the exact sum of products, in extended precision; NaN where a number is not finite."""
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return Wide(math.nan)
    exact = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(one, other, strict=True)), Fraction(0))
    spare = max(exact.numerator.bit_length() - 64, 0)
    return np.ldexp(Wide(exact.numerator >> spare), spare) / Wide(exact.denominator)


def _weights(scores: list[Any], keys: list[int]) -> list[Any]:
    """Return the Softmax of all scores; those of other keys, and of none, are zero."""
    if not keys:
        return [Wide(0)] * len(scores)
    most = max(scores[key] for key in keys)
    powers = [np.exp(score - most) if key in keys else Wide(0) for key, score in enumerate(scores)]
    total = sum(powers, Wide(0))
    return [power / total for power in powers]


def expected(call: Call, version: int) -> dict[str, np.ndarray]:
    """Return Y and qk_matmul_output (type of Q), present_key and present_value."""
    given = call.attributes
    q, k, v = (_positions(call.inputs[name], given.get(heads, 1)) for name, heads in zip(
        "QKV", ("q_num_heads", "kv_num_heads", "kv_num_heads"), strict=True))
    past = call.inputs["past_key"].shape[2] if "past_key" in call.inputs else 0
    if "past_key" in call.inputs:
        k, v = (np.concatenate([call.inputs[name], x], 2) for name, x in (("past_key", k), ("past_value", v)))
    (batches, heads, queries, size), (_, shared, total, width) = q.shape, v.shape
    scale = Wide(np.float32(given["scale"])) if "scale" in given else 1 / np.sqrt(Wide(max(size, 1)))
    cap, mode = Wide(np.float32(given.get("softcap", 0.0))), given.get("qk_matmul_output_mode", 0)
    y, qk = np.empty((batches, heads, queries, width), q.dtype), np.empty((batches, heads, queries, total), q.dtype)
    counts, mask = call.inputs.get("nonpad_kv_seqlen"), call.inputs.get("attn_mask")
    if mask is not None:
        missing = total - mask.shape[-1]
        if version >= 24 and missing > 0 and mask.shape[-1] >= max(() if counts is None else counts, default=0):
            behind = np.full((*mask.shape[:-1], missing), False if mask.dtype == bool else -math.inf, mask.dtype)
            mask = np.concatenate([mask, behind], -1)
        mask = np.broadcast_to(mask, qk.shape)
    for batch, head, query in np.ndindex(batches, heads, queries):
        own = head // (heads // shared)
        at = query + (past if counts is None else int(counts[batch]) - queries)
        first = [_dot(q[batch, head, query], k[batch, own, key]) * scale for key in range(total)]
        second = [cap * np.tanh(score / cap) if cap != 0 else score for score in first]
        third, keys = list(second), []
        for key in range(total):
            allowed = not (given.get("is_causal", 0) and key > at) and (counts is None or key < counts[batch])
            left, right = (given.get(f"{side}_window_size", -1) for side in ("left", "right"))
            allowed = allowed and not (left >= 0 and key < at - left) and not (right >= 0 and key > at + right)
            if mask is not None:
                added = mask[batch, head, query, key]
                third[key] += Wide(added) if mask.dtype != bool else Wide(0 if added else -math.inf)
                allowed = allowed and (added if mask.dtype == bool else added != -math.inf)
            if allowed:
                keys.append(key)
            else:
                third[key] = Wide(-math.inf) if not np.isnan(third[key]) else third[key]
        weights = _weights(third, keys)
        for key, value in enumerate((first, second, third, weights)[mode]):
            qk[batch, head, query, key] = value
        for element in range(width):
            y[batch, head, query, element] = sum(
                (weight * Wide(v[batch, own, key, element]) for key, weight in enumerate(weights)), Wide(0))
    if call.inputs["Q"].ndim == 3:
        y = np.concatenate([y[:, head] for head in range(heads)], -1)
    return {"Y": y, "present_key": k, "present_value": v, "qk_matmul_output": qk}
