"""Judge and generate calls of SONNX Abs, by `spec/sonnx/abs.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.families.clauses import any_nan, attributes_of, element_type, elements_of, type_of_output
from plumbline.oracle.families.profile import FLOATS, NUMBERS, last_index
from plumbline.oracle.families.unary import Unary
from plumbline.oracle.operator import Choose, evidence, on_call, on_elements
from plumbline.oracle.operators.sonnx.addresses import UNARY


class Abs(Unary):
    """A call of Abs."""

    clauses = UNARY
    operator = "Abs"
    types = dict.fromkeys(NUMBERS, 1)
    signed_zeros = True

    def value(self, *operands: np.ndarray) -> np.ndarray:
        """Return the elements without their signs."""
        return np.asarray(np.abs(operands[0]))

    @classmethod
    def drawn(cls, choose: Choose, name: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """An input without the lowest number of a signed type."""
        found = super().drawn(choose, name, shape, dtype)
        return np.asarray(np.maximum(found, np.iinfo(found.dtype).min + 1)) if found.dtype.kind == "i" else found

    no_attribute = attributes_of("signature.C1", {})
    types_of_x = element_type("X.C2", "X", NUMBERS)
    type_of_y = type_of_output("Y.F2", "Y", lambda self: self.x.dtype)
    bits = any_nan("float.Y.U1", "Y")
    index = evidence("Y.E9")(last_index)

    @on_call("int.X.C1")
    def no_lowest(self) -> str | None:
        if self.x.dtype.kind != "i" or not (np.asarray(self.x) == np.iinfo(self.x.dtype).min).any():
            return None
        return f"X holds {np.iinfo(self.x.dtype).min}"

    @on_elements("float.Y.F2", "Y", "not NaN where X is, or NaN where it is not")
    def nan(self, got: np.ndarray) -> np.ndarray:
        return np.asarray((self.x != self.x) | (got != got))

    @on_elements("float.Y.F1", "Y", "not +0, of a zero")
    def zeros(self, got: np.ndarray) -> np.ndarray:
        return np.asarray(self.x == 0) & (self.x.dtype.kind == "f")

    any_other = elements_of("Y.F1", "Y", "not the absolute value")

    @evidence("X.E1")
    @staticmethod
    def type_without_a_part() -> str:
        contents, part = ("bfloat16", "float16", "float32", "float64"), FLOATS
        without = [name for name in contents if name not in part]
        assert without == ["bfloat16"] and set(part) < set(contents)
        return f"the contents have {', '.join(contents)}, the part all but {without[0]}"

    @evidence("accuracy.E1")
    @staticmethod
    def sign_crossing() -> str:
        x, error = 1, -2
        assert x != 0 and x + error != 0 and (x > 0) != (x + error > 0)
        return f"X = {x} and an error of {error} keep the condition, and X + x is {x + error}"
