"""A record as SARIF 2.1.0: each cause a result, whose rule is the clause that it breaks first.

The fingerprint of a result is its cause, so that a code-scanning page shows a cause once however many calls show it,
and knows it again in the next run. What is known is there, suppressed, with its reason.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from plumbline.reports.words import count
from plumbline.trial.groups import Group, groups
from plumbline.trial.judge import VERDICTS
from plumbline.trial.recording import Record

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
        "results": [_result(record, group, rules.index(_rule(group))) for group in found]}]}, indent=1) + "\n"


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


def _result(record: Record, group: Group, rule: int) -> dict[str, Any]:
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
