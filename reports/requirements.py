"""A record as requirements that are linked: clauses, the cases that try them, the results. Requirement tools read these
as `needs.json` of sphinx-needs, or as ReqIF."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from plumbline.reports.clauses import bearings, clause_rows
from plumbline.reports.clauses import status as status_of
from plumbline.trial.record import CaseLine
from plumbline.trial.recording import Record

LINKS = ("tries", "result_of", "keeps", "breaks", "restates")
"""Kinds of links: a case tries clauses; a result is one of a case, and keeps or breaks clauses."""


@dataclass(frozen=True)
class Item:
    """A clause, a case or a result. `links` has the ids of other items by kind of link."""

    id: str
    kind: str
    title: str
    content: str
    status: str
    fields: dict[str, str] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)


def item_id(kind: str, *names: str) -> str:
    """An id that every such tool takes, the same in every record: capitals, digits, underscores, and a digest, since
    names differ in more letters than these."""
    text = " ".join(names)
    return "_".join([kind.upper(), re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_"),
                     hashlib.sha256(text.encode()).hexdigest()[:6].upper()])


def items(record: Record) -> Iterator[Item]:
    """Every clause, then every case with its results."""
    for spec, text in record.header.specifications.items():
        counts = {row.address: row.counts for row in clause_rows(record, spec)}
        for address, clause in text.clauses.items():
            restates = [item_id("clause", clause.restates)] if clause.restates else []
            yield Item(item_id("clause", address), "clause", f"{address} {clause.title}", clause.statement,
                       status_of(clause, counts[address]), {"source": clause.source, "edition": text.edition,
                                                            "address": address}, _present(restates=restates))
    bearing: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for spec, text in record.header.specifications.items():
        for line, address, verdict in bearings(text, [line for line in record.cases if line.spec == spec]):
            how = {"conforms": "keeps", "diverges": "breaks"}.get(verdict)
            if how:
                bearing.setdefault(line.key, {}).setdefault(how, []).append(item_id("clause", address))
    seen: set[tuple[str, str]] = set()
    for line in record.cases:
        if (line.spec, line.id) not in seen:
            seen.add((line.spec, line.id))
            yield Item(item_id("case", line.spec, line.id), "case", line.title, "", "", {"source": line.source},
                       _present(tries=[item_id("clause", address) for address in line.covers]))
        yield _result(record, line, bearing.get(line.key, {}))


def _result(record: Record, line: CaseLine, bearing: dict[str, list[str]]) -> Item:
    known = {"known": line.known.reason} if line.known else {}
    return Item(item_id("result", record.who, line.spec, line.id, line.form), "result",
                f"{record.who}: {line.spec} {line.id} [{line.form}]", line.did, line.verdict, known,
                _present(result_of=[item_id("case", line.spec, line.id)], **bearing))


def _present(**links: list[str]) -> dict[str, list[str]]:
    return {name: ids for name, ids in links.items() if ids}


def needs_json(record: Record) -> str:
    """The items as `needs.json`, for `needimport`."""
    needs = {item.id: {"id": item.id, "type": item.kind, "title": item.title, "content": item.content,
                       "status": item.status, **item.fields, **item.links} for item in items(record)}
    version = record.header.backend.version
    return json.dumps({"project": f"plumbline {record.header.backend.name}", "current_version": version,
                       "created": record.header.started,
                       "versions": {version: {"created": record.header.started, "needs_amount": len(needs),
                                              "needs": needs}}}, indent=1) + "\n"
