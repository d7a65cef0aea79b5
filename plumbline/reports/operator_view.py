"""Collect what a site shows of an operator: clauses, root causes, shares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plumbline.reports.clauses import (
    ClauseSummary,
    broken_clauses,
    clauses_of,
    matrix,
    notation,
    summarise_clauses,
)
from plumbline.reports.columns import Column, case_rows, columns
from plumbline.reports.errata import errata
from plumbline.reports.examples import SmallestCall, examples, smallest_calls
from plumbline.reports.findings import Finding, findings, findings_by_clause, page_anchors
from plumbline.reports.histories import column_regressions, histories, progress, steps
from plumbline.reports.page import frame
from plumbline.reports.specials import VERDICT_WORDS
from plumbline.reports.trace import STATES
from plumbline.reports.unjudged import (
    UnspecifiedClause,
    informational_results,
    rows_by_specification,
    unspecified_clauses,
)
from plumbline.reports.words import anchor, count, local_of
from plumbline.trial.record.header import Clause
from plumbline.trial.record.recording import Record

STATE_OF_STATUS = {status: state for state, status in STATES.items()}


@dataclass(frozen=True)
class Share:
    """The states of an operator's clauses in one record.

    counts: clauses "kept", "broken", "refused" and "not tried"; causes: accusing findings by number.
    """

    column: Column
    counts: Counter[str]
    causes: dict[int, Finding]
    smallest: SmallestCall | None

    @property
    def unanswered(self) -> Counter[str]:
        """Accusing results without an answer to judge, by verdict.

        These are refusals, crashes, hangs and unstable answers."""
        return Counter(finding.verdict for finding in self.causes.values() if not finding.clauses
                       for label, _ in finding.results if label == self.column.label)

    @property
    def unanswered_in_words(self) -> list[tuple[str, str]]:
        """Pairs of verdict and number with its word."""
        return [(verdict, f"{self.unanswered[verdict]:,} {word}") for verdict, word in VERDICT_WORDS.items()
                if self.unanswered[verdict]]

    @property
    def state(self) -> str:
        """The worst state, which decides the colour. A crash, a hang or an unstable answer counts as "broken"."""
        if set(self.unanswered) - {"rejects-valid"}:
            return "broken"
        return next((state for state in STATES if self.counts[state]), "not tried")

    @property
    def judged(self) -> int:
        """The number of clauses that some call judges."""
        return self.counts.total() - self.counts["not tried"]


@dataclass(frozen=True)
class OperatorView:
    """An operator under one specification, in all its versions.

    shares: by label of the column; variables: of the template of its page.
    """

    name: str
    shown: Sequence[Column]
    clauses: Sequence[ClauseSummary]
    causes: Sequence[Finding]
    unspecified: Sequence[UnspecifiedClause]
    shares: Mapping[str, Share]
    variables: Mapping[str, Any]

    @property
    def address(self) -> str:
        """The folder of its page."""
        return operator_folder(self.name)

    @property
    def newest(self) -> list[Share]:
        """The share of the newest version of each backend."""
        return list({share.column.name: share for share in self.shares.values()}.values())

    @property
    def sentence(self) -> str:
        """The page in one sentence."""
        kept = [share for share in self.newest if share.state in ("kept", "not tried") and share.counts["kept"]]
        of_backends = f" of {len(kept)} of {len(self.newest)} backends" if len(self.newest) > 1 else ""
        keeps = "keeps" if kept or of_backends else "does not keep"
        return (f"The newest version{of_backends} {keeps} every clause that was judged; "
                f"{count(len(self.causes), 'root cause')} over all versions")

    @property
    def by_local(self) -> dict[str, list[ClauseSummary]]:
        """The clauses by section and tag, the newest statement first."""
        clauses_of_local: dict[str, list[ClauseSummary]] = {}
        for entry in self.clauses:
            clauses_of_local.setdefault(local_of(entry.addresses[0]), []).append(entry)
        return clauses_of_local


def operator_folder(specification: str) -> str:
    """The folder of the page of an operator."""
    return "/".join(map(anchor, specification.split("/")))


def backend_folder(name: str) -> str:
    """The folder of the page of a backend."""
    return f"backends/{anchor(name)}"


def operator_view(name: str, records: Sequence[Record]) -> OperatorView:
    """Return the view of an operator.

    name:    of its specification, without version.
    records: those parts of records that are about it."""
    shown = columns(records)
    cases, clauses, rows, regressions = case_rows(shown), clauses_of(shown), matrix(shown), column_regressions(shown)
    every_row = [row for part in rows.values() for row in part]
    causes, unspecified = findings(shown, cases, clauses, most_shown=1), unspecified_clauses(shown, cases.values())
    summaries, broken = summarise_clauses(every_row, regressions), broken_clauses(every_row, regressions)
    smallest = smallest_calls(causes)
    shares = {column.label: Share(
        column, Counter(STATE_OF_STATUS[entry.states[number]] for entry in summaries if entry.is_judged),
        {at: finding for at, finding in enumerate(causes, 1) if column.label in finding.accused},
        smallest.get(column.label)) for number, column in enumerate(shown)}
    variables = {
        **frame(shown), "title": name, "headlines": (), "findings": causes, "examples": examples(causes, shown),
        "clauses": clauses, "findings_by_clause": findings_by_clause(causes), "notation": notation(broken, rows),
        "case_numbers": {}, "places": page_anchors(causes), "progress": progress(shown, broken),
        "histories": histories(shown, every_row), "steps": steps(shown), "unspecified": unspecified,
        "informational": rows_by_specification(informational_results(shown, cases.values())),
        "errata": errata(shown)}
    return OperatorView(name, shown, summaries, causes, unspecified, shares, variables)


def clause_results(entry: ClauseSummary, shown: Sequence[Column]) -> list[tuple[str, str, list[str]]]:
    """State, numbers and labels of a clause, equal columns together."""
    labels_of: dict[tuple[str, str], list[str]] = {}
    for column, counts, status in zip(shown, entry.counts, entry.states, strict=True):
        numbers = _numbers(entry.clause, counts)
        labels_of.setdefault((STATE_OF_STATUS.get(status, status), numbers), []).append(column.label)
    return [(state, numbers, labels) for (state, numbers), labels in labels_of.items()]


def _numbers(clause: Clause, counts: Counter[str]) -> str:
    if clause.judges == "outputs":
        refused = f", {counts['refused']} refused" if counts["refused"] else ""
        if counts["diverges"]:
            return f"{counts['diverges']} of {counts['diverges'] + counts['conforms']} results{refused}"
        return refused.removeprefix(", ")
    return ", ".join(f"{number} {word}" for word, number in sorted(counts.items()) if number and word != "worse")
