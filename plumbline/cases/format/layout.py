"""How a file of cases is laid out: the line for editors, the order of keys, one empty line between cases.

The layout of tensors is the author's, row by row or not, and so is where comments stand: text is moved as it is, at the
places that the parser tells, and what the file says is the same before and after.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from plumbline.cases.format.loader import CASE_FOLDER
from plumbline.cases.format.schema import CaseEntry
from plumbline.cases.format.writing import schema_line
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import MappingNode, compose, load

ORDER = list(CaseEntry.model_fields)
"""Of the keys of a case."""

LONGEST = 120
"""Letters in a line."""


def laid_out(text: str, folder: Path) -> str:
    """The text of a file of cases in `folder`, laid out. The text must be one that `read_cases` can read.

    A file outside the clone needs no line for editors, since the schema may be anywhere from there."""
    lines = [line.rstrip() for line in text.splitlines()]
    header = schema_line(folder)
    if folder.resolve().is_relative_to(CASE_FOLDER) and lines[:1] != [header]:
        lines = [header, *(line for line in lines if not line.startswith("# yaml-language-server:"))]
    found = "\n".join(_lay_out_cases(lines)).rstrip("\n") + "\n"
    if _content(found) != _content(text):
        raise AssertionError("laying out a file changed what it says")
    return found


def layout_problems(path: Path) -> list[str]:
    """What of a file is not laid out so, one line each; [] when nothing is."""
    text = read_text(path)
    name = path.resolve().relative_to(CASE_FOLDER.parent) if path.resolve().is_relative_to(CASE_FOLDER.parent) else path
    problems = [f"{name}:{number}: {len(line)} letters in a line; break it before {LONGEST}"
                for number, line in enumerate(text.splitlines(), start=1) if len(line) > LONGEST]
    wanted = laid_out(text, path.parent)
    if wanted != text:
        pairs = zip([*text.split("\n"), ""], [*wanted.split("\n"), ""], strict=False)
        number, line = next((number, line) for number, (is_so, line) in enumerate(pairs, start=1) if is_so != line)
        shown = repr(line.strip()) if line else "an empty line"
        problems.append(f"{name}:{number}: here should stand {shown}; plumbline cases lint --fix {name} lays "
                        "the file out")
    return problems


def _content(text: str) -> str:
    """What a text says, whatever the order of keys."""
    return json.dumps(load(text), sort_keys=True, default=str)


def _lay_out_cases(lines: list[str]) -> list[str]:
    root = compose("\n".join(lines))
    cases = next(value for key, value in root.value if key.value == "cases")
    if cases.flow_style:
        return lines
    starts = [node.start_mark.line for node in cases.value]
    found = lines[:_above(lines, starts[0])]
    for number, (node, begin, end) in enumerate(zip(cases.value, starts, [*starts[1:], None], strict=True)):
        if number:
            found.append("")
        lead = [found[-1], *lines[_above(lines, begin):begin]]
        found += [line for before, line in pairwise(lead) if line or before]
        found += _ordered(node, lines, begin, len(lines) if end is None else _above(lines, end))
    return found


def _above(lines: list[str], line: int) -> int:
    """Where the comments at the margin and the empty lines right above a line begin."""
    while not lines[line - 1] or lines[line - 1].startswith("#"):
        line -= 1
    return line


def _ordered(node: MappingNode, lines: list[str], begin: int, end: int) -> list[str]:
    """The lines of a case with its keys in order, each with the comments right above it."""
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
