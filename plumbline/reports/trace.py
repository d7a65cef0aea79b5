"""Clause, case, verdict, and back: which case says what of which clause, what nobody breaks, what never
failed; and what backends did where no verdict accuses them: where a text is silent, and outside its domain."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from plumbline.reports.clauses import MatrixRow, bearings, clauses_of, measured
from plumbline.reports.columns import CaseRow, Column, Key
from plumbline.reports.words import by_age, parts
from plumbline.trial.record.header import Clause, ClauseKey, Tensor
from plumbline.trial.record.lines import CaseLine
from plumbline.trial.record.one_line import text_of

STATES = {"broken": "diverges", "refused": "refused", "kept": "conforms", "not tried": "not tried"}
"""What can be said of a clause on outputs, in the words of a page, with the status that a column then has. One column
decides: a clause that is kept here and refused there is refused."""

NAMED = 12
"""Cases named of one kind under one clause."""


@dataclass(frozen=True)
class Trace:
    """One result and what it says of one clause, in the words of `bearings`."""

    column: int
    line: CaseLine
    address: str
    bearing: str


@dataclass
class Alike:
    """Cases that say the same of a clause in every column. `bearings` has "" where nothing was judged."""

    bearings: tuple[str, ...]
    written: list[Key] = field(default_factory=list)
    generated: list[Key] = field(default_factory=list)

    def said(self, shown: Sequence[Column]) -> list[tuple[str, list[str]]]:
        """(bearing, who of the columns): those alike together."""
        found: dict[str, list[str]] = {}
        for bearing, column in zip(self.bearings, shown, strict=True):
            found.setdefault(bearing, []).append(column.label)
        return list(found.items())

    @property
    def named(self) -> list[Key]:
        """The first of them, written ones before generated ones."""
        return (self.written + self.generated)[:NAMED]

    @property
    def count(self) -> int:
        """All of them."""
        return len(self.written) + len(self.generated)


@dataclass(frozen=True)
class Closing:
    """What is left to ask of a specification: its clauses on outputs by state, and its cases by state."""

    specification: str
    clauses: dict[str, list[str]]
    cases: dict[str, list[Key]]


def traces(shown: Sequence[Column]) -> Iterator[Trace]:
    """Every bearing of every result."""
    for number, column in enumerate(shown):
        lines: dict[str, list[CaseLine]] = {}
        for line in column.record.cases:
            lines.setdefault(line.spec, []).append(line)
        for name, group in lines.items():
            for line, address, bearing in bearings(column.record.header.specifications[name], group):
                yield Trace(number, line, address, bearing)


def by_clause(found: Iterable[Trace], width: int) -> dict[str, list[Alike]]:
    """For each clause the cases that bear on it, those alike together; what diverges first. Of the forms of a case the
    worst counts."""
    said: dict[str, dict[Key, list[str]]] = {}
    made: dict[Key, bool] = {}
    for trace in found:
        made[trace.line.spec, trace.line.id] = trace.line.generated
        case = said.setdefault(trace.address, {}).setdefault((trace.line.spec, trace.line.id), [""] * width)
        if case[trace.column] in ("", "conforms", "refused"):
            case[trace.column] = trace.bearing
    together: dict[str, list[Alike]] = {}
    for address, cases in said.items():
        alike: dict[tuple[str, ...], Alike] = {}
        for key, row in cases.items():
            entry = alike.setdefault(tuple(row), Alike(tuple(row)))
            (entry.generated if made[key] else entry.written).append(key)
        together[address] = sorted(alike.values(), key=lambda entry: ("diverges" not in entry.bearings, -entry.count))
    return together


def closing(rows: Mapping[str, Sequence[MatrixRow]], cases: Mapping[Key, CaseRow]) -> list[Closing]:
    """For each specification what no column breaks, and what never failed anywhere."""
    found = []
    for name, clauses in rows.items():
        judged = [row for row in clauses if row.clause.judges == "outputs"]
        here = {key: row for key, row in cases.items() if key[0] == name}
        found.append(Closing(
            name, {state: [row.address for row in judged if state_of(row.statuses) == state] for state in STATES},
            {state: [key for key, row in here.items() if row.state == state] for state in (*STATES, "recorded")}))
    return found


def state_of(statuses: Sequence[str]) -> str:
    """What the statuses of a clause on outputs come to, over all columns: one of `STATES`."""
    return next((state for state, status in STATES.items() if status in statuses), "not tried")


def by_flag(cases: Iterable[CaseRow], width: int) -> dict[str, tuple[int, list[Counter[str]]]]:
    """For each class of calls (the flags of the cases): how many cases, and for each column the results by verdict."""
    found: dict[str, tuple[int, list[Counter[str]]]] = {}
    for row in cases:
        for flag in row.line.flags or ["none of these"]:
            count, counts = found.get(flag, (0, [Counter() for _ in range(width)]))
            for number, line in row.lines:
                counts[number][line.verdict] += 1
            found[flag] = count + 1, counts
    return dict(sorted(found.items(), key=lambda item: (item[0] == "none of these", item[0])))


FAILURES = ("crashes", "hangs", "unstable")
"""What is said of those without an answer that counts."""

LONGEST = 48
"""Elements of an answer that are written out."""


@dataclass
class Conduct:
    """What some columns did alike; `why` in the words of the last one that refused."""

    what: str
    labels: list[str]
    why: str = ""


@dataclass
class Row:
    """What is to be said of a written case in some of its forms and versions of the text, or of several generated ones.

    cells: for each column (what was done, the message), ``("", "")`` where it was not tried.
    """

    title: str
    family: str
    clauses: tuple[str, ...]
    conducts: list[Conduct]
    cells: list[tuple[str, str]]
    names: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)

    @property
    def agree(self) -> bool:
        """Whether all columns did the same."""
        return len(self.conducts) == 1


@dataclass
class Silence:
    """A clause that leaves something open, under every version of the text that shares its statement, and what was done
    there; by label what was measured, where it leaves accuracy open."""

    addresses: list[str]
    clause: Clause
    rows: list[Row]
    figures: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)


def silences(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[Silence]:
    """Each U clause with the results that nothing was judged of, and each E clause with those that are disputed."""
    disputed = {address for column in shown for line in column.record.cases if line.verdict == "observed"
                for address in line.clauses}
    clauses = {address: clause for address, clause in clauses_of(shown).items() if clause.kind == "unspecified"
               or clause.kind == "erratum" and address in disputed}
    found: dict[ClauseKey, Silence] = {}
    for address in sorted(clauses, key=by_age):
        found.setdefault(clauses[address].key, Silence([], clauses[address], [])).addresses.append(address)
    observed = [row for row in cases if row.counts["observed"]]
    for silence in found.values():
        here = frozenset(silence.addresses)
        silence.rows = _rows(shown, observed, partial(_is_silent, here))
        silence.figures = {column.label: figures for column in shown
                           if (figures := measured(column.record, silence.clause, here))}
    return list(found.values())


def _is_silent(here: frozenset[str], line: CaseLine) -> bool:
    return line.verdict == "observed" and bool(here.intersection(line.clauses))


def survey(shown: Sequence[Column], cases: Iterable[CaseRow]) -> list[Row]:
    """The calls outside the domain, and what each column did."""
    def is_outside(line: CaseLine) -> bool:
        return line.verdict in ("rejects-invalid", "accepts-invalid", "outside-profile") \
            or line.accuses and line.verdict != "diverges" and bool(line.clauses)

    return _rows(shown, cases, is_outside, brief=True)


def done(line: CaseLine, brief: bool = False) -> tuple[str, str]:
    """(what was done in a few words, the whole of it): the words are equal exactly where the same was done, as far as
    the record tells. `brief` leaves out what was answered."""
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


def _flat(values: Any) -> Iterable[Any]:
    if isinstance(values, list):
        for value in values:
            yield from _flat(value)
    else:
        yield values


def _rows(shown: Sequence[Column], cases: Iterable[CaseRow], wanted: Callable[[CaseLine], bool],
          brief: bool = False) -> list[Row]:
    """Cases and forms that `wanted` chooses, those of which the same is to be said put together."""
    found: dict[tuple[Any, ...], Row] = {}
    for case in cases:
        forms = dict.fromkeys(form for cell in case.cells for form in cell)
        for form in forms:
            lines = [line if (line := cell.get(form)) and wanted(line) else None for cell in case.cells]
            first = next(filter(None, lines), None)
            if first is None:
                continue
            cells = [done(line, brief) if line else ("", "") for line in lines]
            family, version, _ = parts(first.spec)
            clauses = tuple(dict.fromkeys(parts(address)[2] for address in first.clauses))
            generated = first.generated
            said = _outline(cells) if generated else tuple(what for what, _ in cells)
            key = (family, clauses, said, "" if generated else first.id)
            if key not in found:
                found[key] = Row(first.title, family, clauses, _conducts(shown, cells, generated), cells)
            row = found[key]
            for there, value in ((row.names, first.id), (row.forms, form), (row.versions, version)):
                if value and value not in there:
                    there.append(value)
    for row in found.values():
        row.versions.sort(key=lambda version: (len(version), version))
    return list(found.values())


def _outline(cells: list[tuple[str, str]]) -> tuple[str, ...]:
    """Who refused and who answered, and which answers are equal: what generated cases are put together by."""
    answers: dict[str, str] = {}
    return tuple(what if not what or _is_no_answer(what) else answers.setdefault(what, f"answer {len(answers) + 1}")
                 for what, _ in cells)


def _is_no_answer(what: str) -> bool:
    return what.startswith("refused at ") or what in ("answered", *FAILURES)


def _conducts(shown: Sequence[Column], cells: list[tuple[str, str]], generated: bool) -> list[Conduct]:
    """The columns by what they did. Of generated cases the values are left out: they stand for several."""
    found: dict[str, Conduct] = {}
    for column, (what, why), outline in zip(shown, cells, _outline(cells), strict=True):
        if what:
            text = outline if generated else what
            conduct = found.setdefault(text, Conduct(text, []))
            conduct.labels.append(column.label)
            conduct.why = why if _is_no_answer(what) else ""
    conducts = list(found.values())
    if generated:
        answered = [one for one in conducts if one.what.startswith("answer ")]
        for one in answered:
            one.what = "answered alike" if len(answered) == 1 else f"answered in way {one.what.partition(' ')[2]}"
    return conducts
