"""Judge and generate calls of ONNX InstanceNormalization, by `spec/onnx/instancenormalization.md`."""

from __future__ import annotations

from plumbline.oracle.call import Call
from plumbline.oracle.families.channels import BATCH, CHANNELS, ByChannel
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.standardised_symptoms import variance_in_float32
from plumbline.oracle.operator import Choose
from plumbline.oracle.operators.onnx.addresses import STANDARDISED


class InstanceNormalization(ByChannel):
    """A call of InstanceNormalization under one version of its specification."""

    clauses = {"input.C1": "rank", "scale.C1": "shapes", **{
        f"output.{tag}": name for tag, name in STANDARDISED.items()}}
    output = "output"
    symptoms = {"variance-in-float32": variance_in_float32}

    @property
    def ranks(self) -> tuple[int, int | None]:
        """4 in version 1."""
        return (4, 4) if self.version == 1 else (3, None)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: batches of any number of spatial axes that the version has."""
        shape = (choose(BATCH), choose(CHANNELS), *a_shape(choose))
        shape = (*shape, 1, 1)[:4] if version == 1 else shape if len(shape) > 2 else (*shape, 4)
        dtype, values = a_type(choose, cls.types_of("input", version)), choose(("sum", "any"), (3, 1))
        attributes: dict[str, object] = {"consumed_inputs": [0]} if version == 1 and choose((False, True)) else {}
        attributes |= cls.an_epsilon(choose)
        inputs = {"input": choose.tensor(shape, dtype, values)}
        return Call("InstanceNormalization", attributes, inputs | {
            name: choose.tensor(shape[1:2], dtype, values) for name in ("scale", "B")})
