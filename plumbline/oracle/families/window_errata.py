"""Compute the evidence for errata that specifications with windows share.

An assertion fails if the contradiction is not there.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from plumbline.oracle.families.windows import Geometry
from plumbline.oracle.operator import Predicate, evidence


def size_errata(size: str, ceil: str) -> tuple[Predicate, Predicate]:
    """Return evidence of two errata on sizes: at address `size` on SAME, at address `ceil` on floor and ceil."""

    def same_is_not_the_size_of_x() -> str:
        formula, sentence, printed = -(-5 // 2), 5, 3
        assert formula == printed != sentence
        return f"in = 5, s = 2, SAME_UPPER: the formula gives {formula}, the sentence {sentence}, and the documented " \
               f"example (2d_precomputed_same_upper) prints {printed}"

    def floor_beside_ceil() -> str:
        windows = Geometry((4,), (3,), (2,), (1,), (0,), (0,))
        floor, up, printed = windows.floor_sizes[0], -(-(4 - 3) // 2) + 1, 2
        assert up == printed != floor
        return f"in = 4, k = 3, s = 2, ceil_mode 1: the formula gives {up}, the floor would be {floor}, and the " \
               f"documented example (2d_ceil) prints {printed}"

    return evidence(size)(same_is_not_the_size_of_x), evidence(ceil)(floor_beside_ceil)


def starts_behind_the_padding() -> str:
    """Evidence of the erratum on windows that start behind the padding at the end."""
    size, stride, end = 2, 3, 0
    start = -(-(size + end - 1) // stride) * stride
    assert start > size + end - 1 and not range(size, size + end)
    return f"in = {size}, k = 1, s = {stride}, no padding: the last window starts at {start}, and there is no " \
           "padding for it to start in"


def two_forms_are_equal(bound: int = 60) -> str:
    """Evidence of the erratum on two forms for one size, checked for every size up to `bound`."""
    for room, stride in product(range(bound), range(1, bound)):
        assert -(-(room + 1) // stride) == room // stride + 1
    return f"ceil((n + 1)/s) = floor(n/s) + 1 for every n below {bound} and s from 1 to {bound - 1}, with " \
           "n = in - ke for VALID and n = in - 1 for SAME"


def strides_without_a_default() -> str:
    """Evidence of the erratum on strides that are absent: the sizes that a documented example would have."""
    sizes = {stride: Geometry((5,), (5,), (stride,), (1,), (2,), (2,)).floor_sizes[0] for stride in (1, 2, 3)}
    printed = 5
    assert [stride for stride, size in sizes.items() if size == printed] == [1]
    return f"in = 5, k = 5, pads of 2: the documented example (2d_precomputed_pads) prints {printed} windows, as " \
           f"with a stride of 1; with 2 there would be {sizes[2]}, with 3 {sizes[3]}"


def dilations_without_a_default() -> str:
    """Evidence of the erratum on dilations that are absent: the sizes that a documented example would have."""
    sizes = {dilation: -(-(4 - dilation * 2 - 1) // 2) + 1 for dilation in (1, 2)}
    printed = 2
    assert sizes[1] == printed != sizes[2]
    return f"in = 4, k = 3, s = 2, ceil_mode 1: the documented example (2d_ceil) prints {printed} windows, as with " \
           f"a dilation of 1; with 2 the formula gives {sizes[2]}"


def indices_alone() -> str:
    """Evidence of the erratum on storage_order: what the documented example prints, in either order."""
    x = np.arange(1, 26).reshape(5, 5)
    rows = x[1:4:2, 1:4:2]
    column_major = np.array([[int(np.argwhere(x == value)[0] @ (1, 5)) for value in row] for row in rows])
    assert rows.tolist() == [[7, 9], [17, 19]] and column_major.tolist() == [[6, 16], [8, 18]]
    return f"with storage_order 1 the example prints Y {rows.tolist()}, in row-major order, and Indices " \
           f"{column_major.tolist()}, counted column by column"
