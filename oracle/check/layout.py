"""Edits of how windows are laid out: explicit padding for automatic, floor for ceil."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from plumbline.oracle.check.edit import Edit, set_to, shown
from plumbline.oracle.check.graph import Node
from plumbline.oracle.families.pooling import SAME, Windowed
from plumbline.oracle.partial import Undecided
from plumbline.oracle.specification import Spec


def _read(node: Node, reference: Spec) -> Windowed:
    """The node with an arbitrary size where one is unknown and the stride is 1: neither the padding that SAME comes to
    nor the number of windows that ceil adds depends on the size there."""
    call = Windowed(node.call(), reference.opset)
    if node.shape is None:
        return call
    spatial = [extent if stride == 1 and isinstance(size, str) else size for size, extent, stride in
               zip(node.shape[2:], call.extents, call.strides, strict=True)]
    return Windowed(replace(node, shape=(*node.shape[:2], *spatial)).call(), reference.opset)


def _depends(what: str, unknown: Undecided) -> str:
    return f"{what} depends on {unknown}, which the model does not say"


def explicit_padding(node: Node, reference: Spec) -> Iterator[Edit]:
    """The pads that VALID or SAME comes to. `reference` is ONNX's text in force, which the node keeps."""
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


def floor(node: Node, reference: Spec) -> Iterator[Edit]:
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


def _same_windows(call: Windowed, node: Node, reference: Spec) -> Edit:
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


def _not_said(reference: Spec, name: str, value: Any) -> str:
    return "" if value in (0, 1) else f"what {name} = {value} means is not said ({reference.name}#{name}.U1)"
