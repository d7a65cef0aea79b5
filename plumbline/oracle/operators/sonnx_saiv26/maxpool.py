"""Judge calls of SONNX MaxPool as of March 2026, by `spec/sonnx-saiv26/maxpool.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import element_type
from plumbline.oracle.families.maxima import MaxWindows
from plumbline.oracle.operator import evidence, on_call
from plumbline.oracle.operators.sonnx.addresses import MAXIMA
from plumbline.oracle.operators.sonnx.maxpool import LISTS, WELL_FORMED
from plumbline.oracle.operators.sonnx.revisions import Revision, empty_window_all_the_same


class MaxPool(Revision):
    """A call of MaxPool in this revision: floating point alone, and any of several equal maxima gives the index."""

    clauses = LISTS | {
        "float.pads.F1": "float_padding", "Indices.F1": "index_of_the_maximum",
        "Indices.E1": "batch_and_channel_left_out", "Indices.E3": "ranges_of_h_and_w", "float.Y.U1": "nan"} | MAXIMA
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0)}

    element_types = element_type("X.C3", "X", ("float16", "float32", "float64"))

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Y equals the maximum; Indices points at a maximum of its window."""
        return MaxWindows.conforms(self, output, got)

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return masks of outputs where several elements are the maximum."""
        return MaxWindows.alternatives(self)

    @on_call("pads.C5", needs=WELL_FORMED)
    def pads_below_the_kernel(self) -> str | None:
        axes = zip(self.geometry.begin, self.geometry.end, self.geometry.kernel, strict=True)
        above = [f"{max(begin, end)} on a kernel of {kernel}" for begin, end, kernel in axes
                 if max(begin, end) >= kernel]
        return f"a pad of {above[0]}" if above else None

    @evidence("pads.E2")
    @staticmethod
    def pads_against_kernel() -> str:
        call, empty = empty_window_all_the_same(dilated=False)
        return f"{call}: the kernel exceeds both pads, and window {empty} selects nothing but padding"
