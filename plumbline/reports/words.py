"""Words: addresses of clauses as readers meet them, numbers, several labels at once, text fit for Markdown, and the
conditions that set a cause apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from plumbline.trial.record.lines import CaseLine


def parts(address: str) -> tuple[str, str, str]:
    """(family and operator, version or "", section and tag) of a clause; the last is "" for a specification.

    >>> parts("onnx/maxpool@12#Y.C2")
    ('onnx/maxpool', '12', 'Y.C2')
    """
    specification, _, local = address.partition("#")
    name, _, version = specification.partition("@")
    return name, version, local


def by_age(address: str) -> tuple[bool, str, int]:
    """A key: profiles before the texts they narrow; of a text that changes, the newest version first."""
    name, version, _ = parts(address)
    return bool(version), name, -_number(version)


def joined(addresses: Iterable[str]) -> str:
    """Addresses, those that differ in the version of the text alone as one.

    >>> joined(["onnx/maxpool@11#Y.C2", "onnx/maxpool@8#Y.C2"])
    'onnx/maxpool@8,11#Y.C2'
    >>> joined(["onnx/averagepool@11#Y.C2", "onnx/maxpool@12#Y.C2"])
    'onnx/averagepool@11#Y.C2 and onnx/maxpool@12#Y.C2'
    """
    found: dict[tuple[str, str], set[str]] = {}
    for name, version, local in map(parts, addresses):
        found.setdefault((name, local), set()).add(version)
    return listed((f"{name}@{','.join(sorted(versions, key=_number))}" if any(versions) else name)
                  + (f"#{local}" if local else "") for (name, local), versions in found.items())


def texts(specifications: Iterable[str]) -> list[str]:
    """Specifications, versions of one text together.

    >>> texts(["onnx/maxpool@8", "sonnx/maxpool", "onnx/maxpool@10"])
    ['onnx/maxpool@8,10', 'sonnx/maxpool']
    """
    families: dict[str, list[str]] = {}
    for name in specifications:
        families.setdefault(parts(name)[0], []).append(name)
    return [joined(names) for names in families.values()]


def anchor(address: str) -> str:
    """An address as the id of an element.

    >>> anchor("sonnx/maxpool#Y.F1")
    'sonnx-maxpool-Y.F1'
    """
    return "".join(letter if letter.isascii() and letter.isalnum() or letter in "-_." else "-" for letter in address)


def _number(version: str) -> int:
    return int(version) if version.isdecimal() else 0


def count(number: int, noun: str) -> str:
    """A number of things.

    >>> count(1, "case"), count(2000, "case")
    ('1 case', '2,000 cases')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["a"]), listed("abc")
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def named(names: Sequence[str], most: int) -> str:
    """The first few names, and how many more there are.

    >>> named(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def clipped(message: str) -> str:
    """A long message without its middle: runtimes say where first, and what at the end.

    >>> clipped("short"), len(clipped("long " * 100))
    ('short', 253)
    """
    return message if len(message) <= 260 else f"{message[:90]} … {message[-160:]}"


def together(labels: Iterable[str]) -> list[str]:
    """Labels with the versions of one backend together.

    >>> together(["toy 1", "other 3", "toy 2"])
    ['toy 1, 2', 'other 3']
    """
    found: dict[str, list[str]] = {}
    for label in labels:
        name, _, version = label.partition(" ")
        found.setdefault(name, []).append(version)
    return [f"{name} {', '.join(versions)}" for name, versions in found.items()]


def code(content: str) -> str:
    """A code span that holds any text, also in a table."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", content)), default=0) + 1)
    space = " " if content.startswith("`") or content.endswith("`") or not content else ""
    return f"{ticks}{space}{' '.join(content.split())}{space}{ticks}".replace("|", "\\|")


def text(content: str) -> str:
    """Any text as text: no markup, no HTML, no mention of anybody."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", " ".join(content.split())).replace("@", "@\N{ZERO WIDTH JOINER}")


def meaning(name: str, line: CaseLine, defined: Mapping[str, str]) -> str:
    """What a condition says of the calls of `line`: as the record defines it, or, for an element type, a form or an
    operator, in our words; "" where nobody defines it."""
    if name == line.dtype:
        return f"The input is {line.dtype}."
    if name == f"[{line.form}]":
        return f"{line.form.replace('+', ' and ')} {'are' if '+' in line.form else 'alone is'} asked for."
    if name == parts(line.spec)[0].rpartition("/")[2] and line.call:
        return f"The operator is {line.call.operator}."
    return defined.get(name, "")


def clause_of(name: str, text: str) -> str:
    """The beginning of a meaning as a clause, with the name behind it; the name alone where there is no meaning.

    >>> clause_of("padded", "Some pad is above zero. Runtimes differ in the constant.")
    'some pad is above zero (padded)'
    >>> clause_of("nan", "X holds a NaN.")
    'X holds a NaN (nan)'
    """
    first = re.split(r"[.;] ", text)[0].rstrip(".")
    if not first:
        return name
    word = first.split()[0]
    small = first[0].lower() + first[1:] if word.isalpha() and len(word) > 1 and word[1:].islower() else first
    return small if name.startswith("[") or name in small else f"{small} ({name})"


def where_clause(conditions: Iterable[tuple[str, str]]) -> str:
    """(name, meaning) of some conditions as one clause that begins with "where"; "" for none."""
    said = [clause_of(name, text) for name, text in conditions]
    return f"where {listed(said)}" if said else ""
