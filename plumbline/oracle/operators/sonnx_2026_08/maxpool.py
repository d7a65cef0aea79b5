"""Judge calls of SONNX MaxPool as of August 2026, by `spec/sonnx-2026-08/maxpool.md`."""

from __future__ import annotations

from itertools import product

from plumbline.oracle.operator import evidence, on_call
from plumbline.oracle.operators.sonnx.addresses import MAXIMA
from plumbline.oracle.operators.sonnx.maxpool import LISTS, WELL_FORMED
from plumbline.oracle.operators.sonnx.revisions import Revision, empty_window_all_the_same


class MaxPool(Revision):
    """A call of MaxPool in this revision: the dilated kernel is above the pads."""

    clauses = LISTS | {
        "float.pads.F1": "float_padding", "int.pads.F1": "integer_padding", "Indices.F2": "first_of_the_maxima",
        "Indices.F1": "index_of_the_maximum", "strides.E1": "axes_exchanged", "Indices.E2": "tie_breaks_the_rule",
        "float.Y.U1": "nan"} | MAXIMA

    @on_call("pads.C5", needs=WELL_FORMED)
    def pads_below_the_kernel(self) -> str | None:
        axes = zip(self.geometry.begin, self.geometry.end, self.geometry.extents, strict=True)
        above = [f"{max(begin, end)} on a dilated kernel of {extent}" for begin, end, extent in axes
                 if max(begin, end) >= extent]
        return f"a pad of {above[0]}" if above else None

    @evidence("pads.E2")
    @staticmethod
    def pads_against_kernel() -> str:
        call, empty = empty_window_all_the_same(dilated=True)
        return f"{call}: the dilated kernel exceeds both pads, and window {empty} selects nothing but padding"

    @evidence("Indices.E6")
    @staticmethod
    def no_third_size_of_the_kernel() -> str:
        width, kernel = 3, 2
        cells = list(product(range(2), range(width)))
        by_x = {h * width + w for h, w in cells}
        by_kernel = [h * kernel + w for h, w in cells]
        assert len(by_x) == len(cells) and by_kernel.count(2) == 2
        return f"in a plane {width} wide the cells (0, 2) and (1, 0) both come to 2 with a kernel {kernel} wide; " \
               "with the width of X they come to 2 and 3"
