"""Judge and generate calls of ONNX Softmax, by `spec/onnx/softmax.md`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

from plumbline.oracle.edit import Edit, set_to
from plumbline.oracle.families.axes import axis_of, axis_within
from plumbline.oracle.families.narrower_types import SYMPTOMS
from plumbline.oracle.families.normalisation import Normalised
from plumbline.oracle.node import Node, SpecInForce
from plumbline.oracle.operator import Unspecified, on_call, unspecified


def _along_the_default_alone(definition: Any, entry: Any) -> bool:
    """Elements are what the default of axis in this version gives along it alone, as from version 13 on."""
    call = replace(definition.call, attributes={**definition.call.attributes, "axis": definition.default})
    return "axis" not in definition.attributes and SYMPTOMS["by-the-newest-text"](
        type(definition)(call, definition.version), entry)


class Softmax(Normalised):
    """A call of Softmax under one version of its specification."""

    clauses = {"Y.F3": "minus_infinity", "Y.F4": "in_range",
               "Y.F5": "not_normalised", "Y.F1": "any_other", "Y.U1": "accuracy", "Y.U3": "zeros"}
    types = {"float32": 1, "float64": 1, "float16": 1, "bfloat16": 13}
    symptoms = {**Normalised.symptoms, "along-the-default-alone": _along_the_default_alone}

    @classmethod
    def default_of(cls, version: int) -> int:
        """1 in the versions that make a matrix of X."""
        return -1 if version >= 13 else 1

    @classmethod
    def counts_back_in(cls, version: int) -> bool:
        """Return True from version 11 on."""
        return version >= 11

    @classmethod
    def repairs(cls, node: Node, spec: SpecInForce, outside: bool) -> Iterator[Edit]:
        """Yield the edit of a node that counts its axis from the front; none if the node is `outside` ONNX (`spec`)."""
        rank, axis = len(node.first.shape or ()), node.attributes.get("axis", cls.default_of(spec.opset))
        if rank and not outside and isinstance(axis, int):
            front = axis + rank if axis < 0 else axis
            default = "" if "axis" in node.attributes else "ONNX's default, "
            yield set_to(f"set axis = {front} ({default}counted from the front)", axis=front)

    @property
    def default(self) -> int:  # type: ignore[override]
        """The default of the version."""
        return self.default_of(self.version)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axis, or it and all after it."""
        return super().axes if self.version >= 13 else tuple(range(self.axis, self.x.ndim))

    flag_notes = {**Normalised.flag_notes,
                  "several-axes": "A line runs over several axes, as only the first versions have it."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether the versions differ in what a line is."""
        axis, rank = axis_of(self, self.default), self.x.ndim
        valid = axis is not None and -rank <= axis < rank and self.version < 13
        return {**super().flags(), "several-axes": valid and prod(self.x.shape[self.axis + 1:]) != 1}

    @on_call("axis.C1")
    def axis_from_the_front(self) -> str | None:
        return axis_within(self, self.default, 0, self.x.ndim - 1)

    @on_call("axis.C2")
    def axis_from_either_end(self) -> str | None:
        return axis_within(self, self.default, -self.x.ndim, self.x.ndim - 1)

    @unspecified("Y.U2")
    def no_quotient(self) -> Unspecified | None:
        return Unspecified.of(~self.defined, "Y")
