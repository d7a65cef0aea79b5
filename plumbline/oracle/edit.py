"""Represent edits, the steps of a repair of a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from plumbline.oracle.node import Node


@dataclass(frozen=True, eq=False)
class Edit:
    """A step: what to do in words, and done to a node. `changes` says what of the meaning it changes, or why that
    cannot be told; "" when it keeps it. `opset` is the lowest that has every attribute it sets."""

    text: str
    apply: Callable[[Node], Node]
    changes: str = ""
    opset: int = 0


def set_to(text: str, changes: str = "", opset: int = 0, **values: Any) -> Edit:
    """Return an edit that sets attributes to `values`, or removes those of value None; see `Edit`."""
    def apply(node: Node) -> Node:
        merged = {**node.attributes, **values}
        return replace(node, attributes={name: value for name, value in merged.items() if value is not None})
    return Edit(text, apply, changes, opset)


def shown(values: dict[str, Any]) -> str:
    """Return attributes as text: ``alpha = 1.0, axes = [1, 1]``."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())
