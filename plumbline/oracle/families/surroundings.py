"""Define surrounding nodes that change no value, for each family.

A sum with zeros keeps every number but -0; a product with one, and a kernel of a single one among zeros, keep what is
finite; a rectifier keeps what is not negative.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np

from plumbline.oracle.surrounding_nodes import SurroundingNode, Surroundings

CHANNELS = 128
"""The largest number of channels that a dense kernel is made for."""

BLOCK, LARGEST = 16, 2**13
"""Channels that kernels compute at once, and elements of what is repeated to fill them."""


def _is_usual(x: np.ndarray) -> bool:
    """Return True for a float32 array with elements, each finite, and normal or +0."""
    if x.dtype != np.float32 or not x.size:
        return False
    return bool(np.isfinite(x).all() and ((np.abs(x) >= np.finfo(x.dtype).tiny) | (x == 0)).all()
                and not (np.signbit(x) & (x == 0)).any())


def _is_usual_image(x: np.ndarray) -> bool:
    return x.ndim > 2 and x.shape[1] <= CHANNELS and _is_usual(x)


def _is_not_negative(x: np.ndarray) -> bool:
    return x.dtype == np.float32 and bool(x.size) and not np.signbit(x).any() and bool((x >= 0).all())


def _is_number(x: np.ndarray) -> bool:
    return x.dtype == np.float32 and bool(x.size) and bool((x == x).all())


def _channels(x: np.ndarray) -> tuple[int, ...]:
    """The shape of one number for each channel, or of the last axis where there are no spatial axes."""
    return (1, x.shape[1], *(1,) * (x.ndim - 2)) if x.ndim > 2 else x.shape[-1:]


def _of_one(x: np.ndarray) -> dict[str, Any]:
    return {"kernel_shape": [1] * (x.ndim - 2)}


def _identity(x: np.ndarray) -> tuple[np.ndarray, ...]:
    return (np.eye(x.shape[1], dtype=x.dtype).reshape(x.shape[1], x.shape[1], *(1,) * (x.ndim - 2)),)


def _standard(x: np.ndarray) -> tuple[np.ndarray, ...]:
    zeros, ones = np.zeros(x.shape[1], x.dtype), np.ones(x.shape[1], x.dtype)
    return ones, zeros, zeros, ones


CONVOLUTION = SurroundingNode("Conv", _is_usual_image, _of_one, _identity)
RECTIFIER = SurroundingNode("Relu", _is_not_negative)
NORMALISATION = SurroundingNode("BatchNormalization", _is_usual_image, lambda x: {"epsilon": 0.0}, _standard)
SUM = SurroundingNode("Add", _is_usual, weights=lambda x: (np.zeros(_channels(x), x.dtype),))
PRODUCT = SurroundingNode("Mul", _is_number, weights=lambda x: (np.ones(_channels(x), x.dtype),))
CLIP = SurroundingNode("Clip", _is_number, since=11,
                       weights=lambda x: (np.array(-np.inf, x.dtype), np.array(np.inf, x.dtype)))

def _repeats(x: np.ndarray) -> np.ndarray:
    """Return how often each axis is repeated for whole blocks of channels."""
    return np.array([1, BLOCK // gcd(x.shape[1], BLOCK), *(1,) * (x.ndim - 2)], np.int64)


def _is_in_part(x: np.ndarray) -> bool:
    """Channels that do not fill blocks, of one batch, so that positions count on from them."""
    return x.ndim > 2 and x.shape[0] == 1 and 0 < x.size < LARGEST and x.shape[1] % BLOCK != 0


def _repeated(x: np.ndarray) -> np.ndarray:
    return np.tile(x, _repeats(x))


REPEATED = SurroundingNode("Tile", _is_in_part, weights=lambda x: (_repeats(x),), between=_repeated)
CUT = SurroundingNode("Slice", _is_in_part, since=10, between=_repeated,
                      weights=lambda x: tuple(np.array([number], np.int64) for number in (0, x.shape[1], 1)))

OF_PLANES = (
    Surroundings("in-blocks", "X is repeated until its channels fill blocks of sixteen, and Y is cut back. "
                 "Kernels that compute several channels at once are chosen by their number.", (REPEATED,), (CUT,)),
)
"""Of what computes each channel by itself."""

OF_IMAGES = (
    Surroundings("after-convolution", "X comes from a convolution with a kernel of one cell, the identity.",
                 (CONVOLUTION,)),
    Surroundings("in-a-layer", "The node stands between a convolution with its rectifier and another convolution, "
                 "which keep every value.", (CONVOLUTION, RECTIFIER), (CONVOLUTION,)),
    Surroundings("between-convolutions", "The node stands between two convolutions that are the identity.",
                 (CONVOLUTION,), (CONVOLUTION,)),
)
"""Of what reads images: kernels that lay channels out in blocks keep that layout from node to node."""

OF_SUMS = (
    Surroundings("before-normalisation", "Y goes through a batch normalisation that keeps every value, which is "
                 "merged into the weights.", after=(NORMALISATION,)),
    Surroundings("before-sum", "Zeros are added to Y, a bias that is merged into the node.", after=(SUM,)),
    Surroundings("before-product", "Y is multiplied by ones, which are merged into the weights.", after=(PRODUCT,)),
)
"""Of what multiplies by weights."""

OF_ANY = (
    Surroundings("before-rectifier", "Y, which is not negative, goes through a rectifier, which is merged into the "
                 "node.", after=(RECTIFIER,)),
    Surroundings("after-rectifier", "X, which is not negative, comes from a rectifier.", (RECTIFIER,)),
    Surroundings("before-clip", "Y is clipped at the infinities, which is merged into the node.", after=(CLIP,)),
)
"""Of what gives numbers."""

OF_SUITE = OF_IMAGES + OF_PLANES + OF_ANY + OF_SUMS
"""Those of all definitions of the suite, so that their names are known before any definition is read."""
