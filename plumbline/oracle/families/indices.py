"""Check and draw tensors of indices along an axis."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.operator import Choose

INDEX_TYPES = ("int64", "int32")

INDEX_FLAGS = {"negative-index": "an index counts from the back."}
"""Notes on flags of operators with indices."""


def out_of_bounds(indices: np.ndarray, lowest: int, size: int) -> str | None:
    """Return why an index is not from `lowest` to before `size`, or None."""
    wrong = indices[(indices < lowest) | (indices >= size)]
    return f"{wrong[0]} is not from {lowest} to {size - 1}" if wrong.size else None


def from_the_front(indices: np.ndarray, size: int) -> np.ndarray:
    """Return int64 indices within bounds without those that count from the back."""
    wide = indices.astype(np.int64)
    return np.where(wide < 0, wide + size, wide)


def a_list_of_indices(choose: Choose, shape: tuple[int, ...], dtype: str, size: int, *, back: bool) -> np.ndarray:
    """Draw indices below `size`, the length of the axis; with `back` some count from the back."""
    drawn = choose.tensor(shape, "int64", "order")
    indices = drawn % max(size, 1)
    if back and choose((False, True)):
        indices = np.where(drawn // max(size, 1) % 2 == 1, indices - size, indices)
    return np.asarray(indices).astype(dtype)  # arithmetic makes a scalar of an array without axes
