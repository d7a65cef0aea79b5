"""Judge and generate calls of ONNX RMSNormalization, by `spec/onnx/rmsnormalization.md`."""

from __future__ import annotations

import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.clauses import one_of_values
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.runs import OfRuns
from plumbline.oracle.families.standardised_symptoms import in_type_of_x, variance_in_float32
from plumbline.oracle.operator import evidence
from plumbline.oracle.operators.onnx.addresses import QUOTIENTS


class RMSNormalization(OfRuns):
    """A call of RMSNormalization under one version of its specification."""

    clauses = {f"Y.{tag}": name for tag, name in QUOTIENTS.items()}
    symptoms = {"in-type-of-x": in_type_of_x, "variance-in-float32": variance_in_float32}
    stash_types, own_types, about_zero = (1, 10, 11, 16), True, True
    flag_notes = {name: note for name, note in OfRuns.flag_notes.items() if name != "large-mean"}

    axis_of_x, stash = along("axis.C2", "X"), one_of_values("stash_type.C2", "stash_type", stash_types)
    sizes = broadcast_to("scale.C2", "X", "scale", of_run=True)

    @property
    def result_type(self) -> np.dtype:
        """The type of scale."""
        return self.inputs["scale"].dtype

    def value_flags(self) -> dict[str, bool]:
        """Return no flags of the mean."""
        return {}

    @evidence("Y.E1")
    @staticmethod
    def product_of_two_types() -> str:
        x = np.ones(2, np.float32)
        return broken_body("onnx/rmsnormalization@23", Call("RMSNormalization", {}, {
            "X": x, "scale": x.astype(np.float16)}))
