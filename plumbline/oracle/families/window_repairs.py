"""List edits of nodes with windows that may repair them.

The meaning of a node is what ONNX's specification in force at its opset says. Where that leaves a point open, no change
can be said to keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from plumbline.oracle.edit import Edit, set_to, shown
from plumbline.oracle.families.pooling import SAME, CeilMode, Windowed
from plumbline.oracle.node import Node, SpecInForce
from plumbline.oracle.partial import Undecided

LISTS = {"dilations": (1, 1), "pads": (0, 2), "strides": (1, 1)}
"""The default of each element, and how many there are for each spatial axis. Source: ONNX, MaxPool and AveragePool."""

CAST_TO = ("float16", "float32", "float64", "int8", "uint8")


class RepairedWindows(CeilMode):
    """Windows of which nodes of models can be repaired."""

    @classmethod
    def node_defaults(cls, node: Node) -> Mapping[str, Any]:
        """The lists, where the kernel says how long they are."""
        kernel = node.attributes.get("kernel_shape")
        return default_lists(node, len(kernel)) if isinstance(kernel, list) else {}

    @classmethod
    def repairs(cls, node: Node, spec: SpecInForce, outside: bool) -> Iterator[Edit]:
        """Yield edits of a node without a meaning: without pads, and with X cast."""
        if outside:
            if "pads" in node.attributes:
                yield set_to("remove pads", pads=None)
            yield from _cast(node, cls.exact)
            return
        yield from explicit_padding(node, spec)
        yield from floor(node, spec)
        yield from _row_major(node)
        yield from _cast(node, cls.exact)
        yield from _second_axis(node)


def default_lists(node: Node, axes: int) -> dict[str, list[int]]:
    """Return the values of absent lists; pads only where padding is not automatic."""
    automatic = node.attributes.get("auto_pad", "NOTSET") != "NOTSET"
    return {name: [value] * (times * axes) for name, (value, times) in LISTS.items()
            if not (automatic and name == "pads")}


def _read(node: Node, reference: SpecInForce) -> Windowed:
    """The node with an arbitrary size where one is unknown and the stride is 1: neither the padding that SAME comes to
    nor the number of windows that ceil adds depends on the size there."""
    call, shape = Windowed(node.call(reference), reference.opset), node.first.shape
    if shape is None:
        return call
    spatial = [extent if stride == 1 and isinstance(size, str) else size for size, extent, stride in
               zip(shape[2:], call.extents, call.strides, strict=True)]
    return Windowed(node.with_first(shape=(*shape[:2], *spatial)).call(reference), reference.opset)


def _depends(what: str, unknown: Undecided) -> str:
    return f"{what} depends on {unknown}, which the model does not say"


def explicit_padding(node: Node, reference: SpecInForce) -> Iterator[Edit]:
    """Yield the edit from VALID or SAME to the same explicit pads.

    `reference` is ONNX's specification in force, whose clauses the node keeps."""
    auto_pad = node.attributes.get("auto_pad", "NOTSET")
    if auto_pad == "NOTSET":
        return
    values: dict[str, Any] = {"auto_pad": "NOTSET"}
    changes = ""
    try:
        call = _read(node, reference)
        values["pads"] = [*call.geometry.begin, *call.geometry.end]
        if auto_pad in SAME and any(total < 0 for total in call.same_totals):
            changes = f"the padding would be negative, and {reference.name}#auto_pad.U1 leaves open what that means"
    except Undecided as unknown:
        values["pads"] = [0] * (2 * len(node.attributes["kernel_shape"]))
        changes = _depends(f"which pads {auto_pad} comes to", unknown)
    ceil = node.attributes.get("ceil_mode", 0)
    if ceil:
        values["ceil_mode"] = 0
        changes = changes or _not_said(reference, "ceil_mode", ceil)
    text = f"set {shown(values)}"
    yield set_to(text if changes else f"{text} (what {auto_pad} comes to)", changes, **values)


def floor(node: Node, reference: SpecInForce) -> Iterator[Edit]:
    """ceil_mode 0, with the end pads that keep the windows. `reference` as above."""
    ceil = node.attributes.get("ceil_mode", 0)
    auto_pad = node.attributes.get("auto_pad", "NOTSET")
    if not ceil:
        return
    not_said = _not_said(reference, "ceil_mode", ceil)
    if not_said:
        yield _plain_floor(not_said)
    elif auto_pad != "NOTSET":
        yield set_to(f"set ceil_mode = 0 ({auto_pad} gives the same sizes with either)", ceil_mode=0)
    else:
        try:
            yield _same_windows(_read(node, reference), node, reference)
        except Undecided as unknown:
            yield _plain_floor(_depends("whether the sizes of Y stay", unknown))


def _plain_floor(changes: str) -> Edit:
    return set_to("set ceil_mode = 0", changes, ceil_mode=0)


def _same_windows(call: Windowed, node: Node, reference: SpecInForce) -> Edit:
    """With ceil_mode 0 the end pads that give as many windows; these select the same elements of X."""
    given, counts = call.geometry, call.counts
    down = given.floor_sizes
    if call.windows_in_the_padding and f"{reference.name}#Y.U4" in reference.clauses:
        return _plain_floor(f"{reference.name}#Y.U4 leaves open which windows the node has")
    if down == counts:
        return set_to("set ceil_mode = 0 (the sizes of Y stay)", ceil_mode=0)
    if given.empty_window(counts):
        return _plain_floor(f"{reference.name}#Y.U2 leaves open what a window gives that selects nothing")
    end = [given.end[axis] if down[axis] == counts[axis] else (counts[axis] - 1) * given.strides[axis]
           + given.extents[axis] - given.sizes[axis] - given.begin[axis] for axis in range(call.rank)]
    if min(end) < 0:
        return _plain_floor(f"the spatial sizes of Y become {list(down)}, and are {list(counts)}")
    pads = [*given.begin, *end]
    changes = ""
    if node.attributes.get("count_include_pad", 0):
        changes = f"{reference.name}#count_include_pad.U2 leaves open what the node divides by"
    return set_to(f"set ceil_mode = 0, pads = {pads} (the same windows: the padding is filled up to the last of them)",
                  changes, ceil_mode=0, pads=pads)


def _not_said(reference: SpecInForce, name: str, value: Any) -> str:
    return "" if value in (0, 1) else f"what {name} = {value} means is not said ({reference.name}#{name}.U1)"


def _row_major(node: Node) -> Iterator[Edit]:
    order = node.attributes.get("storage_order", 0)
    if not order:
        return
    changes = f"what storage_order = {order} means is not said"
    if order == 1:
        changes = "Indices then count row by row, and count column by column now" if any(node.asked[1:]) else ""
    kept = "" if changes else " (Indices are not asked for)"
    yield set_to(f"set storage_order = 0{kept}", changes, storage_order=0)


def _cast(node: Node, exact: bool) -> Iterator[Edit]:
    """Yield casts to a type that holds each value; numpy calls that of 64-bit integers to float64 safe, and it is not
    exact."""
    dtype = node.first.dtype
    if dtype is None or dtype.itemsize > 4:
        return

    def cast_to(name: str) -> Callable[[Node], Node]:
        return lambda given: given.with_first(dtype=np.dtype(name))

    changes = "" if exact else "means are then rounded twice"
    for name in CAST_TO:
        if name != dtype.name and np.can_cast(dtype, name, "safe"):
            yield Edit(f"Cast X to {name}, which holds every {dtype.name}, and Y back",
                       cast_to(name), changes)


def _second_axis(node: Node) -> Iterator[Edit]:
    """Yield the edit of one spatial axis to the second of two, the first of size 1: positions in X stay."""
    if node.first.shape is None or len(node.first.shape) != 3:
        return

    def apply(given: Node) -> Node:
        lists = {name: [value, *given.attributes[name]] for name, value in
                 (("kernel_shape", 1), ("strides", 1), ("dilations", 1)) if name in given.attributes}
        if "pads" in given.attributes:
            begin, end = given.attributes["pads"]
            lists["pads"] = [0, begin, 0, end]
        shape = given.first.shape and (*given.first.shape[:2], 1, *given.first.shape[2:])
        return replace(given, attributes={**given.attributes, **lists}).with_first(shape=shape)

    yield Edit("Unsqueeze X at axis 2, begin kernel_shape, strides and dilations with a 1 for it and both halves of "
               "pads with a 0, and Squeeze axis 2 of the outputs", apply)
