"""Begins a file of known divergences from a record: an entry for each cause, its reason and link left empty."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from plumbline.cases.writing import as_yaml
from plumbline.oracle import load_spec
from plumbline.trial.groups import message
from plumbline.trial.record import CaseLine
from plumbline.trial.recording import Record

HEAD = """\
# Known divergences of {name}. Give each entry a reason and, where the fault is reported, a link (or leave that line
# out): the file is refused while either is empty. Entries of one cause stand together; one reason often serves all.
# `tried: [{version}]` would say that the list is complete for that version alone; without it, for every version.
"""


def known_text(record: Record) -> str:
    """The file, of what fails and is not known. Raises LookupError when there is nothing."""
    causes: dict[tuple[str, tuple[str, ...], tuple[str, ...], str], dict[str, list[CaseLine]]] = {}
    for line in record.cases:
        if line.accuses and line.known is None:
            clauses = tuple(sorted({_stated(line.spec, address) for address in line.clauses}))
            symptoms = tuple(sorted(line.symptoms))
            cause = line.verdict, clauses, symptoms, message(line)
            causes.setdefault(cause, {}).setdefault(line.spec, []).append(line)
    if not causes:
        raise LookupError(f"{record.path}: nothing fails that is not known")
    used: Counter[str] = Counter()
    entries = [_entry(used, spec, lines, *cause[:3])
               for cause, specs in causes.items() for spec, lines in specs.items()]
    backend = record.header.backend
    head = HEAD.format(name=backend.name, version=backend.version)
    return head + as_yaml({"backend": backend.name}) + "divergences:\n" + as_yaml(entries)


def _stated(spec: str, address: str) -> str:
    """The local address of a clause, or of the one that it restates."""
    clause = load_spec(spec).clauses[address]
    return (clause.restates or address).partition("#")[2]


def _entry(used: Counter[str], spec: str, lines: Sequence[CaseLine], verdict: str, clauses: tuple[str, ...],
           symptoms: tuple[str, ...]) -> dict[str, Any]:
    """One cause under one specification."""
    name = re.sub(r"[^a-z0-9]+", "-", "-".join([verdict, spec, *clauses, *symptoms[:1]]).lower()).strip("-")
    used[name] += 1
    entry: dict[str, Any] = {"id": name if used[name] == 1 else f"{name}-{used[name]}", "spec": spec,
                             "verdict": verdict}
    if clauses:
        entry["clauses"] = list(clauses)
    written = [line for line in lines if not line.generated]
    made = [line for line in lines if line.generated]
    if written:
        entry["cases"] = {case: sorted(line.form for line in written if line.id == case)
                          for case in dict.fromkeys(line.id for line in written)}
    if made:
        entry["generated"] = sorted(set.intersection(*(set(line.flags) for line in made)))
        entry["forms"] = sorted({line.form for line in made})
        entry["dtypes"] = sorted({line.dtype for line in made})
    if symptoms:
        entry["symptoms"] = list(symptoms)
    return {**entry, "reason": "", "link": ""}
