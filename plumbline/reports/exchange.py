"""A record in the formats of other tools: requirements that are linked (`needs.json` of sphinx-needs, ReqIF), SARIF for
code-scanning pages, Markdown for the summary of a CI job."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from plumbline.reports.clauses import bearings, clause_rows
from plumbline.reports.clauses import status as status_of
from plumbline.reports.page import environment
from plumbline.reports.words import code, count, text
from plumbline.trial.known.root_causes import Group, groups
from plumbline.trial.record.judge import VERDICTS
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.recording import Record

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

    @property
    def values(self) -> defaultdict[str, str]:
        """All of its text by name, "" where it has none."""
        return defaultdict(str, {"title": self.title, "content": self.content, "status": self.status, **self.fields})


def item_id(kind: str, *names: str) -> str:
    """An id that every such tool takes, the same in every record: capitals, digits, underscores, and a digest, since
    names differ in more letters than these."""
    text = " ".join(names)
    return "_".join([kind.upper(), re.sub(r"[^A-Z0-9]+", "_", text.upper()).strip("_"),
                     hashlib.sha256(text.encode()).hexdigest()[:6].upper()])


def items(record: Record) -> Iterator[Item]:
    """Every clause, then every case with its results."""
    for spec, one in record.header.specifications.items():
        counts = {row.address: row.counts for row in clause_rows(record, spec)}
        for address, clause in one.clauses.items():
            restates = [item_id("clause", clause.restates)] if clause.restates else []
            yield Item(item_id("clause", address), "clause", f"{address} {clause.title}", clause.statement,
                       status_of(clause, counts[address]), {"source": clause.source, "edition": one.edition,
                                                            "address": address, "tags": ", ".join(clause.tags)},
                       _present(restates=restates))
    bearing: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    for spec, one in record.header.specifications.items():
        for line, address, verdict in bearings(one, [line for line in record.cases if line.spec == spec]):
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


FIELDS = ("title", "content", "status", "source", "edition", "address", "tags", "known")
"""Attributes of every object of ReqIF; empty where an item has none."""


def reqif_text(record: Record) -> str:
    """The items as ReqIF: specification objects, and links as relations between them."""
    return environment().get_template("reqif.xml.j2").render(
        who=record.who, when=record.header.started, items=list(items(record)), fields=FIELDS, links=LINKS) + "\n"


SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_text(record: Record) -> str:
    """The log, of one run."""
    found = groups(record)
    rules = list(dict.fromkeys(_rule(group) for group in found))
    suite = record.header.suite
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "plumbline", "semanticVersion": suite["version"],
                            "rules": [_described(record, rule) for rule in rules]}},
        "automationDetails": {"id": f"plumbline/{record.header.backend.name}/"},
        "invocations": [{"executionSuccessful": record.whole, "commandLine": record.header.command}],
        "results": [_cause(record, group, rules.index(_rule(group))) for group in found]}]}, indent=1) + "\n"


def _rule(group: Group) -> str:
    """The address of the clause; the verdict of what breaks none."""
    line = group.lines[0]
    return next((address for address in line.clauses if address.partition("#")[2] in group.clauses),
                next(iter(line.clauses), group.verdict))


def _described(record: Record, rule: str) -> dict[str, Any]:
    text = record.header.specifications.get(rule.partition("#")[0])
    if text is None:
        return {"id": rule, "shortDescription": {"text": VERDICTS[rule]}}
    clause = text.clauses[rule]
    return {"id": rule, "name": clause.title, "shortDescription": {"text": clause.title},
            "fullDescription": {"text": clause.statement}, "help": {"text": f"{clause.source} ({text.edition})"}}


def _cause(record: Record, group: Group, rule: int) -> dict[str, Any]:
    first = group.lines[0]
    cause = [record.header.backend.name, group.verdict, group.text, *group.clauses, group.symptom]
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
"""Causes in the table."""


def job_summary(records: Sequence[Record]) -> str:
    """A section for each record."""
    return "\n".join(line for record in records for line in _section(record)) + "\n"


def _section(record: Record) -> Iterator[str]:
    found = groups(record)
    new = [group for group in found if group.known < len(group.lines)]
    yield f"### {text(record.who)}"
    yield ""
    yield (f"{count(len(new), 'new cause')}, {count(len(found) - len(new), 'known cause')}; "
           f"{record.reached:,} of {record.chosen:,} results: "
           + ", ".join(f"{number:,} {verdict}" for verdict, number in record.counts.most_common()) + ".")
    if record.incomplete:
        yield f"**Incomplete**: {text(record.incomplete)}."
    if found:
        yield from ("", "| | verdict | clauses | results | what happened |", "|---|---|---|---|---|")
    for group in found[:SHOWN]:
        clauses = ", ".join(code(clause) for clause in group.clauses)
        yield (f"| {'new' if group in new else 'known'} | {group.verdict} | {text(group.text)} {clauses} | "
               f"{len(group.lines)} | {text(group.lines[0].did[:200])} |")
    if len(found) > SHOWN:
        yield from ("", f"and {count(len(found) - SHOWN, 'more cause')}")
    yield ""
