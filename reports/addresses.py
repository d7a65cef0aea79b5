"""Addresses of clauses as readers meet them: in parts, in order, versions of one text together, as ids of a page."""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.reports.wording import listed


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
