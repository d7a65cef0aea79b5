"""Judge and generate calls of SONNX Conv in floating point, by `spec/sonnx/conv2.md`.

Each wrong element is blamed on padding where its window has some, on the clause on NaN and infinities where a term is
not finite, else on the value itself.
"""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import elements_of, same_type, type_of_output
from plumbline.oracle.operator import evidence, on_elements
from plumbline.oracle.operators.sonnx.conv import _Conv, padding_is_zero


class FloatConv(_Conv):
    """A call of Conv by the draft with a part on floating point: padding is a zero that is multiplied."""

    clauses = _Conv.clauses | {"float.Y.U1": "overflow"}
    multiplies_padding = True

    one_type = same_type("float.X.C2", "X", "W", "B")
    y_type = type_of_output("float.Y.C2", "Y", lambda self: self.x.dtype)

    padding = padding_is_zero()

    @on_elements("float.Y.F2", "Y", "not what IEEE 754 gives for the sum")
    def not_finite(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(~np.isfinite(self.convolution.special))

    value = elements_of("float.Y.F1", "Y", "not the sum of products of its window")

    @evidence("float.errors.E1")
    @staticmethod
    def may_be_nan() -> str:
        found = float(np.float32(1) * np.float32(np.nan) + np.float32(2) * np.float32(1))
        assert np.isnan(found)
        return f"1*NaN + 2*1 is {found} by IEEE 754; the text says that it may be NaN"
