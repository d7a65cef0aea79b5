"""Cases as YAML text: the line by which editors find the schema, and entries in the form in which they are kept."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from plumbline.cases.schema import SCHEMA_FILE

WIDTH = 110
"""Columns after which a value is broken; what is indented below may reach 120."""


def schema_line(folder: Path) -> str:
    """The first line of a file of cases in `folder`: where editors find the schema."""
    path = Path(os.path.relpath(SCHEMA_FILE, folder.resolve())).as_posix()
    return f"# yaml-language-server: $schema={path}"


def as_yaml(value: Any) -> str:
    """YAML text of a mapping, or of a list of them, in their order; lists in it, and attributes, stand on one line."""
    text = io.StringIO()
    yaml = YAML()
    yaml.width = WIDTH
    yaml.dump([_block(entry) for entry in value] if isinstance(value, list) else _block(value), text)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def _block(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _flow(value) if isinstance(value, list) or name == "attributes" else
            _block(value) if isinstance(value, dict) else value for name, value in entry.items()}


def _flow(value: Any) -> Any:
    """A list or a mapping on one line."""
    if isinstance(value, Mapping):
        written: Any = CommentedMap({name: _flow(inner) for name, inner in value.items()})
    elif isinstance(value, list):
        written = CommentedSeq(value)
    else:
        return value
    written.fa.set_flow_style()
    return written
