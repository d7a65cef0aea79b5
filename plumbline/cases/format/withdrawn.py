"""Ids of withdrawn cases, and the cases that replace them.

Known divergences, records, `-k` and commands understand a withdrawn id as that of its replacement."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from plumbline.oracle.clause import Versions
from plumbline.oracle.files import read_text
from plumbline.oracle.yaml_text import load

FILE = Path(__file__).with_name("withdrawn.yaml")
"""A list of {specs: [NAME, ...], cases: {ID: REPLACEMENT}}; {VERSIONS: REPLACEMENT} where it depends on the version."""


@cache
def withdrawn(spec_name: str) -> Mapping[str, str]:
    """Return the withdrawn ids of a specification, each with the id of the case that replaces it."""
    text, _, version = spec_name.partition("@")
    found = {case: id_of_version(entry, version) for group in _groups() if text in group["specs"]
             for case, entry in group["cases"].items()}
    return MappingProxyType({case: replacement for case, replacement in found.items() if replacement})


def id_of_version(entry: str | Mapping[str, str], version: str) -> str:
    """Return the replacement in a version, "" where the version had no such case.

    >>> id_of_version({"1-6": "old", "13-": "new"}, "13"), id_of_version("same", "13")
    ('new', 'same')
    """
    if isinstance(entry, str):
        return entry
    return next((case for versions, case in entry.items() if int(version) in Versions.parse(versions)), "")


def current_id(spec_name: str, case_id: str) -> str:
    """Return the id that a case has today, with its context if it has one."""
    base, slash, context = case_id.partition("/")
    return withdrawn(spec_name).get(base, base) + slash + context


def earlier_ids(spec_name: str, case_id: str) -> list[str]:
    """Return the withdrawn ids that a case replaces."""
    base, slash, context = case_id.partition("/")
    return [earlier + slash + context for earlier, case in withdrawn(spec_name).items() if case == base]


@cache
def _groups() -> list[dict[str, Any]]:
    return list(load(read_text(FILE)) or ())
