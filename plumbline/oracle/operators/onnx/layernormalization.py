"""Judge and generate calls of ONNX LayerNormalization, by `spec/onnx/layernormalization.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along, either_end
from plumbline.oracle.families.broadcasting import broadcast_to
from plumbline.oracle.families.clauses import one_of_values
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.functions import broken_body
from plumbline.oracle.families.standardised_symptoms import in_type_of_x
from plumbline.oracle.families.stored_moments import StoredMoments
from plumbline.oracle.operator import Choose, evidence
from plumbline.oracle.operators.onnx.addresses import MOMENTS, STANDARDISED
from plumbline.oracle.size_classes import TALL, TALL_ROWS, Named, SizeClass, a_tall_input, is_tall

STASHES = {1: np.dtype(np.float32), 16: np.dtype(ml_dtypes.bfloat16)}
"""By `stash_type`, as TensorProto numbers element types."""


class LayerNormalization(StoredMoments):
    """A call of LayerNormalization under one version of its specification."""

    clauses = MOMENTS | {f"Y.{tag}": name for tag, name in STANDARDISED.items()}
    symptoms = {"in-type-of-x": in_type_of_x}
    flag_notes = {**StoredMoments.flag_notes, "negative-axis": "axis counts from the back.",
                  "without-bias": "B is not given."}

    axis_of_x, stash = along("axis.C2", "X"), one_of_values("stash_type.C2", "stash_type", tuple(STASHES))
    sizes = broadcast_to("Scale.C1", "X", "Scale", "B")

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged: from `axis` on."""
        return tuple(range(int(self.attribute("axis")) % self.x.ndim, self.x.ndim))

    @property
    def computed_in(self) -> np.dtype:
        """The type that `stash_type` names."""
        dtype: np.dtype = STASHES[int(self.attribute("stash_type"))]
        return dtype

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of standardised elements, a tall input, and a column of parameters that would fit as a row."""
        column = SizeClass({"column": [True]}, {"rank": 3, "rows": 4, "columns": 4}, every_type=False)
        return *super().size_classes(version), a_tall_input({**TALL_ROWS, "axis": 1}), column

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of standardised elements, whether X is tall, and whether Scale is a column on equal axes."""
        *_, size, last = (0, *self.inputs["Scale"].shape)
        return {**super().named_sizes(), TALL: is_tall(self.x.shape),
                "column": last == 1 < size and len(set(self.x.shape)) == 1}

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with parameters of the averaged axes, of the last one, or of none."""
        shape = a_shape(choose) or (3,)
        axis = choose(Named("axis", (len(shape) - 1, *range(len(shape) - 1))))
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        attributes: dict[str, object] = {}
        if axis != len(shape) - 1 or choose((False, True)):
            attributes["axis"] = either_end(choose, axis, len(shape), True)
        attributes |= cls.an_epsilon(choose)
        if choose((False, True), (9, 1)):
            attributes["stash_type"] = choose((1, 16))
        of_parameters = choose((shape[axis:], shape[-1:], shape, (1,)), (5, 1, 1, 1))
        if choose(Named("column", (False, True)), (1, 0)):
            of_parameters = (*shape[axis:-1], 1)
        inputs = {"X": choose.tensor(shape, dtype, values), "Scale": choose.tensor(of_parameters, dtype, values)}
        if choose((True, False)):
            inputs["B"] = choose.tensor(of_parameters, dtype, values)
        return Call("LayerNormalization", attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axis = self.attributes.get("axis", -1)
        return {"negative-axis": isinstance(axis, int) and axis < 0, "without-bias": "B" not in self.inputs}

    @evidence("Y.E1")
    @staticmethod
    def fewer_calls() -> str:
        x, nothing = np.ones((2, 3), np.float32), np.ones(0, np.float32)
        calls = (Call("LayerNormalization", {"axis": 0}, {"X": x, "Scale": x[0]}),
                 Call("LayerNormalization", {}, {"X": nothing, "Scale": nothing}))
        return "; ".join(broken_body("onnx/layernormalization@17", call) for call in calls)
