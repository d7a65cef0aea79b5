"""Show a report on a model as lines of text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from plumbline.oracle.check.general import OfModel
from plumbline.oracle.check.judging import Finding, Report
from plumbline.oracle.check.repair import Repair
from plumbline.oracle.node import Given
from plumbline.oracle.safe_text import safe
from plumbline.oracle.type_names import name_of

STANDINGS = {"inside": "inside", "breaks": "breaking a clause", "undecided": "undecided"}


def as_text(report: Report) -> Iterator[str]:
    """Line by line: each specification with its counts, then its nodes; what is said of several nodes alike stands once
    under the last of them. Names are the model's, and made safe to show."""
    yield from map(safe, _lines(report))


def _lines(report: Report) -> Iterator[str]:
    """Yield the report line by line: each specification with its counts, then its nodes."""
    yield f"{report.path}  opset {report.opset}"
    yield from (f"note: {note}" for note in report.notes)
    for spec in report.specs():
        findings = [finding for finding in report.findings if finding.spec is spec]
        counts = ", ".join(f"{count} {words}" for standing, words in STANDINGS.items()
                           if (count := sum(finding.standing == standing for finding in findings)))
        yield f"{spec.name}  {len(findings)} {spec.operator} node{'s' if len(findings) != 1 else ''}: {counts}"
        alike: dict[tuple[str, ...], list[Finding]] = {}
        for finding in findings:
            alike.setdefault((finding.standing, *_details(finding)), []).append(finding)
        for (standing, *details), group in alike.items():
            yield from (f"  {finding.node.name}  ({finding.node.place}; {_inputs(finding)})  {standing}"
                        for finding in group)
            yield from details
    for found in report.general:
        yield from _on_model(found)
    if report.unspecified:
        count = report.unspecified.total()
        yield f"{count} node{'s' if count != 1 else ''} without a specification: " + ", ".join(
            f"{operator} ({number})" for operator, number in report.unspecified.most_common())


def _on_model(found: OfModel) -> Iterator[str]:
    """The model as a whole under a text of no operator."""
    yield f"{found.text.name}  the model: {found.standing}"
    for state, words in (("broken", "breaks"), ("undecided", "undecided")):
        yield from (f"    {words} {entry.clause} {found.text.clauses[entry.clause].title}: {entry.why}"
                    for entry in found.those(state))


def _details(finding: Finding) -> Iterator[str]:
    """Yield lines on a finding: broken clauses, repairs, undecided clauses."""
    if finding.malformed:
        yield f"    not a call of the operator: {finding.malformed}"
    for entry in finding.those("broken"):
        clause = finding.spec.clauses[entry.clause]
        if clause.restates:
            continue
        same = [other.local for other in finding.spec.clauses.values() if other.restates == entry.clause]
        yield f"    breaks {entry.clause} {clause.title}: {entry.why}" + (f" ({', '.join(same)} too)" if same else "")
        yield from _repair(finding.repairs[entry.clause])
    for entry in finding.those("undecided"):
        if not finding.spec.clauses[entry.clause].restates:
            yield f"    undecided {entry.clause} {finding.spec.clauses[entry.clause].title}: depends on {entry.why}"
    whole = finding.repair
    if whole is not None:
        yield f"    after these repairs: {whole.standing}"


def _repair(repair: Repair | None) -> Iterator[str]:
    if repair is None:
        yield "      no repair: no change of the node is known that keeps this clause"
        return
    yield f"      repair: {'; '.join(repair.steps)}"
    yield from (f"        not shown to keep the meaning: {change}" for change in repair.changes)


def _inputs(finding: Finding) -> str:
    return ", ".join(f"{name} {_tensor(given)}" for name, given in finding.node.named(finding.spec).items())


def _tensor(given: Given) -> str:
    dtype = name_of(given.dtype) if given.dtype is not None else "of unknown type"
    shape = "of unknown rank" if given.shape is None else f"[{', '.join(str(size) or '?' for size in given.shape)}]"
    return f"{dtype} {shape}"


def as_json(report: Report, status: int) -> dict[str, Any]:
    """Return the report as a JSON object; `oracle.check` lists its keys."""
    return {"model": str(report.path), "opset": report.opset, "status": status,
            "notes": report.notes, "specs": [_spec_entry(report, spec) for spec in report.specs()],
            "nodes": [_node_entry(finding) for finding in report.findings],
            "unspecified": dict(report.unspecified.most_common()),
            "model_clauses": [_model_entry(found) for found in report.general]}


def _model_entry(found: OfModel) -> dict[str, Any]:
    return {"spec": found.text.name, "standing": found.standing,
            "broken": [{"clause": entry.clause, "why": entry.why} for entry in found.those("broken")],
            "undecided": [{"clause": entry.clause, "depends_on": entry.why} for entry in found.those("undecided")]}


def _spec_entry(report: Report, spec: Any) -> dict[str, Any]:
    standings = [finding.standing for finding in report.findings if finding.spec is spec]
    return {"spec": spec.name, "nodes": len(standings),
            **{standing: standings.count(standing) for standing in STANDINGS},
            "broken": dict(report.counts(spec, "broken")), "open": dict(report.counts(spec, "undecided"))}


def _node_entry(finding: Finding) -> dict[str, Any]:
    node = finding.node
    broken = [{"clause": entry.clause, "why": entry.why, "restates": finding.spec.clauses[entry.clause].restates,
               "repair": _repair_entry(finding.repairs[entry.clause])} for entry in finding.those("broken")]
    undecided = [{"clause": entry.clause, "depends_on": entry.why} for entry in finding.those("undecided")]
    return {"spec": finding.spec.name, "name": node.name, "place": node.place, "operator": node.operator,
            "domain": node.domain, "opset": node.opset, "x": _tensor_entry(node.first),
            "inputs": {name: _tensor_entry(given) for name, given in node.named(finding.spec).items()},
            "standing": finding.standing, "malformed": finding.malformed or None, "broken": broken,
            "undecided": undecided,
            "repair": _repair_entry(finding.repair)}


def _repair_entry(repair: Repair | None) -> dict[str, Any] | None:
    if repair is None:
        return None
    return {"steps": repair.steps, "keeps_meaning": not repair.changes, "changes": list(repair.changes),
            "attributes": {name: value.tolist() if isinstance(value, np.ndarray) else value
                           for name, value in repair.node.attributes.items()}, **_tensor_entry(repair.node.first),
            "standing": repair.standing}


def _tensor_entry(given: Given) -> dict[str, Any]:
    """Type and shape, null or a symbol where unknown."""
    shape = None if given.shape is None else [None if size == "" else size for size in given.shape]
    return {"dtype": name_of(given.dtype) if given.dtype is not None else None, "shape": shape}
