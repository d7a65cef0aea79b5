"""List edits that may repair a node, and tell whether they keep its meaning.

Any attribute can be set to the default that ONNX's schema has; the definition of the operator knows more edits. The
meaning of a node is given by ONNX's specification in force at its opset. A node that breaks it has no meaning to keep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import onnx.defs

from plumbline.oracle.check.graph import plain
from plumbline.oracle.edit import Edit, set_to, shown
from plumbline.oracle.node import Node
from plumbline.oracle.specification import Spec


def edits(node: Node, reference: Spec | None) -> list[Edit]:
    """Return the edits to try, in order; `reference` is ONNX's specification in force, None without one."""
    if reference is None or node.unknown or not onnx.defs.has(node.operator):
        return []
    broken = [entry.clause for entry in reference.clause_by_clause(node.call(reference)) if entry.state == "broken"]
    known = list(reference.definition.repairs(node, reference, bool(broken)))
    defaults = {**_of_schema(node.operator), **reference.definition.node_defaults(node)}
    if broken:
        why = f"ONNX gives the node no meaning to keep: it breaks {', '.join(broken)}"
        forced = _forced(node, _of_schema(node.operator))
        return [replace(edit, changes=why) for edit in (*_defaults(node, defaults), *forced, *known)]
    otherwise = {name for edit in known for name in edit.apply(node).attributes}
    return [*_defaults(node, {name: value for name, value in defaults.items() if name not in otherwise}), *known]


def _of_schema(operator: str) -> dict[str, Any]:
    """The defaults of attributes by the last version of the operator."""
    attributes = onnx.defs.get_schema(operator).attributes
    return {name: plain(attribute.default_value) for name, attribute in attributes.items()
            if attribute.default_value.type}


def _since(operator: str, attribute: str) -> int | None:
    """The first version of the operator that has the attribute; None where no version has it."""
    last = onnx.defs.get_schema(operator)
    if attribute not in last.attributes:
        return None
    return min(version for version in range(1, last.since_version + 1) if onnx.defs.has(operator, version)
               and attribute in onnx.defs.get_schema(operator, version).attributes)


def _defaults(node: Node, values: dict[str, Any]) -> Iterator[Edit]:
    since = {name: _since(node.operator, name) for name in sorted(values) if name not in node.attributes}
    reached = {name: version for name, version in since.items() if version is not None}
    absent = {name: values[name] for name in reached}
    if absent:
        opset = max(reached.values())
        first = f", in opset {opset} or later, to which the model must be converted first" if opset > node.opset else ""
        many = "s" if len(absent) > 1 else ""
        yield set_to(f"set {shown(absent)} (ONNX's default{many}){first}", opset=opset, **absent)


def _forced(node: Node, defaults: dict[str, Any]) -> Iterator[Edit]:
    """Return edits of a node without a meaning: remove single attributes that are no default, or unknown."""
    for name, value in node.attributes.items():
        since = _since(node.operator, name)
        if since is None or since > node.opset:
            had = f"has it from opset {since} on" if since else "never had it"
            removed: dict[str, Any] = {name: None}
            yield set_to(f"remove {name} ({node.operator} {had})", **removed)
        elif name in defaults and value != defaults[name]:
            yield set_to(f"set {name} = {defaults[name]}", **{name: defaults[name]})
