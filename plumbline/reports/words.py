"""Format addresses, counts, labels, Markdown and conditions for reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from plumbline.trial.record.lines import CaseLine


def split_address(address: str) -> tuple[str, str, str]:
    """Split an address into specification, version and section with tag.

    The version is "" for a specification without versions, the last part "" for the address of a specification.

    >>> split_address("onnx/maxpool@12#Y.C2")
    ('onnx/maxpool', '12', 'Y.C2')
    """
    specification, _, local = address.partition("#")
    name, _, version = specification.partition("@")
    return name, version, local


def unversioned(address: str) -> str:
    """The specification of an address, without its version.

    >>> unversioned("onnx/maxpool@12#Y.C2")
    'onnx/maxpool'
    """
    return split_address(address)[0]


def local_of(address: str) -> str:
    """Section and tag of a clause.

    >>> local_of("onnx/maxpool@12#Y.C2")
    'Y.C2'
    """
    return split_address(address)[2]


def newest_first(address: str) -> tuple[bool, str, int]:
    """A sort key: profiles first, then specifications, newest version first."""
    name, version, _ = split_address(address)
    return bool(version), name, -_number(version)


def joined(addresses: Iterable[str]) -> str:
    """Addresses in one phrase, versions of a clause merged.

    >>> joined(["onnx/maxpool@11#Y.C2", "onnx/maxpool@8#Y.C2"])
    'onnx/maxpool@8,11#Y.C2'
    >>> joined(["onnx/averagepool@11#Y.C2", "onnx/maxpool@12#Y.C2"])
    'onnx/averagepool@11#Y.C2 and onnx/maxpool@12#Y.C2'
    """
    versions_of: dict[tuple[str, str], set[str]] = {}
    for name, version, local in map(split_address, addresses):
        versions_of.setdefault((name, local), set()).add(version)
    return in_sentence((f"{name}@{','.join(sorted(versions, key=_number))}" if any(versions) else name)
                  + (f"#{local}" if local else "") for (name, local), versions in versions_of.items())


def merge_versions(specifications: Iterable[str]) -> list[str]:
    """Names of specifications, versions merged.

    >>> merge_versions(["onnx/maxpool@8", "sonnx/maxpool", "onnx/maxpool@10"])
    ['onnx/maxpool@8,10', 'sonnx/maxpool']
    """
    families: dict[str, list[str]] = {}
    for name in specifications:
        families.setdefault(unversioned(name), []).append(name)
    return [joined(names) for names in families.values()]


def anchor(address: str) -> str:
    """An address as the id of an HTML element.

    >>> anchor("sonnx/maxpool#Y.F1")
    'sonnx-maxpool-Y.F1'
    """
    return "".join(letter if letter.isascii() and letter.isalnum() or letter in "-_." else "-" for letter in address)


def _number(version: str) -> int:
    return int(version) if version.isdecimal() else 0


def count(number: int, noun: str) -> str:
    """A number with its noun, plural where needed.

    >>> count(1, "case"), count(2000, "case")
    ('1 case', '2,000 cases')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_sentence(names: Iterable[str]) -> str:
    """Names separated by commas and "and".

    >>> in_sentence(["a"]), in_sentence("abc")
    ('a', 'a, b and c')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def first_few(names: Sequence[str], most: int) -> str:
    """The first few names, and how many more there are.

    >>> first_few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def clipped(message: str) -> str:
    """A long message without its middle.

    Runtimes name the place first and the problem last.

    >>> clipped("short"), len(clipped("long " * 100))
    ('short', 253)
    """
    return message if len(message) <= 260 else f"{message[:90]} … {message[-160:]}"


def merge_labels(labels: Iterable[str]) -> list[str]:
    """Labels, versions of a backend merged.

    >>> merge_labels(["toy 1", "other 3", "toy 2"])
    ['toy 1, 2', 'other 3']
    """
    versions_of: dict[str, list[str]] = {}
    for label in labels:
        name, _, version = label.partition(" ")
        versions_of.setdefault(name, []).append(version)
    return [f"{name} {', '.join(versions)}" for name, versions in versions_of.items()]


def code_span(content: str) -> str:
    """A Markdown code span of any content, valid in tables."""
    ticks = "`" * (max((len(run) for run in re.findall("`+", content)), default=0) + 1)
    space = " " if content.startswith("`") or content.endswith("`") or not content else ""
    return f"{ticks}{space}{' '.join(content.split())}{space}{ticks}".replace("|", "\\|")


def escaped(content: str) -> str:
    """Content without effect as Markdown, HTML or a mention."""
    return re.sub(r"([\\`*_\[\]<>|~#&])", r"\\\1", " ".join(content.split())).replace("@", "@\N{ZERO WIDTH JOINER}")


def meaning(name: str, line: CaseLine, defined: Mapping[str, str]) -> str:
    """The meaning of a condition for the calls of `line`.

    The record defines flags; element types, output selections and operators are described here; "" if undefined."""
    if name == line.dtype:
        return f"The input is {line.dtype}."
    if name == f"[{line.form}]":
        return f"{line.form.replace('+', ' and ')} {'are' if '+' in line.form else 'alone is'} asked for."
    if name == unversioned(line.spec).rpartition("/")[2] and line.call:
        return f"The operator is {line.call.operator}."
    return defined.get(name, "")


def as_phrase(name: str, text: str) -> str:
    """Return the first sentence of a text as a phrase, with its name.

    name: of a flag or other condition; `text` says what it means.

    >>> as_phrase("padded", "Some pad is above zero. Runtimes differ in the constant.")
    'some pad is above zero (padded)'
    >>> as_phrase("nan", "X holds a NaN.")
    'X holds a NaN (nan)'
    """
    first = re.split(r"[.;] ", text)[0].rstrip(".")
    if not first:
        return name
    word = first.split()[0]
    small = first[0].lower() + first[1:] if word.isalpha() and len(word) > 1 and word[1:].islower() else first
    return small if name.startswith("[") or name in small else f"{small} ({name})"


def where_clause(conditions: Iterable[tuple[str, str]]) -> str:
    """Named conditions in a phrase that begins with "where"."""
    phrases = [as_phrase(name, text) for name, text in conditions]
    return f"where {in_sentence(phrases)}" if phrases else ""
