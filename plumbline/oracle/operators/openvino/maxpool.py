"""Judge and generate calls of OpenVINO MaxPool, by `spec/openvino/maxpool.md`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from plumbline.oracle.families.attributes import integer_list
from plumbline.oracle.families.clauses import type_of_output
from plumbline.oracle.families.maxima import PADDING, Maxima, MaxWindows
from plumbline.oracle.families.window_sizes import Axis
from plumbline.oracle.families.windows import Geometry, plane_offsets
from plumbline.oracle.operator import Choose, Unspecified, evidence, on_call, on_elements, unspecified
from plumbline.oracle.operators.openvino.common import OpenVinoWindowed, choice, length_of, values_of
from plumbline.oracle.response import is_float

INDEX_TYPES: dict[str, np.dtype] = {"i32": np.dtype(np.int32), "i64": np.dtype(np.int64)}


class MaxPool(MaxWindows, OpenVinoWindowed):
    """A call of MaxPool under one version of its specification."""

    clauses = {"Indices.C1": "shape_of_indices", "Y.U3": "nan", "auto_pad.F1": "maximum_with_automatic_padding",
               "Y.F1": "maximum_otherwise"}
    own_attributes = ("axis", "dilations", "index_element_type")
    produces = ("Y", "Indices")
    least_dilation = 0
    drawn_types = {"float32": (1, 1.0), "float16": (1, 1.0), "float64": (1, 1.0), "int8": (1, 1.0),
                     "uint8": (1, 1.0), "int32": (1, 0.2), "int64": (1, 0.2)}

    @classmethod
    def attributes_of(cls, choose: Choose, version: int, mode: frozenset[str], axes: Sequence[Axis]) -> dict[str, Any]:
        """Draw the attributes, with the axis from which indices count, and their type."""
        found, rank = super().attributes_of(choose, version, mode, axes), len(axes) + 2
        axis = choose((None, *range(rank), *range(-rank, 0)), (0.6, *[0.2 / rank] * 2 * rank))
        found |= {} if axis is None else {"axis": axis}
        word = choose((None, "i64", "i32"), (0.7, 0.15, 0.15))
        return found if word is None else {**found, "index_element_type": word}

    def native_attributes(self) -> dict[str, Any]:
        """The attributes in OpenVINO's words."""
        return {**super().native_attributes(), "axis": self.attributes.get("axis", 0),
                "dilations": integer_list(self.call, "dilations", 1),
                "index_element_type": self.attributes.get("index_element_type", "i64")}

    @property
    def bound(self) -> int:
        """Indices are below it: the number of elements in the axes of X from `axis` on."""
        return prod(self.x.shape[range(self.x.ndim)[self.said["axis"]]:])

    @cached_property
    def indices(self) -> np.ndarray:
        """The canonical indices: of the first maximum of each window."""
        return np.asarray(self.maxima.indices % (self.bound or 1), INDEX_TYPES[self.said["index_element_type"]])

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Return indices that count from `axis` on (`got`, of Y's shape) as positions in the whole X.

        They are in the block of the window, or for a spatial axis, at the first maximum whose rest agrees; -1: none."""
        bound, canonical = self.bound, self.maxima.indices
        block = canonical - canonical % (bound or 1)
        rank = range(self.x.ndim)[self.said["axis"]]
        fits = (got >= 0) & (got < bound)
        if rank <= 2:
            return np.where(fits, got + block, -1)
        found, planes = np.full(self.shape, -1, dtype=np.int64), plane_offsets(self.x.shape)
        some = self.maxima.by_tap(self.maxima.values, np.where(fits, got, -1), found)
        for tap, (cells, maximum, rest, places) in zip(self.maxima.taps, some, strict=True):
            flat = tap.index[tap.windows] + planes
            np.copyto(places, flat, where=(cells == maximum) & (flat % bound == rest))
        return found

    def stack_offset(self, output: str, count: int) -> int | None:
        """Positions count on only where they count through the whole X."""
        return super().stack_offset(output, count) if self.bound == self.x.size else 0

    dilations_values, dilations_length = values_of("dilations", 0), length_of("dilations")
    index_types = choice("index_element_type.C1", "index_element_type", tuple(sorted(INDEX_TYPES, reverse=True)))
    type_of_indices = type_of_output("Indices.F2", "Indices", lambda self: INDEX_TYPES[self.said["index_element_type"]])

    @on_call("axis.C1")
    def axis_of_x(self) -> str | None:
        axis, rank = self.said["axis"], self.x.ndim
        fits = type(axis) is int and -rank <= axis < rank
        return None if fits else f"axis is {axis!r}, not from {-rank} to {rank - 1}"

    @unspecified("dilations.U1", refusal=True)
    def dilation_of_zero(self) -> Unspecified | None:
        return Unspecified.everything("Y", "Indices") if 0 in self.dilations else None

    @unspecified("Y.U2")
    def nothing_selected(self) -> Unspecified | None:
        if not self.has_windows:
            return None
        mask = self.empty_windows
        if is_float(self.x.dtype):
            mask = mask & (self.geometry.padded_cells(self.shape[2:]) == 0)
        return Unspecified.of(mask, "Y")

    @unspecified("Indices.U1")
    def no_index(self) -> Unspecified | None:
        return Unspecified.of(self.empty_windows, "Indices") if self.has_windows else None

    @on_elements("pads_begin.F1", "Y", PADDING)
    def padding(self, got: np.ndarray) -> np.ndarray:
        return self.foreign(got)

    @on_elements("Indices.F1", "Indices", "not the index of a maximum of the window")
    def index_of_the_maximum(self, got: np.ndarray) -> bool:
        return True

    @evidence("Y.E1")
    @staticmethod
    def last_of_the_second_row() -> str:
        x = np.array([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]]]])
        maxima = Maxima(x, Geometry((3, 3), (2, 2), (1, 1), (1, 1), (1, 1), (1, 1)), (4, 4))
        value, index = int(maxima.values[0, 0, 1, 3]), int(maxima.indices[0, 0, 1, 3])
        assert (value, index) != (-6, 5)
        return f"the window at row 1, column 3 selects 3 and -6: its maximum is {value} at index {index}; -6 and 5 " \
               "are printed"

    @evidence("Y.E3")
    @staticmethod
    def pads_not_printed() -> str:
        sizes = {name: tuple(Geometry((3,), (2,), (1,), (dilation,), (pad,), (pad,)).floor_sizes[0] for pad in (0, 1))
                 for name, dilation in (("1", 1), ("7", 2))}
        assert sizes == {"1": (2, 4), "7": (1, 3)}
        x = np.arange(1, 10).reshape(1, 1, 3, 3)
        windows = [Geometry((3, 3), (2, 2), (2, 2), (1, 1), (pad, pad), (pad, pad)) for pad in (0, 1)]
        bare, padded = (int(Maxima(x, found, (2, 2)).values[0, 0, 0, 0]) for found in windows)
        assert bare != 1 == padded
        return f"without pads Y would have the sizes {sizes['1'][0]} and {sizes['7'][0]} in examples 1 and 7, and " \
               f"begin with {bare} in example 5; printed are {sizes['1'][1]}, {sizes['7'][1]} and {padded}, as with " \
               "pads of 1"

    @evidence("Y.E4")
    @staticmethod
    def floor_gives_the_same() -> str:
        room, stride, behind = 3 + 1 + 1 - 2, 2, 3 + 1
        floor, ceil = room // stride + 1, -(-room // stride) + 1
        torch = ceil - ((ceil - 1) * stride >= behind)
        assert floor == torch == 2 and ceil == 3
        return f"example 5 has {torch} windows on each axis with ceil_torch, {floor} with floor, {ceil} with ceil"

    @evidence("Indices.E1")
    @staticmethod
    def axis_of_example_8() -> str:
        x = np.arange(1, 19).reshape(1, 2, 3, 3)
        whole = Maxima(x, Geometry((3, 3), (2, 2), (1, 1), (1, 1), (0, 0), (0, 0)), (2, 2)).indices
        printed = [[4, 5, 7, 8], [4, 5, 7, 8]]
        assert (whole % 9).reshape(2, 4).tolist() == printed != whole.reshape(2, 4).tolist()
        return f"the positions in X are {whole.reshape(2, 4).tolist()}; with axis 2 they are {printed}, as the other " \
               "edition prints"
