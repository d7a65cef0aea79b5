"""Judge and generate calls of ONNX Mod, by `spec/onnx/mod.md`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.choosing import element_type
from plumbline.oracle.families.broadcasting import Binary
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import broadcast_shapes, same
from plumbline.oracle.families.narrower_types import LARGEST
from plumbline.oracle.operator import Allowance, Choose, Unspecified, on_call, on_elements, unspecified
from plumbline.oracle.response import is_float
from plumbline.oracle.rounding import WIDER, Wide


def _operands_exchanged(definition: Any, entry: Any) -> bool:
    """Elements are truncated remainders of B by A, but for signs of zeros."""
    if entry.where is None:
        return False
    a, b = definition.inputs["A"], definition.inputs["B"]
    other = type(definition)(Call("Mod", {"fmod": 1}, {"A": b, "B": a}), definition.version)
    wanted = other.canonical[entry.output][tuple(entry.where.T)].reshape(-1)
    got = entry.got.reshape(-1)
    return bool(np.all((got == wanted) | (got != got) & (wanted != wanted)))


def _in_single(definition: Any, entry: Any) -> bool:
    """Elements are a - b * q in float32, q the quotient, cut off with fmod and rounded down without; integers are read
    as int32, and beyond it they are at its ends; of float64 what is beyond float32 may be at an end of its
    finite range, and NaN is the largest number."""
    if entry.where is None:
        return False
    a, b = (x[tuple(entry.where.T)].reshape(-1) for x in definition.operands)
    if not definition.floats:
        a, b = (x.astype(np.int32) for x in (a, b))
    wide = a.dtype == np.float64
    return any(bool(_alike_in_single(definition, entry.got, a, b, most).all())
               for most in ((np.inf, LARGEST) if wide else (np.inf,)))


def _alike_in_single(definition: Any, got: np.ndarray, a: np.ndarray, b: np.ndarray, most: float) -> np.ndarray:
    """Return the mask of elements that float32 gives of a and b, where numbers are held between -most and most."""
    with np.errstate(all="ignore"):
        a, b = (np.clip(x, -most, most).astype(np.float32) if most < np.inf else x.astype(np.float32) for x in (a, b))
        remainders = a - b * (np.trunc if definition.truncates else np.floor)(a / b)
        if not definition.floats:
            cut = np.clip(remainders.astype(np.int64), -2**31, 2**31 - 1)
            return np.asarray((got == cut) | (got == cut.astype(got.dtype)))
        right = np.clip(remainders, -most, most).astype(got.dtype)
        return np.asarray((got == right) | (right != right) & ((got != got) | (got == LARGEST)))


def _of_whole_parts(definition: Any, entry: Any) -> bool:
    """Elements are what operands give with fmod 0 that are truncated to int32, its lowest number for what is beyond;
    -0 is +0."""
    operands = [x for x in definition.inputs.values() if x.dtype.kind == "f" and x.dtype.isbuiltin == 1]
    if len(operands) < 2 or definition.attributes.get("fmod") or entry.where is None:
        return False
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = (np.where(np.abs(x) < 2.0**31, np.trunc(x), -2.0**31).astype(float) for x in operands)
        return bool(np.all(np.mod(a, b)[tuple(entry.where.T)].reshape(-1) == entry.got.reshape(-1)))


class Mod(Binary):
    """A call of Mod under one version of its specification."""

    symptoms = {**Binary.symptoms, "operands-exchanged": _operands_exchanged, "in-single": _in_single,
                "of-whole-parts": _of_whole_parts}
    clauses = {"B.C4": "together", "C.C2": "shape_of_both"}
    signed_zeros = True
    flag_notes = {**Binary.flag_notes, "signs-differ": "A dividend and its divisor have different signs.",
                  "lowest-by-minus-one": "The lowest integer is divided by -1, at which the instruction of some "
                                         "processors raises a signal.",
                  "zero-divisor": "A divisor is zero, at which the instruction of some processors raises a signal."}

    @property
    def floats(self) -> bool:
        """True if the operands are floating-point numbers."""
        return is_float(self.inputs["A"].dtype)

    @property
    def truncates(self) -> bool:
        """True if the quotient is rounded towards zero."""
        return bool(self.attribute("fmod") == 1)

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the exact remainders, rounded once; 0 for integers modulo zero."""
        x, y = operands
        if not self.floats:
            return np.asarray((np.fmod if self.truncates else np.mod)(x, y))
        wide = np.float64 if x.dtype == np.float64 else np.float32  # exact: a remainder has no more digits than x and y
        x, y = x.astype(wide), y.astype(wide)
        found = np.fmod(x, y)
        if not self.truncates:
            found = np.where(found == 0, np.copysign(found, y), np.where((found < 0) != (y < 0), found + y, found))
        return np.asarray(found.astype(self.inputs["A"].dtype))

    @on_call("fmod.C2")
    def fmod_domain(self) -> str | None:
        value = self.attribute("fmod")
        return None if value in (0, 1) else f"fmod is {value}, not 0 or 1"

    @on_call("fmod.C3")
    def fmod_of_floats(self) -> str | None:
        return "fmod is 0, and A of a floating-point type" if self.floats and self.attribute("fmod") == 0 else None

    @unspecified("fmod.U1", refusal=True)
    def fmod_of_integers(self) -> Unspecified | None:
        return Unspecified.refusal() if self.truncates and not self.floats else None

    @on_elements("C.F3", "C", "not what the special cases give")
    def special(self, got: np.ndarray) -> np.ndarray:
        x, y = self.operands
        if not self.floats:
            return np.zeros(got.shape, bool)
        return np.asarray(~np.isfinite(x) | ~np.isfinite(y) | (y == 0))

    remainder = elements_of("C.F2", "C", "not the remainder")

    @unspecified("C.U1")
    def zero_dividend(self) -> Unspecified | None:
        return Unspecified.of(np.asarray(self.operands[0] == 0), "C")

    @unspecified("C.U2", refusal=True)
    def zero_divisor(self) -> Unspecified | None:
        if self.floats and self.version > 10:
            return None
        return Unspecified.of(np.asarray(self.operands[1] == 0), "C")

    @unspecified("C.U3")
    def zeros(self) -> Unspecified | None:
        if not self.floats or not self.truncates:
            return None
        x, y = self.operands
        where = self.canonical["C"] == 0
        if self.version > 10:
            where = where & (x == 0)
        if self.version >= 28:
            where = where & np.signbit(x) & (np.sign(y) > 0)
        return Unspecified.of(np.asarray(where), "C", admits=lambda got: got == 0)

    def formulas(self) -> Iterator[np.ndarray]:
        """The formula, evaluated in the type and in wider ones, and in the type of the output."""
        x, y = self.operands
        own = x.dtype.name
        for name in [own, *(name for name in ("float32", "float64") if float(WIDER[name]) < float(WIDER[own]))]:
            dtype = element_type(name)
            a, b = x.astype(dtype), y.astype(dtype)
            quotient = (np.trunc if self.truncates else np.floor)(a / b)
            for product in (quotient * b, quotient.astype(Wide) * b.astype(Wide)):
                yield (a.astype(product.dtype) - product).astype(dtype).astype(own)

    @unspecified("C.U4")
    def evaluation(self) -> Unspecified | None:
        if not self.floats:
            return None
        with np.errstate(all="ignore"):
            found = np.array(list(self.formulas()))
        differs = ~np.array([same(one, self.canonical["C"]) for one in found]).all(axis=0)
        where = differs & np.isfinite(self.operands[0]) & np.isfinite(self.operands[1]) & (self.operands[1] != 0)

        def admits(got: np.ndarray) -> np.ndarray:
            return np.asarray(np.array([same(got, one) for one in found]).any(axis=0))
        return Unspecified({"C": Allowance(where, admits, observed=True)}) if where.any() else None

    def flags(self) -> dict[str, bool]:
        """Return the flags of elementwise operators, and whether a divisor is zero."""
        return {**super().flags(), "zero-divisor": bool((self.inputs["B"] == 0).any())}

    def value_flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        x, y = self.operands
        lowest = x.dtype.kind == "i" and bool(((x == np.iinfo(x.dtype).min) & (y == -1)).any())
        return {"signs-differ": bool(((x < 0) & (y > 0) | (x > 0) & (y < 0)).any()), "lowest-by-minus-one": lowest}

    def wrong_outputs(self, output: str) -> Iterator[np.ndarray]:
        """Yield the output with the quotient rounded the other way."""
        other = type(self)(Call("Mod", {"fmod": 1 - int(self.truncates)}, self.inputs), self.version)
        yield other.canonical["C"]

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call of both kinds where the type has both; divisors other than zero mostly."""
        dtype = a_type(choose, cls.types_of("A", version))
        if dtype.startswith(("int", "uint")):
            fmod = choose((0, 1), (4, 1) if version == 13 else (1, 1))
        else:
            fmod = choose((1, 0)) if version >= 28 else 1
        a, b = (choose.tensor(shape, dtype, "any") for shape in broadcast_shapes(choose, 2))
        if choose((True, False)):
            b = np.where(b == 0, np.ones_like(b), b)
        return Call("Mod", {"fmod": fmod} if fmod or choose((False, True)) else {}, {"A": a, "B": b})
