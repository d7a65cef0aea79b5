"""Collect unjudged results: unspecified behaviour, calls outside the domain."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from plumbline.reports.clauses import clauses_of, measured_figures
from plumbline.reports.columns import CaseRow, Column
from plumbline.reports.words import local_of, newest_first, split_address
from plumbline.trial.record.header import Clause, ClauseKey
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.one_line import text_of
from plumbline.trial.record.parts import Tensor

FAILURES = ("crashes", "hangs", "unstable")
"""Verdicts on calls without an answer that counts."""

LONGEST = 48
"""Elements of an answer that are written out."""


@dataclass
class Conduct:
    """The conduct that some columns share, with a refusal's message."""

    what: str
    labels: list[str]
    why: str = ""


@dataclass
class ConductRow:
    """The conduct on a hand-written or some generated cases.

    cells: for each column (conduct, message), ``("", "")`` if the column did not try it.
    """

    title: str
    specification: str
    clauses: tuple[str, ...]
    conducts: list[Conduct]
    cells: list[tuple[str, str]]
    names: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        """True if all columns did the same."""
        return len(self.conducts) == 1


@dataclass
class UnspecifiedClause:
    """A U clause in all its versions, with the conduct.

    figures: by label what was measured, for a clause about accuracy.
    """

    addresses: list[str]
    clause: Clause
    rows: list[ConductRow]
    figures: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)


def unspecified_clauses(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[UnspecifiedClause]:
    """The U clauses with their unjudged results."""
    disputed = {address for column in shown for line in column.record.cases if line.verdict == "observed"
                for address in line.clauses}
    clauses = {address: clause for address, clause in clauses_of(shown).items()
               if clause.kind == "unspecified" or clause.kind == "erratum" and address in disputed}
    entries: dict[ClauseKey, UnspecifiedClause] = {}
    for address in sorted(clauses, key=newest_first):
        clause = clauses[address]
        entries.setdefault(clause.key, UnspecifiedClause([], clause, [])).addresses.append(address)
    observed = [row for row in cases if row.counts["observed"]]
    for entry in entries.values():
        addresses = frozenset(entry.addresses)
        entry.rows = _rows(shown, observed, partial(_is_observed, addresses))
        entry.figures = {column.label: figures for column in shown
                         if (figures := measured_figures(column.record, entry.clause, addresses))}
    return list(entries.values())


def _is_observed(addresses: frozenset[str], line: CaseLine) -> bool:
    return line.verdict == "observed" and not addresses.isdisjoint(line.clauses)


def informational_results(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[ConductRow]:
    """The calls outside the domain, with the conduct."""
    def is_outside(line: CaseLine) -> bool:
        return line.verdict in ("rejects-invalid", "accepts-invalid", "outside-profile") \
            or line.accuses and line.verdict != "diverges" and bool(line.clauses)

    return _rows(shown, cases, is_outside, brief=True)


def rows_by_specification(rows: Iterable[ConductRow]) -> dict[str, list[ConductRow]]:
    """Rows grouped by specification, its versions together."""
    rows_of: dict[str, list[ConductRow]] = {}
    for row in rows:
        rows_of.setdefault(row.specification, []).append(row)
    return rows_of


def describe_conduct(line: CaseLine, brief: bool = False) -> tuple[str, str]:
    """The conduct in a few words, and in full.

    The few words are equal exactly if the conduct is, as far as the record tells; `brief` leaves out values."""
    if line.verdict in FAILURES:
        return line.verdict, line.did
    if line.phase:
        kind = line.did.partition(":")[0] if line.verdict != "unsupported" else "declared beforehand"
        return f"refused at {line.phase}", f"{kind}: {line.did}" if kind not in line.did else line.did
    values = "; ".join(f"{name} {_values(tensor)}" for name, tensor in (line.got or {}).items())
    return ("answered", values or line.did) if brief else (values or line.did, line.did)


def _values(tensor: Tensor) -> str:
    shape = f"{tensor.dtype}{tensor.shape}"
    flat = list(_flat(tensor.values))
    if tensor.offset is not None or len(flat) > LONGEST:
        return f"{shape} {' '.join(map(text_of, flat[:LONGEST]))} …"
    return f"{shape} {json.dumps(tensor.values).replace(chr(34), '')}"


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values


def _rows(shown: Sequence[Column], cases: Iterable[CaseRow], wanted: Callable[[CaseLine], bool],
          brief: bool = False) -> list[ConductRow]:
    """Return a row per wanted case, equal rows merged.

    shown:  the records, a column each.
    wanted: returns True for the results that count.
    brief:  leave values out of the descriptions."""
    rows: dict[tuple[object, ...], ConductRow] = {}
    for case in cases:
        forms = dict.fromkeys(form for cell in case.cells for form in cell)
        for form in forms:
            lines = [line if (line := cell.get(form)) and wanted(line) else None for cell in case.cells]
            first = next(filter(None, lines), None)
            if first is None:
                continue
            cells = [describe_conduct(line, brief) if line else ("", "") for line in lines]
            specification, version, _ = split_address(first.spec)
            clauses = tuple(dict.fromkeys(map(local_of, first.clauses)))
            generated = first.generated
            outline = _outline(cells) if generated else tuple(what for what, _ in cells)
            key = (specification, clauses, outline, "" if generated else first.id)
            if key not in rows:
                rows[key] = ConductRow(first.title, specification, clauses, _conducts(shown, cells, generated), cells)
            row = rows[key]
            for values, value in ((row.names, first.id), (row.forms, form), (row.versions, version)):
                if value and value not in values:
                    values.append(value)
    for row in rows.values():
        row.versions.sort(key=lambda version: (len(version), version))
    return list(rows.values())


def _outline(cells: list[tuple[str, str]]) -> tuple[str, ...]:
    """The cells with equal answers numbered alike. Generated cases with one outline share a row."""
    answers: dict[str, str] = {}
    return tuple(what if not what or _is_no_answer(what) else answers.setdefault(what, f"answer {len(answers) + 1}")
                 for what, _ in cells)


def _is_no_answer(what: str) -> bool:
    return what.startswith("refused at ") or what in ("answered", *FAILURES)


def _conducts(shown: Sequence[Column], cells: list[tuple[str, str]], generated: bool) -> list[Conduct]:
    """The columns grouped by conduct.

    The values of generated cases are left out, since a row stands for several cases."""
    conducts: dict[str, Conduct] = {}
    for column, (what, why), outline in zip(shown, cells, _outline(cells), strict=True):
        if what:
            text = outline if generated else what
            conduct = conducts.setdefault(text, Conduct(text, []))
            conduct.labels.append(column.label)
            conduct.why = why if _is_no_answer(what) else ""
    if generated:
        answered = [conduct for conduct in conducts.values() if conduct.what.startswith("answer ")]
        for conduct in answered:
            conduct.what = ("same answer" if len(answered) == 1
                            else f"answered in way {conduct.what.partition(' ')[2]}")
    return list(conducts.values())
