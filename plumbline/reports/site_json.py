"""Return the pages of a site as JSON, with stable keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plumbline.reports.clauses import ClauseSummary
from plumbline.reports.columns import Column
from plumbline.reports.examples import SmallestCall
from plumbline.reports.operator_view import STATE_OF_STATUS, OperatorView, Share
from plumbline.reports.unjudged import UnspecifiedClause

FORMAT = 1
"""The version of the JSON; raised when a change breaks its readers."""


def index(views: Iterable[OperatorView], backends: Mapping[str, Sequence[Column]],
          headlines: Mapping[str, str]) -> dict[str, Any]:
    """The start page."""
    return {"backends": {name: {column.version: headlines[column.label] for column in versions}
                         for name, versions in backends.items()},
            "texts": {view.name: _shares(view.shares.values()) for view in views}}


def operator(view: OperatorView) -> dict[str, Any]:
    """The page of an operator."""
    return {"text": view.name, "backends": _shares(view.shares.values()),
            "clauses": [_clause(entry, view.shown) for entry in view.clauses],
            "causes": [{"id": cause.id, "verdict": cause.verdict, "clauses": cause.clauses,
                        "conditions": list(cause.conditions), "results": len(cause.results), "new": cause.new,
                        "backends": cause.accused, "known": [known.model_dump() for known in cause.reasons]}
                       for cause in view.causes],
            "silences": [unspecified(entry) for entry in view.unspecified]}


def backend(versions: Sequence[Column], views: Iterable[OperatorView], headlines: Mapping[str, str]) -> dict[str, Any]:
    """The page of a backend."""
    return {"backend": versions[0].name, "versions": {column.version: {
        "result": headlines[column.label], "verdicts": dict(column.record.counts),
        "texts": {view.name: _share(view.shares[column.label]) for view in views if column.label in view.shares}}
        for column in versions}}


def unspecified(entry: UnspecifiedClause) -> dict[str, Any]:
    """An unspecified clause with the conduct of the backends."""
    return {"addresses": entry.addresses, "title": entry.clause.title, "statement": entry.clause.statement,
            "figures": entry.figures, "cases": [{"cases": row.names, "forms": row.forms, "did": [
                {"what": conduct.what, "backends": conduct.labels} for conduct in row.conducts]} for row in entry.rows]}


def _shares(shares: Iterable[Share]) -> dict[str, dict[str, Any]]:
    by_backend: dict[str, dict[str, Any]] = {}
    for share in shares:
        by_backend.setdefault(share.column.name, {})[share.column.version] = _share(share)
    return by_backend


def _share(share: Share) -> dict[str, Any]:
    counts: dict[str, Any] = {state: share.counts[state] for state in ("kept", "broken", "refused", "not tried")}
    counts["unanswered"] = dict(share.unanswered)
    return counts | ({"smallest": _smallest(share.smallest)} if share.smallest else {})


def _smallest(call: SmallestCall) -> dict[str, str]:
    line = call.instance.line
    return {"specification": line.spec, "case": line.id, "form": call.instance.form,
            "call": call.instance.brief, "wrong": call.why, "cause": call.finding.id}


def _clause(entry: ClauseSummary, shown: Sequence[Column]) -> dict[str, Any]:
    about = {name: getattr(entry.clause, name) for name in ("kind", "title", "statement", "source", "judges")}
    results = {column.label: {
        "state": STATE_OF_STATUS.get(state, state),
        "results": {word: number for word, number in counts.items() if number and word != "worse"}}
        for column, state, counts in zip(shown, entry.states, entry.counts, strict=True)}
    return {"addresses": entry.addresses, **about, "backends": results}
