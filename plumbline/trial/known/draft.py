"""Begins a file of known divergences from a record: an entry for each cause, its reason and link left empty."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from os.path import commonprefix
from typing import Any

from plumbline.cases.format.writing import as_yaml
from plumbline.oracle import load_spec
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

HEAD = """\
# Known divergences of {name}. Give each entry a reason and, where the fault is reported, a link (or leave that line
# out): the file is refused while either is empty. A cause that several specifications show has an entry for each.
# `tried: [{version}]` would say that the list is complete for that version alone; without it, for every version.
"""

SEEN = 110
"""Letters of what was seen, in a comment."""


def known_text(record: Record) -> str:
    """The file, of what fails and is not known. Raises LookupError when there is nothing."""
    used: Counter[str] = Counter()
    entries = [text for group in groups(record) for text in _entries(used, record, group)]
    if not entries:
        raise LookupError(f"{record.path}: nothing fails that is not known")
    backend = record.header.backend
    head = HEAD.format(name=backend.name, version=backend.version)
    return head + as_yaml({"backend": backend.name}) + "divergences:\n" + "".join(entries)


def _entries(used: Counter[str], record: Record, group: Group) -> Iterator[str]:
    """What is new of one cause, each entry under a comment that says what was seen: all versions of a text in one,
    but for cases that fail in some of them and are right in others."""
    new = sorted((line for line in group.lines if line.known is None), key=_text)
    for text, some in groupby(new, _text):
        lines = list(some)
        failing = {(line.spec, line.id, line.form) for line in lines}
        elsewhere = {(line.id, line.form) for line in record.cases if _text(line) == text and not line.generated
                     and line.verdict != "unsupported" and (line.spec, line.id, line.form) not in failing}
        several = len({line.spec for line in lines}) > 1
        parts: dict[str, list[CaseLine]] = {}
        for line in lines:
            pattern = f"{text}@*" if several and (line.id, line.form) not in elsewhere else line.spec
            parts.setdefault(pattern, []).append(line)
        for pattern, alike in parts.items():
            seen = " ".join(alike[0].did.split())
            yield f"# {seen if len(seen) <= SEEN else seen[:SEEN] + ' ...'}\n" + as_yaml([
                _entry(used, pattern, alike, group)])


def _text(line: CaseLine) -> str:
    return line.spec.partition("@")[0]


def _stated(spec: str, address: str) -> str:
    """The local address of a clause, or of the one that it restates."""
    clause = load_spec(spec).clauses[address]
    return (clause.restates or address).partition("#")[2]


def _entry(used: Counter[str], spec: str, lines: Sequence[CaseLine], group: Group) -> dict[str, Any]:
    """One cause under one specification, or under all versions of one."""
    clauses = sorted({_stated(line.spec, address) for line in lines for address in line.clauses})
    words = [group.verdict, spec, *(group.clauses or clauses)[:1], group.symptom]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    used[name] += 1
    entry: dict[str, Any] = {"id": name if used[name] == 1 else f"{name}-{used[name]}", "spec": spec,
                             "verdict": group.verdict}
    if clauses:
        entry["clauses"] = clauses
    written = [line for line in lines if not line.generated]
    made = [line for line in lines if line.generated]
    if written:
        entry["cases"] = {case: sorted({line.form for line in written if line.id == case})
                          for case in dict.fromkeys(line.id for line in written)}
    if made:
        entry["generated"] = sorted(set.intersection(*(set(line.flags) for line in made)))
        entry["forms"] = sorted({line.form for line in made})
        entry["dtypes"] = sorted({line.dtype for line in made})
        if said := commonprefix([line.did for line in lines]) if not clauses else "":
            entry["says"] = said
    if group.symptom:
        entry["symptoms"] = [group.symptom]
    return {**entry, "reason": "", "link": ""}
