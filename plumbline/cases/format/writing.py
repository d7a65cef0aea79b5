"""Write cases as YAML: the schema line for editors, then entries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plumbline.cases.format.schema import SCHEMA_FILE
from plumbline.oracle.yaml_text import OneLine, dump

WIDTH = 90
"""Columns after which a line is wrapped, before the next value, so that no line reaches 120."""

TITLE = "Say what is tried"
"""The title of a scaffold, which lint rejects."""


def schema_line(folder: Path) -> str:
    """Return the first line of a file of cases in `folder`, by which editors find the schema."""
    path = Path(os.path.relpath(SCHEMA_FILE, folder.resolve())).as_posix()
    return f"# yaml-language-server: $schema={path}"


def as_yaml(value: Mapping[str, Any] | list[dict[str, Any]]) -> str:
    """Return a mapping, or a list of mappings, as YAML; lists in them, and `attributes`, in flow style."""
    return dump([_block(entry) for entry in value] if isinstance(value, list) else _block(value), WIDTH)


def _block(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: OneLine(value) if isinstance(value, list) or name == "attributes" else
            _block(value) if isinstance(value, dict) else value for name, value in entry.items()}
