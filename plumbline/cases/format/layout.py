"""Lay out files of cases: schema line, order of keys, empty lines.

In the clone, each case is written in short where possible (see `plumbline.cases.format.compact`). Elsewhere, lines move
as they are, located by the parser. Authors lay out the rows of tensors, and place comments, as they like; what the file
says is the same before and after.
"""

from __future__ import annotations

import json
from itertools import pairwise, zip_longest
from pathlib import Path

from plumbline.cases.format.compact import LONGEST, ORDER, compact
from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.cases.format.schema import CURATED, TENSORS, in_full
from plumbline.cases.format.writing import schema_line
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import CollectionNode, MappingNode, Node, ScalarNode, YAMLError, compose, load


class LayoutError(ValueError):
    """A file that cannot be laid out; the message is one line that says what to do."""


def laid_out(text: str, folder: Path) -> str:
    """Lay out the text of a file of cases in `folder`, which `read_cases` can read. Raises LayoutError.

    A file outside the clone needs no schema line, since the schema may be anywhere from there."""
    lines = _stripped_lines(text)
    header, in_clone = schema_line(folder), folder.resolve().is_relative_to(CASE_FOLDER)
    if in_clone and lines[:1] != [header]:
        lines = [header, *(line for line in lines if not line.startswith("# yaml-language-server:"))]
    result = "\n".join(_lay_out_cases(lines, in_short=in_clone)) + "\n"
    try:
        unchanged = _content(result) == _content(text)
    except YAMLError:  # an alias that came before its anchor, for instance
        unchanged = False
    if not unchanged:
        raise LayoutError("laying out this file would change what it says: give the keys of each case in the order "
                          f"{', '.join(ORDER)}, and no '|+' or '>+'")
    return result


def layout_problems(path: Path) -> list[str]:
    """Return one line for each problem with the layout of a file."""
    text = read_text(path)
    name = path.resolve().relative_to(CASE_FOLDER.parent) if path.resolve().is_relative_to(CASE_FOLDER.parent) else path
    problems = [f"{name}:{number}: {len(line)} letters in a line; break it before {LONGEST}"
                for number, line in enumerate(text.splitlines(), start=1) if len(line) > LONGEST]
    try:
        wanted = laid_out(text, path.parent)
    except LayoutError as error:
        return [*problems, f"{name}:1: {error}"]
    pairs = zip_longest(text.split("\n"), wanted.split("\n"))
    change = next(((number, line) for number, (current, line) in enumerate(pairs, start=1) if current != line), None)
    if change is not None:
        number, line = change
        expected = "the end of the file" if line is None else repr(line.strip()) if line else "an empty line"
        problems.append(f"{name}:{number}: expected {expected}; run plumbline cases lint --fix {name}")
    return problems


def _stripped_lines(text: str) -> list[str]:
    """Return the lines up to the last that is not empty, each without the spaces at its end.

    Lines of block scalars keep theirs, which are content."""
    literal: set[int] = set()
    nodes, seen = [compose(text + "\n", TENSORS)], set[int]()
    while nodes:
        node = nodes.pop()
        if isinstance(node, ScalarNode) and node.style in ("|", ">"):
            literal.update(range(node.start_mark.line + 1, node.end_mark.line))
        elif isinstance(node, CollectionNode) and id(node) not in seen:  # an alias gives the node of its anchor again
            seen.add(id(node))
            nodes += (child for pair in node.value for child in pair) if isinstance(node, MappingNode) else node.value
    lines = [line if number in literal else line.rstrip() for number, line in enumerate(text.split("\n"))]
    while not lines[-1].strip():
        lines.pop()
    return lines


def _content(text: str) -> str:
    """Return what a document says, whatever the order of its keys, with what short entries leave out."""
    data = load(text, TENSORS)
    source = (data.get("defaults") or {}).get("source", CURATED)
    cases = [{"source": source, **in_full(entry)} for entry in data["cases"]]
    return json.dumps({**data, "cases": cases}, sort_keys=True, default=str)


def _default_source(root: MappingNode) -> str:
    """Return the source of a case that names none."""
    defaults: list[tuple[Node, Node]] = next((value.value for key, value in root.value if key.value == "defaults"), [])
    return next((str(value.value) for key, value in defaults if key.value == "source"), CURATED)


def _lay_out_cases(lines: list[str], in_short: bool) -> list[str]:
    root = compose("\n".join(lines), TENSORS)
    assert isinstance(root, MappingNode), "a file of cases is a mapping"
    cases = next(value for key, value in root.value if key.value == "cases")
    if cases.flow_style:
        return lines
    starts = [node.start_mark.line for node in cases.value]
    ends = [*(_above(lines, start) for start in starts[1:]), len(lines)]
    source = _default_source(root)
    short = [compact(node, lines, end, source) if in_short else None
             for node, end in zip(cases.value, ends, strict=True)]
    result = lines[:_above(lines, starts[0])]
    for number, (node, begin, end, written) in enumerate(zip(cases.value, starts, ends, short, strict=True)):
        above = lines[_above(lines, begin):begin]
        if number and (any(above) or not written or not short[number - 1]):
            result.append("")
        result += [line for before, line in pairwise(["", *above]) if line or before]
        result += written or _ordered(node, lines, begin, end)
    return result


def _above(lines: list[str], line: int) -> int:
    """Return where the unindented comments and empty lines right above a line begin."""
    while not lines[line - 1] or lines[line - 1].startswith("#"):
        line -= 1
    return line


def _ordered(node: MappingNode, lines: list[str], begin: int, end: int) -> list[str]:
    """Return the lines of a case with its keys in order, each with the comments right above it."""
    places = [key.start_mark.line for key, _ in node.value]
    if node.flow_style or len(set(places)) < len(places):
        return lines[begin:end]
    margin = " " * node.start_mark.column
    body = [margin + lines[begin][len(margin):], *lines[begin + 1:end]]
    starts = [place - begin for place in places]
    for number, start in enumerate(starts):
        while start > 0 and body[start - 1].lstrip().startswith("#"):
            start -= 1
        starts[number] = start
    parts = [(key.value, body[start:stop])
             for (key, _), start, stop in zip(node.value, starts, [*starts[1:], len(body)], strict=True)]
    ordered = [line for _, part in sorted(parts, key=lambda part: ORDER.index(part[0])) for line in part]
    dash = next(number for number, line in enumerate(ordered) if not line.lstrip().startswith("#"))
    ordered[dash] = lines[begin][:len(margin)] + ordered[dash][len(margin):]
    return ordered
