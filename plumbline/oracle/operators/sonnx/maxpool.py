"""Judge and generate calls of SONNX MaxPool, by `spec/sonnx/maxpool.md`.

Each wrong element is blamed on the most particular clause that its window depends on: the clause on NaN when the window
selects a NaN, the padding constant when it selects padding and the value is none of X's, else the value itself. An
index is blamed on the tie rule when it points at a maximum of its window that is not the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from plumbline.oracle.families.checks import length, one_of
from plumbline.oracle.families.clauses import element_type, presence, type_of_output
from plumbline.oracle.families.maxima import PADDING, Maxima, MaxWindows
from plumbline.oracle.families.pooling import batch_and_channel, spatial_shape
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.windows import Geometry, taps
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.sonnx.addresses import MAXIMA

ATTRIBUTES = ("auto_pad", "ceil_mode", "dilations", "kernel_shape", "pads", "storage_order", "strides")
WELL_FORMED = ("kernel_shape.C1", "kernel_shape.C2", "dilations.C1", "dilations.C2", "pads.C1", "pads.C3", "strides.C1",
               "strides.C3")
LISTS = {"kernel_shape.C1": "kernel_domain", "dilations.C1": "dilations_domain", "pads.C3": "pads_domain",
         "strides.C1": "strides_domain"}

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


class MaxPool(MaxWindows):
    """A call of MaxPool in the profile: explicit padding, floor, every attribute given."""

    clauses = LISTS | {
        "float.Y.F1": "nan_counts_as_minus_infinity", "float.pads.F1": "float_padding",
        "int.pads.F1": "integer_padding", "float.Indices.F1": "nan_has_no_index", "Indices.F2": "first_of_the_maxima",
        "Indices.F1": "index_of_the_maximum", "float.Indices.U1": "nothing_but_nan",
        "pads.U1": "pads_that_reach_the_kernel", "Y.E1": "parenthesis", "Indices.E5": "ties_with_the_padding",
        "Indices.E1": "batch_and_channel_left_out", "Indices.E3": "ranges_of_h_and_w", "strides.E1": "axes_exchanged",
        "Indices.E2": "tie_breaks_the_rule"} | MAXIMA
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "int8": (1, 1.0),
                   "uint8": (1, 1.0)}
    drawn_modes = {("NOTSET", "floor"): (1, 1.0)}
    ranks = (2,)

    mode = frozenset({"NOTSET", "floor"})
    automatic = False

    @classmethod
    def has_dilations(cls, version: int) -> bool:
        """Return True: every version has dilations."""
        return True

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of a call, all of them given."""
        _, kernel, strides, dilations, begin, end, _ = map(list, zip(*axes, strict=True))
        return {"auto_pad": "NOTSET", "ceil_mode": 0, "dilations": dilations, "kernel_shape": kernel,
                "pads": begin + end, "storage_order": 0, "strides": strides}

    @cached_property
    def geometry(self) -> Geometry:
        """The windows."""
        return Geometry(self.sizes, self.kernel, self.strides, self.dilations, self.pads[:self.rank],
                        self.pads[self.rank:])

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The spatial sizes of Y (Y.C1)."""
        return self.geometry.floor_sizes

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Y equals the maximum; Indices is the lowest index of the maximum."""
        return np.asarray(got == self.indices) if output == "Indices" else super().conforms(output, got)

    def alternatives(self) -> dict[str, np.ndarray]:
        """Return no alternatives: the tie rule decides."""
        return {}

    @on_call("signature.C1")
    def no_other_attributes(self) -> str | None:
        foreign = [name for name in self.attributes if name not in ATTRIBUTES]
        return f"the operator has no attribute {', '.join(foreign)}" if foreign else None

    @on_call("restrictions.R1")
    def two_spatial_axes(self) -> str | None:
        return None if self.rank == 2 else f"X has shape {list(self.x.shape)}: {max(self.rank, 0)} spatial axes, not 2"

    @on_call("restrictions.R2")
    def all_attributes_set(self) -> str | None:
        absent = [name for name in ATTRIBUTES if name not in self.attributes]
        return f"not set: {', '.join(absent)}" if absent else None

    @on_call("restrictions.R3")
    def explicit_padding(self) -> str | None:
        return one_of(self.call, "auto_pad", "NOTSET", ("NOTSET",))

    @on_call("restrictions.R4")
    def floor_mode(self) -> str | None:
        return one_of(self.call, "ceil_mode", 0, (0,))

    @on_call("restrictions.R5")
    def row_major_order(self) -> str | None:
        return one_of(self.call, "storage_order", 0, (0,))

    @on_call("auto_pad.C1")
    def auto_pad_domain(self) -> str | None:
        return one_of(self.call, "auto_pad", "NOTSET", ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"))

    @on_call("ceil_mode.C1")
    def ceil_mode_domain(self) -> str | None:
        return one_of(self.call, "ceil_mode", 0, (0, 1))

    @on_call("kernel_shape.C2", needs=("kernel_shape.C1",))
    def kernel_length(self) -> str | None:
        return length("kernel_shape", self.kernel, self.rank, "X has spatial axes:")

    @on_call("dilations.C2", needs=("kernel_shape.C1",))
    def dilations_length(self) -> str | None:
        if "dilations" not in self.attributes:
            return None
        return length("dilations", self.dilations, len(self.kernel), "kernel_shape has")

    @on_call("pads.C1")
    def pads_length(self) -> str | None:
        return length("pads", self.pads, 2 * max(self.rank, 0), "twice the spatial axes of X is")

    @on_call("strides.C3")
    def strides_length(self) -> str | None:
        return length("strides", self.strides, max(self.rank, 0), "X has spatial axes:")

    element_types = element_type("X.C3", "X", ("float16", "float32", "float64", "int8", "uint8"))

    @on_call("Y.C3", needs=WELL_FORMED)
    def positive_sizes(self) -> str | None:
        return None if all(size >= 1 for size in self.counts) else \
            f"the spatial sizes of Y would be {list(self.counts)}"

    @on_call("pads.C4", needs=(*WELL_FORMED, "Y.C3"))
    def every_window_meets_x(self) -> str | None:
        empty = self.geometry.empty_window(self.counts)
        return f"window {empty[1]} on spatial axis {empty[0]} selects nothing but padding" if empty else None

    missing = presence("signature.F1")
    y_sizes = spatial_shape("Y.C1", lambda self: True)
    y_planes = batch_and_channel("Y.F3", ("Y.C1",))
    y_type = type_of_output("Y.F2", "Y", lambda self: self.x.dtype)
    type_of_indices = type_of_output("Indices.F3", "Indices", lambda self: np.dtype(np.int64))

    @on_elements(UNBOUND, "Y", "a NaN in the window is not taken as -inf")
    def nan_counts_as_minus_infinity(self, got: np.ndarray) -> np.ndarray:
        return self.maxima.has_nan

    @on_elements(UNBOUND, "Y", PADDING)
    def float_padding(self, got: np.ndarray) -> np.ndarray | bool:
        return self.x.dtype.kind == "f" and self.foreign(got)

    @on_elements(UNBOUND, "Y", PADDING)
    def integer_padding(self, got: np.ndarray) -> np.ndarray | bool:
        return self.x.dtype.kind in "iu" and self.foreign(got)

    @on_elements(UNBOUND, "Indices", "with a NaN in the window, not the first maximum among the rest")
    def nan_has_no_index(self, got: np.ndarray) -> np.ndarray:
        return self.maxima.has_nan

    @on_elements(UNBOUND, "Indices", "a maximum of the window, but not the first")
    def first_of_the_maxima(self, got: np.ndarray) -> np.ndarray:
        return self.maxima.selects_maximum_at(got)

    @on_elements(UNBOUND, "Indices", "not the index of a maximum of the window")
    def index_of_the_maximum(self, got: np.ndarray) -> bool:
        return True

    @unspecified("X.U1", refusal=True)
    def no_batch_or_channel(self) -> Unspecified | None:
        return Unspecified.everything("Y", "Indices") if 0 in self.x.shape[:2] else None

    @unspecified(UNBOUND)
    def nothing_but_nan(self) -> Unspecified | None:
        if self.x.dtype.kind != "f" or not np.isnan(self.x).any():
            return None
        return Unspecified.of(self.maxima.only_nan, "Indices")

    @unspecified(UNBOUND, refusal=True)
    def pads_that_reach_the_kernel(self) -> Unspecified | None:
        axes = zip(self.geometry.begin, self.geometry.end, self.geometry.kernel, strict=True)
        return None if all(max(begin, end) < kernel for begin, end, kernel in axes) else Unspecified.refusal()

    @evidence(UNBOUND)
    @staticmethod
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

    @evidence(UNBOUND)
    @staticmethod
    def axes_exchanged() -> str:
        windows = Geometry((7, 7), (1, 1), (3, 2), (1, 1), (0, 0), (0, 0))
        down, right = (int(np.diff(places[:, 0])[0]) for places in windows.positions(windows.floor_sizes))
        assert (down, right) == (3, 2)
        return f"by the formula of Y, strides [3, 2] move the kernel {down} along the first spatial axis and {right} " \
               "along the second; the sentence says 2 and 3"

    @evidence("pads.E2")
    @staticmethod
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

    @evidence(UNBOUND)
    @staticmethod
    def batch_and_channel_left_out() -> str:
        x = np.zeros((1, 2, 1, 1), dtype=np.int8)
        full = Maxima(x, _plain((1, 1), (1, 1), (0, 0, 0, 0)), (1, 1)).indices.ravel().tolist()
        assert full == [0, 1]
        return f"for X of shape (1, 2, 1, 1) with kernel 1x1 the formula gives [0, 0]; the positions in the " \
               f"flattened X are {full}"

    @evidence(UNBOUND)
    @staticmethod
    def tie_breaks_the_rule() -> str:
        windows = Maxima(INT_EXAMPLE_4, _plain((3, 3), (2, 2), (1, 1, 1, 1)), (4, 4))
        candidates = [int(tap.index[1, 0]) for tap in taps(windows.geometry, windows.counts)
                      if tap.inside[1, 0] and INT_EXAMPLE_4.ravel()[tap.index[1, 0]] == windows.values[0, 0, 1, 0]]
        assert candidates == [0, 3]
        return f"the window at row 1, column 0 holds its maximum {windows.values[0, 0, 1, 0]} at the indices " \
               f"{candidates}; the first is 0, and 3 is printed"

    @evidence(UNBOUND)
    @staticmethod
    def ranges_of_h_and_w() -> str:
        (height, _), _, (top, _, bottom, _), (rows, _) = EXAMPLES["float 1 and 3, int 1 and 2"]
        last_read, last_row = (rows - 1) * 1 + (height - 1) * 1, height + top + bottom - 1
        assert last_read > last_row
        return f"with h up to dX2 - 1 the formula of Y would read row {last_read} of X_p in float Example 1, whose " \
               f"last row is {last_row}"

    @evidence("Indices.E4")
    @staticmethod
    def formula_without_a_window() -> str:
        row = np.array([5, 1, 1, 5], dtype=np.int8)
        anywhere = np.flatnonzero(row == row[2:].max()).tolist()
        assert anywhere == [0, 3]
        return f"for the row {row.tolist()} with kernel 1x2 the last window has maximum 5 at index 3; the formula " \
               f"holds for the indices {anywhere}, the first outside the window"

    @evidence(UNBOUND)
    @staticmethod
    def ties_with_the_padding() -> str:
        windows = Maxima(INT_EXAMPLE_4, _plain((3, 3), (2, 2), (1, 1, 1, 1)), (4, 4))
        corner = [bool(tap.inside[0, 0]) for tap in taps(windows.geometry, windows.counts)]
        assert corner == [False, False, False, True] and windows.values[0, 0, 0, 0] == -128
        return "the first window of int Example 4 selects three padding cells of -128 and then X[0,0] = -128; the " \
               f"printed index is {windows.indices[0, 0, 0, 0]}, that of X[0,0]"
