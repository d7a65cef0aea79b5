"""OpenVINO MaxPool: the clauses of `spec/openvino/maxpool.md`, bound to predicates."""

from __future__ import annotations

from functools import cached_property
from math import prod

import numpy as np

from plumbline.oracle.answer import is_float, wrong_dtype
from plumbline.oracle.binding import Bindings, Wrong
from plumbline.oracle.clauses.openvino import common
from plumbline.oracle.clauses.openvino.common import OpenVinoCall
from plumbline.oracle.clauses.openvino.words import maxpool_words
from plumbline.oracle.maximum import MaxAnswer, Maxima, bind_maxima, index_of_the_maximum
from plumbline.oracle.windows import Geometry, plane_offsets

INDEX_TYPES: dict[str, np.dtype] = {"i32": np.dtype(np.int32), "i64": np.dtype(np.int64)}


class MaxCall(OpenVinoCall):
    """A call with the maxima of its windows."""

    words_of = staticmethod(maxpool_words)

    @cached_property
    def maxima(self) -> Maxima:
        """The windows of a call inside the domain."""
        return Maxima(self.x, self.geometry, self.shape[2:])

    @property
    def bound(self) -> int:
        """Indices are below it: the number of elements in the axes of X from `axis` on."""
        return prod(self.x.shape[range(self.x.ndim)[self.words["axis"]]:])

    @cached_property
    def indices(self) -> np.ndarray:
        """The canonical indices: of the first maximum of each window."""
        return np.asarray(self.maxima.indices % self.bound, INDEX_TYPES[self.words["index_element_type"]])

    def row_major(self, got: np.ndarray) -> np.ndarray:
        """Indices counted from `axis` on as positions in the whole X: those in the block that the window is of, or for
        an axis among the spatial ones, that of the first maximum where the rest agrees; what is none is -1."""
        bound, canonical = self.bound, self.maxima.indices
        block = canonical - canonical % bound
        rank = range(self.x.ndim)[self.words["axis"]]
        fits = (got >= 0) & (got < bound)
        if rank <= 2:
            return np.where(fits, got + block, -1)
        found, planes = np.full(self.shape, -1, dtype=np.int64), plane_offsets(self.x.shape)
        some = self.maxima.by_tap(self.maxima.values, np.where(fits, got, -1), found)
        for tap, (cells, maximum, rest, places) in zip(self.maxima.taps, some, strict=True):
            flat = tap.index[tap.windows] + planes
            np.copyto(places, flat, where=(cells == maximum) & (flat % bound == rest))
        return found


bindings = Bindings("openvino/maxpool", read=MaxCall)
bindings.words = maxpool_words
common.bind_calls(bindings, ("axis", "dilations", "index_element_type"),
                  {"rounding_type.C1": ("floor", "ceil"), "rounding_type.C2": ("floor", "ceil", "ceil_torch")})
common.bind_list(bindings, "dilations", 0)
common.bind_choice(bindings, "index_element_type.C1", "index_element_type", tuple(sorted(INDEX_TYPES, reverse=True)))
common.bind_outputs(bindings)
common.bind_silences(bindings, ("Y", "Indices"))
common.bind_errata(bindings, "Y.E2")
bind_maxima(bindings, "pads_begin.F1")
bindings.stacked = lambda call, count: {"Indices": call.x.size // count if call.bound == call.x.size else 0}
bindings.on_outputs("Indices.F1")(index_of_the_maximum)


@bindings.on_call("axis.C1")
def axis_of_x(call: MaxCall) -> str | None:
    axis, rank = call.words["axis"], call.x.ndim
    fits = type(axis) is int and -rank <= axis < rank
    return None if fits else f"axis is {axis!r}, not from {-rank} to {rank - 1}"


@bindings.on_outputs("Indices.F2")
def type_of_indices(answer: MaxAnswer) -> Wrong | None:
    return wrong_dtype(answer, "Indices", INDEX_TYPES[answer.call.words["index_element_type"]])


@bindings.leaves_open("dilations.U1", refusal=True)
def dilation_of_zero(call: MaxCall) -> dict[str, object]:
    return {"Y": "whole", "Indices": "whole"} if 0 in call.dilations else {}


@bindings.leaves_open("Y.U2")
def nothing_selected(call: MaxCall) -> dict[str, object]:
    if not call.has_windows:
        return {}
    mask = call.maxima.selected == 0
    if is_float(call.x.dtype):
        mask = mask & ~common.reaches_padding(call.geometry, call.shape[2:])
    return {"Y": mask} if mask.any() else {}


@bindings.leaves_open("Indices.U1")
def no_index(call: MaxCall) -> dict[str, object]:
    mask = call.maxima.selected == 0 if call.has_windows else np.False_
    return {"Indices": mask} if mask.any() else {}


@bindings.leaves_open("Y.U3")
def nan(call: MaxCall) -> dict[str, object]:
    if not is_float(call.x.dtype) or not call.has_windows:
        return {}
    mask = call.maxima.has_nan
    return {"Y": mask, "Indices": mask} if mask.any() else {}


@bindings.evidence("Y.E1")
def last_of_the_second_row() -> str:
    x = np.array([[[[-1, 2, 3], [4, 5, -6], [-7, 8, 9]]]])
    maxima = Maxima(x, Geometry((3, 3), (2, 2), (1, 1), (1, 1), (1, 1), (1, 1)), (4, 4))
    value, index = int(maxima.values[0, 0, 1, 3]), int(maxima.indices[0, 0, 1, 3])
    assert (value, index) != (-6, 5)
    return f"the window at row 1, column 3 selects 3 and -6: its maximum is {value} at index {index}; -6 and 5 are " \
           "printed"


@bindings.evidence("Y.E3")
def pads_not_printed() -> str:
    sizes = {name: tuple(Geometry((3,), (2,), (1,), (dilation,), (pad,), (pad,)).floor_sizes[0] for pad in (0, 1))
             for name, dilation in (("1", 1), ("7", 2))}
    assert sizes == {"1": (2, 4), "7": (1, 3)}
    x = np.arange(1, 10).reshape(1, 1, 3, 3)
    bare, padded = (int(Maxima(x, Geometry((3, 3), (2, 2), (2, 2), (1, 1), (pad, pad), (pad, pad)), (2, 2))
                        .values[0, 0, 0, 0]) for pad in (0, 1))
    assert bare != 1 == padded
    return f"without pads Y would have the sizes {sizes['1'][0]} and {sizes['7'][0]} in examples 1 and 7, and begin " \
           f"with {bare} in example 5; printed are {sizes['1'][1]}, {sizes['7'][1]} and {padded}, as with pads of 1"


@bindings.evidence("Y.E4")
def floor_gives_the_same() -> str:
    room, stride, behind = 3 + 1 + 1 - 2, 2, 3 + 1
    floor, ceil = room // stride + 1, -(-room // stride) + 1
    torch = ceil - ((ceil - 1) * stride >= behind)
    assert floor == torch == 2 and ceil == 3
    return f"example 5 has {torch} windows on each axis with ceil_torch, {floor} with floor, {ceil} with ceil"


@bindings.evidence("Indices.E1")
def axis_of_example_8() -> str:
    x = np.arange(1, 19).reshape(1, 2, 3, 3)
    whole = Maxima(x, Geometry((3, 3), (2, 2), (1, 1), (1, 1), (0, 0), (0, 0)), (2, 2)).indices
    printed = [[4, 5, 7, 8], [4, 5, 7, 8]]
    assert (whole % 9).reshape(2, 4).tolist() == printed != whole.reshape(2, 4).tolist()
    return f"the positions in X are {whole.reshape(2, 4).tolist()}; with axis 2 they are {printed}, as the other " \
           "edition prints"
