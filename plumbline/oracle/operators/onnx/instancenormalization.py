"""Judge and generate calls of ONNX InstanceNormalization, by `spec/onnx/instancenormalization.md`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plumbline.oracle.call import Call
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.standardisation import BATCH, BY_CHANNEL, CHANNELS, Standardised, shapes_differ
from plumbline.oracle.families.standardised_symptoms import variance_in_float32
from plumbline.oracle.operator import Choose, on_call
from plumbline.oracle.operators.onnx.addresses import STANDARDISED
from plumbline.oracle.size_classes import SizeClass


class InstanceNormalization(Standardised):
    """A call of InstanceNormalization under one version of its specification."""

    clauses = {f"output.{tag}": name for tag, name in STANDARDISED.items()}
    output = "output"
    symptoms = {"variance-in-float32": variance_in_float32}

    @property
    def axes(self) -> tuple[int, ...]:
        """Those of a channel of a batch."""
        return tuple(range(2, self.x.ndim))

    @on_call("input.C1")
    def rank(self) -> str | None:
        fits = self.x.ndim == 4 if self.version == 1 else self.x.ndim >= 3
        return None if fits else f"input has {self.x.ndim} axes"

    @on_call("scale.C1", needs=("input.C1",))
    def shapes(self) -> str | None:
        return shapes_differ(self.inputs, ("scale", "B"), tuple(self.x.shape[1:2]))

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of standardised elements, and of batches and channels."""
        return *super().size_classes(version), BY_CHANNEL

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of standardised elements, and the numbers of images and of channels."""
        return {**super().named_sizes(), "batch": self.x.shape[0], "channels": self.x.shape[1]}

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
