"""Judge and generate calls of ONNX LpPool, by `spec/onnx/lppool.md`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np

from plumbline.oracle.families.checks import LARGEST
from plumbline.oracle.families.clauses import element_type
from plumbline.oracle.families.norms import Norms
from plumbline.oracle.families.pooling import CeilMode
from plumbline.oracle.families.window_sizes import AT_ENDS, Axis
from plumbline.oracle.operator import (
    Allowance,
    Choose,
    Unspecified,
    disputed,
    evidence,
    on_call,
    on_elements,
    unspecified,
)
from plumbline.oracle.operators.onnx.addresses import CEIL_MODE, POOLED, WINDOWS

FLOATS = ("float16", "float32", "float64")


class LpPool(CeilMode):
    """A call of LpPool under one version of its specification."""

    clauses = CEIL_MODE | WINDOWS | POOLED | {"auto_pad.U2": "size_with_strides"}
    operator = "LpPool"
    values = "sum"
    exact = False
    stacked_input = "X"
    at_ends = tuple(AT_ENDS)
    introduced = {"auto_pad": 1, "kernel_shape": 1, "p": 1, "pads": 1, "strides": 1, "ceil_mode": 18, "dilations": 18}
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "bfloat16": (22, 0.3)}
    drawn_modes = {**CeilMode.drawn_modes, ("NOTSET", "ceil"): (18, 0.24)}
    flag_notes = {**CeilMode.flag_notes,
                  "p-1": "p is 1: the norm is a sum of absolute values, for which there is often a path of its own.",
                  "other-power": "p is neither 1 nor 2: powers and roots come from a library of functions."}

    types_1 = element_type("X.C2", "X", FLOATS)
    types_22 = element_type("X.C3", "X", ("bfloat16", *FLOATS))

    @property
    def drops_last_window(self) -> bool:
        """Return False: no version drops the last window."""
        return False

    @property
    def p(self) -> Any:
        """The exponent, by default 2; None if it is not a number. A float has 32 bits, as attributes do."""
        value = self.attributes.get("p", 2)
        if isinstance(value, float):
            with np.errstate(over="ignore"):
                return float(np.float32(value))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @cached_property
    def norms(self) -> Norms:
        """The windows of a call inside the domain."""
        return Norms(self.x, self.geometry, self.shape[2:], self.p)

    def expected(self) -> dict[str, np.ndarray]:
        """Y, of the type of X."""
        return {"Y": self.norms.values}

    def conforms(self, output: str, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements within the rounding error; what is not finite must be canonical."""
        return np.asarray(super().conforms(output, got) | self.norms.finite & ~self.norms.wrong(got))

    def tolerance(self) -> dict[str, float]:
        """The largest bound of all windows."""
        return {"Y": self.norms.tolerance}

    def measure(self, output: str, got: np.ndarray, judged: np.ndarray) -> dict[str, float]:
        """The largest error of Y among the judged elements, in ulp."""
        return {"largest error in ulp": self.norms.largest_error(got, judged & self.norms.finite)}

    def flags(self) -> dict[str, bool]:
        """Return the flags of windows, and of p."""
        return {**super().flags(), "p-1": self.p == 1, "other-power": self.p not in (1, 2)}

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes of windows, and p."""
        found = super().attributes_of(choose, version, mode, axes)
        p = choose((None, 2, 1, 3, 4, 1.5 if version == 1 else 5, 10), (5, 5, 5, 3, 1, 1, 1))
        return found if p is None else {**found, "p": float(p) if version == 1 else p}

    @on_call("p.C1")
    def p_is_a_number(self) -> str | None:
        wrong = not isinstance(self.p, float) and "p" in self.attributes or not isfinite(self.p) or self.p < 1
        return f"p is {self.attributes['p']!r}, not a finite float of at least 1" if wrong else None

    @on_call("p.C2")
    def p_is_an_integer(self) -> str | None:
        wrong = not isinstance(self.p, int) or not 1 <= self.p <= LARGEST
        return f"p is {self.attributes['p']!r}, not an integer of at least 1" if wrong else None

    @unspecified("Y.U2")
    def not_finite(self) -> Unspecified | None:
        if not self.has_windows:
            return None
        nan, infinite = self.norms.special
        return Unspecified.of(nan | infinite, "Y", admits=lambda got: np.isnan(got) & (nan | infinite)
                              | (got == np.inf) & infinite)

    @unspecified("Y.U3")
    def overflow(self) -> Unspecified | None:
        if not self.has_windows:
            return None
        return Unspecified.of(self.norms.finite & self.norms.may_overflow, "Y", admits=self.norms.admits_overflow)

    @unspecified("Y.U4")
    def underflow(self) -> Unspecified | None:
        if not self.has_windows or self.p == 1:
            return None
        found = self.norms.finite & self.norms.selects(self.norms.tiny)
        return Unspecified.of(found, "Y", admits=self.norms.admits_underflow)

    @unspecified("Y.U5")
    def accuracy(self) -> Unspecified | None:
        if not self.has_windows or self.p in (1, 2):
            return None
        found = self.norms.finite & (self.norms.total > 0)
        return Unspecified({"Y": Allowance(found, self.norms.near, observed=True)}) if found.any() else None

    @on_elements("auto_pad.F1", "Y", "not the norm of its window")
    def norm_with_automatic_padding(self, got: np.ndarray) -> bool:
        return self.automatic

    @on_elements("pads.F1", "Y", "more than the norm of the elements of X in its window")
    def padding_adds_something(self, got: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore"):
            return np.asarray(self.norms.has_padding & ~(got <= self.norms.values))

    @on_elements("Y.F1", "Y", "not the norm of its window")
    def norm_otherwise(self, got: np.ndarray) -> bool:
        return True

    last_window = disputed("Y.E3")(CeilMode.last_window_left_out)
    last_window_once = disputed("Y.E4")(CeilMode.last_window_left_out)
    rounded_up = disputed("Y.E5")(CeilMode.valid_rounded_up)

    @evidence("Y.E1")
    @staticmethod
    def kernel_without_dilation() -> str:
        size, kernel, dilation, printed = 4, 2, 2, 2
        plain, dilated = size - kernel + 1, size - (dilation * (kernel - 1) + 1) + 1
        last = plain - 1 + dilation * (kernel - 1)
        assert plain != printed == dilated and last >= size
        return f"in = {size}, k = {kernel}, d = {dilation}: kernel_shape would give {plain} windows, of which the " \
               f"last reads X at {last}; the documented example (lppool_2d_dilations) prints {printed}"

    @evidence("Y.E2")
    @staticmethod
    def pads_without_ceil_mode() -> str:
        size, kernel, pad, documented = 28, 3, 2, 30
        counted, left_out = size + 2 * pad - kernel + 1, size - kernel + 1
        assert counted == documented != left_out
        return f"in = {size}, k = {kernel}, pads of {pad}, ceil_mode 0: {counted} windows with the pads, {left_out} " \
               f"without them; the documented example (lppool_2d_pads) has {documented}"
