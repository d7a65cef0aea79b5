"""Judge and generate calls of SONNX Constant, by `spec/sonnx/constant.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.clauses import attributes_of, presence
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.movement import bits_of_nan
from plumbline.oracle.families.profile import NUMBERS
from plumbline.oracle.operator import Choose, evidence, on_call
from plumbline.oracle.operators.onnx.constant import LISTS, _Copy

OTHERS = (*LISTS, "value_string", "value_strings")


class Constant(_Copy):
    """A call of Constant in the profile: a copy of `value`."""

    clauses = {"C.C1": "shape", "C.F1": "value", "C.C2": "element_type"}

    given = presence("signature.F1")
    known_attributes = attributes_of("signature.C1", dict.fromkeys(("value", "sparse_value", *OTHERS), 1))
    nan = bits_of_nan("C.U1")

    @on_call("restrictions.R1")
    def a_tensor(self) -> str | None:
        others = [name for name in OTHERS if name in self.attributes]
        wrong = [f"{name} is set" for name in others] + ["value is not set"] * ("value" not in self.attributes)
        return "; ".join(wrong) or None

    @on_call("restrictions.R2")
    def not_sparse(self) -> str | None:
        return "sparse_value is set" if "sparse_value" in self.attributes else None

    @on_call("value.C1")
    def types_of_value(self) -> str | None:
        value = self.attributes.get("value")
        if value is None or isinstance(value, np.ndarray) and value.dtype.name in NUMBERS:
            return None
        return f"value is {value.dtype.name if isinstance(value, np.ndarray) else repr(value)}"

    @evidence("value.E1")
    @staticmethod
    def a_single_value() -> str:
        value = np.array([[1.1, 2.2], [3.3, 4.4]])
        copied = Constant(Call("Constant", {"value": value}), 25).canonical["output"]
        filled = [np.full(value.shape, number) for number in value.flat]
        assert (copied == value).all() and not any((copied == one).all() for one in filled)
        return f"Example 2: the formula gives {copied.tolist()}, which no single value fills"

    @evidence("C.E1")
    @staticmethod
    def number_as_vector() -> str:
        scalar, printed = np.array(4.2), np.array([4.2])
        shape = Constant(Call("Constant", {"value": scalar}), 25).canonical["output"].shape
        assert shape == scalar.shape != printed.shape
        return f"Example 1: C of a scalar has the shape {list(shape)}, [4.2] has {list(printed.shape)}"

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: a tensor of any shape and type of the profile."""
        return Call("Constant", {"value": choose.tensor(a_shape(choose), a_type(choose, NUMBERS), "bits")}, {})
