"""Standardised runs: all elements along the axes from `axis` on, and their moments, which may be outputs too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from onnx import helper

from plumbline.oracle.call import Call
from plumbline.oracle.families.axes import along, either_end
from plumbline.oracle.families.checks import one_of
from plumbline.oracle.families.element_types import a_type
from plumbline.oracle.families.elementwise import a_shape
from plumbline.oracle.families.standardisation import Standardised
from plumbline.oracle.operator import UNBOUND, Allowance, Choose, Unspecified, on_call, unspecified
from plumbline.oracle.rounding import growth, smallest_normal
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

    of_run: ClassVar[bool] = False
    """True if scale is broadcast to a run, and not to all of X."""

    saved: ClassVar[tuple[str, ...]] = ()
    """The outputs that are the mean of each run, and the inverse of its standard deviation, if there are such."""

    flag_notes = {**Standardised.flag_notes, "negative-axis": "axis counts from the back.",
                  "without-bias": "B is not given."}
    axis_of_x = along(UNBOUND, "X")

    @on_call(UNBOUND)
    def stash(self) -> str | None:
        return one_of(self.call, "stash_type", self.attribute("stash_type"), self.stash_types)

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

    def shape_of(self, output: str) -> tuple[int, ...]:
        """Return the declared shape; of what is saved that of X, with size 1 on the axes that are averaged."""
        if output in self.saved:
            return (*self.x.shape[:self.axes[0]], *(1 for _ in self.axes))
        return super().shape_of(output)

    def expected(self) -> dict[str, np.ndarray]:
        """Return Y, and what is saved."""
        with np.errstate(all="ignore"):
            values = zip(self.saved, (self._moments.mean, self.roots[1]), strict=False)
            return {**super().expected(), **{output: value.astype(self.computed_in) for output, value in values}}

    def bound(self, output: str, error: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Return exact values, and how far off they may be; casts and the root are some of four roundings."""
        if output == self.output:
            return super().bound(output, error)
        (lowest, exact, highest), four, mean = self.roots_within(error), growth(4, self.computed_in), self._moments.mean
        with np.errstate(all="ignore"):
            if output == self.saved[0]:
                return mean, self._moments.mean_error + (four * np.abs(mean) + smallest_normal(self.computed_in))
            return exact, np.maximum(highest - exact, exact - lowest) + four * highest

    @property
    def open_moments(self) -> dict[str, np.ndarray]:
        """By output that is saved the mask of elements that are undefined."""
        lowest = self.lowest_square(self._moments.variance_error)
        with np.errstate(all="ignore"):
            both = ~np.isfinite(self._moments.mean + self._moments.variance) | self.sums_overflow
            return dict(zip(self.saved, (both, both | ~(lowest > 0) | (self.roots[2] >= self.too_large)), strict=False))

    @unspecified(UNBOUND)
    def undefined_moments(self) -> Unspecified | None:
        masks = {output: Allowance(mask) for output, mask in self.open_moments.items() if mask.any()}
        return Unspecified(masks) if masks else None

    @unspecified(UNBOUND)
    def root_by_squares(self) -> Unspecified | None:
        return self.by_squares(self.saved[1], ~self.open_moments[self.saved[1]])

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
        """Return shapes to draw from: that of a run, of its last axis, of X where that is allowed, of nothing."""
        return (shape[axis:], shape[-1:], (1,)) if cls.of_run else (shape[axis:], shape[-1:], shape, (1,))

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
        axis, optional = self.attributes.get("axis", -1), self.names[1:]
        return {"negative-axis": isinstance(axis, int) and axis < 0,
                **({"without-bias": not self.inputs.keys() >= set(optional)} if optional else {})}
