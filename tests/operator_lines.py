"""Count the lines by hand of each operator of ONNX, beside its budget.

Of a file that several operators share, such as the text of a family, each counts what is named as it, and an equal part
of the rest. A module of `oracle/families` that a single operator needs counts as its definition. Not counted are the
other families, and what programs write (facts of ONNX's schemas, `official.yaml`).
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import chain
from pathlib import Path

from plumbline.oracle.schema_sync import GENERATED
from plumbline.oracle.specification import family_of, texts_named

ROOT = Path(__file__).resolve().parents[1]

WIDTH = 120
PARTS = ("text", "definition", "reference", "YAML", "tests")
OFFICIAL = "official.yaml"

ELEMENTWISE, OTHERS = 80, {"transpose": 200, "gather": 200, "convtranspose": 600, "layernormalization": 120}
REDUCTIONS = 900
"""The budgets: of an elementwise operator, of others by name, and of the ten reductions together."""

SCHEMA = re.compile(rf"^{re.escape(GENERATED)}(?:(?!---).*\n)*", re.M)
"""The part of a front matter that `plumbline specs sync` writes, and a test compares with the installed onnx."""

SPEC = re.compile(r"^spec:[^\]\n]*(?:\n +[^\]\n]*)*", re.M)
"""The specifications of a file of cases."""

FAMILY = re.compile(r"^from plumbline\.oracle\.families\.(\w+) import", re.M)

GENERAL = ("by_body",)
"""Families for any operator (that a function body defines), of which one is here."""

Row = Mapping[str, Fraction]


def lines_of_page(page: str) -> int:
    """The lines of a page of Markdown by hand, as they are when wrapped at `WIDTH`.

    >>> lines_of_page("one\\n\\n- " + "word " * 40)
    4
    """
    return sum(max(1, len(textwrap.wrap(line, WIDTH, subsequent_indent="  ")))
               for line in SCHEMA.sub("", page).splitlines())


def lines(path: Path) -> int:
    """The lines of a file by hand, 0 where it does not exist."""
    if not path.is_file() or path.name == OFFICIAL:
        return 0
    text = path.read_text(encoding="utf-8")
    return lines_of_page(text) if path.suffix == ".md" else text.count("\n")


def shares(path: Path, names: list[str]) -> dict[str, Fraction]:
    """The lines of a file by the operators that share it: classes and functions of their name, and equal parts."""
    own = dict.fromkeys(names, 0)
    if path.suffix == ".py" and path.is_file() and len(names) > 1:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            name = f"onnx/{node.name.lower().rstrip('_')}" if isinstance(node, ast.ClassDef | ast.FunctionDef) else ""
            if name in own:
                own[name] += (node.end_lineno or node.lineno) - node.lineno + 3  # with the empty lines before it
    rest = Fraction(lines(path) - sum(own.values()), len(names))
    return {name: count + rest for name, count in own.items()}


def files() -> Iterator[tuple[str, Path, str]]:
    """Yield the part that a file is, the file, and an operator that has it, by the name of its specification."""
    for text in texts_named("onnx/*"):
        own, module = text.name, f"onnx/{text.module}"
        yield from (("text", page, own) for page in text.pages)
        yield "definition", ROOT / f"plumbline/oracle/operators/{module}.py", own
        yield "reference", ROOT / f"plumbline/oracle/reference/{module}.py", own
        tests = [ROOT / f"tests/operators/{name}.py" for name in (own, module)]
        yield "tests", next(filter(Path.is_file, tests), tests[0]), own
    for path in sorted((ROOT / "cases/onnx").rglob("*.yaml")):
        named = SPEC.search(path.read_text(encoding="utf-8"))
        yield from (("YAML", path, name) for name in re.findall(r"(?<![\w.])onnx/\w+", named[0] if named else ""))


def families_of_one() -> Iterator[tuple[str, Path, str]]:
    """Yield the modules of families that a single operator needs, as `files` does."""
    folder, users = ROOT / "plumbline/oracle/families", dict[Path, set[str]]()
    for path in sorted((ROOT / "plumbline/oracle/operators").rglob("*.py")):
        left, needed = [path], set[Path]()
        while left:
            imported = {folder / f"{name}.py" for name in FAMILY.findall(left.pop().read_text(encoding="utf-8"))}
            left += imported - needed
            needed |= imported
        for family in (family for family in needed if family.stem not in GENERAL):
            users.setdefault(family, set()).add(path.stem)
    modules: dict[str, list[str]] = {}
    for text in texts_named("onnx/*"):
        modules.setdefault(text.module, []).append(text.name)
    for family, stems in users.items():
        names = modules.get(*stems, []) if len(stems) == 1 else []
        yield from (("definition", family, name) for name in names if len(names) == 1)


def counts() -> dict[str, dict[str, Fraction]]:
    """The lines by operator and part."""
    users: dict[tuple[str, Path], list[str]] = {}
    for part, path, name in chain(files(), families_of_one()):
        users.setdefault((part, path), []).append(name)
    rows: dict[str, dict[str, Fraction]] = {}
    for (part, path), names in users.items():
        for name, count in shares(path, names).items():
            rows.setdefault(name, dict.fromkeys(PARTS, Fraction(0)))[part] += count
    return rows


def budget(name: str) -> int | None:
    """The budget of an operator alone, None where it has none."""
    return OTHERS.get(name.removeprefix("onnx/"), ELEMENTWISE if family_of(name) == "Elementwise" else None)


def table() -> Iterator[str]:
    """Yield the lines of a table: by family the operators, those with most lines first."""
    rows = counts()
    reductions = [row for name, row in rows.items() if name.startswith("onnx/reduce")]
    together = {part: sum((row[part] for row in reductions), Fraction(0)) for part in PARTS}
    yield f"{'':28}{''.join(f'{part:>11}' for part in PARTS)}{'all':>7}{'budget':>8}"
    yield _line("the ten reductions", together, REDUCTIONS)
    for name in sorted(rows, key=lambda name: (family_of(name), -sum(rows[name].values()))):
        yield _line(name, rows[name], budget(name))


def _line(name: str, row: Row, limit: int | None) -> str:
    total = round(sum(row.values()))
    verdict = "" if limit is None else f"{limit:8}{'  exceeded' if total > limit else ''}"
    return f"{name:28}{''.join(f'{round(row[part]):11}' for part in PARTS)}{total:7}{verdict}"
