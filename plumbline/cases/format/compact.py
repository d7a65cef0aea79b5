"""Write a case in short: without defaults, as one YAML flow mapping.

A tensor whose rows stand on lines of their own keeps them. A case with a comment, an anchor, a tag or a line break in a
string cannot be written so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from plumbline.cases.format.schema import EXAMPLE, EXPECTED, CaseEntry
from plumbline.oracle.safe_text import UNSAFE
from plumbline.oracle.yaml_text import MappingNode, Node, ScalarNode, SequenceNode

LONGEST = 120
"""Characters in a line."""

ORDER = [EXAMPLE, *(key for field in CaseEntry.model_fields
                    for key in ([field, *EXPECTED[1:]] if field == "expect" else [field]))]
"""The keys of a case, in order."""

WIDTH = LONGEST - len("- {}")
"""Characters for the keys and values of a case in a line."""

BREAK = re.compile(r"(?<![ :\\]) (?! |[-?:] )")
"""A space that may become the end of a line, in a string too."""


def compact(node: MappingNode, lines: Sequence[str], end: int, source: str) -> list[str] | None:
    """Return the lines of a case, None if it cannot be written so.

    lines: those of the document, of which the case ends before `end`; source: that of a case which names none."""
    if _holds_more_than_values(node, lines[node.start_mark.line:end]):
        return None
    pairs = sorted(_short(node, source).items(), key=lambda pair: ORDER.index(pair[0]))
    parts = [(key, _after(f"{key}: ", _flow(value, lines, WIDTH - len(f"{key}: ")))) for key, value in pairs]
    text = ", ".join(part for _, part in parts)
    if "\n" in text or len(text) > WIDTH:
        call = next((number for number, (key, _) in enumerate(parts) if key == "inputs"), len(parts))
        groups = filter(None, (parts[:call], parts[call:]))
        text = ",\n".join(_packed((part for _, part in group), WIDTH) for group in groups)
    return _after("- {", text + "}").split("\n")


def _short(node: MappingNode, source: str) -> dict[str, Node]:
    """Return the values of a case without those that are the default, those of its expectation among them."""
    values: dict[str, Node] = {key.value: value for key, value in node.value}
    expect = values.get("expect")
    if isinstance(expect, MappingNode) and values.keys().isdisjoint(key.value for key, _ in expect.value):
        del values["expect"]
        values |= {key.value: value for key, value in expect.value}
    if _text(values.get("source")) == source:
        del values["source"]
    if "outside" in values and _text(values.get("clauses")) == _text(values["outside"]):
        del values["clauses"]
    return values


def _text(node: Node | None) -> object:
    """Return a string, or a list of strings, to compare it with another."""
    return [_text(child) for child in node.value] if isinstance(node, SequenceNode) else \
        node.value if isinstance(node, ScalarNode) else None


def _scalars(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
        return
    for child in node.value if isinstance(node, SequenceNode) else [part for pair in node.value for part in pair]:
        yield from _scalars(child)


def _holds_more_than_values(node: MappingNode, lines: Sequence[str]) -> bool:
    """Return True if the `lines` of a case hold comments, anchors, tags or scalars with line breaks."""
    begin, rest = node.start_mark.line, list(lines)
    for scalar in _scalars(node):
        first, last = scalar.start_mark, scalar.end_mark
        is_alias = not begin <= first.line <= last.line < begin + len(lines)
        if is_alias or "\n" in scalar.value or scalar.style in ("|", ">"):
            return True
        for number in range(first.line, last.line + 1):
            line = rest[number - begin]
            left = first.column if number == first.line else 0
            right = last.column if number == last.line else len(line)
            rest[number - begin] = line[:left] + " " * (right - left) + line[right:]
    return any(set(line) - set(" -[]{},:") for line in rest)


def _after(text: str, more: str) -> str:
    """Return a text with more of it, whose later lines are relative to where it begins."""
    return text + more.replace("\n", "\n" + " " * (len(text) - text.rfind("\n") - 1))


def _flow(node: Node, lines: Sequence[str], width: int) -> str:
    """Return a value in flow style, in lines of a width; later lines are relative to where the value begins."""
    if isinstance(node, SequenceNode):
        parts: Iterable[str] = (_flow(child, lines, width - 2) for child in node.value)
        return _in_rows(node, lines, width) or _after("[", _packed(parts, width - 2)) + "]"
    if isinstance(node, MappingNode):
        named = ((f"{_flow(key, lines, width)}: ", value) for key, value in node.value)
        parts = (_after(key, _flow(value, lines, width - 2 - len(key))) for key, value in named)
        return _after("{", _packed(parts, width - 2)) + "}"
    assert isinstance(node, ScalarNode), "a value that is not a collection is a scalar"
    value = str(node.value)
    if UNSAFE.search(value) and node.start_mark.line == node.end_mark.line:  # which is escaped
        return lines[node.start_mark.line][node.start_mark.column:node.end_mark.column]
    if node.style in ("'", '"') or re.search(r"[,\[\]{}]|: |:$| #", value):
        value = "'" + value.replace("'", "''") + "'" if '"' in value or "\\" in value else f'"{value}"'
    return _packed(BREAK.split(value), width, " ")


def _in_rows(node: SequenceNode, lines: Sequence[str], width: int) -> str | None:
    """Return a tensor as it stands if each of its lines ends with a row, and fits."""
    begin, end = node.start_mark, node.end_mark
    rows = [*lines[begin.line:end.line], lines[end.line][:end.column]]
    rows[0] = " " * begin.column + rows[0][begin.column:]
    if not node.flow_style or len(rows) == 1 or not all(row.endswith("],") for row in rows[:-1]):
        return None
    rows = [" " * (len(row) - len(row.lstrip()) - begin.column) + row.lstrip() for row in rows]
    return None if any(len(row) > width for row in rows) else "\n".join(rows)


def _packed(parts: Iterable[str], width: int, separator: str = ", ") -> str:
    """Return parts, as many in a line as fit; one of several lines has them to itself."""
    packed: list[str] = []
    for part in parts:
        if packed and "\n" not in packed[-1] + part and len(packed[-1] + separator + part) <= width:
            packed[-1] += separator + part
        else:
            packed.append(part)
    return f"{separator.rstrip()}\n".join(packed)
