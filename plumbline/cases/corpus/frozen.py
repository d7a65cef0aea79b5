"""What is published does not change: a vector that stands in a corpus stands in all later ones, with the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

WITHDRAWN = Path(__file__).with_name("withdrawn.json")
"""Vectors that were found wrong: [{"vector": NAME, "since": CORPUS, "why": TEXT}]. A new one has a new id."""


def name_of(specification: str, vector: dict[str, object]) -> str:
    """``onnx/maxpool@12 same-upper-odd [Y]``."""
    return f"{specification} {vector['id']} [{vector['form']}]"


def changes(old: Path, new: Path) -> Iterator[str]:
    """A line for each vector of a published corpus, and each file of a model, that a new corpus does not have as it
    was; of the specifications that the new one has. Vectors that are withdrawn may be gone, and do not come back."""
    withdrawn = {entry["vector"] for entry in json.loads(WITHDRAWN.read_text(encoding="utf-8"))}
    for path in sorted((new / "vectors").rglob("*.json")):
        within = path.relative_to(new)
        before, after = (_vectors(root / within) for root in (old, new))
        for name, (line, model) in before.items():
            if name in withdrawn:
                if name in after:
                    yield f"{name} is withdrawn; give its case another id"
                continue
            if name not in after:
                yield f"{name} of {old} is gone; bring it back, or withdraw it in {WITHDRAWN.name}"
            elif after[name][0] != line:
                yield f"{name} is not as in {old}; give the case another id, and withdraw this one in {WITHDRAWN.name}"
            elif model:
                yield from _files_changed(name, old / model, new / model)


def _vectors(path: Path) -> dict[str, tuple[str, str]]:
    """By name the line of each vector, and the folder of its model."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    specification = json.loads(text)["specification"]
    found = {}
    for line in filter(None, text.partition('\n "vectors": [\n')[2].removesuffix("\n]}\n").split("\n")):
        vector = json.loads(line.removesuffix(","))
        found[name_of(specification, vector)] = (line.removesuffix(","), vector.get("model", ""))
    return found


def _files_changed(name: str, old: Path, new: Path) -> Iterator[str]:
    for path in sorted(path for path in old.rglob("*") if path.is_file()):
        other = new / path.relative_to(old)
        if not other.exists() or other.read_bytes() != path.read_bytes():
            yield f"{name}: {other} is not as {path}"
