"""Judge and generate calls of ONNX LSTM, by `spec/onnx/lstm.md`."""

from __future__ import annotations

from plumbline.oracle.families.cells import LongShortTerm
from plumbline.oracle.families.clauses import elements_of, shape_of_output
from plumbline.oracle.operator import Unspecified, unspecified
from plumbline.oracle.operators.onnx.addresses import RECURRENT


class LSTM(LongShortTerm):
    """A call of LSTM under one version of its specification."""

    clauses = RECURRENT | {"initial_c.C1": "shape_of_initial_c", "P.C2": "shape_of_p"}

    shape_of_y_c = shape_of_output("Y_c.C1", "Y_c")
    value_of_y_c = elements_of("Y_c.F2", "Y_c", "not the cell after the last step")

    @unspecified("input_forget.U1")
    def coupling(self) -> Unspecified | None:
        return self.other_readings("coupled") if self.attribute("input_forget") == 1 else None

    @unspecified("input_forget.U2", refusal=True)
    def other_coupling(self) -> Unspecified | None:
        return None if self.attribute("input_forget") in (0, 1) else self.other_readings("coupled")
