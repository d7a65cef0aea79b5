"""Products of matrices by instructions that saturate sums of two products.

VPMADDUBSW of x86 is one: it adds two products in 16 bits."""

from __future__ import annotations

import numpy as np

INT16 = np.iinfo(np.int16)


def sum_of_pairs(unsigned: np.ndarray, signed: np.ndarray, point: np.ndarray | int, other_point: np.ndarray | int
                 ) -> np.ndarray:
    """Return the product of two stacks of matrices whose sums of two neighbouring products saturate.

    unsigned, signed:   (..., M, K) of uint8 and (..., K, N) of int8.
    point, other_point: their zero points, which are applied to the sums exactly; they broadcast to (..., M, 1) and
                        (..., 1, N).

    Shape (..., M, N), int64."""
    left, right = unsigned.astype(np.int64), signed.astype(np.int64)
    inner = left.shape[-1]
    exact = -point * right.sum(-2, keepdims=True) - other_point * left.sum(-1, keepdims=True) \
        + inner * point * other_point
    if inner % 2:
        left = np.concatenate([left, np.zeros_like(left[..., :1])], -1)
        right = np.concatenate([right, np.zeros_like(right[..., :1, :])], -2)
    total = np.zeros(1, np.int64)
    for k in range(0, inner, 2):
        total = total + np.clip(left[..., k:k + 2] @ right[..., k:k + 2, :], INT16.min, INT16.max)
    return np.asarray(total + exact)
