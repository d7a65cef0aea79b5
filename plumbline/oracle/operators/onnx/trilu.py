"""Judge and generate calls of ONNX Trilu, by `spec/onnx/trilu.md`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from plumbline.oracle.answers import Divergence
from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import elements_of
from plumbline.oracle.families.element_types import a_type, same_bits
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import Movement, bits_of_nan, row_by_row
from plumbline.oracle.families.narrower_types import SYMPTOMS, gives_where, lower_bits
from plumbline.oracle.families.reading_symptoms import in_32_bits
from plumbline.oracle.operator import Choose, Operator, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import TALL_ROWS, Named

NARROWER = [SYMPTOMS[name] for name in ("single-precision", "saturated-single-precision", "in-floating-point",
                                        "lower-32-bits")]


def _diagonal_wraps(definition: Any, entry: Any) -> bool:
    """Elements are what the sum of row and k, modulo 2**64 and signed, gives; `upper` may be 1 or another than 0."""
    if entry.where is None:
        return False
    rows, columns = entry.where[:, -2], entry.where[:, -1]
    with np.errstate(over="ignore"):
        first = rows.astype(np.int64) + np.int64(definition.k)
    at = tuple(entry.where.T)
    for upper in {definition.upper, definition.attribute("upper") == 1}:
        kept = columns >= first if upper else columns <= first
        wanted = np.where(kept, definition.source[at], np.zeros(1, definition.source.dtype))
        if entry.got.dtype == wanted.dtype and (kept != definition.copied[at]).all() and (
                same_bits(entry.got.reshape(-1), wanted).all()):
            return True
    return False


def diagonal_in_32_bits(definition: Operator, entry: Divergence) -> bool:
    """Elements are what the lower 32 bits of k give, as a signed number; those of 64 bits may be narrower, too."""
    if "k" not in definition.inputs:
        return False
    inputs = {"k": lower_bits(definition.inputs["k"])}
    return any(gives_where(definition, entry, {**definition.inputs, **inputs, **narrower})
               for narrower in ({}, {"input": in_32_bits(definition.inputs["input"])}))


def _other_upper_narrowed(definition: Any, entry: Any) -> bool:
    """Elements are what a type with fewer digits, or the lower 32 bits of k, give by the reading of an `upper` that is
    neither 0 nor 1 which is not that of other symptoms."""
    if definition.attribute("upper") in (0, 1):
        return False
    call = replace(definition.call, attributes={"upper": int(not definition.upper)})
    other = Trilu(call, definition.version)
    return any(symptom(other, entry) for symptom in (*NARROWER, diagonal_in_32_bits, _diagonal_wraps))


def _rows_beyond_columns_kept(definition: Any, entry: Any) -> bool:
    """Elements of rows behind as many as there are columns are those of the input, where they should be zero."""
    rows, source = entry.where[:, -2], definition.source
    return bool((rows >= source.shape[-1]).all()) and bool(same_bits(entry.got, source[tuple(entry.where.T)]).all())


class Trilu(Movement):
    """A call of Trilu; `upper` reads an attribute that is neither 0 nor 1."""

    takes_strings = False
    symptoms = {**Movement.symptoms, "diagonal-wraps": _diagonal_wraps, "diagonal-in-32-bits": diagonal_in_32_bits,
                "rows-beyond-columns-kept": _rows_beyond_columns_kept, "other-upper-narrowed": _other_upper_narrowed}
    tall = {**TALL_ROWS, "diagonal": -65_540}
    flag_notes = {"lower": "upper is 0.", "beyond": "The diagonal lies beyond a corner of the matrix, which is kept "
                                                    "or set to zero as a whole."}

    upper_part = elements_of("output.F2", "output", "not the element of input there",
                             lambda self: self.copied & self.upper)
    lower_part = elements_of("output.F3", "output", "not the element of input there", lambda self: self.copied)
    zeros = elements_of("output.F4", "output", "not zero")
    nan = bits_of_nan("output.U1")

    def __init__(self, call: Call, version: int, upper: bool | None = None) -> None:
        super().__init__(call, version)
        self.upper = self.attribute("upper") != 0 if upper is None else upper

    @property
    def k(self) -> int:
        """The diagonal."""
        return int(self.inputs["k"].item()) if "k" in self.inputs else 0

    @cached_property
    def copied(self) -> np.ndarray:
        """bool: which elements are copied."""
        rows, columns = self.source.shape[-2:]
        diagonals = np.arange(columns) - np.arange(rows)[:, None]
        return np.broadcast_to(diagonals >= self.k if self.upper else diagonals <= self.k, self.source.shape)

    @property
    def sources(self) -> Mapping[str, np.ndarray]:
        """input, and a zero."""
        return {"input": self.source, "zero": np.zeros(1, self.source.dtype)}

    def places(self) -> np.ndarray:
        """Return the position of each element itself, or of the zero."""
        return np.where(self.copied, row_by_row(self.source.shape), self.source.size)

    def receptive_field(self, output: str, where: tuple[int, ...]) -> dict[str, np.ndarray]:
        """The element that is copied; {} for a zero."""
        return super().receptive_field(output, where) if self.copied[where] else {}

    @on_call("input.C2")
    def matrices(self) -> str | None:
        return None if self.source.ndim >= 2 else f"input has {self.source.ndim} axes"

    @on_call("k.C2")
    def scalar(self) -> str | None:
        rank = self.inputs["k"].ndim if "k" in self.inputs else 0
        return f"k has {rank} axes" if rank else None

    @unspecified("upper.U1", refusal=True)
    def other_upper(self) -> Unspecified | None:
        if self.attribute("upper") in (0, 1):
            return None
        return Unspecified({}, (Trilu(self.call, self.version, not self.upper),))

    @unspecified("output.U2")
    def sign_of_zero(self) -> Unspecified | None:
        return Unspecified.of(~self.copied, "output", admits=lambda got: got == 0)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: matrices of any shape, and a diagonal up to one beyond each corner, or far away."""
        shape = a_shape(choose)
        if len(shape) < 2:
            return None
        upper = choose(({}, {"upper": 1}, {"upper": 0}, {"upper": 2}), (4, 4, 8, 1))
        inputs = {"input": choose.tensor(shape, a_type(choose, cls.types_of("input", version)), "bits")}
        k = choose(Named("diagonal", (0, 1, -1, 2, -2, shape[-1] - 1, shape[-1], 1 - shape[-2], -shape[-2],
                                      2**63 - 1, -2**63)))
        return Call("Trilu", upper, {**inputs, **({} if not k and choose((True, False)) else {"k": np.array(k)})})

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        inside = self.source.ndim >= 2 and all(k.size == 1 for k in (self.inputs.get("k", np.zeros(1)),))
        return {"lower": not self.upper, "beyond": inside and len(np.unique(self.copied)) < 2}
