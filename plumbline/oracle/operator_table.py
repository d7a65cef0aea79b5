"""Write the table of operators and their specifications as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.oracle.markdown import SpecText
from plumbline.oracle.specification import definitions

COLUMNS = {"onnx": "ONNX, versions", "sonnx": "SONNX, drafts"}
"""Families of specifications that have a column of their own."""

NAMES = {"ms.nhwc": "NHWC", "openvino": "OpenVINO"}
"""How specifications of the last column are called; others by their names."""


def operator_table() -> Iterator[str]:
    """Yield the lines of a table for each family, with links from the root of the repository."""
    rows: dict[str, dict[str, dict[str, list[str]]]] = {}
    for text, definition in definitions():
        operators = rows.setdefault(definition.family, {})
        column, label = _entry(text)
        place = f"spec/{text.front['specification']}.md"
        operators.setdefault(text.front["operator"], {}).setdefault(column, []).append(f"[{label}]({place})")
    for family in sorted(rows, key=lambda family: (-len(rows[family]), family)):
        yield from (f"### {family}", "", f"| operator | {' | '.join(COLUMNS.values())} | others |", "|---|---|---|---|")
        for operator, cells in sorted(rows[family].items()):
            yield f"| {operator} | {' | '.join(', '.join(cells.get(name, '–')) for name in (*COLUMNS, ''))} |"
        yield ""


def _entry(text: SpecText) -> tuple[str, str]:
    """The column of a specification, and the label of its link."""
    family, _, name = str(text.front["specification"]).partition("/")
    versions = ", ".join(map(str, text.versions))
    if family == "onnx":
        return family, versions
    if family.startswith("sonnx"):
        return "sonnx", name if name != text.front["operator"].lower() else "draft" if family == "sonnx" else family
    return "", f"{NAMES.get(family, family)} {versions or text.front['opset']}"
