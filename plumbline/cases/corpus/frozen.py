"""Compare a new corpus with a published one, whose vectors must not change."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from plumbline.cases.format.withdrawn import withdrawn as withdrawn_cases

WITHDRAWN = Path(__file__).with_name("withdrawn.json")
"""Withdrawn vectors, which were wrong: [{"vector": NAME, "since": CORPUS, "why": TEXT}]."""


def name_of(specification: str, vector: dict[str, object]) -> str:
    """Return the name of a vector: ``onnx/maxpool@12 same-upper-odd [Y]``."""
    return f"{specification} {vector['id']} [{vector['form']}]"


def changes(old: Path, new: Path) -> Iterator[str]:
    """Yield a line for each published vector or model that changed or is missing.

    `old` and `new` are the folders of the published corpus and of the new one.
    Only specifications of the new corpus are compared. Withdrawn vectors must not come back."""
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
                if name.split()[1] in withdrawn_cases(name.split()[0]):
                    continue  # another case replaces it
                yield f"{name} of {old} is gone; bring it back, or withdraw it in {WITHDRAWN.name}"
            elif after[name][0] != line:
                yield f"{name} differs from {old}; give the case another id, and withdraw this one in {WITHDRAWN.name}"
            elif model:
                yield from _files_changed(name, old / model, new / model)


def _vectors(path: Path) -> dict[str, tuple[str, str]]:
    """Return, by name, the line of each vector and the folder of its model."""
    if not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    specification = json.loads(text)["specification"]
    vectors = {}
    for line in filter(None, text.partition('\n "vectors": [\n')[2].removesuffix("\n]}\n").split("\n")):
        vector = json.loads(line.removesuffix(","))
        vectors[name_of(specification, vector)] = (line.removesuffix(","), vector.get("model", ""))
    return vectors


def _files_changed(name: str, old: Path, new: Path) -> Iterator[str]:
    for path in sorted(path for path in old.rglob("*") if path.is_file()):
        successor = new / path.relative_to(old)
        if not successor.exists() or successor.read_bytes() != path.read_bytes():
            yield f"{name}: {successor} differs from {path}"
