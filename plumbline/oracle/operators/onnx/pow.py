"""Judge and generate calls of ONNX Pow, by `spec/onnx/pow.md`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.families.approximations import OTHER
from plumbline.oracle.families.broadcasting import Binary
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.powers import FLOATS, INTEGERS, Power
from plumbline.oracle.operator import Allowance, Operator, Unspecified, on_elements, unspecified
from plumbline.oracle.operators.onnx.addresses import BROADCAST, LIMITED
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import PRECISION


def _exponent_in(dtype: type, definition: Operator, entry: Divergence) -> bool:
    """Elements are, but for some roundings, what an exponent of another type gives that is cast to `dtype`."""
    a, b = definition.inputs.values()
    if a.dtype == b.dtype or entry.where is None:
        return False
    with np.errstate(all="ignore"):
        call = replace(definition.call, inputs={"A": a, "B": b.astype(dtype)})
        at = tuple(entry.where.T)
        right = np.asarray(type(definition)(call, definition.version).canonical["C"])[at].reshape(-1).astype(float)
        rounding = 64 * float(PRECISION[a.dtype.name][0]) if is_float(a.dtype) else 0
        return np.allclose(np.asarray(entry.got).astype(float), right, rounding, 0, equal_nan=True)


class Pow(Power, Binary):
    """A call of Pow under one version of its specification."""

    clauses = BROADCAST | LIMITED
    symptoms = {**Power.symptoms, "exponent-in-single": partial(_exponent_in, np.float32),
                "exponent-in-double": partial(_exponent_in, np.float64),
                "exponent-in-32-bits": partial(_exponent_in, np.int32)}
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13, "int32": 12, "int64": 12}

    @classmethod
    def exponent_types(cls, base: str, version: int) -> tuple[str, ...]:
        """Return the types of the exponent: that of the base; from version 12 on any."""
        if version < 12:
            return (base,)
        others = (*FLOATS, *INTEGERS, *(("bfloat16",) if version >= 15 else ()))
        return tuple(dict.fromkeys((base, *others))) if base in others else others

    flag_notes = {**Binary.flag_notes, **Power.flag_notes,
                  "broadcast-set": "broadcast is given, as only version 1 has it."}

    def flags(self) -> dict[str, bool]:
        """Return the flags of powers and of broadcasting, and whether its attribute is set."""
        return {**super().flags(), "broadcast-set": "broadcast" in self.attributes}

    @on_elements("C.F5", "C", "not NaN where no number is the power")
    def no_number(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.unreal & self.floats)

    @on_elements("C.F3", "C", "not the power of 0, 1 or -1, or by 0")
    def known_powers(self, got: np.ndarray) -> np.ndarray:
        return self.known

    @on_elements("C.F7", "C", "not what the power tends to where an operand is an infinity")
    def infinities(self, got: np.ndarray) -> np.ndarray:
        return self.limits

    @on_elements("C.F6", "C", "not the power of integers")
    def integers(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.defined & (not self.floats) & self.whole_exponents & (self.b >= 0))

    @on_elements("C.F4", "C", "not a number, or of the other sign")
    def sign(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.approximated | self.beyond & self.floats) & self.wrong_sign(got))

    any_other = elements_of("C.F1", "C", OTHER)

    @unspecified("C.U1")
    def accuracy(self) -> Unspecified | None:
        where = self.approximated
        return Unspecified({"C": Allowance(where, self.explains, observed=True)}) if where.any() else None

    @unspecified("C.U2")
    def overflow_of_floats(self) -> Unspecified | None:
        return Unspecified.of(self.beyond, "C", admits=self.explains) if self.floats else None

    @unspecified("C.U3")
    def not_a_number(self) -> Unspecified | None:
        return Unspecified.of(~self.defined & ~self.unreal & ~self.limits, "C") if self.floats else None

    @unspecified("C.U4")
    def sign_of_zero(self) -> Unspecified | None:
        return Unspecified.of(self.canonical["C"] == 0, "C", admits=lambda got: got == 0) if self.floats else None

    @unspecified("C.U5", refusal=True)
    def cut_off(self) -> Unspecified | None:
        return Unspecified.of(self.cut, "C", admits=self.explains)

    @unspecified("C.U6", refusal=True)
    def overflow_of_integers(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(self.beyond, "C")

    @unspecified("C.U7", refusal=True)
    def no_integer(self) -> Unspecified | None:
        return None if self.floats else Unspecified.of(~self.defined, "C")
