"""Draft a file of known divergences from a record.

It has an entry for each root cause, with empty reason and link.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from os.path import commonprefix
from typing import Any

from plumbline.cases.format.flags import OF_ANSWERS
from plumbline.cases.format.writing import as_yaml
from plumbline.oracle import load_spec
from plumbline.oracle.accuracy import is_of_profile
from plumbline.trial.known.cause_merging import name_of
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

HEAD = """\
# Known divergences of {name}. Give each entry a reason and, where the fault is reported, a link (or leave that line
# out): the file is refused while either is empty. A root cause in several specifications has an entry for each.
# `{tried}` would say that the list is complete for that version alone; without it, for every version.
"""

LONGEST = 110
"""Most letters of the behaviour in a comment."""


def known_text(record: Record) -> str:
    """Return the file on new failures. Raises LookupError if there are none."""
    used: Counter[str] = Counter()
    entries = [text for group in groups(record) for text in _entries(used, record, group)]
    if not entries:
        raise LookupError(f"{record.path}: nothing fails that is not known")
    backend = record.header.backend
    tried = as_yaml({"tried": [backend.version]}).strip()  # in quotes where YAML would read a number
    head = HEAD.format(name=backend.name, tried=tried)
    return head + as_yaml({"backend": backend.name}) + "divergences:\n" + "".join(entries)


def _entries(used: Counter[str], record: Record, group: Group) -> Iterator[str]:
    """Yield entries on new results, each with a comment.

    All versions of a specification share an entry, except cases that fail in some versions and not in others."""
    new = sorted((line for line in group.lines if line.known is None), key=name_of)
    for text, grouped in groupby(new, name_of):
        lines = list(grouped)
        failing = {(line.spec, line.id, line.form) for line in lines}
        passing = {(line.id, line.form) for line in record.cases if name_of(line) == text and not line.generated
                   and line.verdict != "unsupported" and (line.spec, line.id, line.form) not in failing}
        several = len({line.spec for line in lines}) > 1
        parts: dict[str, list[CaseLine]] = {}
        for line in lines:
            pattern = f"{text}@*" if several and (line.id, line.form) not in passing else line.spec
            parts.setdefault(pattern, []).append(line)
        for pattern, part in parts.items():
            did = " ".join(part[0].did.split())
            yield f"# {did if len(did) <= LONGEST else did[:LONGEST] + ' ...'}\n" + as_yaml([
                _entry(used, pattern, part, group)])


def _stated(spec: str, address: str) -> str:
    """Return the local address of the clause that is stated; that of a profile whole."""
    if is_of_profile(address):
        return address
    clause = load_spec(spec).clauses[address]
    return (clause.restates or address).partition("#")[2]


def _entry(used: Counter[str], spec: str, lines: Sequence[CaseLine], group: Group) -> dict[str, Any]:
    """Return the entry of a root cause under a specification.

    used:  how often each id was given, so that none repeats; it is updated.
    spec:  name or pattern of the entry, for the lines of the `group` that are in `lines`."""
    clauses = sorted({_stated(line.spec, address) for line in lines for address in line.clauses})
    words = [group.verdict, spec, *(group.clauses or clauses)[:1], group.symptom]
    name = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
    used[name] += 1
    entry: dict[str, Any] = {"id": name if used[name] == 1 else f"{name}-{used[name]}", "spec": spec,
                             "verdict": group.verdict}
    if clauses:
        entry["clauses"] = clauses
    written = [line for line in lines if not line.generated]
    generated = [line for line in lines if line.generated]
    if written:
        entry["cases"] = {case: sorted({line.form for line in written if line.id == case})
                          for case in dict.fromkeys(line.id for line in written)}
    if generated:
        shared = set.intersection(*(set(line.flags).difference(line.unread) for line in generated))
        entry["generated"] = sorted(shared.difference(OF_ANSWERS))
        entry["forms"] = sorted({line.form for line in generated})
        if all(line.dtype for line in generated):  # there are inputs
            entry["dtypes"] = sorted({line.dtype for line in generated})
        if message := commonprefix([line.did for line in lines]) if not clauses else "":
            entry["says"] = message
    if symptom := group.symptom or group.looks:  # also one of few calls, which keeps the entry from other faults
        entry["symptoms"] = [symptom]
    return {**entry, "reason": "", "link": ""}
