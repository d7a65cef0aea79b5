"""Files of cases as data, and where their cases stand: parsed once, and kept in the user's cache for the next process.

The parser is in Python alone, so that lines and columns never depend on what is installed; it is also slow. What is
kept is JSON under the hash of the text and of the parser's version, so that nothing that was read from a text is taken
for another's, and nothing but data is ever read back.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import platformdirs
import ruamel.yaml

FOLDER = Path(platformdirs.user_cache_dir("plumbline")) / "cases"


def parsed(text: str) -> tuple[Any, list[int]]:
    """The data of a YAML text, and the line of each item of its list `cases`. Raises what the parser raises."""
    key = hashlib.sha256(f"{ruamel.yaml.__version__}\n{text}".encode()).hexdigest()
    kept = FOLDER / f"{key}.json"
    with suppress(OSError, ValueError):
        data, lines = json.loads(kept.read_text(encoding="utf-8"))
        return data, lines
    yaml = ruamel.yaml.YAML(typ="safe", pure=True)
    root = yaml.compose(text)
    data = None if root is None else yaml.constructor.construct_document(root)
    lines = _lines(root)
    try:
        plain = _is_plain(data)
    except RecursionError:  # a list that holds itself
        plain = False
    if plain:
        with suppress(OSError):  # a cache that cannot be written is one that is not there
            FOLDER.mkdir(parents=True, exist_ok=True)
            beside = FOLDER / f"{key}.{os.getpid()}"
            beside.write_text(json.dumps([data, lines]), encoding="utf-8")
            beside.replace(kept)
    return data, lines


def _lines(root: Any) -> list[int]:
    if not isinstance(root, ruamel.yaml.MappingNode):
        return []
    items = next((value for key, value in root.value if key.value == "cases"), None)
    if not isinstance(items, ruamel.yaml.SequenceNode):
        return []
    return [node.start_mark.line + 1 for node in items.value]


def _is_plain(data: Any) -> bool:
    """Whether JSON, with its names for NaN and infinities, gives back the same."""
    if isinstance(data, dict):
        return all(isinstance(key, str) and _is_plain(value) for key, value in data.items())
    if isinstance(data, list):
        return all(map(_is_plain, data))
    return data is None or type(data) in (str, int, float, bool)
