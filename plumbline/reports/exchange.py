"""Export records as sphinx-needs, ReqIF, SARIF, and Markdown for CI."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.oracle.accuracy import is_of_profile
from plumbline.reports.clauses import bearings, clause_rows
from plumbline.reports.clauses import status as status_of
from plumbline.reports.rendering import environment
from plumbline.reports.words import code_span, count, escaped
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.judge import VERDICTS
from plumbline.trial.record.lines import CaseLine, ResultKey
from plumbline.trial.record.recording import Record

LINKS = ("tries", "result_of", "keeps", "breaks", "restates")
"""Kinds of links: a case tries clauses; a result belongs to a case, and keeps or breaks clauses."""


@dataclass(frozen=True)
class Item:
    """A clause, case or result, with linked ids by kind."""

    id: str
    kind: str
    title: str
    content: str
    status: str
    fields: dict[str, str] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)

    @property
    def values(self) -> defaultdict[str, str]:
        """The attributes by name, "" for a missing one."""
        return defaultdict(str, {"title": self.title, "content": self.content, "status": self.status, **self.fields})


def item_id(kind: str, *names: str) -> str:
    """An id valid in all tools, equal in every record.

    It consists of capitals, digits and underscores, and ends with a digest, since names may differ in other characters.
    """
    text = " ".join(names)
    return "_".join([kind.upper(), re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_"),
                     hashlib.sha256(text.encode()).hexdigest()[:6].upper()])


def items(record: Record) -> Iterator[Item]:
    """Yield every clause of a record, then every case with its results."""
    for spec, entry in record.header.specifications.items():
        counts = {row.address: row.counts for row in clause_rows(record, spec)}
        for address, clause in entry.clauses.items():
            restates = [item_id("clause", clause.restates)] if clause.restates else []
            yield Item(item_id("clause", address), "clause", f"{address} {clause.title}", clause.statement,
                       status_of(clause, counts[address]), {"source": clause.source, "edition": entry.edition,
                                                            "address": address, "tags": ", ".join(clause.tags)},
                       _present(restates=restates))
    links_of: dict[ResultKey, dict[str, list[str]]] = {}
    for spec, entry in record.header.specifications.items():
        for line, address, bearing in bearings(entry, [line for line in record.cases if line.spec == spec]):
            link = {"conforms": "keeps", "diverges": "breaks"}.get(bearing)
            if link:
                links_of.setdefault(line.key, {}).setdefault(link, []).append(item_id("clause", address))
    seen: set[tuple[str, str]] = set()
    for line in record.cases:
        if (line.spec, line.id) not in seen:
            seen.add((line.spec, line.id))
            yield Item(item_id("case", line.spec, line.id), "case", line.title, "", "", {"source": line.source},
                       _present(tries=[item_id("clause", address) for address in line.covers]))
        yield _result(record, line, links_of.get(line.key, {}))


def _result(record: Record, line: CaseLine, links: dict[str, list[str]]) -> Item:
    known = {"known": line.known.reason} if line.known else {}
    return Item(item_id("result", record.who, line.spec, line.id, line.form), "result",
                f"{record.who}: {line.spec} {line.id} [{line.form}]", line.did, line.verdict, known,
                _present(result_of=[item_id("case", line.spec, line.id)], **links))


def _present(**links: list[str]) -> dict[str, list[str]]:
    return {name: ids for name, ids in links.items() if ids}


def needs_json(record: Record) -> str:
    """The items as `needs.json`, for `needimport` of sphinx-needs."""
    needs = {item.id: {"id": item.id, "type": item.kind, "title": item.title, "content": item.content,
                       "status": item.status, **item.fields, **item.links} for item in items(record)}
    version = record.header.backend.version
    return json.dumps({"project": f"plumbline {record.header.backend.name}", "current_version": version,
                       "created": record.header.started,
                       "versions": {version: {"created": record.header.started, "needs_amount": len(needs),
                                              "needs": needs}}}, indent=1) + "\n"


FIELDS = ("title", "content", "status", "source", "edition", "address", "tags", "known")
"""Attributes of every ReqIF object; empty if an item lacks one."""


def reqif_text(record: Record) -> str:
    """The items as ReqIF objects, the links as relations."""
    return environment().get_template("reqif.xml.j2").render(
        who=record.who, when=record.header.started, items=list(items(record)), fields=FIELDS, links=LINKS) + "\n"


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_text(record: Record) -> str:
    """The root causes of a record as a SARIF log."""
    causes = groups(record)
    rules = list(dict.fromkeys(_rule(group) for group in causes))
    suite = record.header.suite
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "plumbline", "semanticVersion": suite["version"],
                            "rules": [_described(record, rule) for rule in rules]}},
        "automationDetails": {"id": f"plumbline/{record.header.backend.name}/"},
        "invocations": [{"executionSuccessful": record.whole, "commandLine": record.header.command}],
        "results": [_cause(record, group, rules.index(_rule(group))) for group in causes]}]}, indent=1) + "\n"


def _rule(group: Group) -> str:
    """The address of the broken clause, or else the verdict."""
    line = group.lines[0]
    return next((address for address in line.clauses if address.partition("#")[2] in group.clauses),
                next(iter(line.clauses), group.verdict))


def _described(record: Record, rule: str) -> dict[str, Any]:
    specification = next((entry for entry in record.header.specifications.values() if rule in entry.clauses), None)
    if specification is None:
        return {"id": rule, "shortDescription": {"text": next(text for name, text in VERDICTS.items() if name == rule)}}
    clause = specification.clauses[rule]
    return {"id": rule, "name": clause.title, "shortDescription": {"text": clause.title},
            "fullDescription": {"text": clause.statement},
            "help": {"text": clause.source if is_of_profile(rule) else f"{clause.source} ({specification.edition})"}}


def _cause(record: Record, group: Group, rule: int) -> dict[str, Any]:
    first = group.lines[0]
    cause = [record.header.backend.name, group.verdict, group.text, *group.clauses, group.looks]
    known = next((line.known for line in group.lines if line.known), None)
    is_known = group.known == len(group.lines)
    shown = f"{first.spec} {first.id} [{first.form}]"
    return {
        "ruleId": _rule(group), "ruleIndex": rule, "level": "note" if is_known else "error", "kind": "fail",
        "message": {"text": f"{record.who}, {group.verdict}: {first.did} ({count(len(group.lines), 'result')}, as in "
                            f"{shown})"},
        "locations": [{
            "physicalLocation": {"artifactLocation": {"uri": f"spec/{first.spec.partition('@')[0]}.md"}},
            "logicalLocations": [{"fullyQualifiedName": shown, "kind": "member"}]}],
        "partialFingerprints": {"plumblineCause/v1": hashlib.sha256(json.dumps(cause).encode()).hexdigest()},
        "suppressions": [{"kind": "external", "justification": known.reason}] if is_known and known else [],
        "properties": {"verdict": group.verdict, "clauses": list(group.clauses), "symptom": group.symptom,
                       "conditions": list(group.features), "results": len(group.lines)}}


SHOWN = 20
"""Root causes in the table."""


def job_summary(records: Sequence[Record]) -> str:
    """The summary of a CI job, a section per record."""
    return "\n".join(line for record in records for line in _section(record)) + "\n"


def _section(record: Record) -> Iterator[str]:
    causes = groups(record)
    new = [group for group in causes if group.known < len(group.lines)]
    yield f"### {escaped(record.who)}"
    yield ""
    yield (f"{count(len(new), 'new root cause')}, {count(len(causes) - len(new), 'known root cause')}; "
           f"{record.reached:,} of {record.chosen:,} results: "
           + ", ".join(f"{number:,} {verdict}" for verdict, number in record.counts.most_common()) + ".")
    if record.incomplete:
        yield f"**Incomplete**: {escaped(record.incomplete)}."
    if causes:
        yield from ("", "| | verdict | clauses | results | what happened |", "|---|---|---|---|---|")
    for group in causes[:SHOWN]:
        clauses = ", ".join(code_span(clause) for clause in group.clauses)
        yield (f"| {'new' if group in new else 'known'} | {group.verdict} | {escaped(group.text)} {clauses} | "
               f"{len(group.lines)} | {escaped(group.lines[0].did[:200])} |")
    if len(causes) > SHOWN:
        yield from ("", f"and {count(len(causes) - SHOWN, 'more root cause')}")
    yield ""
