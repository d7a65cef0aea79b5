"""Judge and generate calls of ONNX Gemm, by `spec/onnx/gemm.md`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, trunc
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import (
    elements_of,
    presence,
    same_type,
    shape_of_output,
    type_of_output,
)
from plumbline.oracle.families.matrices import sizes, tensor, types_since
from plumbline.oracle.families.narrower_types import lower_bits
from plumbline.oracle.families.products import Products
from plumbline.oracle.families.reading_symptoms import left_aside
from plumbline.oracle.families.scaled_products import ScaledProduct, each_of
from plumbline.oracle.operator import UNBOUND, Choose, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.rounding import Wide
from plumbline.oracle.size_classes import DTYPE, Named, SizeClass
from plumbline.oracle.terms import Terms

FACTORS = (1.0, 0.5, 2.0, -1.5, 0.1, 3.0, 0.0, -1.0, 1e-3, 300.7)
OF_INTEGERS = (1.0, 2.0, 3.0, -1.0, 0.0, 0.5, 2.5)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _scaled_in_float64(definition: Any, entry: Any) -> bool:
    """Elements are the product of integers, wrapped around, that is scaled and added to C in float64 and cast back."""
    if definition.dtype.kind not in "iu" or entry.got.dtype != definition.dtype:
        return False
    alpha, beta = (float(definition.attributes.get(name, 1)) for name in ("alpha", "beta"))
    with np.errstate(all="ignore"):
        total = definition.left @ definition.right * alpha
        if beta and "C" in definition.inputs:
            total = total + definition.inputs["C"] * beta
        given = total.astype(definition.dtype)[tuple(entry.where.T)].reshape(-1)
    return bool(np.array_equal(given, entry.got))


def _product_in_float32(definition: Any, entry: Any) -> bool:
    """Elements are the lower 32 bits of a sum with C: of the product of lower 32 bits in float32, held within int32."""
    if definition.dtype.kind not in "iu" or "C" not in definition.inputs or entry.where is None:
        return False
    factors = [definition.attributes.get(name, 1) for name in ("alpha", "beta")]
    if not np.isfinite(factors).all() or np.max(np.abs(factors)) >= 2**31:
        return False
    alpha, beta = map(int, factors)
    left, right = (lower_bits(x).astype(np.float32) for x in (definition.left, definition.right))
    product = np.clip(left @ right, np.float32(-(2**31)), np.nextafter(np.float32(2**31), np.float32(0)))
    total = lower_bits(product.astype(np.int64) * alpha + lower_bits(definition.inputs["C"]) * beta)
    given = np.broadcast_to(total, definition.whole)[tuple(entry.where.T)]
    return bool(np.array_equal(lower_bits(given), lower_bits(entry.got)))


class _Gemm(ScaledProduct):
    """A call of Gemm: factors that may be transposed."""

    symptoms = {**ScaledProduct.symptoms, "scaled-in-float64": _scaled_in_float64,
                "product-in-float32": _product_in_float32,
                "beta-left-aside": left_aside("beta")}

    missing = presence(UNBOUND)
    y_shape = shape_of_output(UNBOUND, "Y")
    y_type = type_of_output(UNBOUND, "Y", lambda self: self.dtype)
    type_of_b = same_type(UNBOUND, "A", "B")
    type_of_c = same_type(UNBOUND, "A", "C")

    @cached_property
    def left(self) -> np.ndarray:
        """A, transposed where the call says so."""
        a = self.inputs["A"]
        return a.T if self.attributes.get("transA", 0) else a

    @cached_property
    def right(self) -> np.ndarray:
        """B, transposed where the call says so."""
        b = self.inputs["B"]
        return b.T if self.attributes.get("transB", 0) else b

    def shape_of(self, output: str) -> tuple[int, ...]:
        """M and N."""
        return self.whole

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along rows and columns, with C where it has these."""
        rows = {"A": 1 if self.attributes.get("transA", 0) else 0}
        columns = {"B": 0 if self.attributes.get("transB", 0) else 1}
        sizes = self.c.shape if self.c is not None else ()
        return {0: rows | ({"C": 0} if len(sizes) > 1 and sizes[0] == self.whole[0] else {}),
                1: columns | ({"C": len(sizes) - 1} if sizes and sizes[-1] == self.whole[1] else {})}

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """A row of A', a column of B' and an element of C."""
        inner = np.arange(self.left.shape[1])
        found = {}
        for name, turned, cells in (("A", "transA", [np.full_like(inner, where[0]), inner]),
                                    ("B", "transB", [inner, np.full_like(inner, where[1])])):
            found[name] = np.stack(cells[::-1] if self.attributes.get(turned, 0) else cells, axis=1)
        if self.c is not None:
            place = [0 if size == 1 else at for size, at in
                     zip(self.c.shape, where[2 - self.c.ndim:], strict=True)]
            found["C"] = np.array([place], np.int64).reshape(1, self.c.ndim)
        return found

    @on_call(UNBOUND)
    def axes_of_a(self) -> str | None:
        return None if self.inputs["A"].ndim == 2 else f"A has shape {list(self.inputs['A'].shape)}"

    @on_call(UNBOUND)
    def axes_of_b(self) -> str | None:
        return None if self.inputs["B"].ndim == 2 else f"B has shape {list(self.inputs['B'].shape)}"

    @on_call(UNBOUND, needs=("axes_of_a", "axes_of_b", "trans_a_domain", "trans_b_domain"))
    def inner_size(self) -> str | None:
        of_a, of_b = self.left.shape[1], self.right.shape[0]
        return None if of_a == of_b else f"K is {of_a} in A' and {of_b} in B'"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of small sizes mostly."""
        return cls.of_sizes(choose, version, *sizes(choose))

    def flags(self) -> dict[str, bool]:
        """Return the flags, none for inputs that are not matrices."""
        return super().flags() if self.inputs["A"].ndim == self.inputs["B"].ndim == 2 else {}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Y with one more in every element."""
        yield self.canonical["Y"] + self.dtype.type(1)


class Gemm(_Gemm):
    """A call of Gemm under one version of its specification."""

    clauses = {"Y.C1": "y_shape", "Y.C2": "y_type", "A.C1": "axes_of_a", "B.C1": "axes_of_b", "B.C2": "inner_size"}

    @unspecified("alpha.U1")
    def products_times_zero(self) -> Unspecified | None:
        if not self.floating:
            return None
        mine, other = self.nan_by_zero
        return Unspecified.of(mine, "Y", admits=lambda got: (
            np.isnan(got.astype(Wide)) | self.fits(False, True, got) | other & self.fits(False, False, got)))

    @unspecified("beta.U1")
    def c_times_zero(self) -> Unspecified | None:
        if not self.floating:
            return None
        other, mine = self.nan_by_zero
        return Unspecified.of(mine, "Y", admits=lambda got: (
            np.isnan(got.astype(Wide)) | self.fits(True, False, got) | other & self.fits(False, False, got)))

    @unspecified("Y.U1")
    def special_values(self) -> Unspecified | None:
        if not self.floating:
            return None
        of_products, of_c = self.nan_by_zero
        any_sign = np.isinf(self.factor("alpha")) and Products.of(self.terms(), self.whole, self.dtype).finite
        where = ~self.products.finite & ~of_products & ~of_c
        return Unspecified.of(where, "Y", admits=lambda got: (
            np.isnan(got.astype(Wide)) | any_sign & np.isinf(got.astype(Wide))))

    @unspecified("Y.U2")
    def overflow(self) -> Unspecified | None:
        if not self.floating:
            return None
        where = self.overflows & self.products.finite
        return Unspecified.of(where, "Y", admits=lambda got: (
            ~np.isfinite(got.astype(Wide)) | self.products.admits_largest(got)))

    @unspecified("Y.U3")
    def integer_overflow(self) -> Unspecified | None:
        if self.floating or not self.whole_factors:
            return None
        return Unspecified.of(self.beyond, "Y", admits=lambda got: self.admits(self.exactly(), got))

    @unspecified("Y.U4")
    def factors_of_integers(self) -> Unspecified | None:
        if self.floating or self.whole_factors:
            return None
        everywhere = np.ones(self.whole, bool)
        if not self.finite_factors:
            return Unspecified.of(everywhere, "Y")
        exact, half = self.exactly(), Fraction(1, 2)
        readings = [self.exactly(rounded=True), each_of(trunc, exact), each_of(lambda one: floor(one + half), exact),
                    each_of(lambda one: ceil(one - half), exact)]
        return Unspecified.of(everywhere, "Y", admits=lambda got: np.logical_or.reduce(
            [self.admits(reading, got) for reading in readings]))

    # Clauses

    @on_call("C.C1", needs=("A.C1", "B.C1"))
    def shape_of_c(self) -> str | None:
        if self.c is None:
            return None
        whole, shape = (self.left.shape[0], self.right.shape[1]), self.c.shape
        fits = len(shape) <= 2 and all(size in (1, of) for size, of in zip(shape[::-1], whole[::-1], strict=False))
        return None if fits else f"C has shape {list(shape)}, which does not broadcast to {list(whole)}"

    @on_call("C.C3")
    def c_given(self) -> str | None:
        return None if self.c is not None else "C is not given"

    @on_elements("Y.F2", "Y", "not the sum of its terms")
    def integer_value(self, got: np.ndarray) -> np.ndarray | bool:
        return not self.floating and self.whole_factors and ~self.beyond

    y_value = elements_of("Y.F1", "Y", "not the sum of its terms", lambda self: self.floating)

    @unspecified("A.U1", refusal=True)
    def empty_axes(self) -> Unspecified | None:
        return Unspecified.refusal() if 0 in (*self.whole, self.left.shape[1]) else None

    @evidence("C.E1")
    @staticmethod
    def broadcast_to_what() -> str:
        a, b = np.zeros((3, 2)), np.zeros((3, 4))
        assert a.shape[1] != b.shape[0] and a.T.shape[1] == b.shape[0]
        return f"transA 1, A {list(a.shape)}, B {list(b.shape)}: A * B does not exist, M and N are {(a.T @ b).shape}"

    # How it is tried

    @classmethod
    def of_sizes(cls, choose: Choose, version: int, m: int, k: int, n: int) -> Call | None:
        """Draw a call with A' (m, k) and B' (k, n), and any factors and C."""
        dtype = choose(Named(DTYPE, types_since(version)))
        factors = OF_INTEGERS if "int" in dtype else FACTORS
        attributes: dict[str, Any] = {}
        for name in ("alpha", "beta"):
            if choose((False, True)):
                attributes[name] = choose(Named(name, factors))
        for name in ("transA", "transB"):
            attributes |= choose(({}, {name: 1}, {name: 0}), (3, 3, 1))
        shapes = {"A": [k, m] if attributes.get("transA") else [m, k],
                  "B": [n, k] if attributes.get("transB") else [k, n]}
        c = choose(([n], [m, n], [], [1], [m, 1], [1, n], [1, 1], None), (3, 3, 1, 1, 2, 1, 1, 3))
        if c is not None or version < 11:
            shapes["C"] = c if c is not None else [n]
        inner = {"A": (0 if attributes.get("transA") else 1,), "B": (1 if attributes.get("transB") else 0,)}
        return Call("Gemm", attributes, {name: tensor(choose, shape, dtype, Terms(k + 1, inner.get(name, ())))
                                         for name, shape in shapes.items()})

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return size classes of sums that are neither lost nor rounded once more."""
        return [replace(one, given={**one.given, "alpha": 1.0, "beta": 1.0}) for one in super().size_classes(version)]

    flag_notes = {**ScaledProduct.flag_notes, "scaled-c": "C is given with a beta other than 1.",
                  "scaled": "alpha is other than 1.", "no-c": "C is not given."}

    def flags(self) -> dict[str, bool]:
        """Return flags of scaling; none for inputs that are not matrices."""
        if self.inputs["A"].ndim != 2 or self.inputs["B"].ndim != 2:
            return {}
        scaled = {name: _number(self.attributes.get(name, 1.0)) and float(self.factor(name)) != 1
                  for name in ("alpha", "beta")}
        return {**super().flags(), "scaled-c": self.c is not None and scaled["beta"], "scaled": scaled["alpha"],
                "no-c": self.c is None}
