"""Cases as YAML text: the line by which editors find the schema, and entries in the form in which they are kept."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plumbline.cases.format.schema import SCHEMA_FILE
from plumbline.oracle.yaml_text import OneLine, dump

WIDTH = 90
"""Columns after which a line is broken, before the next value: none then reaches 120."""

TITLE = "Say what is tried"
"""The title of a scaffold, which lint rejects."""


def schema_line(folder: Path) -> str:
    """The first line of a file of cases in `folder`: where editors find the schema."""
    path = Path(os.path.relpath(SCHEMA_FILE, folder.resolve())).as_posix()
    return f"# yaml-language-server: $schema={path}"


def as_yaml(value: Any) -> str:
    """YAML text of a mapping, or of a list of them, in their order; lists in it, and attributes, stand on one line."""
    return dump([_block(entry) for entry in value] if isinstance(value, list) else _block(value), WIDTH)


def _block(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: OneLine(value) if isinstance(value, list) or name == "attributes" else
            _block(value) if isinstance(value, dict) else value for name, value in entry.items()}

