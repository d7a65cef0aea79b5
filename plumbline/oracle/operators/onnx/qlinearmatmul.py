"""Judge and generate calls of ONNX QLinearMatMul, by `spec/onnx/qlinearmatmul.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.quantisation import exactly, rounded
from plumbline.oracle.families.requantisation import (
    Requantised,
    point_before_rounding,
    spreads_to,
    times_the_scale,
)
from plumbline.oracle.families.stacks import NumpyMatmul
from plumbline.oracle.operator import Choose, Unspecified, disputed, on_call, unspecified
from plumbline.oracle.operators.onnx.addresses import REQUANTISED
from plumbline.oracle.operators.onnx.matmulinteger import MatMulInteger


def _rows_as_columns(definition: Any, entry: Any) -> bool:
    """Elements are what scales and zero points of the rows of A give that go with columns instead, of A and of Y."""
    if entry.where is None or definition.of_floats:
        return False
    a, az, b, bz = (definition.inputs[name].astype(np.int64) for name in ("A", "a_zero_point", "B", "b_zero_point"))
    left, right, scale, point = (exactly(definition.inputs[name]) for name in
                                 ("a_scale", "b_scale", "y_scale", "y_zero_point"))
    try:
        with np.errstate(all="ignore"):
            quotients = exactly((a - az) @ (b - bz)) * left * right / scale
    except ValueError:
        return False
    y = definition.quantised(np.rint(quotients + point) - point)
    return bool(y.shape == definition.shape_of("Y") and np.array_equal(y[tuple(entry.where.T)], entry.got))


def _scaled_before_the_product(definition: Any, entry: Any) -> bool:
    """Elements are what factors give that are scaled, and rounded to the type of their scales, before the product."""
    if entry.where is None or definition.of_floats:
        return False
    (left, right, of_y), factors = definition.scales, (definition.left, definition.right)
    with np.errstate(all="ignore"):
        a, b = (rounded(exactly(factor) * scale, definition.inputs[name].dtype).astype(np.float64)
                for factor, scale, name in zip(factors, (left, right), ("a_scale", "b_scale"), strict=True))
        y = definition.quantised(exactly(a @ b) / of_y).reshape(definition.shape_of("Y"))
    return bool(np.array_equal(y[tuple(entry.where.T)], entry.got))


def _rows_spread(definition: Any, entry: Any) -> bool:
    """The output has more columns by scales of the rows of A that go with them."""
    scale = definition.inputs["a_scale"].shape
    return len(scale) == 1 and scale != (1,) and spreads_to(definition, entry, scale)


class QLinearMatMul(Requantised, MatMulInteger):
    """A call of QLinearMatMul under one version of its specification."""

    clauses = REQUANTISED | {
        "A.C3": "axes_of_a", "B.C3": "axes_of_b", "B.C4": "inner_size", "B.C5": "stacks", "Y.C1": "stacked_sizes",
        "Y.C2": "other_sizes", "y_scale.C3": "scale_of_y", "y_zero_point.C3": "point_of_y"}
    operator = "QLinearMatMul"
    family = Requantised.family
    parameters = factors = {"A": ("a_scale", "a_zero_point"), "B": ("b_scale", "b_zero_point")}
    takes_single = True
    floating = False
    multiplied = ()
    shape_symptoms = {**MatMulInteger.shape_symptoms, "rows-spread": _rows_spread}
    symptoms = {**MatMulInteger.symptoms, **shape_symptoms, "point-before-rounding": point_before_rounding,
                "rows-as-columns": _rows_as_columns, "scaled-before-the-product": _scaled_before_the_product,
                "times-the-scale": times_the_scale}
    flag_notes = {**MatMulInteger.flag_notes, **Requantised.flag_notes}

    @property
    def sums(self) -> np.ndarray:
        """The products of matrices, with an axis of one row or column for a vector."""
        return np.asarray(np.matmul(self.left, self.right))

    def spread(self, name: str) -> np.ndarray:
        """Return a scale, by row of A or column of B."""
        return self.by_line(name[0].upper(), self.inputs[name])

    wraps = False
    """True if integers beyond the range are taken modulo 256, as by some official tests (Y.E1)."""

    def quantised(self, quotients: np.ndarray) -> np.ndarray:
        """Return the integers that Y holds, in extended precision."""
        if not self.wraps:
            return super().quantised(quotients)
        lowest, point = np.iinfo(self.dtype).min, int(self.inputs["y_zero_point"].reshape(()))
        return np.asarray(np.mod(np.rint(quotients) + point - lowest, 256) + lowest)

    @disputed("Y.E1")
    def modulo(self) -> Unspecified | None:
        if self.wraps or self.of_floats:
            return None
        other = QLinearMatMul(self.call, self.version)
        other.wraps = True
        differ = not np.array_equal(other.canonical["Y"], self.canonical["Y"])
        return Unspecified({}, (other,)) if differ else None

    @on_call("a_scale.C3")
    def scale_of_a(self) -> str | None:
        return self.one_shape("a_scale", "a_zero_point")

    @on_call("b_scale.C2")
    def scale_of_b(self) -> str | None:
        return self.one_shape("b_scale", "b_zero_point")

    @unspecified("y_scale.U1", refusal=True)
    def single_of_y(self) -> Unspecified | None:
        return Unspecified.refusal() if self.inputs["y_scale"].ndim else None

    @unspecified("Y.U5")
    def floats(self) -> Unspecified | None:
        return Unspecified.of(np.full(self.shape_of("Y"), self.of_floats), "Y")

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        """Draw a call of the sums, and scales; from version 21 on sometimes of a float 8."""
        call = super().of_sizes(choose, version, m, k, n)
        assert call is not None
        inputs = cls.with_scales(choose, version, call.inputs, k)
        if version >= 21 and choose((False, True), (15, 1)):
            name = choose(("A", "B"))
            for each in (name, f"{name.lower()}_zero_point"):
                inputs[each] = choose.tensor(inputs[each].shape, "float8_e4m3fn", "bits")
        return Call(cls.operator, {}, inputs)

    def shrink_candidates(self) -> Iterator[Call]:
        """Yield calls with one scale and zero point, then those of any product."""
        if calls := [*self.plainer()]:
            yield from calls
        else:
            yield from self.with_inputs(NumpyMatmul.shrink_candidates(self))
