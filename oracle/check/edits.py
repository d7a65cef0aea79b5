"""What can be changed about a node so that it keeps a clause, and whether its meaning stays.

The meaning of a node is what ONNX's text in force at its opset says of it. A node that breaks that text has none, and
one of which the text leaves the point open has none there either: no change of these can be said to keep it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import onnx.defs

from plumbline.oracle.check.edit import Edit, set_to, shown
from plumbline.oracle.check.graph import Node
from plumbline.oracle.check.layout import explicit_padding, floor
from plumbline.oracle.specification import Spec

DEFAULTS: dict[str, Any] = {"auto_pad": "NOTSET", "ceil_mode": 0, "count_include_pad": 0, "storage_order": 0}
LIST_DEFAULTS = {"dilations": (1, 1), "pads": (0, 2), "strides": (1, 1)}
"""The value of each element, and how many there are for each spatial axis. Source: ONNX, MaxPool and AveragePool."""

CAST_TO = ("float16", "float32", "float64", "int8", "uint8")


def edits(node: Node, reference: Spec | None) -> list[Edit]:
    """The steps to try, in the order in which they are to be applied. `reference` is ONNX's text in force."""
    if reference is None or node.unknown:
        return []
    broken = [entry.clause for entry in reference.clause_by_clause(node.call()) if entry.state == "broken"]
    if broken:
        why = f"ONNX gives the node no meaning to keep: it breaks {', '.join(broken)}"
        return [replace(edit, changes=why) for edit in (*_defaults(node, set()), *_forced(node), *_cast(node))]
    windows = [*explicit_padding(node, reference), *floor(node, reference)]
    pads_are_set = any("pads" in edit.apply(node).attributes for edit in windows)
    return [*_defaults(node, {"pads"} if pads_are_set else set()), *windows, *_row_major(node), *_cast(node),
            *_second_axis(node)]


def _since(operator: str, attribute: str) -> int | None:
    """The first version of the operator that has the attribute; None where no version has it."""
    last = onnx.defs.get_schema(operator)
    if attribute not in last.attributes:
        return None
    return min(version for version in range(1, last.since_version + 1) if onnx.defs.has(operator, version)
               and attribute in onnx.defs.get_schema(operator, version).attributes)


def _defaults(node: Node, without: set[str]) -> Iterator[Edit]:
    kernel = node.attributes.get("kernel_shape")
    axes = len(kernel) if isinstance(kernel, list) else None
    values = dict(DEFAULTS)
    if axes is not None:
        values |= {name: [value] * (times * axes) for name, (value, times) in LIST_DEFAULTS.items()}
    if node.attributes.get("auto_pad", "NOTSET") != "NOTSET":
        values.pop("pads", None)
    since = {name: _since(node.operator, name) for name in sorted(values)
             if name not in node.attributes and name not in without}
    reached = {name: version for name, version in since.items() if version is not None}
    absent = {name: values[name] for name in reached}
    if absent:
        opset = max(reached.values())
        first = f", in opset {opset} or later, to which the model must be converted first" if opset > node.opset else ""
        many = "s" if len(absent) > 1 else ""
        yield set_to(f"set {shown(absent)} (ONNX's default{many}){first}", opset=opset, **absent)


def _forced(node: Node) -> Iterator[Edit]:
    """Of a node without a meaning: what is not the default, or not of this version, one by one."""
    for name, value in node.attributes.items():
        since = _since(node.operator, name)
        if since is None or since > node.opset:
            had = f"has it from opset {since} on" if since else "never had it"
            removed: dict[str, Any] = {name: None}
            yield set_to(f"remove {name} ({node.operator} {had})", **removed)
        elif name in DEFAULTS and value != DEFAULTS[name]:
            yield set_to(f"set {name} = {DEFAULTS[name]}", **{name: DEFAULTS[name]})
        elif name == "pads":
            yield set_to("remove pads", pads=None)


def _row_major(node: Node) -> Iterator[Edit]:
    order = node.attributes.get("storage_order", 0)
    if not order:
        return
    changes = f"what storage_order = {order} means is not said"
    if order == 1:
        changes = "Indices then count row by row, and count column by column now" if any(node.asked[1:]) else ""
    kept = "" if changes else " (Indices are not asked for)"
    yield set_to(f"set storage_order = 0{kept}", changes, storage_order=0)


def _cast(node: Node) -> Iterator[Edit]:
    """To a type that holds each value exactly; numpy calls the cast of 64-bit integers to float64 safe, and it is not
    exact."""
    if node.dtype is None or node.dtype.itemsize > 4:
        return

    def cast_to(name: str) -> Callable[[Node], Node]:
        return lambda given: replace(given, dtype=np.dtype(name))

    changes = "" if node.operator == "MaxPool" else "means are then rounded twice"
    for name in CAST_TO:
        if name != node.dtype.name and np.can_cast(node.dtype, name, "safe"):
            yield Edit(f"Cast X to {name}, which holds every {node.dtype.name}, and Y back",
                       cast_to(name), changes)


def _second_axis(node: Node) -> Iterator[Edit]:
    """One spatial axis as the second of two, the first of size 1: the positions in the flattened X stay."""
    if node.shape is None or len(node.shape) != 3:
        return

    def apply(given: Node) -> Node:
        lists = {name: [value, *given.attributes[name]] for name, value in
                 (("kernel_shape", 1), ("strides", 1), ("dilations", 1)) if name in given.attributes}
        if "pads" in given.attributes:
            begin, end = given.attributes["pads"]
            lists["pads"] = [0, begin, 0, end]
        shape = given.shape and (*given.shape[:2], 1, *given.shape[2:])
        return replace(given, attributes={**given.attributes, **lists}, shape=shape)

    yield Edit("Unsqueeze X at axis 2, begin kernel_shape, strides and dilations with a 1 for it and both halves of "
               "pads with a 0, and Squeeze axis 2 of the outputs", apply)
