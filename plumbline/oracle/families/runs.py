"""Standardised runs: all elements along the axes from `axis` on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from onnx import helper

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import either_end
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.standardisation import Standardised
from plumbline.oracle.operator import Choose
from plumbline.oracle.size_classes import TALL, TALL_ROWS, Named, SizeClass, a_tall_input, is_tall


def stashed(definition: Standardised) -> np.dtype:
    """Return the type that `stash_type` names."""
    return helper.tensor_dtype_to_np_dtype(definition.attribute("stash_type"))


class OfRuns(Standardised):
    """A call whose scale, and bias if there is one, are broadcast to X."""

    names: ClassVar[tuple[str, ...]] = ("scale",)
    """The scale, then what may be left out."""

    stash_types: ClassVar[tuple[int, ...]]
    own_types: ClassVar[bool] = False
    """True if the type of scale may be another than that of X."""

    flag_notes = {**Standardised.flag_notes, "negative-axis": "axis counts from the back."}

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that are averaged: from `axis` on."""
        return tuple(range(int(self.attribute("axis")) % self.x.ndim, self.x.ndim))

    @property
    def computed_in(self) -> np.dtype:
        """The type that `stash_type` names."""
        return stashed(self)

    @property
    def parameters(self) -> tuple[np.ndarray, np.ndarray]:
        """Scale and B, 0 where none is given, as they are."""
        return self.inputs[self.names[0]], self.inputs.get("B", np.zeros((), self.x.dtype))

    @classmethod
    def size_classes(cls, version: int) -> Sequence[SizeClass]:
        """Those of standardised elements, a tall input, and a column of parameters that would fit as a row."""
        column = SizeClass({"column": [True]}, {"rank": 3, "rows": 4, "columns": 4}, every_type=False)
        return *super().size_classes(version), a_tall_input({**TALL_ROWS, "axis": 1}), column

    def named_sizes(self) -> Mapping[str, Any]:
        """Return those of standardised elements, whether X is tall, and whether scale is a column on equal axes."""
        *_, size, last = (0, *self.inputs[self.names[0]].shape)
        column = last == 1 < size and len(set(self.x.shape)) == 1
        return {**super().named_sizes(), TALL: is_tall(self.x.shape), "column": column}

    @classmethod
    def shapes_of_parameters(cls, shape: tuple[int, ...], axis: int) -> tuple[tuple[int, ...], ...]:
        """Return shapes to draw from: that of a run, of its last axis, of nothing."""
        return shape[axis:], shape[-1:], (1,)

    @classmethod
    def make(cls, choose: Choose, version: int) -> Call | None:
        """Draw a call: any axis of any shape, with parameters of the averaged axes, of the last one, or of none."""
        shape = a_shape(choose) or (3,)
        axis = choose(Named("axis", (len(shape) - 1, *range(len(shape) - 1))))
        dtype, values = a_type(choose, cls.types_of("X", version)), choose(("sum", "any"), (3, 1))
        is_set = axis != len(shape) - 1 or choose((False, True))
        attributes: dict[str, Any] = {"axis": either_end(choose, axis, len(shape), True)} if is_set else {}
        attributes |= cls.an_epsilon(choose)
        attributes |= {"stash_type": choose(cls.stash_types)} if choose((False, True), (9, 1)) else {}
        shapes = cls.shapes_of_parameters(shape, axis)
        of_parameters = choose(shapes, (5, *[1] * (len(shapes) - 1)))
        of_parameters = (*shape[axis:-1], 1) if choose(Named("column", (False, True)), (1, 0)) else of_parameters
        inputs = {"X": choose.tensor(shape, dtype, values)}
        if cls.own_types and choose((False, True), (5, 1)):
            dtype = choose(cls.types_of(cls.names[0], version))
        for number, name in enumerate(cls.names):
            if not number or choose((True, False)):
                inputs[name] = choose.tensor(of_parameters, dtype, values)
        return Call(cls.__name__, attributes, inputs)

    def flags(self) -> dict[str, bool]:
        """See `flag_notes`."""
        axis = self.attributes.get("axis", -1)
        return {"negative-axis": isinstance(axis, int) and axis < 0}
