"""Shows a model on trial: lines for people, an object for programs; and the header of its record."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

from plumbline.oracle import Spec
from plumbline.oracle.text import safe
from plumbline.trial.header import header
from plumbline.trial.model import ModelTrial
from plumbline.trial.model_parts import Judged, Span, Subject
from plumbline.trial.record_header import Cases, Header, Selection

NAMED = 6
"""Operators without a specification that are named."""


def model_header(trial: ModelTrial, command: str, options: dict[str, Any], named: str) -> Header:
    """The header of the record."""
    specs: dict[str, Spec] = {finding.spec.name: finding.spec for subject in trial.subjects
                              for finding in subject.findings}
    identity = {"named": named, **trial.host.identity, "tried": trial.known.tried, "known": trial.known.digest}
    chosen = [(judged.result.case, judged.line.form) for judged in trial.judged]
    found = header(identity, list(specs.values()), [], command, options, chosen)
    digest = hashlib.sha256(trial.graph.plain.SerializeToString(deterministic=True)).hexdigest()
    selection = Selection(tried=len(chosen), of=len(chosen), results=found.selection.results)
    return found.model_copy(update={"selection": selection, "cases": Cases(count=len(chosen), digest=digest)})


def as_text(trial: ModelTrial) -> Iterator[str]:
    """Line by line, made safe to show: what is known beforehand, then what came."""
    yield from map(safe, _lines(trial))


def _lines(trial: ModelTrial) -> Iterator[str]:
    who = f"{trial.host.identity['name']} {trial.host.identity['version']}"
    yield f"{trial.graph.path}  opset {trial.graph.opsets['']}  on {who}"
    yield from (f"note: {note}" for note in (*trial.graph.notes, *trial.notes, *trial.host.notes))
    for subject in trial.subjects:
        for finding in subject.findings:
            if finding.standing == "breaks":
                broken = "; ".join(f"{entry.clause}: {entry.why}" for entry in finding.those("broken"))
                yield f"outside  {subject.step.node.name} ({subject.step.operator}): {finding.malformed or broken}"
        for each in subject.met:
            yield f"can meet  {subject.step.node.name} ({subject.step.operator}): {each.entry.id}, {each.when}"
    if not any(subject.met for subject in trial.subjects):
        yield f"no known divergence of {who} concerns a node of this model"
    if trial.refused:
        yield f"the whole model is not run: {trial.refused}"
    yield from (_wrong(judged) for judged in trial.wrong)
    yield from (_wrong(judged) for judged in trial.judged if judged.line.verdict == "observed")
    yield from (f"not judged  {subject.step.node.name} ({subject.step.operator}): {subject.why_not}"
                for subject in trial.subjects if subject.findings and subject.why_not)
    yield _summary(trial)
    first = next(iter(trial.wrong), None)
    if first is not None:
        yield f"first wrong node: {first.step.node.name} ({first.step.operator})"
    elif trial.judged:
        yield "no judged node is wrong"
    if trial.span is not None:
        yield (f"optimised: {_ends(trial.span)} give something else together than one by one: {trial.span.why}; no "
               "clause bounds several roundings, so that this accuses nobody")
    elif trial.spans_searched:
        yield "optimised: the whole model gives what its nodes give one by one"


def _ends(span: Span) -> str:
    names = [f"{step.node.name} ({step.operator})" for step in span.steps]
    return f"the {len(names)} nodes from {names[0]} to {names[-1]}"


def _wrong(judged: Judged) -> str:
    line = judged.line
    local = ", ".join(clause.partition("#")[2] for clause in line.clauses)
    clauses = f" {local} of {line.spec}" if local else ""
    figures = "".join(f"; {name} {value:.4g}" for name, value in line.figures.items() if isinstance(value, float))
    known = f"known: {line.known.id}" if line.known else "new" if line.accuses else "left open by the text"
    return (f"{line.verdict}  {judged.step.node.name} ({judged.step.operator}), {judged.way.replace('-', ' ')}:"
            f"{clauses or ' ' + line.did}{figures}  [{known}]")


def without_specification(trial: ModelTrial) -> Counter[str]:
    """How many nodes of each operator no specification is about."""
    return Counter(subject.step.operator for subject in trial.subjects if not subject.findings)


def _summary(trial: ModelTrial) -> str:
    inner = trial.graph.inside_others
    text = f"judged {len(trial.judged_nodes)} of {len(trial.subjects) + inner} nodes"
    left = without_specification(trial)
    if left:
        named = [f"{operator} ({count})" if count > 1 else operator for operator, count in left.most_common(NAMED)]
        more = f" and {len(left) - NAMED} more" if len(left) > NAMED else ""
        text += f"; no specification for {', '.join(named)}{more}"
    return text + (f"; {inner} in graphs of other nodes, which cannot be fetched" if inner else "")


def as_json(trial: ModelTrial, status: int) -> dict[str, Any]:
    """The same as one object."""
    first = next(iter(trial.wrong), None)
    return {"model": str(trial.graph.path), "opset": trial.graph.opsets[""],
            "backend": {name: trial.host.identity[name] for name in ("name", "version")}, "status": status,
            "notes": [*trial.graph.notes, *trial.notes, *trial.host.notes], "refused": trial.refused or None,
            "first_wrong": first.step.node.name if first else None,
            "judged": len(trial.judged_nodes), "of": len(trial.subjects) + trial.graph.inside_others,
            "span": _span(trial.span) if trial.span is not None else None,
            "spans_searched": trial.spans_searched,
            "without_specification": dict(without_specification(trial)),
            "nodes": [_node(trial, subject) for subject in trial.subjects]}


def _span(span: Span) -> dict[str, Any]:
    return {"nodes": [step.node.name for step in span.steps], "why": span.why}


def _node(trial: ModelTrial, subject: Subject) -> dict[str, Any]:
    lines = [(judged.way, judged.line) for judged in trial.judged if judged.step is subject.step]
    return {"name": subject.step.node.name, "operator": subject.step.operator,
            "specs": {finding.spec.name: finding.standing for finding in subject.findings},
            "can_meet": [{"id": each.entry.id, "when": each.when} for each in subject.met],
            "results": [{"id": line.id, "way": way, "spec": line.spec, "verdict": line.verdict, "clauses": line.clauses,
                         "did": line.did, "known": line.known.id if line.known else None, "figures": line.figures}
                        for way, line in lines],
            "not_judged": subject.why_not or None}
