"""Judge and generate calls of ONNX Abs, Neg, Sign, Not, IsNaN, IsInf, Reciprocal and Sqrt, by `spec/onnx/*.md`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from plumbline.oracle.families.approximations import explained, roundoff
from plumbline.oracle.families.arithmetic import OnnxOperation
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.quotients import Quotient
from plumbline.oracle.families.roots import Root
from plumbline.oracle.families.unary import ExactUnary, OnnxUnary, Unary
from plumbline.oracle.operator import Allowance, Choose, Unspecified, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import EXACT
from plumbline.oracle.rounding import Wide, smallest_normal

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

IEEE = ("float32", "float64")
"""Types in which IEEE 754-2019 (5.4.1) requires of implementations that the root is rounded correctly."""


class Abs(ExactUnary):
    """A call of Abs under one version of its specification."""

    clauses = EXACT | {"Y.U1": "lowest_integer"}
    function = staticmethod(np.abs)
    turns = (0.0,)
    types = {"float32": 1, "float64": 1, "float16": 1, **dict.fromkeys(INTEGERS, 6), "bfloat16": 13}


class Neg(ExactUnary):
    """A call of Neg under one version of its specification."""

    clauses = EXACT | {"Y.U1": "lowest_integer"}
    function = staticmethod(np.negative)


class Sign(ExactUnary):
    """A call of Sign under one version of its specification."""

    names, output = ("input",), "output"
    clauses = {"output.F2": "any_other", "output.U1": "nan", "output.U2": "zeros"}
    function = staticmethod(np.sign)


class Not(Unary):
    """A call of Not under one version of its specification."""

    any_other = elements_of("Y.F1", "Y", "not the negation")

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the negations."""
        return np.asarray(np.logical_not(*operands))


class _Kind(Unary):
    """A call whose output tells which elements are of a kind that few numbers are: half of those drawn are."""

    of_kind: ClassVar[tuple[float, ...]]
    flag_notes = {**Unary.flag_notes, "scalar": "X has no axes."}

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        return {**super().flags(), "scalar": self.x.ndim == 0}

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Return an input with some elements of the kind."""
        x, places = super().drawn(choose, name, shape, dtype), choose.tensor(shape, "int8", "order")
        for number, of_kind in enumerate(cls.of_kind):
            x[places % (2 * len(cls.of_kind)) == number] = of_kind
        return x


class IsNaN(_Kind):
    """A call of IsNaN under one version of its specification."""

    of_kind = (np.nan,)

    any_other = elements_of("Y.F2", "Y", "not whether X is NaN")

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the mask of NaN."""
        return np.asarray(np.isnan(*operands))


class IsInf(_Kind):
    """A call of IsInf under one version of its specification."""

    of_kind = (np.inf, -np.inf)

    any_other = elements_of("Y.F2", "Y", "not whether X is an infinity that is to be detected")

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the mask of infinities of the signs that attributes name."""
        signs = np.where(self.x > 0, self.attribute("detect_positive"), self.attribute("detect_negative"))
        return np.asarray(np.isinf(self.x) & (signs != 0))

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[tuple[int, ...]]]:
        """The attributes, each set or not, and the shape of X."""
        return {name: value for name in ("detect_negative", "detect_positive")
                if (value := choose((None, 0, 1, 2), (8, 4, 2, 1))) is not None}, [a_shape(choose)]

    def _infinities(self, name: str, side: np.ufunc) -> Unspecified | None:
        known = self.attribute(name) in (0, 1)
        return None if known else Unspecified({"Y": Allowance(np.isinf(self.x) & side(self.x, 0))})

    negative = unspecified("detect_negative.U1", refusal=True)(
        lambda self: self._infinities("detect_negative", np.less))
    positive = unspecified("detect_positive.U1", refusal=True)(
        lambda self: self._infinities("detect_positive", np.greater))


class Reciprocal(OnnxUnary, Quotient, OnnxOperation):
    """A call of Reciprocal under one version of its specification: a quotient whose dividend is 1."""

    names, output, types, correct = ("X",), "Y", {}, ()
    operator, symptoms, shape_symptoms = "Reciprocal", {**OnnxUnary.symptoms}, {**OnnxUnary.shape_symptoms}
    clauses = {"Y.F1": "any_other", "Y.U1": "overflow_of_floats", "Y.U2": "not_a_number", "Y.U3": "sign_of_zero"}
    function = staticmethod(np.reciprocal)

    @property
    def operands(self) -> tuple[np.ndarray, ...]:
        """The dividend and X."""
        return np.ones_like(self.x), self.x


class Sqrt(Root, OnnxUnary):
    """A call of Sqrt under one version of its specification."""

    exact = False
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}

    @on_elements("Y.F4", "Y", "not NaN where X is below zero")
    def negative(self, got: np.ndarray) -> np.ndarray:
        return self.x < 0

    @on_elements("Y.F3", "Y", "not the root of a zero or of an infinity")
    def ends(self, got: np.ndarray) -> np.ndarray:
        return ~self.positive

    any_other = elements_of("Y.F1", "Y", "not the root, whatever the rounding")

    @unspecified("Y.U1")
    def accuracy(self) -> Unspecified | None:
        if not self.positive.any():
            return None
        return Unspecified({"Y": Allowance(self.positive, self.explains, observed=True)})

    def explains(self, got: np.ndarray) -> np.ndarray:
        """Return the mask of elements of `got` that are as near to the root as F1 asks."""
        root = np.sqrt(np.where(self.positive, self.x, 0).astype(Wide))
        read_as_zero = (got == 0) & (self.x.astype(Wide) < smallest_normal(self.x.dtype))
        room = 2 * roundoff(self.x.dtype) * root
        nearest = np.asarray(got == self.canonical["Y"])
        near = nearest if self.x.dtype.name in IEEE else explained(got, root, self.x.dtype, room)
        return np.asarray(np.isfinite(got) & (got >= 0) & (near | read_as_zero))

    @unspecified("Y.U2")
    def nan(self) -> Unspecified | None:
        return Unspecified.of(self.x != self.x, "Y")

    zeros = OnnxUnary.zero_is_open("Y.U3")
