"""The evidence of the errata: each function computes the contradiction and says it in one line.

The few numbers used are those of the draft's own examples and formulas.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from plumbline.oracle.clauses.sonnx.maxpool.bindings import bindings
from plumbline.oracle.maximum import Maxima
from plumbline.oracle.windows import Geometry, taps

EXAMPLES = {
    # name: (spatial shape of X, kernel_shape, pads, spatial shape of Y as printed); strides and dilations are all 1
    "8x8": ((8, 8), (3, 3), (0, 0, 0, 0), (6, 6)),
    "float 1 and 3, int 1 and 2": ((3, 3), (2, 2), (0, 0, 0, 0), (2, 2)),
    "float 2": ((3, 3), (2, 2), (1, 0, 1, 0), (4, 2)),
    "int 3": ((3, 3), (2, 2), (0, 1, 1, 1), (3, 4)),
    "float 4, int 4 and 5": ((3, 3), (2, 2), (1, 1, 1, 1), (4, 4)),
}
INT_EXAMPLE_4 = np.array([[[[-128, -127, 5], [-128, -127, 6], [7, 8, -128]]]], dtype=np.int8)


def _plain(shape: tuple[int, ...], kernel: tuple[int, ...], pads: tuple[int, ...]) -> Geometry:
    return Geometry(shape, kernel, (1, 1), (1, 1), pads[:2], pads[2:])


@bindings.evidence("Y.E1")
def parenthesis() -> str:
    shapes = {}
    for name, (sizes, kernel, pads, printed) in EXAMPLES.items():
        windows = _plain(sizes, kernel, pads)
        as_printed = tuple((size + b + e - (extent - 1) - 1) // (1 + 1) for size, b, e, extent in
                           zip(sizes, windows.begin, windows.end, windows.extents, strict=True))
        assert windows.floor_sizes == printed
        shapes[name] = (as_printed, printed)
    assert all(as_printed != printed for as_printed, printed in shapes.values())
    as_printed, printed = shapes["8x8"]
    return f"as printed the formula gives {as_printed} for the 8x8 example, whose Y is printed with {printed}; " \
           f"it contradicts all {len(shapes)} configurations of the examples, C1 none"


@bindings.evidence("strides.E1")
def axes_exchanged() -> str:
    windows = Geometry((7, 7), (1, 1), (3, 2), (1, 1), (0, 0), (0, 0))
    down, right = (int(np.diff(places[:, 0])[0]) for places in windows.positions(windows.floor_sizes))
    assert (down, right) == (3, 2)
    return f"by the formula of Y, strides [3, 2] move the kernel {down} along the first spatial axis and {right} " \
           "along the second; the sentence says 2 and 3"


@bindings.evidence("pads.E2")
def pads_against_kernel() -> str:
    """The smallest call for which the later revision's condition holds and a window selects no element of X."""
    for size, k, d, begin, end in product(range(1, 3), range(1, 4), range(1, 4), range(4), range(4)):
        windows = Geometry((size,), (k,), (1,), (d,), (begin,), (end,))
        if windows.extents[0] > max(begin, end) and windows.floor_sizes[0] > 0:
            empty = windows.empty_window(windows.floor_sizes)
            if empty:
                assert d > 1
                return f"dX = {size}, k = {k}, d = {d}, pads {begin} and {end}: the dilated kernel, " \
                       f"{windows.extents[0]}, exceeds both pads, and window {empty[1]} selects nothing but padding"
    raise AssertionError("the later revision's condition suffices within the bound")


@bindings.evidence("Indices.E1")
def batch_and_channel_left_out() -> str:
    x = np.zeros((1, 2, 1, 1), dtype=np.int8)
    full = Maxima(x, _plain((1, 1), (1, 1), (0, 0, 0, 0)), (1, 1)).indices.ravel().tolist()
    assert full == [0, 1]
    return f"for X of shape (1, 2, 1, 1) with kernel 1x1 the formula gives [0, 0]; the positions in the flattened X " \
           f"are {full}"


@bindings.evidence("Indices.E2")
def tie_breaks_the_rule() -> str:
    windows = Maxima(INT_EXAMPLE_4, _plain((3, 3), (2, 2), (1, 1, 1, 1)), (4, 4))
    candidates = [int(tap.index[1, 0]) for tap in taps(windows.geometry, windows.counts)
                  if tap.inside[1, 0] and INT_EXAMPLE_4.ravel()[tap.index[1, 0]] == windows.values[0, 0, 1, 0]]
    assert candidates == [0, 3]
    return f"the window at row 1, column 0 holds its maximum {windows.values[0, 0, 1, 0]} at the indices " \
           f"{candidates}; the first is 0, and 3 is printed"


@bindings.evidence("Indices.E3")
def ranges_of_h_and_w() -> str:
    (height, _), _, (top, _, bottom, _), (rows, _) = EXAMPLES["float 1 and 3, int 1 and 2"]
    last_read, last_row = (rows - 1) * 1 + (height - 1) * 1, height + top + bottom - 1
    assert last_read > last_row
    return f"with h up to dX2 - 1 the formula of Y would read row {last_read} of X_p in float Example 1, whose last " \
           f"row is {last_row}"


@bindings.evidence("Indices.E4")
def formula_without_a_window() -> str:
    row = np.array([5, 1, 1, 5], dtype=np.int8)
    anywhere = np.flatnonzero(row == row[2:].max()).tolist()
    assert anywhere == [0, 3]
    return f"for the row {row.tolist()} with kernel 1x2 the last window has maximum 5 at index 3; the formula holds " \
           f"for the indices {anywhere}, the first outside the window"


@bindings.evidence("Indices.E5")
def ties_with_the_padding() -> str:
    windows = Maxima(INT_EXAMPLE_4, _plain((3, 3), (2, 2), (1, 1, 1, 1)), (4, 4))
    corner = [bool(tap.inside[0, 0]) for tap in taps(windows.geometry, windows.counts)]
    assert corner == [False, False, False, True] and windows.values[0, 0, 0, 0] == -128
    return "the first window of int Example 4 selects three padding cells of -128 and then X[0,0] = -128; the " \
           f"printed index is {windows.indices[0, 0, 0, 0]}, that of X[0,0]"
