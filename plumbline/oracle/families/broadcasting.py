"""Operators of ONNX whose inputs A and B are broadcast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.families.clauses import shape_of_output
from plumbline.oracle.families.elementwise import Elementwise, a_shape, broadcast_shapes
from plumbline.oracle.families.reading_symptoms import OF_PAIRS, SHAPES_OF_PAIRS
from plumbline.oracle.operator import UNBOUND, Choose, Operator, Predicate, Unspecified, on_call, unspecified
from plumbline.oracle.size_classes import SizeClass, a_broadcast_output

Shape = tuple[int, ...]


def broadcast_together(clause: str) -> Predicate:
    """Return a clause on calls: all inputs can be broadcast together."""
    def differs(self: Operator) -> str | None:
        shapes = {name: tuple(tensor.shape) for name, tensor in self.inputs.items()}
        rank = max(map(len, shapes.values()), default=0)
        padded = [(1,) * (rank - len(shape)) + shape for shape in shapes.values()]
        if all(len({size for size in sizes if size != 1}) <= 1 for sizes in zip(*padded, strict=True)):
            return None
        return ", ".join(f"{name} has shape {list(shape)}" for name, shape in shapes.items())
    return Predicate("call", clause, differs)


def broadcast_to(clause: str, name: str, *others: str, of_run: bool = False) -> Predicate:
    """Return a clause on calls: other inputs, where they are given, can be broadcast to the shape of one.

    `of_run`: to that of its axes from the attribute `axis` on."""
    def differs(self: Operator) -> str | None:
        shape = self.inputs[name].shape
        if of_run:
            shape = shape[int(self.attribute("axis")) % len(shape):]
        for other in (other for other in others if other in self.inputs):
            own = self.inputs[other].shape
            if len(own) > len(shape) or any(size not in (1, wanted) for size, wanted in zip(
                    own[::-1], shape[::-1], strict=False)):
                return f"{other} has shape {list(own)}, which is not broadcast to that of {name}, {list(shape)}"
        return None
    return Predicate("call", clause, differs, ("axis.C2",) if of_run else ())


class Binary(Elementwise):
    """A call of an operator of ONNX on A and B, with the output C. Up to version 6 of the text B is broadcast to A, and
    only where the attribute `broadcast` asks for it; from version 7 on each is broadcast to the other."""

    output = "C"
    names = ("A", "B")
    symptoms, shape_symptoms = {**Elementwise.symptoms, **OF_PAIRS}, SHAPES_OF_PAIRS

    @property
    def limited(self) -> bool:
        """True if the version broadcasts B alone."""
        return self.version < 7

    @property
    def broadcast(self) -> Any:
        """The attribute: 0 or 1, or what the text does not explain."""
        return self.attributes.get("broadcast", 0)

    @property
    def start(self) -> int:
        """The axis of A at which the axes of B begin."""
        axis = self.attributes.get("axis")
        return int(axis) if axis is not None else self.inputs["A"].ndim - self.inputs["B"].ndim

    @cached_property
    def operands(self) -> tuple[np.ndarray, ...]:
        """A and B in the shape of the output; of a `broadcast` without a meaning, B repeated until A is filled."""
        if not self.limited:
            return super().operands
        a, b = self.inputs["A"], self.inputs["B"]
        if self.broadcast not in (0, 1):
            return a, np.resize(b, a.shape)
        if b.size == 1:
            return a, np.broadcast_to(b.reshape(()), a.shape)
        start = self.start if self.broadcast else 0
        return a, np.broadcast_to(b.reshape(b.shape + (1,) * (a.ndim - start - b.ndim)), a.shape)

    def shape_of(self, output: str) -> Shape:
        """Return the shape of A, or the one that both are broadcast to."""
        return self.inputs["A"].shape if self.limited else super().shape_of(output)

    def slices(self) -> Mapping[int, Mapping[str, int]]:
        """Cut along every axis, unless B is placed by attributes."""
        return {} if self.limited and self.inputs["A"].shape != self.inputs["B"].shape else super().slices()

    def receptive_field(self, output: str, where: Shape) -> dict[str, np.ndarray]:
        """The element of A and that of B at a place."""
        if not self.limited:
            return super().receptive_field(output, where)
        b = self.inputs["B"]
        start = self.start if self.broadcast else 0
        of_b = (0,) * b.ndim if b.size == 1 else where[start:start + b.ndim]
        return {"A": np.array([where], dtype=np.int64), "B": np.array([of_b], dtype=np.int64)}

    flag_notes = {**Elementwise.flag_notes,
                  "axis-inside": "axis places B before the last axes of A, as only the first versions have it."}

    def flags(self) -> dict[str, bool]:
        """Return flags: whether `axis` matters."""
        a, b, axis = self.inputs["A"], self.inputs["B"], self.attributes.get("axis")
        inside = self.broadcast == 1 and isinstance(axis, int) and b.size != 1 and axis + b.ndim != a.ndim
        return {**super().flags(), "axis-inside": inside}

    @classmethod
    def form(cls, choose: Choose, version: int) -> tuple[dict[str, object], list[Shape]]:
        """Draw the attributes of a call, and the shapes of A and B, in a version of the operator."""
        if version >= 7:
            return {}, broadcast_shapes(choose, 2)
        whole = a_shape(choose)
        attributes: dict[str, object] = choose(({}, {"broadcast": 0}, {"broadcast": 1}), (1, 1, 6))
        if not attributes.get("broadcast"):
            return attributes, [whole, whole]
        if choose((False, True), (2, 1)):
            return attributes, [whole, (1,) * choose(range(len(whole) + 1))]
        start = choose(range(len(whole) + 1))
        end = choose(range(len(whole), start - 1, -1))
        if end < len(whole) or choose((False, True)):
            attributes = {**attributes, "axis": start}
        return attributes, [whole, whole[start:end]]

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Return the size classes, with a large output of broadcast inputs, with one type."""
        return (*super().size_classes(version), *((a_broadcast_output(),) if version >= 7 else ()))

    together = broadcast_together(UNBOUND)
    shape_of_a = shape_of_output(UNBOUND, "C")
    shape_of_both = shape_of_output(UNBOUND, "C")

    @on_call(UNBOUND)
    def place_of_b(self) -> str | None:
        axis, a, b = self.attributes.get("axis"), self.inputs["A"].shape, self.inputs["B"].shape
        if self.broadcast != 1 or axis is None or prod(b) == 1:
            return None
        if not isinstance(axis, int) or axis < 0 or axis + len(b) > len(a):
            return f"axis is {axis!r}, A has {len(a)} axes and B has {len(b)}"
        return None

    @on_call(UNBOUND)
    def equal_shapes(self) -> str | None:
        a, b = self.inputs["A"].shape, self.inputs["B"].shape
        if self.broadcast != 0 or a == b:
            return None
        return f"A has shape {list(a)}, B has shape {list(b)}, and broadcast is 0"

    @on_call(UNBOUND)
    def run_of_a(self) -> str | None:
        a, b = self.inputs["A"].shape, self.inputs["B"].shape
        if self.broadcast != 1 or not isinstance(self.attributes.get("axis", 0), int):
            return None
        if len(b) <= len(a) and (prod(b) == 1 or a[self.start:][:len(b)] == b):
            return None
        return f"B has shape {list(b)}, which is not a run of {list(a)}" + (
            f" from axis {self.start} on" if "axis" in self.attributes else " at its end")

    @unspecified(UNBOUND, refusal=True)
    def other_broadcast(self) -> Unspecified | None:
        return None if self.broadcast in (0, 1) else Unspecified.everything("C")
